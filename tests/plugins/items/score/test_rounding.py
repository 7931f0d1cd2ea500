"""Scores that differ by rounding alone are ties; what of the files may make scores mean something
else is said.
"""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

import harness
from tests import process

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
        assert (
            f"{len(differ)} differences by f1 of a.json and b.json, up to {max(differ):.2g}, "
            "count as tied" in text
        )
        found = harness.compare_scores(theirs, exact)
        assert (found.wins, found.losses, found.p, found["rounded"]) == (0, 0, 1, len(differ))
    found = harness.compare_scores(dict.fromkeys(ITEMS, 0.1 + 0.2), dict.fromkeys(ITEMS, 0.3))
    assert (found.wins, found.losses, found["rounded"]) == (0, 0, 100)


def test_the_bound_is_a_part_of_the_scale() -> None:
    base = {item: 1000.0 * score for item, score in scores(5).items()}
    scale = max(base.values())
    for step, won in ((0.9e-9, 0), (1.1e-9, 100)):
        found = harness.compare_scores(
            {item: score + step * scale for item, score in base.items()}, base
        )
        assert found.wins == won


def test_a_real_difference_beside_rounding_stays() -> None:
    exact = scores(4)
    ours = {item: 1 - (1 - score) for item, score in exact.items()} | {
        "q0": exact["q0"] + 0.25,
        "q1": exact["q1"] - 0.5,
    }
    found = harness.compare_scores(ours, exact)
    assert ([*found["wins_ids"]], [*found["losses_ids"]]) == (["q0"], ["q1"])


def test_repeats_of_a_system_are_rounded_alike() -> None:
    exact = scores(6)
    other = {item: 1 - (1 - score) for item, score in exact.items()}
    found = harness.compare_scores([exact, other], [other, exact, other])
    assert (found.wins, found.losses) == (0, 0)


@pytest.mark.parametrize("metric", ["error", "val_loss", "wer", "latency_ms", "seconds"])
def test_a_metric_of_which_less_is_better_is_said(tmp_path: Path, metric: str) -> None:
    assert f"if less {metric} is better, write the scores with a minus" in two(
        tmp_path, scores(1), scores(2), metric
    )


@pytest.mark.parametrize("metric", ["f1", "answer", "power", "terror", "interest"])
def test_other_names_are_not_taken_for_it(tmp_path: Path, metric: str) -> None:
    assert "with a minus" not in two(tmp_path, scores(1), scores(2), metric)


def test_two_scales_are_said(tmp_path: Path) -> None:
    percents = {item: 100 * score for item, score in scores(2).items()}
    assert "the same scale?" in two(tmp_path, percents, scores(1))
    assert "the same scale?" not in two(tmp_path, scores(2), scores(1))


def test_a_lone_double_quote_swallows_no_items(tmp_path: Path) -> None:
    rows = [
        f"{name},{score}"
        for name, score in (("a", 1), ('"Weird Al', 0), ("b", 1), ("c", 0), ('"Heroes" (album)', 1))
    ]
    for name, gap in (("a.csv", ","), ("b.tsv", "\t")):
        (tmp_path / name).write_text(
            "item,score\n".replace(",", gap) + "\n".join(rows).replace(",", gap)
        )
    found = harness.compare_scores(tmp_path / "a.csv", tmp_path / "b.tsv")
    assert found.item_ids == ['"Heroes" (album)', '"Weird Al', "a", "b", "c"]
    (tmp_path / "c.csv").write_text('item,score\n"a",1\n"b,1\nc",2\n')
    with pytest.raises(harness.HarnessError, match=r"c\.csv:3:.*4"):
        harness.compare_scores(tmp_path / "c.csv", tmp_path / "b.tsv")


def test_a_csv_of_ragas_may_have_answers_over_several_lines(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text('id,answer,faithfulness\n1,"one,\ntwo ""three""",0.5\n2,x,1\n')
    (tmp_path / "t.csv").write_text('id,answer,faithfulness\n1,"one ""two""\nb,c",0.5\n2,x,1\n')
    for name in (
        "r.csv",
        "t.csv",
    ):  # the second line of t.csv has three fields, as a row has; the first one does not
        found = harness.compare_scores(tmp_path / name, {"1": 0.5, "2": 0.5}, "faithfulness")
        assert (found.n, found.wins) == (2, 1)
