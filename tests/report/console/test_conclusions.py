"""What a reader is told: sentences, effect, fusers and headroom of the example, worked on paper
from its ranks.
"""

from __future__ import annotations

import dataclasses
import importlib
import re
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

from harness.evaluation.family import Family
from harness.evaluation.paired_comparison import Comparison
from harness.evaluation.statement import LEAD, Statement, select_texts
from harness.report.console import terminal
from harness.report.console.conclusions import explanations, findings, in_short, sentences
from harness.report.console.forecast import forecast_table
from harness.report.display import Display
from harness.report.figure.outcomes import pictures
from harness.report.pdf.document import details
from harness.report.table.ablation import ablation, changed, verdict
from harness.report.table.ceiling import headroom
from harness.report.table.hops import exceptions
from harness.report.table.main import main
from harness.report.table.trials import leaderboard
from harness.sweep.folder.result import SweepResult
from harness.sweep.folder.view import View
from tests.judged import judged


def short_of(result: SweepResult) -> str:
    return "\n".join(in_short(result))


def forecast(result: SweepResult) -> dict[str, str]:
    (table,) = forecast_table(result)
    return dict(table.rows)


def test_before_heldout(example: ModuleType, tmp_path: Path) -> None:
    """On tune the winner finds 6 of 8, dense 4 (3 W, 1 L), graph 5 (2 W, 1 L)."""
    result = example.write(tmp_path / "s1", heldout=False)
    (table,) = findings(result.locked)
    columns = ("against", "score %", "baseline %", "W", "L")
    numbers = [[row[table.titles.index(name)] for name in columns] for row in table.rows]
    assert numbers[:2] == [["dense", 0.75, 0.5, 3, 1], ["graph", 0.75, 0.625, 2, 1]]
    known = forecast(result)
    assert known["last_hop@5 expected on 6 questions"] == "70.0 (95% 40.0 to 80.0)"
    assert known["last_hop@5 on tune, of the best of 8 trials"] == "75.0"
    assert known["questions that differ from graph on tune"] == "50.0%"
    assert known["smallest net win that 4 of 5 tests find"] == "none"
    assert (known["power for the latter"], known["questions for a power of .80"]) == ("0.02", "66")
    short = short_of(result)
    assert (
        "On tune boltzmann pit alpha=0.7 beta=0.5 cap=20 is not shown to be better than dense "
        "(+25.0 points, 95% " in short
    )
    assert "; 3 won, 1 lost, Holm p " in short
    assert (
        " and not shown to be better than graph, the best list on tune (+12.5 points, 95% " in short
    )


@pytest.mark.plugin("site")
def test_a_winner_that_is_a_list_is_called_by_its_name(example: ModuleType, tmp_path: Path) -> None:
    """In the terminal (the marked row, the winner's line and the sentences), on the site and in the
    paper.
    """
    result = example.write(tmp_path / "s1", heldout=False)
    called = "graph (locked as boltzmann"
    assert called not in terminal.leaderboard(result)
    result = example.as_a_list(result)
    short = short_of(result)
    assert "On tune graph (locked as boltzmann pit alpha=0.7 beta=0.5 cap=20) is not sh" in short
    assert "No fusion is better than graph, the best list on tune: the best " in short
    assert "ranks as graph does in its first 5. dense could " in short
    assert "against graph" not in short  # it is not compared with itself
    printed = terminal.leaderboard(result).splitlines()
    (marked,) = (line for line in printed if line.startswith(">"))
    assert marked.split()[2] == "graph"
    assert any(line.startswith("On tune graph (locked as") for line in printed)
    assert called in leaderboard(result, 20).caption
    overview = importlib.import_module("harness.plugins.site.pages.overview")
    listed = overview.overview([overview.SweepEntry("k", result)], "1", Display())["sweeps"]
    (row,), (place,) = listed["rows"], listed["places"]
    assert row[3] == "graph (locked as pit + boltzmann (α 0.7, β 0.5, cap 20))"
    assert (row[5], row[6], place[2]) == ("graph", "–", result.lock["winner"]["trial"])
    assert [picture.name for picture in pictures(result)] == ["outcomes_dense"]
    (table,) = main([result], Display())
    assert [table.rows[row][0] for row in table.marked] == ["graph"]


def test_the_best_list_is_named_before_a_winner_that_is_only_the_reference(
    example: ModuleType, tmp_path: Path
) -> None:
    """The best fusion ranks as dense, which finds 4 of 8; graph alone finds 5."""
    result = example.as_a_list(example.write(tmp_path / "s1", heldout=False), place=6)
    short = short_of(result)
    assert "\nOn tune dense (locked as boltzmann pit alpha=0.7 beta=0.5 cap=20) is not sh" in short
    assert "better than graph, the best list on tune (-12.5 points, " in short


def test_after_heldout(example: ModuleType, tmp_path: Path) -> None:
    """On test the winner finds 5 of 6, dense 2 (3 W, 0 L), graph 3 (2 W, 0 L)."""
    result = example.write(tmp_path / "s1")
    short = short_of(result)
    assert short.startswith("sample, test split (n = 6, evaluation 1): 5 locked trials, chosen am")
    assert "cap=20 is not shown to be better than dense (+50.0 points, 95% " in short
    assert (
        "; 3 won, 0 lost, p .250) and therefore not tested against graph, the best list on tune ("
        in short
    )
    assert "Its score on test, 83.3, is outside the 40.0 to 80.0 that tune predicted.\n" in short
    assert re.search(r"on tune \(\+33.3 points, 95% [^;]*; 2 won, 0 lost\)\.\n", short)


def test_headroom_is_said_and_whether_these_questions_can_tell(
    example: ModuleType, tmp_path: Path
) -> None:
    """Tune: dense has q1, q4, q5, which graph lacks. Test: graph has t0, t2, t3 and dense t0, t4.

    Three wins of three have p 2 / 2^3, one of one 1. The list bm25 is not locked.
    """
    few = " questions only; no gain can be shown with so few."
    for folder, held_out, expected in (
        ("s1", False, ["last_hop@5", "graph", 0.625, 1.0, "dense 3", 3, 0.25]),
        ("s2", True, ["last_hop@5", "graph", 0.5, 4 / 6, "dense 1", 1, 1.0]),
    ):
        result = example.write(tmp_path / folder, heldout=held_out)
        *_, oracle = explanations(result, result.locked)
        (row,) = oracle.rows
        assert row == pytest.approx(expected)
        assert f" on {expected[5]} of {result.locked.n}{few}" in short_of(result)


@pytest.mark.parametrize("best", ["graph", "dense"])
def test_a_fusion_that_is_shown_to_be_better_leaves_out_whether_one_could_be(
    best: str, example: ModuleType, tmp_path: Path
) -> None:
    """dense: the best list is the reference, too. The winner's Holm p is .001."""
    result = example.write(tmp_path / "s1", heldout=False)
    result.lock["best_single"] = best
    winner = result.comparisons["trial"] == result.lock["winner"]["trial"]
    result.comparisons.loc[winner, "p_holm"] = 0.001
    short = short_of(result)
    assert "better than dense (+25.0 points, 95% " in short
    assert ("and better than graph" in short) == (best == "graph")
    assert f" could add something to {best} on " in short
    assert "no gain can be shown" not in short


def test_a_test_half_that_can_show_nothing_says_so(example, tmp_path):
    result = example.write(tmp_path / "s1", heldout=False)
    result.lock["expected"].update(n=1, low=0.0, high=1.0)
    assert "The 1 question of test can show nothing: any score is expected." in short_of(result)


def test_a_forecast_says_which_lists_were_fitted_here(example: ModuleType, tmp_path: Path) -> None:
    result = example.write(tmp_path / "s1", heldout=False)
    seen = (
        "The weights of graph were chosen on these tune questions, too: expect less than the "
        "forecast says."
    )
    assert seen not in short_of(result)
    here = {"on": [result.manifest["dataset"]], "seen": {"tune": 5, "test": 0}}
    result.manifest["fitted"] = {"graph": here, "unused": here}
    assert seen in short_of(result)
    assert f"caution: {seen}" in " ".join(terminal.leaderboard(result).split())
    held = example.write(tmp_path / "s2")
    held.manifest["fitted"] = {"graph": here}
    assert seen not in short_of(held)  # the outcome is there


def test_no_rounding_contradicts_the_verdict(example: ModuleType, tmp_path: Path) -> None:
    result = example.write(tmp_path / "s1")
    result.lock["expected"].update(low=0.8334, high=0.9)  # 5/6 is .83333
    assert (
        "Its score on test, 83.33, is outside the 83.34 to 90.00 that tune predicted."
        in short_of(result)
    )
    result.lock["expected"].update(low=5 / 6, high=0.9)
    assert "Its score on test, 83.3, is inside the 83.3 to 90.0 that tune predicted." in short_of(
        result
    )


def test_an_older_sweep_foretells_nothing(example: ModuleType, tmp_path: Path) -> None:
    result = example.write(tmp_path / "s1")
    for key in ("expected", "power", "margin"):
        del result.lock[key]
    assert not forecast_table(result)
    assert "expected" not in short_of(result)


def test_it_is_said_alike_in_terminal_page_and_document(
    example: ModuleType, tmp_path: Path
) -> None:
    """A sweep's page has the conclusions, too."""
    result = example.write(tmp_path / "s1")
    printed = " ".join(terminal.heldout(result).split())
    for text in select_texts(sentences(result, result.locked), *LEAD):
        assert text in printed
        assert text in short_of(result)
    result.manifest["counts"] = {"passages": 1200, "queries": 1}
    assert ", 1,200 passages, 1 question, " in details(result)["benchmark"]


def made_view(example: ModuleType, folder: Path, chance: Sequence[float]) -> View:
    """80 queries of two hops and 60 of three: the winner finds all of the former, dense ``chance``
    of each.
    """
    view = example.write(folder).tune
    draw, hops = np.random.default_rng(0), np.repeat([2, 3], [80, 60])
    hit = np.stack([np.where(hops == 2, 1.0, 0.3)] * len(view.rows))
    hit[view.singles["dense"]] = np.where(hops == 2, *chance)
    last = np.where(draw.random(hit.shape) < hit, 1, 9)
    ranks = np.stack([np.full_like(last, 1), last], axis=-1).astype(np.int32)
    queries = pd.DataFrame(
        {
            "id": [f"q{n}" for n in range(140)],
            "hops": hops,
            "type": "x",
            "chain": True,
            "cluster": np.arange(140) // 2,
        }
    )
    return dataclasses.replace(view, ranks=ranks, queries=queries, in_split=None)


def test_a_winner_that_does_not_win_at_every_hop_count(example: ModuleType, tmp_path: Path) -> None:
    view = made_view(example, tmp_path / "s1", (0.5, 0.8))
    result = example.write(tmp_path / "s2", heldout=False)
    said = select_texts(sentences(result, view), "addition")
    (told,) = (text for text in said if text.startswith("At 3 hops (n = 60) the winner scores "))
    assert re.search(r", Holm p by cluster <?\.0\d+\)\.$", told)
    everywhere = made_view(example, tmp_path / "s3", (0.5, 0.0))
    said = " ".join(select_texts(sentences(result, everywhere), "addition"))
    assert not re.search(r"the winner scores \S+% and dense", said)


def test_three_hops_and_more_are_one_row_of_the_terminal_too(
    example: ModuleType, tmp_path: Path
) -> None:
    view = made_view(example, tmp_path / "s1", (0.5, 0.8))
    hops = np.where(np.arange(140) % 2 == 0, view.queries["hops"], view.queries["hops"] + 1)
    parted = dataclasses.replace(view, queries=view.queries.assign(hops=hops))
    rows = {label: found for label, _, found in exceptions(parted)}
    known = np.flatnonzero(hops > 2)
    assert rows["3 or more hops"].n == len(known) == 100
    apart = view.scores[view.winner_place] - view.scores[view.singles["dense"]]
    assert rows["3 or more hops"].difference == pytest.approx(apart[known].mean())
    assert {"3 hops", "4 hops"} & set(rows)


def test_fusers_against_the_winner(example: ModuleType, tmp_path: Path) -> None:
    """Found on test: winner 0-4; linear 0, 1; rrf 0, 1, 2."""
    (table,) = ablation(example.write(tmp_path / "s1").locked)
    assert [row[:3] for row in table.rows] == [
        ["rrf k=60", 0, 2],
        ["linear minmax alpha=0.3", 0, 3],
    ]
    assert [row[5] for row in table.rows] == [0.5, 0.5]  # .25 and .5, Holm
    assert [row[6] for row in table.rows] == ["undecided", "undecided"]


@pytest.mark.parametrize(
    ("wins", "losses", "n", "margin", "said"),
    [
        (3, 2, 2000, 0.02, "equivalent"),
        (0, 0, 2000, 0.02, "equivalent"),
        (0, 0, 8, 0.02, "undecided"),
        (3, 2, 40, 0.02, "undecided"),
        (40, 2, 400, 0.02, "better"),
        (40, 2, 400, 0.2, "better, within the margin"),
    ],
)
def test_verdicts(wins: int, losses: int, n: int, margin: float, said: str) -> None:
    """What the 95% interval within the margin says; two that copy one list say nothing."""
    ours = np.array([1.0] * wins + [0.0] * (n - wins))
    theirs = np.array([0.0] * wins + [1.0] * losses + [0.0] * (n - wins - losses))
    (found,) = Family.of([Comparison.of(ours, theirs, margin=margin)])
    stated = Statement(found, "a", "b")
    assert verdict(stated) == verdict(stated, 0.05) == said
    assert verdict(stated, 0.049) == said.replace("equivalent", "uninformative")


def test_changed_queries_by_hand() -> None:
    """The winner copies graph but in query 2, the row but in query 3: 2 of 4. Places within the top
    5 are no change.
    """
    dense = [[9, 1], [9, 9], [1, 9], [9, 9]]
    graph = [[1, 2], [3, 9], [2, 2], [9, 4]]
    winner, other = [[2, 1], [1, 9], [2, 7], [9, 4]], [[1, 2], [5, 8], [2, 2], [9, 6]]
    families = {"dense": "single", "graph": "single", "a": "rrf", "b": "linear"}
    rows = [judged(name, family) for name, family in families.items()]
    ranks = np.array([dense, graph, winner, other], dtype=np.int32)
    view = View(
        "tune",
        rows,
        ranks,
        pd.DataFrame({"id": list("abcd")}),
        {"objective": "last_hop@5"},
        {
            "winner": {"trial": "a"},
            "lists": {"dense": "dense", "graph": "graph"},
            "reference": "dense",
            "best_single": "graph",
        },
    )
    assert changed(view, 3) == 0.5


def test_headroom_by_hand(example: ModuleType, tmp_path: Path) -> None:
    """Lists on test hold t0-t4 (graph 0-3; dense 0, 1, 2, 4): the ceiling is 5/6. Graph finds 3/6."""
    (table,) = headroom(example.write(tmp_path / "s1").locked)
    by_name = {row[0]: row[1:] for row in table.rows}
    assert by_name["rrf k=60"] == pytest.approx([3 / 6, 5 / 6, 0])
    assert by_name["linear minmax alpha=0.3"] == pytest.approx([2 / 6, 5 / 6, -0.5])
    assert table.marked == {0}
