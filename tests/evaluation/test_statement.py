"""Sentences about comparisons whose counts are known by hand."""

from __future__ import annotations

import numpy as np
import pytest

from harness.evaluation.family import Family
from harness.evaluation.paired_comparison import Comparison, Verdict
from harness.evaluation.statement import (
    Headroom,
    Sentence,
    Statement,
    blind_spots,
    headroom_table,
    select_texts,
    undone,
    verdict,
)


def compared(wins: int, losses: int, ties: int) -> Comparison:
    ours = np.array([1.0] * wins + [0.0] * losses + [1.0] * ties)
    theirs = np.array([0.0] * wins + [1.0] * losses + [1.0] * ties)
    return alone(Comparison.of(ours, theirs))


def alone(found: Comparison) -> Comparison:
    """The comparison in a family of its own."""
    return Family.of([found]).members[0]


def conclude(found: Comparison, ours: str, theirs: str) -> str:
    return verdict([Statement(found, ours, theirs)]).text


def test_what_is_better_and_what_is_worse() -> None:
    """Ten wins of ten: p = 2 / 2^10 = .00195."""
    better = conclude(compared(10, 0, 10), "new", "old")
    assert better.startswith("new is better than old (+50.0 points, 95% +")
    assert better.endswith("; 10 won, 0 lost, p .002).")
    worse = conclude(compared(0, 10, 10), "new", "old")
    assert worse.startswith("new is worse than old (-50.0 points, 95% ")
    assert worse.endswith("; 0 won, 10 lost, p .002).")


def test_a_corrected_p_decides() -> None:
    decided = compared(10, 0, 10).with_fields(verdict=Verdict(0.0504, "holm", 26))
    said = conclude(decided, "new", "old")
    assert said.startswith("new is not shown to be better than old (")
    assert said.endswith("Holm p .0504).")


def test_the_p_of_the_family_decides_not_the_interval() -> None:
    """Five wins of five: p = 2 / 2^5 = .0625; Tango's interval of 5 / 12 against 0 / 12 lies above
    0.
    """
    found = compared(5, 0, 7)
    assert found.interval[0] > 0
    said = conclude(found, "new", "old")
    assert said.startswith("new is not shown to be better")
    assert said.endswith("p .062).")


def test_without_a_family_nothing_is_decided() -> None:
    """So that no raw p is taken for a corrected one."""
    with pytest.raises(ValueError, match="no family"):
        _ = Comparison.of(np.ones(9), np.zeros(9)).finding


def test_an_interval_that_ends_at_0_holds_it() -> None:
    """One gain of 20: in more than a third of the resamples it is not drawn, so the interval begins
    at 0.
    """
    for sign in (1, -1):
        found = Comparison.of(np.array([sign * 0.5] + [0.0] * 19), np.zeros(20), False)
        assert 0 in (found.interval or ())
        assert alone(found).finding == "even"


def test_one_sentence_about_two_baselines() -> None:
    """A fixed sequence: the second test is done only if the first one shows the winner better."""
    ten, three = compared(10, 0, 10), compared(3, 0, 17)
    for found, words in (
        ((ten, ten), " and better than old, the best (+50.0 points, 95% "),
        ((ten, three), " and not shown to be better than old, the best (+15.0 points, 95% "),
        ((three, ten), " and therefore not tested against old, the best (+50.0 points, 95% "),
    ):
        first, second = Family.sequence(found, 1)
        stated = [
            Statement(first, "new", "dense"),
            Statement(second, "new", "old", role="the best"),
        ]
        said = verdict(stated, "On test").text
        assert said.startswith("On test new is ")
        assert words in said
        why = "tested second, because the first was shown)."
        assert said.endswith(why) == (found[0] is ten)


def test_a_finding_of_few_clusters_has_a_caution() -> None:
    """Two clusters of ten questions are won; one more of ten that is lost makes the p larger than
    .05.
    """
    labels = np.repeat(np.arange(40), 10)
    ours = np.where(labels < 2, 1.0, 0.0)
    few = alone(Comparison.of(ours, np.zeros(400), labels=labels))
    decided = few.with_fields(verdict=Verdict(0.01))
    (caution,) = undone([Statement(decided, "new", "old", "mrr")])
    assert caution.kind == "caveat"
    assert caution.text.startswith("By mrr new against old: one more cluster of 10 questions, ")
    assert not undone([Statement(compared(10, 0, 10), "new", "old")])


def values(*found: str) -> dict[str, np.ndarray]:
    return {
        name: np.array([float(hit) for hit in hits])
        for name, hits in zip(("a", "b", "c"), found, strict=False)
    }


def test_two_that_are_the_same_everywhere_are_not_called_equivalent() -> None:
    """0 won and 0 lost of 2000 would be equivalent within two points; but what copies a list says
    nothing of others.
    """
    assert conclude(compared(0, 0, 2000), "new", "old") == (
        "new is equal to old on every question (100.0%)."
    )
    assert compared(0, 0, 2000).interval is None
    assert compared(1, 1, 2000).interval == pytest.approx(
        (-0.002364, 0.002364), rel=0.002
    )  # by SciPy


def test_faces_choose_by_kind_and_say_nothing_twice() -> None:
    said = [
        Sentence("caveat", "Maybe."),
        Sentence("verdict", "A won."),
        Sentence("verdict", "A won."),
    ]
    assert select_texts(said, "verdict", "caveat") == ["A won.", "Maybe."]


def test_headroom_by_hand() -> None:
    """b has questions 5 to 10 that a lacks, c the tenth: six in all, and six wins of six have p 2 /
    2^6 = .031.
    """
    found = Headroom.of(values("111100000000", "100011111100", "000000000100"), "a")
    assert (found.wins, found.questions, found.n) == ({"b": 6, "c": 1}, 6, 12)
    assert (found.oracle, found.score) == (10 / 12, 4 / 12)
    assert found.answers
    assert found.addition() == "b or c could add something to a on 6 of 12 questions."
    (row,) = headroom_table({"mrr": found}).rows
    assert row == ["mrr", "a", 4 / 12, 10 / 12, "b 6, c 1", 6, 2 / 2**6]


def test_five_questions_cannot_be_significant() -> None:
    few = Headroom.of(values("1000000000", "0111110000"), "a")
    assert not few.answers
    assert few.p == 2 / 2**5
    assert few.addition().endswith(" only; no gain can be shown with so few.")
    assert few.addition(settled=True).endswith(" questions.")


def test_what_a_forecast_cannot_see() -> None:
    even = np.ones(40, dtype=np.int64)
    mine, other = {"tune": 3, "test": 0}, {"tune": 0, "test": 3}
    (seen,) = blind_spots({"graph": mine, "folded": other}, even)
    chosen = (
        "The weights of graph were chosen on these tune questions, too: expect less than the "
        "forecast says."
    )
    assert seen == Sentence("caveat", chosen)
    assert blind_spots({"folded": other}, even) == []
    (great,) = blind_spots({}, np.array([6, *even]))  # 6 of 46
    assert great.text.startswith("One cluster holds 13.0% of tune's questions")
    assert blind_spots({}, np.array([2, *even[:38]])) == []  # 2 of 40 is not more than 5%
    assert blind_spots({}, even[:8]) == []  # few questions are no cluster
