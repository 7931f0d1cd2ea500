"""Convergence: the geometric mean of one PageRank per seed; `ppr` ranks by their sum."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from harness.benchmark import Benchmark
from harness.core.arrays import Float64Array, Int64Array
from harness.core.artifact import Facts
from harness.core.errors import check_fields
from harness.retriever.pagerank.pagerank import Solution
from harness.retriever.pagerank.score_blocks import Walked, collect_lists
from harness.retriever.ppr import PPR
from harness.retriever.walk import normalize_rows
from harness.run import Run
from harness.work.store import Store


@dataclass(frozen=True)
class Convergence:
    """score(q, p) = exp( sum_i w_i ln(floor + v_i(p)) / sum_i w_i ), with v_i the personalised
    vector of seed i alone.

    The vectors are those of Jeh and Widom, Scaling personalized web search (2003). A passage that
    every seed reaches ranks before one that a single seed reaches strongly; `ppr` ranks by the sum
    of the same vectors. Seeds are the ``seeds`` entities of greatest restart in ``ppr``, with w = 1
    each, and its nearest passages together as one seed with w = ``together``. A list holds the
    passages that score twice the floor or more.

    Args:
        ppr: the walk and its seeds.
        seeds: number of entities, >= 0.
        together: weight of the nearest passages, >= 0.
        floor: value of a passage that a seed does not reach, > 0.
    """

    version = 5  # 5: a question's names are linked to a graph of the corpus alone
    fitted_on = PPR.fitted_on
    ppr: PPR
    seeds: int = 5
    together: float = 1.0
    floor: float = 1e-5

    def __post_init__(self) -> None:
        check_fields(
            "lists.NAME", self, seeds="whole [0, inf)", together="[0, inf)", floor="(0, inf)"
        )

    def retrieve(self, benchmark: Benchmark, store: Store) -> tuple[Run, Facts]:
        """Walk from every seed of every question and take the mean while the walks arrive."""
        network, _, whole, facts = self.ppr.start(benchmark, store)
        first, ppr = len(network.names), self.ppr
        seeds, owner, weight = self.split(whole, first)
        walks = ppr.walks(ppr.walk.transition(network))

        def means(part: slice) -> Iterator[Walked]:
            rows = slice(*np.searchsorted(owner, [part.start, part.stop]).tolist())
            count = part.stop - part.start
            return self._means(
                walks(seeds[rows]),
                owner[rows] - part.start,
                weight[rows],
                first,
                count,
                len(benchmark.doc_ids),
            )

        run, walked = collect_lists(benchmark, means, 2 * self.floor)
        return run, {**facts, "walks": len(owner), **walked}

    def split(
        self, whole: sp.csr_array, first: int
    ) -> tuple[sp.csr_array, Int64Array, Float64Array]:
        """Split the restart of each question into seeds.

        Args:
            whole: [Q, E + D], restarts.
            first: E, number of entities.

        Returns:
            [R, E + D], one row per seed; int64[R], its question, ascending; float64[R], its weight.
        """
        query, node = (part.astype(np.int64) for part in whole.tocoo().coords)
        # entities, then passages
        order = np.lexsort((node, -whole.data, node >= first, query))
        query, node, share = query[order], node[order], whole.data[order]
        place = np.arange(len(query)) - np.searchsorted(query, query)
        starts = np.where(node >= first, bool(self.together), place < self.seeds)
        query, node, share = query[starts], node[starts], share[starts]
        passage, new = node >= first, np.ones(len(query), np.bool_)
        # a passage after another of its question is of the same row
        new[1:] = ~(passage[1:] & passage[:-1] & (query[1:] == query[:-1]))
        entries = (np.where(passage, share, 1.0), (np.cumsum(new) - 1, node))
        restarts = sp.csr_array(entries, shape=(int(new.sum()), whole.shape[1]))
        weight = np.where(passage, float(self.together), 1.0)
        return normalize_rows(restarts), query[new], weight[new]

    def _means(
        self,
        solved: Iterable[Solution],
        owner: Int64Array,
        weight: Float64Array,
        first: int,
        queries: int,
        size: int,
    ) -> Iterator[Walked]:
        """Yield the scores [B, D] of questions whose walks are complete, in order; 0 without a
        seed.
        """
        query, total, mass = 0, np.zeros(size), 0.0
        for part in solved:
            done = []
            for place in range(part.values.shape[1]):
                row = part.first + place
                while query < owner[row]:
                    done.append(_mean(total, mass))
                    query, total, mass = query + 1, np.zeros(size), 0.0
                total += weight[row] * np.log(
                    self.floor + part.values[first:, place].astype(np.float64)
                )
                mass += weight[row]
            yield np.array(done).reshape(-1, size), part.iterations, part.change
        last = np.zeros((queries - query, size))
        last[:1] = _mean(total, mass)
        yield last, np.empty(0, np.int64), np.empty(0)


def _mean(total: Float64Array, mass: float) -> Float64Array:
    return np.exp(total / mass) if mass else np.zeros_like(total)
