"""A sweep again: the same bytes elsewhere, and where it is verified what differs is named."""

import json
import os
import re
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from harness.core.configuration.composition import compose
from harness.core.errors import HarnessError
from harness.core.identity import code_version
from harness.sweep.folder.result import SweepResult
from harness.sweep.recomputation import verify_numbers
from harness.sweep.trial.plan import Plan, reopen
from harness.sweep.trial.prepared import Prepared
from harness.sweep.tune import sweep
from tests import process
from tests.world.generate import write

AXES = (
    "grid=point",
    "+grid.some={fuser:[linear,rrf],fuser.k:[10],fuser.alpha:[0.3,0.6],pool.cap:[8]}",
)


@pytest.fixture
def result(sweep_of):
    return sweep_of(*AXES)[0]


def verify(result):
    config = compose("verify", [f"paths.runs={result.folder.parent.parent}", "tracking=none"])
    return list(verify_numbers(result, Prepared.of(reopen(result.folder, config))))


def test_other_numbers_name_the_input_that_differs(result, relock):
    path = result.folder / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["libraries"]["numpy"] = "1.0"
    path.write_text(json.dumps(manifest))
    ranks = np.load(result.folder / "ranks.npy")
    ranks[0, 0, 0] = 77
    np.save(result.folder / "ranks.npy", ranks)
    relock(result.folder)
    with pytest.raises(
        HarnessError, match=rf"1 gold.*\(libraries\.numpy: 1\.0 then, {np.__version__} now"
    ):
        verify(SweepResult(result.folder))


def test_a_list_s_file_may_change_since_the_sweep_keeps_it(result, bench):
    path = bench / "dense.trec"
    before = path.read_text()
    try:
        path.write_text("".join(before.splitlines(keepends=True)[:-200]))
        assert "the same ranks, to the bit" in verify(result)[1]
    finally:
        path.write_text(before)


def test_scores_that_figures_show_are_computed_again(result, relock):
    path = result.folder / "scores.parquet"
    frame = pd.read_parquet(path)
    frame.loc[3, "score"] += 1e-6
    frame.to_parquet(path, index=False)
    relock(result.folder)
    changed = f"{path}: {frame.loc[3, 'list']}.scores.3 = {frame.loc[3, 'score']}, computed now: "
    with pytest.raises(HarnessError, match=re.escape(changed)):
        verify(SweepResult(result.folder))


def test_another_code_s_name_hides_nothing(result, relock):
    """Numbers that other code wrote may be the same, which is said; a key of the winner that is
    gone is missed.
    """
    path = result.folder / "manifest.json"
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps({**manifest, "code": "9.9.9+other"}))
    relock(result.folder, code="9.9.9+other")
    said = verify(SweepResult(result.folder))
    assert (
        f"other code wrote it: code = 9.9.9+other then, {code_version()} now; the numbers are "
        "the same" in said[2]
    )
    lock = json.loads((result.folder / "winner.lock.json").read_text())
    del lock["winner"]["losses"]
    relock(result.folder, **lock)
    with pytest.raises(HarnessError, match=r"winner\.losses.*9\.9\.9\+other"):
        verify(SweepResult(result.folder))


def test_another_file_of_importance_is_named(overrides, tmp_path):
    """It was in the hash of each trial, and the message said that the folder was changed."""
    importance = tmp_path / "importance.json"
    importance.write_text('{"d00": 0.5}')
    given = (*overrides, f"pool.importance={importance}", "fuser=weighted_rrf", "grid=point")
    plan = Plan(compose("config", given), given)
    swept = sweep(Prepared.of(plan), plan.trials())
    importance.write_text('{"d00": 0.6}')
    with pytest.raises(
        HarnessError, match=r"reads\.pool\.importance=.*importance\.json: [0-9a-f]{64}"
    ):
        verify(SweepResult(swept.folder))


def test_the_same_bytes_in_any_environment(tmp_path):
    """Threads, hash seed, locale and time zone of another machine: the sweep's files again, byte by
    byte; of lists that the harness makes itself, with a graph of names.
    """
    root = Path(__file__).parents[2]
    world = write(tmp_path / "world", 200)
    kept, given = (
        ("trials.parquet", "ranks.npy", "winner.lock.json"),
        [
            "dataset=folder",
            f"dataset.path={world}",
            "encoder=hashed",
            "extractor.model=null",
            "tracking=none",
            f"paths.runs={tmp_path}/runs",
            *AXES,
        ],
    )
    done = process.harness("sweep", *given, cwd=root, check=True)
    folder = Path(done.stdout.splitlines()[-1])
    before = [(folder / name).read_bytes() for name in kept]
    lists = stored_lists(tmp_path)
    assert len(lists) == 3
    shutil.rmtree(tmp_path / "runs")
    other = {
        "OMP_NUM_THREADS": "2",
        "PYTHONHASHSEED": "7",
        "TZ": "Asia/Tokyo",
        "LC_ALL": "C",
        "PYTHONPATH": str(root),
    }
    line = ("-m", "harness", "sweep", *given)
    done = process.python(*line, env={**os.environ, **other}, check=True, cwd=root)
    assert done.stdout.splitlines()[-1] == str(folder)
    assert [(folder / name).read_bytes() for name in kept] == before
    assert stored_lists(tmp_path) == lists


def stored_lists(folder):
    """The arrays of every list's run."""
    artifacts = folder / "runs" / "artifacts" / "retrieve"
    return {
        path.name: [(one.name, one.read_bytes()) for one in sorted(path.glob("*.np[yz]"))]
        for path in artifacts.iterdir()
        if path.is_dir()
    }
