"""One run judged, against the fastest of three evaluation libraries."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from harness.evaluation.metric import metrics, run_ranks
from tests.benchmarks.lists import lists
from tests.benchmarks.measure import Case

NAMES = {"recall@10": "recall_10", "ndcg@10": "ndcg_cut_10", "mrr": "recip_rank", "any_sup@10": "success_10"}
METRICS = metrics([*NAMES, "last_hop@10", "full_sup@10"], None)


def case(quick: bool) -> Case:
    runs, gold = lists(50 if quick else 1000, dense=200)
    run = runs["dense"]
    lists_, qrels = run.to_dict(), judgements(run, gold)
    peers = libraries(lists_, qrels)
    seconds = {name: timed(peer) for name, peer in peers.items()}
    best = min(seconds, key=seconds.__getitem__)

    def ours() -> dict[str, Any]:
        ranks = run_ranks(run, gold)
        return {str(metric): metric(ranks) for metric in METRICS}

    return Case(
        work=f"{len(run)} queries x 200 documents, "
        f"{', '.join(map(str, METRICS))} of every query (peer: the first four)",
        peer=best,
        ours=ours,
        theirs=peers[best],
        check=lambda mine, _: agree(mine, peers["pytrec_eval-terrier"](), run),
        aim=20,
        packages=("pytrec_eval-terrier", "ir_measures", "ranx"),
        facts=lambda: {"each_peer_s": {name: round(value, 4) for name, value in seconds.items()}},
    )


def judgements(run: Any, gold: Any) -> dict[str, dict[str, int]]:
    names = run.doc_ids.to_pylist()
    return {
        query: {names[doc]: 1 for doc in own if doc >= 0}
        for query, own in zip(run.query_ids.to_pylist(), gold, strict=True)
    }


def libraries(lists_: Any, qrels: Any) -> dict[str, Callable[[], Any]]:
    """Each as its documentation has it, with everything that can be made beforehand made."""
    import ir_measures
    import pytrec_eval
    import ranx
    from ir_measures import RR, R, Success, nDCG

    trec = pytrec_eval.RelevanceEvaluator(qrels, set(NAMES.values()))
    measures = ir_measures.evaluator([R @ 10, nDCG @ 10, RR, Success @ 10], qrels)
    judged, ranked = ranx.Qrels(qrels), ranx.Run(lists_)
    names = ["recall@10", "ndcg@10", "mrr", "hit_rate@10"]
    return {
        "pytrec_eval-terrier": lambda: trec.evaluate(lists_),
        "ir_measures": lambda: list(measures.iter_calc(lists_)),
        "ranx": lambda: ranx.evaluate(judged, ranked, names, return_mean=False, save_results_in_run=False),
    }


def timed(work: Callable[[], Any]) -> float:
    work()
    seconds = []
    for _ in range(3):
        begun = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - begun)
    return sorted(seconds)[1]


def agree(ours: Any, trec: Any, run: Any) -> str:
    for mine, theirs in NAMES.items():
        expected = np.array([trec[query][theirs] for query in run.query_ids.to_pylist()])
        np.testing.assert_allclose(ours[mine], expected, rtol=0, atol=1e-9)
    return "every query's value within 1e-9 of trec_eval's"
