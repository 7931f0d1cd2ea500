"""Scores of several runs of one system: in a column, in files, as epochs of a log."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import harness
from harness.evaluation.statistic import two_way

MADE = Path(__file__).parent / "score" / "made"
Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_scores_with_a_column_of_seeds_or_a_file_each(folder: Path, command: Command) -> None:
    draw = np.random.default_rng(0)
    tables = {"ours": draw.normal(3.2, 1, (20, 3)), "theirs": draw.normal(3, 1, (20, 2))}
    for name, scores in tables.items():
        rows = [
            f"i{n:02},{score},{seed}"
            for n, row in enumerate(scores)
            for seed, score in enumerate(row)
        ]
        Path(f"{name}.csv").write_text("\n".join(["item,score,seed", *rows]))
        for seed, column in enumerate(scores.T):
            lines = [f"i{n:02},{score}" for n, score in enumerate(column)]
            Path(f"{name}-{seed}.csv").write_text("\n".join(["item,score", *lines]))
    expected = two_way(*tables.values())
    for run, baseline in (("ours.csv", "theirs.csv"), ("ours-*.csv", "theirs-*.csv")):
        status, said, _ = command("compare", f"run={run}", f"baseline={baseline}", "out=out.json")
        found = json.loads(Path("out.json").read_text())
        assert (status, found["p"]) == (0, pytest.approx(expected.p))
        assert "p and intervals over items and runs" in said
        assert "caution" not in said
    told = harness.compare_scores([f"ours-{seed}.csv" for seed in range(3)], "theirs.csv")
    assert told["p"] == pytest.approx(expected.p)
    clusters = [
        f"{line},{n // 2}"
        for n, line in enumerate(Path("theirs-0.csv").read_text().splitlines()[1:])
    ]
    Path("theirs-0.csv").write_text("\n".join(["item,score,cluster", *clusters]))
    assert command("compare", "run=ours.csv", "baseline=theirs-*.csv", "out=out.json")[0] == 0
    found = json.loads(Path("out.json").read_text())
    assert found["p"] == pytest.approx(two_way(*tables.values(), np.arange(20) // 2).p)


def test_runs_that_do_not_vary_are_one_run(folder: Path, command: Command) -> None:
    """Three items, two runs each, all won: the exact test of one run, 2 / 2^3, and no interval of
    no width.
    """
    for name, score in (("ours", 1), ("theirs", 0)):
        rows = [f"i{n},{score},{seed}" for n in range(3) for seed in (0, 1)]
        Path(f"{name}.csv").write_text("\n".join(["item,score,seed", *rows]))
        Path(f"{name}-1.csv").write_text(
            "\n".join(["item,score", *(f"i{n},{score}" for n in range(3))])
        )
    status, said, _ = command("compare", "run=ours.csv", "baseline=theirs.csv", "out=out.json")
    found = json.loads(Path("out.json").read_text())
    assert (status, found["p"], found["p_holm"]) == (0, 0.25, 0.25)
    assert "raw p .250), no difference is shown" in " ".join(said.split())
    assert command("compare", "run=ours-1.csv", "baseline=theirs-1.csv", "out=one.json")[0] == 0
    assert (
        found["difference_interval"]
        == json.loads(Path("one.json").read_text())["difference_interval"]
    )
    assert set(found["repeats"]) == {"ours.csv", "theirs.csv"}


def test_means_that_do_not_vary_while_runs_do(folder: Path, command: Command) -> None:
    """Each of eight items is right in one of two runs, in turns: every mean is .5, and yet chance
    is not nothing.
    """
    rows = [f"i{n},{int((n + seed) % 2 == 0)},{seed}" for n in range(8) for seed in (0, 1)]
    Path("ours.csv").write_text("\n".join(["item,score,seed", *rows]))
    Path("theirs.csv").write_text(
        "\n".join(["item,score,seed", *(f"i{n},0,{s}" for n in range(8) for s in (0, 1))])
    )
    assert command("compare", "run=ours.csv", "baseline=theirs.csv", "out=out.json")[0] == 0
    found = json.loads(Path("out.json").read_text())
    assert found["error"]["error"] > 0.1
    assert found["interval"][0] < 0.5 < found["interval"][1]


def test_epochs_of_a_log_are_repeats(folder: Path, command: Command) -> None:
    """good.eval: items 0 to 5 right; twice.eval: 0 to 5 and 0 to 3."""
    given = (
        f"run={MADE / 'twice.eval'}",
        f"baseline={MADE / 'base.json'}",
        "metric=match",
        "out=out.json",
    )
    assert command("compare", *given)[0] == 0
    ours = np.array([[n < 6, n < 4] for n in range(8)], dtype=float)
    theirs = np.array([[n in (0, 6)] for n in range(8)], dtype=float)
    assert json.loads(Path("out.json").read_text())["p"] == pytest.approx(two_way(ours, theirs).p)


def test_what_is_refused(folder: Path, command: Command) -> None:
    Path("a.csv").write_text("item,score\na,1\nb,0\n")
    Path("a2.csv").write_text("item,score\na,1\n")
    Path("b.csv").write_text("item,score\na,1\nb,0\n")
    said = command("compare", "run=a*.csv", "baseline=b.csv")[2]
    assert "b.csv:3: item b has no score in a2.csv, which lacks 1 of 2 (b)" in said
