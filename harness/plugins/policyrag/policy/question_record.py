"""The decisions of a policy for one question as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from harness.benchmark import Benchmark
from harness.plugins.policyrag.policy.execution import PolicyStart, ScoredBlock, block_scorer
from harness.plugins.policyrag.policy.policy import Policy

Rows = list[dict[str, object]]


def record(
    policy: Policy,
    started: PolicyStart,
    benchmark: Benchmark,
    query: int,
    docs: Sequence[int] = (),
    best: int = 10,
) -> dict[str, Sequence[Mapping[str, object]]]:
    """Return the steps of a policy for one question.

    ``phrase_seeds`` have the factors of eq. 2, ``passage_seeds`` their weight, ``facts`` whether
    they were kept and their bytes, ``mass`` is by family of edges, and ``passages`` have their
    terms. In a row of ``passages``, walk + lambda_title + lambda_cov + lambda_path = score, and
    walk = mass / (length^beta ipf^gamma); ``rank`` is by score, ``rank_before`` by walk alone.

    Args:
        policy: the policy.
        started: its start.
        benchmark: the benchmark.
        query: number of the question.
        docs: passages to show in addition to the ``best`` ones.
        best: number of best passages.
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
    """Return the walk's mass by family of edges, by restart, and from nodes without an edge."""
    walk, values = policy.traverse, part.values[0].astype(np.float64)
    came = {
        name: (1 - walk.alpha) * float(values @ np.asarray(matrix.sum(axis=1)).ravel())
        for name, matrix in walk.families(started.memory).items()
    }
    lost = (1 - walk.alpha) * float(values.sum()) - sum(came.values())
    return {**came, "restart": walk.alpha * float(values.sum()), "returned": max(lost, 0.0)}


def ranks(values: np.ndarray[Any, np.dtype[np.float64]]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return int64[D], the rank of each passage in the one order, from 1."""
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
    weights = started.restart[[query]].toarray()[0, len(started.memory.names) :]
    return [
        {**_passage(benchmark, doc), "weight": float(weights[doc])}
        for doc in np.argsort(-weights, kind="stable")[: np.count_nonzero(weights)].tolist()
    ]


def _passage(benchmark: Benchmark, doc: int) -> dict[str, object]:
    return {"passage": str(benchmark.doc_ids[doc]), "title": benchmark.corpus[doc]["title"]}


def _facts(started: PolicyStart, benchmark: Benchmark, query: int) -> Rows:
    candidates, facts = started.candidates, started.memory.facts
    rows = []
    for i in np.flatnonzero(candidates.question == query):
        fact = int(candidates.fact[i])
        rows.append(
            {
                "kept": bool(candidates.kept[i]),
                "score": float(candidates.score[i]),
                **dict(zip(("subject", "predicate", "object"), facts.stated[fact], strict=True)),
                "passage": str(benchmark.doc_ids[int(facts.passage[fact])]),
                "start": int(facts.start[fact]),
                "end": int(facts.end[fact]),
            }
        )
    return rows


def _terms(
    started: PolicyStart, benchmark: Benchmark, part: ScoredBlock, docs: Sequence[int], best: int
) -> Rows:
    rank, before = ranks(part.score[0]), ranks(part.terms["walk"][0])
    shown = {*np.flatnonzero(rank <= best).tolist(), *docs}
    columns = {
        "score": part.score[0],
        **{name: term[0] for name, term in part.terms.items()},
        "mass": part.mass[0],
        "length": started.memory.length,
        "ipf": started.memory.ipf,
    }
    rows = []
    for doc in sorted(shown, key=rank.__getitem__):
        places = {"rank_before": int(before[doc]), "rank": int(rank[doc])}
        terms = {name: float(values[doc]) for name, values in columns.items()}
        rows.append({**_passage(benchmark, doc), **places, **terms})
    return rows
