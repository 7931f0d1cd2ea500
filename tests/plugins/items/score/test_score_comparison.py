"""Scores that differ by rounding alone are ties; what of the files may make scores mean something
else is said.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import t

import harness
from harness.plugins.items.score.two_way import two_way
from tests import process
from tests.conftest import Command

ITEMS = [f"q{number}" for number in range(100)]


def said(folder: Path, *arguments: str) -> str:
    return " ".join(process.harness("compare", *arguments, cwd=folder, check=True).stdout.split())


def two(folder: Path, ours: dict[str, float], theirs: dict[str, float], metric: str = "f1") -> str:
    (folder / "a.json").write_text(json.dumps({metric: ours}))
    (folder / "b.json").write_text(json.dumps({metric: theirs}))
    return said(folder, "run=a.json", "baseline=b.json", f"metric={metric}")


def scores(seed: int) -> dict[str, float]:
    rng = random.Random(seed)
    return {item: rng.randint(0, 9) / rng.randint(9, 12) for item in ITEMS}


def test_the_last_bits_win_nothing(tmp_path: Path) -> None:
    """x against 1 - (1 - x), 0.1 + 0.2 against 0.3, and 32 bits of a float: by hand 0 won,
    0 lost.
    """
    exact = scores(3)
    other = {item: 1 - (1 - score) for item, score in exact.items()}
    single = {item: float(np.float32(score)) for item, score in exact.items()}
    for theirs in (other, single):
        differ = [abs(theirs[item] - exact[item]) for item in ITEMS if theirs[item] != exact[item]]
        text = two(tmp_path, theirs, exact)
        assert "differ on no item" in text
        said_tied = f"{len(differ)} differences by f1 of a.json and b.json, up to {max(differ):.2g}"
        assert f"{said_tied}, count as tied" in text
        found = harness.compare_scores(theirs, exact)
        assert (found.wins, found.losses, found.p, found["rounded"]) == (0, 0, 1, len(differ))
    found = harness.compare_scores(dict.fromkeys(ITEMS, 0.1 + 0.2), dict.fromkeys(ITEMS, 0.3))
    assert (found.wins, found.losses, found["rounded"]) == (0, 0, 100)


def test_the_bound_is_a_part_of_the_scale() -> None:
    base = {item: 1000.0 * score for item, score in scores(5).items()}
    scale = max(base.values())
    for step, won in ((0.9e-9, 0), (1.1e-9, 100)):
        moved = {item: score + step * scale for item, score in base.items()}
        assert harness.compare_scores(moved, base).wins == won


def test_a_real_difference_beside_rounding_stays() -> None:
    exact = scores(4)
    ours = {item: 1 - (1 - score) for item, score in exact.items()}
    ours |= {"q0": exact["q0"] + 0.25, "q1": exact["q1"] - 0.5}
    found = harness.compare_scores(ours, exact)
    assert ([*found["wins_ids"]], [*found["losses_ids"]]) == (["q0"], ["q1"])


def test_repeats_of_a_system_are_rounded_alike() -> None:
    exact = scores(6)
    other = {item: 1 - (1 - score) for item, score in exact.items()}
    found = harness.compare_scores([exact, other], [other, exact, other])
    assert (found.wins, found.losses) == (0, 0)


@pytest.mark.parametrize(
    ("names", "less"),
    [("error val_loss wer latency_ms seconds", True), ("f1 answer power terror interest", False)],
)
def test_a_metric_of_which_less_is_better_is_said(names: str, less: bool) -> None:
    for metric in names.split():
        notes = " ".join(harness.compare_scores(scores(1), scores(2), metric).notes)
        assert (f"if less {metric} is better, write the scores with a minus" in notes) == less


def test_two_scales_are_said(tmp_path: Path) -> None:
    percents = {item: 100 * score for item, score in scores(2).items()}
    assert "the same scale?" in two(tmp_path, percents, scores(1))
    twenty = {item: 20 * score for item, score in scores(1).items()}
    assert "the same scale?" in two(tmp_path, twenty, scores(1))
    assert "the same scale?" not in two(tmp_path, scores(2), scores(1))


def test_a_lone_double_quote_swallows_no_items(tmp_path: Path) -> None:
    text = 'item,score\na,1\n"Weird Al,0\nb,1\nc,0\n"Heroes" (album),1\n'
    for name, gap in (("a.csv", ","), ("b.tsv", "\t")):
        (tmp_path / name).write_text(text.replace(",", gap))
    found = harness.compare_scores(tmp_path / "a.csv", tmp_path / "b.tsv")
    assert found.item_ids == ['"Heroes" (album)', '"Weird Al', "a", "b", "c"]
    (tmp_path / "c.csv").write_text('item,score\n"a",1\n"b,1\nc",2\n')
    with pytest.raises(harness.HarnessError, match=r"c\.csv:3:.*4"):
        harness.compare_scores(tmp_path / "c.csv", tmp_path / "b.tsv")


def test_a_csv_of_ragas_may_have_answers_over_several_lines(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text('id,answer,faithfulness\n1,"one,\ntwo ""three""",0.5\n2,x,1\n')
    (tmp_path / "t.csv").write_text('id,answer,faithfulness\n1,"one ""two""\nb,c",0.5\n2,x,1\n')
    # the second line of t.csv has three fields, as a row has; the first one does not
    for name in ("r.csv", "t.csv"):
        found = harness.compare_scores(tmp_path / name, {"1": 0.5, "2": 0.5}, "faithfulness")
        assert (found.n, found.wins) == (2, 1)


MADE = Path(__file__).parent / "made"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def seeded(name: str, scores: Any) -> None:
    """Write a table of scores by item and seed."""
    rows = [f"i{n:02},{scores[n][seed]},{seed}" for n, seed in np.ndindex(np.shape(scores))]
    Path(f"{name}.csv").write_text("\n".join(["item,score,seed", *rows]))


def test_scores_with_a_column_of_seeds_or_a_file_each(folder: Path, command: Command) -> None:
    draw = np.random.default_rng(0)
    tables = {"ours": draw.normal(3.2, 1, (20, 3)), "theirs": draw.normal(3, 1, (20, 2))}
    for name, scores in tables.items():
        seeded(name, scores)
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
    lines = Path("theirs-0.csv").read_text().splitlines()[1:]
    clusters = [f"{line},{n // 2}" for n, line in enumerate(lines)]
    Path("theirs-0.csv").write_text("\n".join(["item,score,cluster", *clusters]))
    assert command("compare", "run=ours.csv", "baseline=theirs-*.csv", "out=out.json")[0] == 0
    found = json.loads(Path("out.json").read_text())
    assert found["p"] == pytest.approx(two_way(*tables.values(), np.arange(20) // 2).p)


def test_runs_that_do_not_vary_are_one_run(folder: Path, command: Command) -> None:
    """Three items, two runs each, all won: the exact test of one run, 2 / 2^3, and no interval of
    no width.
    """
    for name, score in (("ours", 1), ("theirs", 0)):
        seeded(name, np.full((3, 2), score))
        rows = [f"i{n:02},{score}" for n in range(3)]
        Path(f"{name}-1.csv").write_text("\n".join(["item,score", *rows]))
    status, said, _ = command("compare", "run=ours.csv", "baseline=theirs.csv", "out=out.json")
    found = json.loads(Path("out.json").read_text())
    assert (status, found["p"], found["p_holm"]) == (0, 0.25, 0.25)
    assert "3 won, 0 lost, p .250" in " ".join(said.split())
    assert command("compare", "run=ours-1.csv", "baseline=theirs-1.csv", "out=one.json")[0] == 0
    one = json.loads(Path("one.json").read_text())
    assert found["difference_interval"] == one["difference_interval"]
    assert set(found["repeats"]) == {"ours.csv", "theirs.csv"}


def test_means_that_do_not_vary_while_runs_do(folder: Path, command: Command) -> None:
    """Each of eight items is right in one of two runs, in turns: every mean is .5, and yet chance
    is not nothing.
    """
    seeded("ours", (np.indices((8, 2)).sum(axis=0) + 1) % 2)
    seeded("theirs", np.zeros((8, 2)))
    assert command("compare", "run=ours.csv", "baseline=theirs.csv", "out=out.json")[0] == 0
    found = json.loads(Path("out.json").read_text())
    assert found["error"]["error"] > 0.1
    assert found["interval"][0] < 0.5 < found["interval"][1]


@pytest.mark.parametrize("size", [1e-12, 1.0, 1e9])
def test_means_over_runs_that_rounding_sets_apart_are_equal(size: float) -> None:
    """The mean of .1, .2, .3 is that of .2 but for rounding; the second item is won."""
    runs = [{"a": size * a, "b": size * b} for a, b in ((0.1, 1.0), (0.2, 0.0), (0.3, 0.5))]
    found = harness.compare_scores(runs, {"a": size * 0.2, "b": 0.0})
    assert (found.wins, found.losses, found.difference) == (1, 0, pytest.approx(size / 4))


def test_an_interval_of_shares_ends_at_a_share() -> None:
    runs = [{"a": 1.0, "b": 1.0}, {"a": 0.0, "b": 0.5}]
    found = harness.compare_scores(runs, {"a": 0.0, "b": 0.0})
    assert (found.interval, found.decides) == ((-1, 1), "over items and runs")
    assert found.errors is not None
    assert found.errors.interval()[1] > 1
    assert "se of items %" in found.table().titles


def test_what_a_flip_test_could_have_seen() -> None:
    """(t of .975 + t of .8) s / sqrt(n), with n - 1 degrees (Bloom 1995); of five items none."""
    values = dict(zip("abcdefghijkl", np.random.default_rng(3).normal(0.1, 1.0, 12), strict=True))
    found = harness.compare_scores(values, dict.fromkeys(values, 0.0))
    error = np.std([*values.values()], ddof=1) / 12**0.5
    assert found.detectable == pytest.approx(float(t.ppf([0.975, 0.8], 11).sum()) * error)
    five = {item: values[item] for item in "abcde"}
    assert harness.compare_scores(five, dict.fromkeys(five, 0.0)).detectable is None


def test_epochs_of_a_log_are_repeats(folder: Path, command: Command) -> None:
    """good.eval: items 0 to 5 right; twice.eval: 0 to 5 and 0 to 3."""
    systems = (f"run={MADE / 'twice.eval'}", f"baseline={MADE / 'base.json'}")
    assert command("compare", *systems, "metric=match", "out=out.json")[0] == 0
    ours = np.array([[n < 6, n < 4] for n in range(8)], dtype=float)
    theirs = np.array([[n in (0, 6)] for n in range(8)], dtype=float)
    assert json.loads(Path("out.json").read_text())["p"] == pytest.approx(two_way(ours, theirs).p)
