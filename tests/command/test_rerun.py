"""`harness rerun`: a trial by each of its names gets the same numbers; what differs is named."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from harness.__main__ import _named
from harness.command.rerun import run
from harness.core.configuration import compose
from harness.core.errors import HarnessError
from harness.report.tracking import Export
from harness.report.tracking.mlflow import MLflow
from harness.sweep.folder.result import SweepResult
from harness.sweep.trial.plan import Plan
from harness.sweep.trial.prepared import Prepared
from harness.sweep.tune import sweep

AXES = ("grid=point", "+grid.some={fuser:[linear,rrf],fuser.k:[10],fuser.alpha:[0.3,0.6],pool.cap:[8]}")


@pytest.fixture
def result(overrides):
    given = (*overrides, *AXES)
    plan = Plan(compose("config", given), given)
    return sweep(Prepared.of(plan), plan.trials())


def rerun(result, trial, capsys, **more):
    runs = result.folder.parent.parent
    given = [f"trial='{trial}'", f"paths.runs={runs}", "tracking=mlflow"]
    run(compose("rerun", [*given, *(f"{key}={value}" for key, value in more.items())]))
    return capsys.readouterr().out


def test_by_hash_rank_and_name(result, capsys):
    row = result.trials.iloc[2]
    for trial in (row["trial"], row["trial"][:6], "3", row["name"]):
        said = rerun(result, trial, capsys)
        assert said.startswith(f"trial {row['trial']}, rank 3 of {len(result.trials)} in {result.folder.name}: ")
        assert "no input differs" in said
        assert said.endswith("same numbers, to the bit\n")


def test_a_trial_that_the_typed_knobs_would_leave_out_now(result, capsys, relock):
    """Sweeps of before knobs restricted the grid hold trials beside the typed value."""
    path = result.folder / "config.yaml"
    text = path.read_text()
    assert "given:\n" in text
    path.write_text(text.replace("given:\n", "given:\n- fuser.alpha=0.3\n"))
    relock(result.folder)
    place = next(place for place, name in enumerate(result.trials["name"], start=1) if "alpha=0.6" in name)
    assert rerun(result, str(place), capsys).endswith("same numbers, to the bit\n")


def test_by_the_id_of_an_mlflow_run(result, capsys):
    runs = result.folder.parent.parent
    MLflow(f"sqlite:///{runs}/mlflow.db", "x", f"{runs}/mlartifacts").export(Export(result.folder))
    import sqlite3

    query = "select run_uuid from tags where key = ? and value = ?"
    database = sqlite3.connect(f"{runs}/mlflow.db")
    (parent,) = database.execute(query, ("kind", "sweep")).fetchone()
    assert result.lock["winner"]["trial"] in rerun(result, parent, capsys)
    wanted = result.trials.iloc[3]["trial"]
    (child,) = database.execute(query, ("trial", wanted)).fetchone()
    assert f"trial {wanted}, rank 4" in rerun(result, child, capsys)
    with pytest.raises(HarnessError, match=r"Run with id=f* not found"):
        rerun(result, "f" * 32, capsys)


def test_other_numbers_name_the_input_that_differs(result, capsys, relock):
    path = result.folder / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["libraries"]["numpy"] = "1.0"
    path.write_text(json.dumps(manifest))
    relock(result.folder)
    assert f"libraries.numpy: 1.0 then, {np.__version__} now" in rerun(result, "1", capsys)
    ranks = np.load(result.folder / "ranks.npy")
    ranks[0, 0, 0] = 77
    np.save(result.folder / "ranks.npy", ranks)
    relock(result.folder)
    with pytest.raises(HarnessError, match=r"\(1 gold ranks differ\): libraries\.numpy: 1\.0 then"):
        rerun(result, "1", capsys)


def test_another_file_behind_a_list_is_named(result, capsys, bench):
    path = bench / "dense.trec"
    before = path.read_text()
    lines = before.splitlines(keepends=True)
    try:
        path.write_text("".join(line.replace(" dense", " other") for line in lines[:-200]))
        with pytest.raises(HarnessError, match=r"lists\.dense\.content: \w{64} then, \w{64} now"):
            rerun(result, "dense", capsys)
    finally:
        path.write_text(before)


def test_what_is_nowhere(result, capsys):
    with pytest.raises(HarnessError, match=r"trial lineer is in none of 1 sweeps.*give a trial's hash"):
        rerun(result, "lineer", capsys)
    with pytest.raises(HarnessError, match="no MLflow database"):
        rerun(result, "f" * 32, capsys)


def test_a_first_argument_alone_is_the_trial():
    assert _named("rerun", ["3", "sweep=x"]) == ["trial='3'", "sweep=x"]
    assert _named("rerun", ["rrf k=60"]) == ["trial='rrf k=60'"]
    assert _named("rerun", ["trial=3"]) == ["trial=3"]
    assert _named("config", ["fuser=rrf"]) == ["fuser=rrf"]


def test_the_same_bytes_in_any_environment(result):
    """Threads, hash seed, locale and time zone of another machine: the sweep's files again, byte by byte."""
    root = Path(__file__).parents[2]
    runs = result.folder.parent.parent
    before = {name: (result.folder / name).read_bytes() for name in ("trials.parquet", "ranks.npy", "winner.lock.json")}
    given = [text for text in SweepResult(result.folder).config["given"] if not text.startswith("paths.")]
    other = {"OMP_NUM_THREADS": "2", "PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "LC_ALL": "C", "PYTHONPATH": str(root)}
    command = [sys.executable, "-m", "harness", "sweep", *given, f"paths.runs={runs}"]
    done = subprocess.run(command, env={**os.environ, **other}, capture_output=True, text=True, check=True, cwd=root)
    assert done.stdout.splitlines()[-1] == str(result.folder)
    for name, content in before.items():
        assert (result.folder / name).read_bytes() == content
