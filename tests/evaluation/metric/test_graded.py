"""Graded judgements: the values of trec_eval (pytrec_eval), and what the command says of how it
read them.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.core.errors import HarnessError
from harness.evaluation.gold import Gold
from harness.evaluation.metric import Metric
from harness.evaluation.run_evaluation import evaluate
from harness.run import Run
from tests import process

QRELS = {"q1": {"a": 3, "b": 2, "c": 1, "x": 0}, "q2": {"a": 1, "b": 3}, "q3": {"a": 0, "b": 0}}
LISTS = {
    "q1": {"c": 9.0, "a": 8.0, "x": 7.0, "b": 6.0},
    "q2": {"z": 9.0, "b": 8.0},
    "q3": {"a": 9.0},
}
TREC = {
    "ndcg@3": "ndcg_cut_3",
    "ndcg@10": "ndcg_cut_10",
    "recall@3": "recall_3",
    "mrr": "recip_rank",
    "success@1": "success_1",
    "success@5": "success_5",
    "precision@3": "P_3",
    "precision@10": "P_10",
    "map": "map",
    "map@3": "map_cut_3",
    "r_precision": "Rprec",
}
"""Metrics of ours, and what pytrec_eval calls them."""
QUERIES = st.sampled_from(["q1", "q2", "q3"])
DOCS = st.sampled_from(list("abcdefgh"))
JUDGED = st.dictionaries(QUERIES, st.dictionaries(DOCS, st.integers(-1, 3), min_size=1), min_size=1)
LISTED = st.dictionaries(DOCS, st.sampled_from([0.0, 0.5, 0.25, 1.0, 0.3]), min_size=1)


@settings(max_examples=80, deadline=None)
@given(JUDGED, LISTED, st.integers(1, 2))
def test_graded_judgements_give_the_values_of_trec_eval(
    qrels: dict[str, dict[str, int]], listed: dict[str, float], rel: int
) -> None:
    run = dict.fromkeys(qrels, listed)
    wanted = {
        "ndcg_cut.3,10",
        "recall.3",
        "recip_rank",
        "success.1,5",
        "P.3,10",
        "map",
        "map_cut.3",
        "Rprec",
    }
    theirs = pytrec_eval.RelevanceEvaluator(qrels, wanted, relevance_level=rel).evaluate(run)
    nothing = [None] * len(qrels)
    supporting = [
        [doc for doc, grade in judged.items() if grade >= rel] for judged in qrels.values()
    ]
    gold = Gold(
        list(qrels),
        supporting,
        nothing,
        nothing,
        False,
        "qrels",
        grades=list(qrels.values()),
        rel=rel,
    )
    if not {*gold.documents.to_pylist()} & {
        *listed
    }:  # refused: nothing says that the ids are the same
        return
    found = evaluate(Run.from_dict(run), gold, list(TREC), ties="trec")
    for query in qrels:
        for ours, name in TREC.items():
            assert found.per_query[query][ours] == pytest.approx(theirs[query][name], abs=1e-12)


def test_a_perfect_graded_list_has_exactly_one() -> None:
    """Gains are added from the best rank on, whatever the order of the judgements."""
    ranks, grades = np.array([[5, 1, 2, 4, 3]], dtype=np.int32), np.array([[1.0, 3, 2, 1, 2]])
    assert Metric("ndcg", 10)(ranks, (ranks, grades)).tolist() == [1]


def test_the_command_says_how_it_read_the_judgements(tmp_path: Path) -> None:
    """pytrec_eval: ndcg_cut_5 .7463, .6199, 0; recall_5 1, 1, 0; reciprocal rank 1, .5, 0."""
    Run.from_dict(LISTS).to_trec(tmp_path / "run.trec")
    rows = [
        f"{query} 0 {doc} {grade}"
        for query, judged in QRELS.items()
        for doc, grade in judged.items()
    ]
    (tmp_path / "qrels.txt").write_text("\n".join(rows))

    def theirs(name: str, rel: int = 1) -> list[float]:
        found = pytrec_eval.RelevanceEvaluator(QRELS, {name}, relevance_level=rel).evaluate(LISTS)
        return [100 * found[query][name.replace(".", "_")] for query in QRELS]

    def said(*arguments: str) -> str:
        typed = ("evaluate", "run=run.trec", "gold=qrels.txt", "metrics=[ndcg,recall,mrr]", "k=5")
        done = process.harness(*typed, *arguments, cwd=tmp_path, check=True)
        assert "does not know" not in done.stderr
        return " ".join(done.stdout.split())

    means = [sum(theirs(name)) / 3 for name in ("ndcg_cut.5", "recall.5", "recip_rank")]
    found = said("ties=trec")
    assert "3 questions, split all" in found
    assert "ndcg with graded gains; 1 query with nothing relevant: 0, as trec_eval" in found
    assert f"all 3 {' '.join(f'{mean:.1f}' for mean in means)}" in found
    found = said("strict=true")
    assert "1 query with nothing relevant left out (ties=trec: 0, as trec_eval)" in found
    assert f"all 2 {sum(theirs('ndcg_cut.5')) / 2:.1f}" in found
    found = said("ties=trec", "rel=2")
    assert "relevant from 2 on" in found
    assert (
        f"all 3 {means[0]:.1f} {sum(theirs('recall.5', 2)) / 3:.1f} "
        f"{sum(theirs('recip_rank', 2)) / 3:.1f}" in found
    )


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("hit@5", "success"),
        ("Hits@5", "success"),
        ("P@5", "precision"),
        ("AP", "map"),
        ("Rprec", "r_precision"),
        ("RR", "mrr"),
        ("nDCG@5", "ndcg"),
        ("MAP", "map"),
    ],
)
def test_a_name_of_another_tool_suggests_ours(name: str, meant: str) -> None:
    with pytest.raises(HarnessError, match=rf"metric {name}.*{meant}\?"):
        Metric.parse(name)
