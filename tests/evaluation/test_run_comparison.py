"""What several comparisons say together, each of them known by hand."""

from __future__ import annotations

import pytest

from harness.evaluation.gold import Gold
from harness.evaluation.run_comparison import Comparisons, RunComparison, compare
from harness.evaluation.statement import conclude_all, headroom, select_texts
from harness.evaluation.system_table import system_table
from harness.run import Run

QUERIES = [f"q{n:02}" for n in range(20)]
GOLD = Gold.from_dict({query: [f"g{query}"] for query in QUERIES})


def found_by(*places: int) -> Run:
    return Run.from_dict(
        {query: {f"g{query}" if n in places else "x": 1.0} for n, query in enumerate(QUERIES)}
    )


def compared(
    runs: dict[str, Run], baselines: dict[str, Run], metric: str = "full_sup@1"
) -> list[RunComparison]:
    found = compare(runs, baselines, GOLD, metric)
    assert isinstance(found, Comparisons)
    return list(found)


NONE, ALL = found_by(), found_by(*range(20))


@pytest.mark.parametrize(
    ("better", "worse", "even", "said"),
    [
        (
            3,
            0,
            0,
            "By full_sup@1 r0 (+50.0 points) and r1 (+50.0 points) and r2 (+50.0 points) are "
            "better (Holm p).",
        ),
        (
            4,
            0,
            1,
            "By full_sup@1 4 runs are better; no difference is shown in 1 of 5 comparisons (Holm p).",
        ),
        (
            1,
            1,
            0,
            "By full_sup@1 r0 (+50.0 points) is better; by full_sup@1 w0 (-50.0 points) is worse "
            "(Holm p).",
        ),
        (0, 0, 2, "No difference is shown in 2 of 2 comparisons (Holm p)."),
    ],
)
def test_up_to_three_are_named(better: int, worse: int, even: int, said: str) -> None:
    """Half of 20 questions more, or less, than the baseline has p 2 / 2^10; the same is no
    difference.
    """
    runs = {f"r{n}": ALL for n in range(better)} | {f"w{n}": NONE for n in range(worse)}
    same = found_by(*range(10))
    runs |= {f"e{n}": same for n in range(even)}
    (verdict,) = select_texts(conclude_all(compared(runs, {"base": same}), {}), "verdict")
    assert verdict.replace("\N{MINUS SIGN}", "-") == said


def test_bold_is_the_highest_of_those_that_are_better_than_all() -> None:
    """15 and 20 of 20 against 5 are both better; 8 is not shown to be; 15 is not against 20, and
    none is the best.
    """
    runs = {"most": ALL, "more": found_by(*range(15)), "few": found_by(*range(8))}
    table = system_table(compared(runs, {"base": found_by(*range(5))}))
    assert [row[0] for row in table.rows] == ["base", "most", "more", "few"]
    assert (table.style.best, table.style.rules) == ({(1, 1)}, {1})
    assert table.style.marks == {(1, 1): "\N{DOUBLE DAGGER}", (2, 1): "\N{DOUBLE DAGGER}"}
    worse = system_table(compared({"few": found_by(0)}, {"base": ALL}))
    assert (worse.style.best, worse.style.marks) == ({(0, 1)}, {(1, 1): "\N{SECTION SIGN}"})
    alone = system_table(compared({"base": ALL}, {"base": ALL}))
    assert (alone.style.best, alone.style.marks, alone.style.rules) == (
        frozenset(),
        {},
        frozenset(),
    )


def test_each_baseline_is_named_where_there_are_several() -> None:
    found = compared({"all": ALL}, {"a": NONE, "b": found_by(0)})
    (verdict,) = select_texts(conclude_all(found, {}), "verdict")
    assert verdict == (
        "By full_sup@1 all (+100.0 points over a) and all (+95.0 points over b) are better "
        "(Holm p)."
    )


def test_what_choosing_could_win_by_each_metric() -> None:
    """b has 4 questions that a lacks, and a 5 that b lacks: too few; c has 7 of the other ten: 2 /
    2^7.
    """
    a, b, c = found_by(*range(10)), found_by(*range(5, 14)), found_by(*range(13, 20))
    few = compared({"b": b}, {"a": a})
    (told,) = select_texts(conclude_all(few, headroom(few)), "addition")
    text = "b could add something to a by full_sup@1 on 4 of 20 questions only; no gain can be shown with so few."
    assert told == text
    enough = compared({"c": c}, {"a": a})
    assert select_texts(conclude_all(enough, headroom(enough)), "addition")[0].endswith(
        " by full_sup@1 on 7 of 20 questions."
    )
    assert not select_texts(
        conclude_all(compared({"n": NONE}, {"a": a}), headroom(compared({"n": NONE}, {"a": a}))),
        "addition",
    )
