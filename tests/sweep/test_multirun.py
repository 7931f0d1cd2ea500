"""A multirun ends with one table of its sweeps; other sweeps of the runs folder are not in it.
Stages are logged.
"""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml
from numpy.typing import NDArray

from harness.sweep.sweep_comparison import _setting
from tests import process


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal in which the joint table is one part."""
    monkeypatch.setenv("COLUMNS", "250")


def test_the_joint_table_and_the_log_of_stages(overrides, tmp_path):
    def run(*arguments):
        return process.harness("sweep", *overrides, *arguments, cwd=tmp_path, check=True)

    given = ("-m", "grid=point", "fuser=rrf_anchored,weighted_rrf", "pool.cap=1")
    both = run(*given)
    assert "score: 5 trials on " in both.stderr  # three lists, rrf, the point
    assert "retrieve lists.graph: begins" in both.stderr
    assert "retrieve lists.graph: done in " in both.stderr
    assert "\r" not in both.stderr  # a bar is for a terminal
    assert "\n\n2 settings on the tune half of tiny (20 questions)\n\n" in both.stdout
    assert "heldout sweep=DIR" in both.stdout.splitlines()[-3]
    head, _, first, second = both.stdout.split("\n\n")[-3].splitlines()
    assert head.split()[:3] == ["fuser", "trial", "last_hop@5"]
    assert [row.split()[:2] for row in (first, second)] == [
        ["rrf_anchored", "rrf_anchored"],
        ["weighted_rrf", "weighted_rrf"],
    ]
    folders = [Path(line) for line in both.stdout.splitlines()[-2:]]
    trials, ranks = zip(*(_read(folder) for folder in folders), strict=True)
    own = [
        frame.index[frame["family"] == row.split()[0]][0]
        for frame, row in zip(trials, (first, second), strict=True)
    ]
    for frame, place, row in zip(trials, own, (first, second), strict=True):
        assert f"{100 * frame['last_hop@5'][place]:.1f}" in row.split()
    found = [one[place, :, -1] <= 5 for one, place in zip(ranks, own, strict=True)]
    wins, losses = int((found[1] & ~found[0]).sum()), int((found[0] & ~found[1]).sum())
    assert second.split()[-3:-1] == [str(wins), str(losses)]  # against the first row
    (latex,) = (line for line in both.stdout.splitlines() if ".tex, settings.csv" in line)
    written = Path(latex.partition(",")[0])
    assert r"\label{tab:settings}" in written.read_text()
    assert (
        "last_hop@5 (share),best list,best list's last_hop@5 (share),difference (share)"
        in written.with_suffix(".csv").read_text()
    )
    again = ("compare", f"run={folders[1]}", f"baseline={folders[0]}")
    assert second in process.harness(*again, cwd=tmp_path, check=True).stdout

    listed = process.harness(
        "list", f"paths.runs={tmp_path / 'runs'}", cwd=tmp_path, check=True
    ).stdout
    (second,) = (row for row in listed.splitlines() if "fuser=weighted_rrf" in row)
    assert second.split()[0] in [folder.name for folder in folders]

    process.harness("heldout", f"sweep={folders[1]}", cwd=tmp_path, check=True)
    again = run("-m", "grid=point", "fuser=weighted_rrf", "pool.cap=1").stdout
    assert "heldout sweep=DIR" not in again
    assert "test was evaluated already (evaluation 1)" in again.splitlines()[-2]


def _read(folder: Path) -> tuple[pd.DataFrame, NDArray[np.int32]]:
    return pd.read_parquet(folder / "trials.parquet"), np.load(folder / "ranks.npy")


def test_a_cell_without_sense_is_left_out_and_one_that_fails_takes_no_other_with_it(
    overrides, bench, tmp_path
):
    def run(*arguments):
        keys = {text.partition("=")[0] for text in arguments}
        given = [text for text in overrides if text.partition("=")[0] not in keys]
        return process.harness("sweep", *given, "-m", "grid=point", *arguments, cwd=tmp_path)

    bad, good = f"lists.bm25={tmp_path / 'none.trec'}", f"lists.bm25={bench / 'bm25.trec'}"
    both = f"{bad},{bench / 'bm25.trec'}"
    found = run("fuser=rrf,linear", "normalizer=none", both)
    assert found.returncode == 1
    shown = " ".join(found.stdout.split())
    assert "left out, since their settings do not go together: 1 cell of 4 " in shown
    assert f" fuser=rrf {good}: this command does not use normalizer=none;" in shown
    assert found.stdout.splitlines()[-1].count("sweeps/") == 1
    failed, error = found.stderr.splitlines()[-2:]
    assert error.startswith("error: 2 of 4 jobs failed")
    assert failed.startswith(f"failed: fuser=rrf {bad}, fuser=linear {bad}: ")
    assert "none.trec: there is no such run file" in failed

    found = run("fuser=rrf", "normalizer=none,pit")
    assert (found.returncode, found.stdout) == (2, "")
    assert (
        "error: none of 2 cells has settings that go together: normalizer=none: this"
        in found.stderr
    )


def test_a_bad_job_of_evaluate_stops_no_other(tmp_path):
    (tmp_path / "run.json").write_text('{"q": {"d": 1.0}}')
    (tmp_path / "gold.txt").write_text("q 0 d 1\n")
    (tmp_path / "half.json").write_text('{"q": {"e": 2.0, "d": 1.0}}')
    typed = ("-m", "run=run.json,none.json,half.json", "gold=gold.txt", "metrics=[recall]", "k=1")
    found = process.harness("evaluate", *typed, cwd=tmp_path)
    assert found.returncode == 1
    joint = [line.split() for line in found.stdout.splitlines()[-3:-1]]
    assert joint == [["run=run.json", "1", "100.0"], ["run=half.json", "1", "0.0"]]
    assert "failed: run=none.json: none.json: there is no such file" in found.stderr


def test_a_setting_that_was_not_typed_is_its_strategys_name_or_value() -> None:
    config = {"encoder": {"strategy": "encoder/hashed"}, "lists": {"dense": {}}, "seed": 3}
    result: Any = SimpleNamespace(given={"pool.cap": "5"}, config=config)
    keys = ("pool.cap", "encoder", "lists.dense", "seed", "fuser.alpha")
    assert [_setting([result], key, 0) for key in keys] == [
        "5",
        "hashed",
        "default",
        "3",
        "default",
    ]


def test_an_optimiser_of_hydra_finds_the_best_of_the_points(tmp_path):
    """By the real package. A sweep over the same points as a grid has the expected score."""
    pytest.importorskip("hydra_plugins.hydra_optuna_sweeper")
    examples = Path(__file__).parents[2] / "reports/docs/examples"
    line = ["lists={dense: vectors.trec, graph: graph.trec}", "gold=gold.jsonl", "tracking=none"]
    line += ["grid=point", "fuser=linear"]
    points = [0.1, 0.4, 0.5, 0.7]
    optuna = ["-m", "hydra/sweeper=optuna", "hydra.sweeper.n_trials=20"]
    alpha = f"fuser.alpha=choice({','.join(map(str, points))})"
    runs = [f"paths.runs={tmp_path / name}" for name in ("optuna", "grid")]
    process.harness("sweep", *optuna, *line, alpha, runs[0], cwd=examples, check=True)
    (found,) = (tmp_path / "optuna").glob("multirun/*/optimization_results.yaml")
    grid = f"+grid.mine={{fuser: [linear], fuser.alpha: {points}}}"
    process.harness("sweep", *line, grid, runs[1], cwd=examples, check=True)
    (trials,) = (tmp_path / "grid").glob("sweeps/*/trials.parquet")
    table = pd.read_parquet(trials)
    best = table[table["name"].str.startswith("linear")]["last_hop@5"].max()
    assert yaml.safe_load(found.read_text())["best_value"] == pytest.approx(best)
