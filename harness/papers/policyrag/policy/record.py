"""The record of one question: what a policy decided, step by step, as JSON that adds up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from harness.benchmark import Benchmark
from harness.papers.policyrag.policy.execution import PolicyStart, ScoredBlock, block_scorer
from harness.papers.policyrag.policy.policy import Policy

Rows = list[dict[str, Any]]


def record(
    policy: Policy, started: PolicyStart, benchmark: Benchmark, query: int, docs: Sequence[int] = (), best: int = 10
) -> dict[str, Any]:
    """``phrase_seeds`` with the factors of eq. 2, ``passage_seeds``, ``facts`` kept and dropped with their bytes,
    ``mass`` by family of edges, and the score of each passage (the ``best`` ones and ``docs``) by its terms.

    In a row of ``passages`` walk + lambda_title + lambda_cov + lambda_path = score, and walk = mass / (length^beta
    ipf^gamma); ``rank`` is by score, ``rank_before`` by walk alone.
    """
    (part,) = block_scorer(policy, started.take(np.array([query])))(slice(None))
    return {
        "phrase_seeds": _phrases(started, query),
        "passage_seeds": _passages(started, benchmark, query),
        "facts": _facts(started, benchmark, query),
        "mass": [mass(policy, started, part)],
        "passages": _terms(started, benchmark, part, docs, best),
    }


def mass(policy: Policy, started: PolicyStart, part: ScoredBlock) -> dict[str, float]:
    """How much of the walk's mass came over each family of edges, by restart, and back from nodes without an edge."""
    walk, values = policy.traverse, part.values[0].astype(np.float64)
    came = {
        name: (1 - walk.alpha) * float(values @ np.asarray(matrix.sum(axis=1)).ravel())
        for name, matrix in walk.families(started.memory).items()
    }
    lost = (1 - walk.alpha) * float(values.sum()) - sum(came.values())
    return {**came, "restart": walk.alpha * float(values.sum()), "returned": max(lost, 0.0)}


def ranks(values: np.ndarray[Any, np.dtype[np.float64]]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """int64[D]: the place of each passage in the one order, from 1."""
    places = np.empty(len(values), dtype=np.int64)
    places[np.argsort(-values, kind="stable")] = np.arange(1, len(values) + 1)
    return places


def _phrases(started: PolicyStart, query: int) -> Rows:
    seeds = started.seeds
    return [
        {
            "entity": started.memory.names[int(seeds.entity[i])],
            "align": float(seeds.align[i]),
            "spec": float(seeds.spec[i]),
            "alias_ok": int(seeds.alias_ok[i]),
            "facts_mean": None if np.isnan(seeds.mean[i]) else float(seeds.mean[i]),
            "weight": float(seeds.weight[i]),
        }
        for i in np.flatnonzero(seeds.question == query)
    ]


def _passages(started: PolicyStart, benchmark: Benchmark, query: int) -> Rows:
    size = len(started.memory.names)
    row = sp.csr_array(started.restart[[query]])
    held = [(int(n) - size, float(w)) for n, w in zip(row.indices, row.data, strict=True) if n >= size]
    return [
        {"passage": str(benchmark.doc_ids[doc]), "title": benchmark.corpus[doc]["title"], "weight": weight}
        for doc, weight in sorted(held, key=lambda pair: (-pair[1], pair[0]))
    ]


def _facts(started: PolicyStart, benchmark: Benchmark, query: int) -> Rows:
    found, facts = started.candidates, started.memory.facts
    rows = []
    for i in np.flatnonzero(found.question == query):
        fact = int(found.fact[i])
        subject, predicate, object_ = facts.stated[fact]
        rows.append(
            {
                "kept": bool(found.kept[i]),
                "score": float(found.score[i]),
                "subject": subject,
                "predicate": predicate,
                "object": object_,
                "passage": str(benchmark.doc_ids[int(facts.passage[fact])]),
                "start": int(facts.start[fact]),
                "end": int(facts.end[fact]),
            }
        )
    return rows


def _terms(started: PolicyStart, benchmark: Benchmark, part: ScoredBlock, docs: Sequence[int], best: int) -> Rows:
    rank, before = ranks(part.score[0]), ranks(part.terms["walk"][0])
    shown = sorted({*np.flatnonzero(rank <= best).tolist(), *docs}, key=lambda doc: int(rank[doc]))
    kept = started.memory
    return [
        {
            "passage": str(benchmark.doc_ids[doc]),
            "title": benchmark.corpus[doc]["title"],
            "rank_before": int(before[doc]),
            "rank": int(rank[doc]),
            "score": float(part.score[0, doc]),
            **{name: float(term[0, doc]) for name, term in part.terms.items()},
            "mass": float(part.mass[0, doc]),
            "length": float(kept.length[doc]),
            "ipf": float(kept.ipf[doc]),
        }
        for doc in shown
    ]
