"""Personalised PageRank of many queries over a large power-law graph, against igraph's PRPACK one
by one.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from harness.retriever.pagerank.pagerank import Walks
from harness.retriever.walk import normalize_rows
from tests.benchmarks.measure import Case

AIMS = {0.5: 4, 0.85: 1.5}
TOP, TOLERANCE, PASSAGES = 200, 1e-6, 0.2


def case(quick: bool) -> dict[str, Case]:
    size, edges, queries = (1_000, 8_000, 16) if quick else (100_000, 1_000_000, 1000)
    graph, restarts = world(size, edges, queries)
    made = {}
    for damping, aim in AIMS.items():
        name = "ppr" if damping == 0.5 else "ppr_85"
        made[name] = compared(
            graph,
            restarts,
            damping,
            aim,
            f"power-law graph, {size} nodes, {edges} edges, quarter "
            f"of the nodes passages with a fifth of each restart",
            4 if quick else 6,
        )
    return made


def world(size: int, edges: int, queries: int, seed: int = 0) -> tuple[sp.csr_array, sp.csr_array]:
    """A symmetric graph whose degrees fall as a power, and restarts of 2 to 6 entities and 10
    passages a query.
    """
    random = np.random.default_rng(seed)
    popularity = (np.arange(size) + 10.0) ** -0.75
    popularity /= popularity.sum()
    names = random.permutation(size)
    pairs = names[random.choice(size, (int(edges * 1.3), 2), p=popularity)]
    pairs = np.unique(np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1), axis=0)
    pairs = random.permutation(pairs)[:edges]
    graph = sp.csr_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(size, size))
    graph = sp.csr_array(graph + graph.T)
    held = np.flatnonzero(np.diff(graph.indptr))
    passages, entities = held[held < size // 4], held[held >= size // 4]
    rows, columns, values = [], [], []
    for query in range(queries):
        own, near = (
            random.choice(entities, random.integers(2, 7), replace=False),
            random.choice(passages, 10, False),
        )
        rows += [query] * (len(own) + 10)
        columns += [*own, *near]
        values += [
            *((1 - PASSAGES) * random.dirichlet(np.ones(len(own)))),
            *(PASSAGES * random.dirichlet(np.ones(10))),
        ]
    return graph, sp.csr_array((values, (rows, columns)), shape=(queries, size))


def compared(
    graph: sp.csr_array,
    restarts: sp.csr_array,
    damping: float,
    aim: float,
    work: str,
    alone: int,
    timed: int = 256,
) -> Case:
    """timed: how many of the queries we walk, in one call; the peer walks ``alone`` of them, one
    after the other.
    """
    import igraph

    queries = restarts.shape[0]
    transition = normalize_rows(graph)
    known = igraph.Graph.Weighted_Adjacency(sp.coo_matrix(graph), mode="directed", attr="weight")
    part = restarts[:timed]
    peers = iter(range(10**9))

    def ours() -> list[Any]:
        return list(Walks(transition, 1 - damping, TOLERANCE, 300)(part))

    def one(query: int) -> NDArray[np.float64]:
        reset = np.asarray(restarts[[query]].todense()).ravel()
        return np.array(
            known.personalized_pagerank(
                damping=damping,
                reset=reset.tolist(),
                weights="weight",
                implementation="prpack",
                directed=True,
            )
        )

    def theirs() -> list[tuple[int, NDArray[np.float64]]]:
        chosen = [(7 * next(peers)) % part.shape[0] for _ in range(alone)]
        return [(query, one(query)) for query in chosen]

    return Case(
        work=f"{work}; damping {damping}, L1 tolerance {TOLERANCE:g}; {part.shape[0]} of {queries} queries timed on "
        f"{len(os.sched_getaffinity(0))} threads, peer scaled from {alone} at a time",
        peer="igraph personalized_pagerank, PRPACK, one thread, a query at a time",
        ours=ours,
        theirs=theirs,
        check=agree,
        aim=aim,
        packages=("igraph",),
        scale=part.shape[0] / alone,
    )


def agree(ours: list[Any], peer: list[tuple[int, NDArray[np.float64]]]) -> str:
    """The best documents are the same but for those that both sides put within 2e-7 of the cut."""
    worst = 0.0
    for query, exact in peer:
        solution = next(s for s in reversed(ours) if s.first <= query)
        values = solution.values[:, query - solution.first].astype(np.float64)
        worst = max(worst, float(np.abs(values - exact).sum()))
        top = min(TOP, len(exact) - 1)
        mine, theirs = (set(np.argsort(-v, kind="stable")[:top].tolist()) for v in (values, exact))
        cut = np.sort(exact)[-top]
        for node in mine ^ theirs:
            if abs(exact[node] - cut) > 2e-7:
                raise AssertionError(f"query {query}: node {node} is not in both top {TOP}")
    if worst > 1e-5:
        raise AssertionError(f"L1 distance {worst}")
    return (
        f"top {TOP} the same up to values within 2e-7 of the cut, largest L1 distance {worst:.1e}"
    )
