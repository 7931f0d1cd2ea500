"""Metrics: hand-worked values, trec_eval's on random runs, and a brute-force count for the gold
ranks.
"""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest
import pytrec_eval
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from harness.core.errors import HarnessError
from harness.evaluation.metric import ABSENT, NONE, Metric, gold_ranks, groups, metrics, run_ranks
from harness.evaluation.metric.gold_ranks import Ties, _count_on_device
from harness.evaluation.metric.measure import MEASURES, Measure, Ranks, Values
from harness.fusion.pool import Pool
from harness.run import Run

HAND = np.array(
    [[2, 4], [1, ABSENT], [6, 3], [5, NONE], [ABSENT, ABSENT], [NONE, NONE]], dtype=np.int32
)
"""Two hops found; last hop lost; first hop below 5; one hop only; nothing found; nothing to find.
"""


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("last_hop@5", [1, 0, 1, 1, 0, 0]),
        ("last_hop@3", [0, 0, 1, 0, 0, 0]),
        ("full_sup@5", [1, 0, 0, 1, 0, 0]),
        ("full_sup@6", [1, 0, 1, 1, 0, 0]),
        ("any_sup@2", [1, 1, 0, 0, 0, 0]),
        ("recall@5", [1, 0.5, 0.5, 1, 0, 0]),
        ("mrr", [1 / 2, 1, 1 / 3, 1 / 5, 0, 0]),
        ("mrr@3", [1 / 2, 1, 1 / 3, 0, 0, 0]),
    ],
)
def test_by_hand(name: str, expected: list[float]) -> None:
    assert Metric.parse(name)(HAND).tolist() == expected


def test_ndcg_by_hand() -> None:
    ideal = 1 + 1 / math.log2(3)
    expected = [
        (1 / math.log2(3) + 1 / math.log2(5)) / ideal,
        1 / ideal,
        (1 / math.log2(4)) / ideal,
        1 / math.log2(6),
        0,
        0,
    ]
    assert Metric.parse("ndcg@5")(HAND) == pytest.approx(expected, abs=1e-15)


def test_a_perfect_list_has_exactly_one() -> None:
    ranks = np.array([[3, 1, 4, 2, 5], [5, 4, 3, 2, 1]], dtype=np.int32)
    for k in (1, 3, 5, 10):
        assert Metric("ndcg", k)(ranks).tolist() == [1, 1]


def test_absent_is_never_found_at_any_depth() -> None:
    ranks = np.full((1, 2), ABSENT, dtype=np.int32)
    for name in ("last_hop", "full_sup", "success", "recall", "ndcg", "mrr"):
        assert Metric(name, 2**40)(ranks).tolist() == [0]


def test_trials_are_scored_together() -> None:
    many = np.stack([HAND, HAND[::-1]])
    for name in ("last_hop@5", "full_sup@5", "recall@5", "ndcg@5", "mrr"):
        metric = Metric.parse(name)
        assert metric(many).tolist() == [metric(HAND).tolist(), metric(HAND[::-1]).tolist()]


@pytest.mark.parametrize(
    ("binary", "values", "said"),
    [
        (True, [1.0, 0.5], "gave 0.5, expected 0 or 1"),
        (False, [0.5, np.inf], "gave inf, expected a finite number"),
        (False, [0.5], r"gave float64 of shape \(1,\), expected a number a query, \(2,\)"),
    ],
)
def test_values_of_an_own_formula_are_checked(
    binary: bool, values: list[float], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def formula(ranks: Ranks, k: int) -> Values:
        return np.array(values)

    own = Measure(formula, binary=binary)
    monkeypatch.setattr("harness.evaluation.metric.measure.measure_of", lambda *_: own)
    ranks = np.array([[1], [2]], dtype=np.int32)
    with pytest.raises(HarnessError, match=said):
        Metric("own", 1)(ranks)
    values[:] = [np.nan, 1.0]
    assert np.isnan(Metric("own", 1)(ranks)).tolist() == [True, False]


def test_no_place_for_gold() -> None:
    assert Metric.parse("recall@5")(np.empty((3, 0), dtype=np.int32)).tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    "name", ["last_hop@5", "full_sup@10", "success@1", "recall@100", "ndcg@10", "mrr", "mrr@10"]
)
def test_a_metric_is_parsed_back_from_its_name(name: str) -> None:
    assert str(Metric.parse(name)) == name
    assert Metric.parse(str(Metric.parse(name))) == Metric.parse(name)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("lasthop@5", "did you mean last_hop?"),
        ("recal@5", "did you mean recall?"),
        ("recall", "recall@5"),
        ("recall@0", "k=0"),
        ("recall@", "k=nothing"),
        ("recall@-1", "k=-1"),
        ("recall@2.5", "k=2.5"),
        ("", "known: last_hop@k"),
    ],
)
def test_unknown_metrics_are_refused(name: str, message: str) -> None:
    with pytest.raises(HarnessError, match="metric") as caught:
        Metric.parse(name)
    assert message in str(caught.value)


@pytest.mark.parametrize("k", [0, 2.5, True])
def test_a_depth_is_a_whole_number_from_1_on(k: int) -> None:
    assert Metric("recall", 1).k == 1
    with pytest.raises(HarnessError, match=f"1, got k={k!r}"):
        Metric("recall", k)


def test_what_holds_of_which_metric() -> None:
    """0/1 of a query: trec_eval's success, and all, or the last, of its gold; no cut-off:
    trec_eval's names without.
    """
    kinds = {
        kind: {name for name, one in MEASURES.items() if getattr(one, kind)}
        for kind in ("binary", "whole")
    }
    assert kinds["binary"] == {"last_hop", "full_sup", "success"}
    assert kinds["whole"] == {"mrr", "map", "r_precision"}
    assert {name for name, one in MEASURES.items() if one.graded} == {"ndcg"}
    assert {name for name, one in MEASURES.items() if one.ordered} == {"last_hop"}


def test_names_times_depths() -> None:
    found = metrics(["last_hop", "mrr", "ndcg@20", "last_hop@5"], [5, 10])
    assert [str(metric) for metric in found] == ["last_hop@5", "last_hop@10", "mrr", "ndcg@20"]
    for depths in (np.array([5, 10]), (5, 10), range(5, 11, 5)):
        assert [one.k for one in metrics(np.array(["last_hop"]), depths)] == [5, 10]
    with pytest.raises(HarnessError, match="no metric"):
        metrics([], 5)


def test_groups_are_ordered_as_numbers() -> None:
    found = groups([10, 2, None, 3, 2])
    assert {label: members.tolist() for label, members in found.items()} == {
        "2": [1, 4],
        "3": [3],
        "10": [0],
    }
    assert list(found) == ["2", "3", "10"]
    assert list(groups(["b", "a", "b"])) == ["a", "b"]


def brute_rank(scores: list[float], docs: list[int], column: int) -> int:
    """The place of a column when the documents are sorted by (score descending, column
    ascending).
    """
    if column < 0 or docs[column] < 0 or scores[column] == -math.inf:
        return ABSENT
    held = [place for place, doc in enumerate(docs) if doc >= 0 and scores[place] > -math.inf]
    return 1 + sorted(held, key=lambda place: (-scores[place], place)).index(column)


SCORE = st.sampled_from([-math.inf, -1.5, 0.0, -0.0, 0.25, 0.5, 1e300])


@given(st.data())
def test_gold_ranks_are_those_of_sorting(data: st.DataObject) -> None:
    rows, width, places = (data.draw(st.integers(low, 5)) for low in (1, 0, 1))
    fused = data.draw(hnp.arrays(np.float64, (rows, width), elements=SCORE))
    lengths = data.draw(hnp.arrays(np.int64, rows, elements=st.integers(0, width)))
    docs = np.where(np.arange(width) < lengths[:, None], np.arange(width) * 3, -1).astype(np.int32)
    columns = data.draw(hnp.arrays(np.int64, (rows, places), elements=st.integers(-1, width - 1)))
    fused[docs < 0] = math.nan  # what stands in the padding is never read
    tensors = [torch.from_numpy(array) for array in (fused, docs, columns)]
    expected = [
        [
            brute_rank(fused[row].tolist(), docs[row].tolist(), column)
            for column in columns[row].tolist()
        ]
        for row in range(rows)
    ]
    assert gold_ranks(*tensors).tolist() == expected
    held = torch.where(tensors[2] >= torch.from_numpy(lengths)[:, None], -1, tensors[2])
    assert _count_on_device(tensors[0], tensors[1], held)[0].tolist() == expected


def test_gold_ranks_tell_no_gold_from_not_found() -> None:
    fused, docs = (
        torch.tensor([[0.5, 0.7]], dtype=torch.float64),
        torch.tensor([[3, 8]], dtype=torch.int32),
    )
    gold = torch.tensor([[8, 5, -1]], dtype=torch.int32)
    assert gold_ranks(fused, docs, torch.tensor([[1, -1, -1]]), gold).tolist() == [
        [1, ABSENT, NONE]
    ]
    assert gold_ranks(fused, docs, torch.tensor([[1, -1, -1]])).dtype == torch.int32


@pytest.mark.parametrize("count", [gold_ranks, _count_on_device])
def test_a_nan_score_is_never_ranked_first(count: object) -> None:
    arguments = (
        torch.tensor([[math.nan, 0.5]]).double(),
        torch.tensor([[0, 1]]).int(),
        torch.tensor([[0]]),
    )
    if count is gold_ranks:
        with pytest.raises(HarnessError, match="not finite"):
            gold_ranks(*arguments)
    else:
        assert _count_on_device(*arguments)[1] == 0


def test_the_query_with_the_nan_is_named_among_others() -> None:
    for wrong in (math.nan, math.inf):
        fused = torch.tensor([[0.5, 0.4], [wrong, 0.5], [0.3, -math.inf]]).double()
        docs, columns = torch.tensor([[0, 1]] * 3).int(), torch.tensor([[0]] * 3)
        assert _count_on_device(fused, docs, columns)[1] == 1
        with pytest.raises(HarnessError, match="query 1"):
            gold_ranks(fused, docs, columns)


def random_system(
    rng: np.random.Generator,
) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, int]]]:
    """A run and qrels with ties, missing queries, unjudged and non-relevant documents, and empty
    lists.
    """
    documents = [f"d{number}" for number in rng.permutation(40)]
    run: dict[str, dict[str, float]] = {}
    qrels: dict[str, dict[str, int]] = {}
    for query in range(rng.integers(1, 6)):
        listed = rng.choice(documents, rng.integers(0, 30), replace=False)
        levels = rng.integers(1, 12)
        if rng.random() < 0.9:
            run[f"q{query}"] = {str(doc): float(rng.integers(0, levels)) / 8 for doc in listed}
        judged = rng.choice(documents, rng.integers(1, 12), replace=False)
        if rng.random() < 0.9:
            qrels[f"q{query}"] = {str(doc): int(rng.integers(0, 2)) for doc in judged}
    return run, qrels


def gold_of(run: Run, qrels: dict[str, dict[str, int]]) -> np.ndarray:
    number = {doc: place for place, doc in enumerate(run.doc_ids.to_pylist())}
    relevant = [
        [number.get(doc, len(number)) for doc, grade in qrels.get(query, {}).items() if grade > 0]
        for query in run.query_ids.to_pylist()
    ]
    width = max(map(len, relevant), default=0)
    return np.array([row + [-1] * (width - len(row)) for row in relevant], dtype=np.int32).reshape(
        len(relevant), width
    )


THEIRS = {
    "recall@5": "recall_5",
    "recall@20": "recall_20",
    "ndcg@5": "ndcg_cut_5",
    "ndcg@20": "ndcg_cut_20",
    "any_sup@1": "success_1",
    "any_sup@5": "success_5",
    "mrr": "recip_rank",
}


@pytest.mark.parametrize("ties", ["trec", "house"])
def test_metrics_are_those_of_trec_eval_on_200_random_runs(ties: Ties) -> None:
    """Given distinct scores in our order, trec_eval has no tie to break."""
    rng = np.random.default_rng(7)
    compared = 0
    for _ in range(200):
        lists, qrels = random_system(rng)
        run = Run.from_dict(lists)
        ranks = run_ranks(run, gold_of(run, qrels), ties)
        if ties == "house":
            lists = {
                query: {doc: float(-place) for place, doc in enumerate(ranked)}
                for query, ranked in run.to_dict().items()
            }
        theirs = pytrec_eval.RelevanceEvaluator(
            qrels, {"recall.5,20", "ndcg_cut.5,20", "success.1,5", "recip_rank"}
        )
        values = theirs.evaluate(lists)
        for ours, name in THEIRS.items():
            scores = dict(zip(lists, Metric.parse(ours)(ranks).tolist(), strict=True))
            for query, value in values.items():
                assert scores[query] == pytest.approx(value[name], abs=1e-12), (
                    ours,
                    query,
                    lists,
                    qrels,
                )
                compared += 1
    assert compared > 2_000


def test_trec_eval_reads_scores_as_32_bit_floats() -> None:
    lists = {"q": {"a": 1.0 + 1e-12, "b": 1.0}}
    gold = np.array([[0]], dtype=np.int32)
    theirs = pytrec_eval.RelevanceEvaluator({"q": {"a": 1}}, {"recip_rank"}).evaluate(lists)["q"][
        "recip_rank"
    ]
    assert 1 / run_ranks(Run.from_dict(lists), gold, ties="trec")[0, 0] == theirs
    assert run_ranks(Run.from_dict(lists), gold)[0, 0] == 1


def test_run_ranks_agree_with_those_of_a_pool() -> None:
    rng = np.random.default_rng(3)
    scores = rng.integers(0, 5, (20, 30)) / 4
    held = rng.random((20, 30)) < 0.7
    rows, docs = np.nonzero(held)
    ids = pa.array([f"d{number:02}" for number in range(30)])
    run = Run.of([f"q{number}" for number in range(20)], ids, rows, docs, scores[held])
    gold = rng.integers(-1, 30, (20, 4)).astype(np.int32)
    pool = Pool.align({"dense": run})
    fused = pool.spread("dense", pool.listings["dense"].scores, -torch.inf)
    counted = gold_ranks(fused, pool.docs, pool.columns(gold), torch.from_numpy(gold))
    assert counted.tolist() == run_ranks(run, gold).tolist()


def test_a_gold_passage_that_the_run_does_not_know_is_absent() -> None:
    run = Run.from_dict({"q": {"a": 1.0}, "r": {}})
    gold = np.array([[1, 0], [0, -1]], dtype=np.int32)
    assert run_ranks(run, gold).tolist() == [[ABSENT, 1], [ABSENT, NONE]]
    assert run_ranks(Run.from_dict({"q": {}}), gold[:1]).tolist() == [[ABSENT, ABSENT]]
