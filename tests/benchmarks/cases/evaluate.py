"""One run judged in memory, against the fastest of three evaluation libraries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.evaluation.metric import metrics, run_ranks
from harness.run import Run
from tests.benchmarks.lists import lists
from tests.benchmarks.measure import Case, Turn

NAMES = {
    "recall@10": "recall_10",
    "ndcg@10": "ndcg_cut_10",
    "mrr": "recip_rank",
    "success@10": "success_10",
}
METRICS = metrics([*NAMES, "last_hop@10", "full_sup@10"], None)


def case(quick: bool) -> Case:
    runs, gold = lists(50 if quick else 1000, dense=200)
    run = runs["dense"]
    peers = libraries(run.to_dict(), judgements(run, gold))
    for peer in peers.values():
        peer()
    seconds = {name: Turn.of(peer, 1.0).seconds for name, peer in peers.items()}
    best = min(seconds, key=seconds.__getitem__)

    def ours() -> dict[str, Any]:
        ranks = run_ranks(run, gold)
        return {str(metric): metric(ranks) for metric in METRICS}

    return Case(
        work=f"{len(run)} queries x 200 documents, {', '.join(map(str, METRICS))} of each (peer: the first four)",
        peer=best,
        ours=ours,
        theirs=peers[best],
        check=lambda mine, _: agree(mine, peers["pytrec_eval-terrier"](), run),
        aim=2,
        packages=("pytrec_eval-terrier", "ir_measures", "ranx"),
        facts=lambda: {"each_peer_s": {name: round(value, 4) for name, value in seconds.items()}},
    )


def judgements(run: Run, gold: NDArray[np.int32]) -> dict[str, dict[str, int]]:
    names = run.doc_ids.to_pylist()
    return {
        query: {names[doc]: 1 for doc in own if doc >= 0}
        for query, own in zip(run.query_ids.to_pylist(), gold, strict=True)
    }


def libraries(
    found: Mapping[str, Any], qrels: dict[str, dict[str, int]]
) -> dict[str, Callable[[], Any]]:
    """Each as its documentation has it, with everything that can be made beforehand made."""
    import ir_measures
    import pytrec_eval
    import ranx
    from ir_measures import RR, R, Success, nDCG

    trec = pytrec_eval.RelevanceEvaluator(qrels, set(NAMES.values()))
    measures = ir_measures.evaluator([R @ 10, nDCG @ 10, RR, Success @ 10], qrels)
    judged, ranked = ranx.Qrels(qrels), ranx.Run(found)
    names = ["recall@10", "ndcg@10", "mrr", "hit_rate@10"]
    return {
        "pytrec_eval-terrier": lambda: trec.evaluate(found),
        "ir_measures": lambda: list(measures.iter_calc(found)),
        "ranx": lambda: ranx.evaluate(
            judged, ranked, names, return_mean=False, save_results_in_run=False
        ),
    }


def agree(ours: Mapping[str, Any], trec: Mapping[str, Mapping[str, float]], run: Run) -> str:
    for mine, theirs in NAMES.items():
        expected = np.array([trec[query][theirs] for query in run.query_ids.to_pylist()])
        np.testing.assert_allclose(ours[mine], expected, rtol=0, atol=1e-9)
    return "every query's value within 1e-9 of trec_eval's"
