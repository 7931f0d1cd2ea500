"""A split's trials and what is known of them."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from harness.benchmark import UNORDERED
from harness.evaluation.metric import Metric
from harness.evaluation.paired_comparison import Outcome
from harness.report.table.comparison_table import slice_of
from harness.sweep.folder import caption
from harness.sweep.folder.view import View
from harness.sweep.judge.trial_table import find_equals
from tests.judged import judged


def test_a_list_that_several_trials_are_stands_at_its_first_place_and_is_no_fusion() -> None:
    """``dense`` under three caps: the list is the trial that the lock names. The winner holds what
    ``graph`` holds.
    """
    named = [
        ("rrf", "rrf"),
        ("dense", "single"),
        ("graph", "single"),
        ("dense", "single"),
        ("dense", "single"),
    ]
    rows = [
        judged(name, family, trial=str(place), equals=None if place else "2")
        for place, (name, family) in enumerate(named)
    ]
    ranks = np.array([[[1]], [[7]], [[1]], [[7]], [[7]]], dtype=np.int32)
    manifest = {"objective": "last_hop@5"}
    lists = {"dense": "1", "graph": "2"}
    lock = {"winner": {"trial": "0"}, "lists": lists, "reference": "dense", "best_single": "graph"}
    view = View("tune", rows, ranks, pd.DataFrame({"id": ["q"]}), manifest, lock)
    assert view.singles == {"dense": 1, "graph": 2}
    assert view.fused == [0]
    assert view.winner_list == "graph"
    assert view.rivals == {"dense": 1}


def test_queries_without_a_hop_order_are_counted_once_whatever_the_number_of_trials() -> None:
    """Two trials of three queries, the order of one unknown: last_hop counts two of three."""
    rows = [
        judged(name, "single", trial=str(place)) for place, name in enumerate(("dense", "graph"))
    ]
    ranks = np.array([[[1, 2], [1, 9], [1, UNORDERED]]] * 2, dtype=np.int32)
    queries, lock = pd.DataFrame({"id": ["a", "b", "c"]}), {"winner": {"trial": "0"}}
    view = View("tune", rows, ranks, queries, {"objective": "recall@5"}, lock)
    assert caption.unordered(view) == " (last_hop: the 2 of 3 questions whose hop order is known)"
    known = View("tune", rows, ranks[:, :2], queries[:2], {"objective": "recall@5"}, lock)
    assert caption.unordered(known) == ""
    counted = View(
        "tune", rows, ranks[:, :2], queries[:2], {"objective": "last_hop@5"}, lock, in_split=3
    )
    assert (
        caption.unordered(counted)
        == " (last_hop and all results based on it: the 2 of 3 questions whose hop order is known)"
    )


def of_lists(ranks: list[list[int]], queries: pd.DataFrame, **manifest: Any) -> View:
    """The winner, a fusion, then dense and graph: the ranks of a passage a query."""
    named = (("fused", "rrf"), ("dense", "single"), ("graph", "single"))
    rows = [judged(name, family) for name, family in named]
    array = np.array(ranks, dtype=np.int32)[..., None]
    return View(
        "tune",
        rows,
        array,
        queries,
        {"objective": "recall@5", **manifest},
        {
            "winner": {"trial": "fused"},
            "lists": {"dense": "dense", "graph": "graph"},
            "reference": "dense",
            "best_single": "graph",
        },
    )


def test_what_stands_below_the_objectives_depth_makes_no_other_list() -> None:
    """Of five, rank 6 is as good as 7, and 5 is not 4."""

    def equals(*ranks: list[int]) -> list[str | None]:
        array = np.array(ranks, dtype=np.int32)[..., None]
        keys, lists = ("fused", "dense", "graph"), ("dense", "graph")
        return find_equals(keys, array, Metric.parse("recall@5"), lists)

    assert equals([5, 6], [4, 6], [5, 7]) == ["graph", None, None]
    assert equals([5, 6], [4, 6], [5, 5]) == [None, None, None]
    assert equals([1, 2], [1, 2], [1, 2]) == ["dense", None, "dense"]


def test_rows_with_the_same_gold_ranks_are_copies_of_the_first() -> None:
    view = of_lists([[5], [4], [5]], pd.DataFrame({"id": ["a"]}))
    winner, *others = view.rows
    view = replace(view, rows=[replace(winner, equals="graph"), *others])
    assert (view.winner_list, view.originals) == ("graph", [0, 1, 0])
    assert view.repeats == [True, False, True]


def test_impractical_rows_come_last_whatever_their_score() -> None:
    view = of_lists([[1]] * 3, pd.DataFrame({"id": ["a"]}))
    rows = [
        replace(row, scores={"recall@5": score}, practical=row.name != "dense")
        for row, score in zip(view.rows, (0.2, 0.9, 0.5), strict=True)
    ]
    view = replace(view, rows=rows)
    assert view.best_first == [2, 0, 1]


def test_how_queries_share_gold_is_said() -> None:
    """A pair is 10% of 20 queries, and 5% of 40; pairs that are found or lost as a whole double the
    variance.
    """
    pair = pd.DataFrame({"cluster": [0, 0, *range(1, 19)]})
    said = caption.clustering(of_lists([[1] * 20] * 3, pair, shared_gold=0.13))
    assert said == [
        "Clusters of tune questions that share gold passages: 19, the largest has 2 of 20 "
        "questions (10.0%); design effect of the winner's score 1.00.",
        "13% of test's questions share a gold passage with tune.",
    ]
    even = of_lists([[1] * 20 + [9] * 20] * 3, pd.DataFrame({"cluster": np.arange(40) // 2}))
    told = "20, the largest has 2 of 40 questions (5.0%); design effect of the winner's score 2.00."
    assert caption.clustering(even)[0].endswith(told)
    assert (even.deciding, of_lists([[1]] * 3, pd.DataFrame({"id": ["a"]})).deciding) == (
        " by cluster",
        "",
    )
    few = of_lists([[1] * 60] * 3, pd.DataFrame({"cluster": np.arange(60) // 20}))
    assert few.deciding == " (too few clusters)"


def test_captions_say_how_questions_were_split() -> None:
    queries, said = pd.DataFrame({"id": ["a"]}), {}
    for splitting in ("md5", "disjoint", "given"):
        manifest = {"dataset": "mine", "data_sha256": "5ca1ab1e" * 8, "splitting": splitting}
        view = of_lists([[1]] * 3, queries, **manifest)
        said[splitting] = view.half, "split=" in caption.source(view).text
    assert said == {
        "md5": ("the tune half of mine (1 question)", False),
        "disjoint": ("the tune half of mine (1 question)", True),
        "given": ("the tune part of mine (1 question)", True),
    }


def test_what_a_manifest_has_as_null_is_not_told() -> None:
    nulls = of_lists(
        [[1], [2], [3]], pd.DataFrame({"id": ["a"]}), fitted=None, recalls=None, coverage=None
    )
    assert (caption.of_lists(nulls), caption.cautions(nulls)) == ([], [])


def test_an_index_that_finds_less_than_98_percent_is_told() -> None:
    recalls = {"dense": {"index": "HNSW", "recall@100": 0.98}}
    queries = pd.DataFrame({"id": ["a"]})
    assert caption.cautions(of_lists([[1], [2], [3]], queries, recalls=recalls)) == []
    recalls["dense"]["recall@100"] = 0.97
    assert len(caption.cautions(of_lists([[1], [2], [3]], queries, recalls=recalls))) == 1


def test_lists_of_other_versions_of_libraries_are_one_caution() -> None:
    queries = pd.DataFrame({"id": ["a"]})
    made = {
        "bm25": {"libraries": {"bm25s": "0.2", "numpy": "2.0"}, "devices": {}},
        "dense": {"libraries": {"bm25s": "0.2", "numpy": "2.0"}, "devices": {}},
        "graph": {"libraries": {"bm25s": "0.3", "numpy": "1.9, 2.0"}, "devices": {}},
    }
    now = {"bm25s": "0.3", "numpy": "2.0"}
    (line,) = caption.cautions(of_lists([[1], [2], [3]], queries, made_by=made, libraries=now))
    assert "bm25, dense by bm25s 0.2 (now 0.3); graph by numpy 1.9, 2.0 (now 2.0)" in line
    same = {"bm25": {"libraries": now, "devices": {}}}
    assert caption.cautions(of_lists([[1]], queries, made_by=same, libraries=now)) == []


def test_a_slice_is_of_a_column_or_of_what_a_list_finds() -> None:
    view = of_lists([[1, 1], [9, 1], [1, 9]], pd.DataFrame({"id": ["a", "b"], "hops": [2, 3]}))
    assert slice_of(view, {"hops": 3}).tolist() == [False, True]
    found_by_graph = {"list": "graph", "metric": "recall@5", "is": 1}
    assert slice_of(view, found_by_graph).tolist() == [True, False]


def test_a_greater_score_is_worse_where_less_is_better() -> None:
    """The stored comparison with graph: a difference of 1 that is shown, then one that is not."""
    view = of_lists([[1]] * 3, pd.DataFrame({"id": ["a"]}))
    numbers = {"wins": 0, "losses": 9, "difference": 1.0, "low": 0.5, "high": 1.5, "p": 0.004}
    shown = Outcome(**numbers, p_cluster=None, p_holm=0.004)
    outcomes = {"graph": shown, "dense": replace(shown, p_holm=0.3)}
    view = replace(view, rows=[replace(view.rows[0], outcomes=outcomes), *view.rows[1:]])
    assert [view.finding(0, name) for name in ("graph", "dense", None)] == [
        "better",
        "even",
        "even",
    ]
    vars(view)["metric"] = SimpleNamespace(higher_is_better=False)
    assert view.finding(0, "graph") == "worse"
