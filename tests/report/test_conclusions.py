"""What a reader is told: sentences, effect, fusers and headroom of the example, worked on paper from its ranks."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from harness.report.ablation import ablation, verdict
from harness.report.effect import effect
from harness.report.figure import flow
from harness.report.foresight import foreseen
from harness.report.headroom import headroom
from harness.report.text import shown


def test_before_heldout(example: ModuleType, tmp_path: Path) -> None:
    told = foreseen(example.write(tmp_path / "s1", heldout=False))
    assert list(told) == ["expected on test", "what test can see", "against the best list"]
    assert "graph is the best single list on tune; against it the winner has" in told["against the best list"]
    assert "on tune, which chose both" in told["against the best list"]
    assert told["expected on test"].startswith("last_hop@5 70.0 (95% 40.0 to 80.0) on 6 queries. Tune's 75.0 is")
    assert "no net win reaches significance in 4 of 5 tests" in told["what test can see"]
    assert "(for .80 it takes 66 queries)" in told["what test can see"]


def test_after_heldout(example: ModuleType, tmp_path: Path) -> None:
    result = example.write(tmp_path / "s1")
    winner = result.heldout[0]
    winner.update(difference_low=-0.004, difference_high=0.036, p_equivalent=0.4)
    result.lock["power"]["smallest"] = 0.4
    told = foreseen(result)
    assert told["on test"] == "83.3, OUTSIDE the 40.0 to 80.0 that was expected."
    assert told["how to read it"] == (
        "no difference from dense was shown (p .250), which does not show that there is none: -0.4 to +3.6 points are "
        "compatible with the data (95%); equivalence within 2 points is not shown (p .400); the smallest net win that "
        "4 of 5 tests find is +40.0 points (3 of 6 queries)."
    )
    assert told["against the best list"] == (
        "graph is the best single list on tune; against it the winner has 2 W, 0 L (p .500) on test: "
        "no difference is shown."
    )
    winner["p"] = 0.01
    assert foreseen(result)["how to read it"] == "the winner and dense differ (p .010), by -0.4 to +3.6 points (95%)."


def test_an_older_sweep_says_nothing(example: ModuleType, tmp_path: Path) -> None:
    result = example.write(tmp_path / "s1")
    for key in ("expected", "power", "margin"):
        del result.lock[key]
    assert list(foreseen(result)) == ["against the best list"]


def test_effect_by_group(example: ModuleType, tmp_path: Path) -> None:
    """Winner against dense on test: wins t2, t3, t4's ranks 3, 4, 5 where dense has 9, none, 5: only t4 is no win."""
    (table,) = effect(example.write(tmp_path / "s1"))
    assert [row[:4] for row in table.rows] == [
        ["all", 6, 3, 0],
        ["2 hops", 5, 3, 0],
        ["3 hops", 1, 0, 0],
        ["type bridge_type", 5, 3, 0],
        ["type comparison", 1, 0, 0],
    ]
    assert [row[6] for row in table.rows] == [0.25, 0.25, 1, 0.25, 1]
    assert [row[7] for row in table.rows] == [None, 1, 1, 1, 1]


def test_fusers_against_the_winner(example: ModuleType, tmp_path: Path) -> None:
    """Found on test: winner 0-4; linear 0, 1; rrf 0, 1, 2."""
    (table,) = ablation(example.write(tmp_path / "s1"))
    assert [row[:3] for row in table.rows] == [["linear minmax alpha=0.3", 0, 3], ["rrf k=60", 0, 2]]
    assert [row[5] for row in table.rows] == [0.5, 0.5]  # .25 and .5, Holm
    assert [row[7] for row in table.rows] == ["undecided", "undecided"]


@pytest.mark.parametrize(
    ("p", "same", "said"),
    [(0.2, 0.01, "equivalent"), (0.2, 0.2, "undecided"), (0.01, 0.9, "different"),
     (0.01, 0.01, "different, within the margin")],
)  # fmt: skip
def test_verdicts(p: float, same: float, said: str) -> None:
    assert verdict(p, same) == said


def test_headroom_by_hand(example: ModuleType, tmp_path: Path) -> None:
    """Lists on test hold t0-t4 (graph 0-3; dense 0, 1, 2, 4): the ceiling is 5/6. Graph finds 0, 2, 3; dense 0, 4."""
    (table,) = headroom(example.write(tmp_path / "s1"))
    by_name = {row[0]: row[1:] for row in table.rows}
    assert by_name["rrf k=60"] == pytest.approx([3 / 6, 4 / 6, 5 / 6, 0, 1 / 6, 1 / 6, 1 / 6])
    assert by_name["linear minmax alpha=0.3"] == pytest.approx([2 / 6, 4 / 6, 5 / 6, -0.5, 1 / 6, 2 / 6, 1 / 6])
    assert table.marked == {0}


def test_the_flow(example: ModuleType, tmp_path: Path) -> None:
    (picture,) = flow.pictures(example.write(tmp_path / "s1", heldout=False))
    assert "tune split (n = 8)" in picture.caption
    assert [path.name for path in picture.save(tmp_path)] == ["flow.pdf", "flow.png"]


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [(0.0183, "points", "+1.8"), (-0.05, "points", "-5.0"), ([-0.004, 0.036], "span", "-0.4 to +3.6"),
     (None, "span", "–")],
)  # fmt: skip
def test_points(value: object, kind: str, text: str) -> None:
    assert shown(value, kind) == text
