"""Paths over mentions as arrays: their seeds, last edges, and reached passages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from harness.core.arrays import BoolArray, Float64Array, Int64Array
from harness.plugins.mentions.retriever.mentions.pairs import Pairs, Values, keep_greatest


@dataclass(frozen=True, eq=False)
class SeedBlock:
    """The seeds of a block of questions. A pair is n D + p, with n the question's place in
    ``queries``.

    Args:
        queries: int64[q], numbers of the questions.
        seeds: pairs, ascending.
        scores: own(p) of each seed.
        close: bool, the best of them.
        sentence: the best sentence of each.
    """

    queries: Int64Array
    seeds: Pairs
    scores: Values
    close: BoolArray
    sentence: Int64Array


@dataclass(frozen=True, eq=False)
class Paths:
    """Last edges of paths of one kind.

    Args:
        kind: of the edge.
        parent: pairs at their start.
        end: pairs at their end.
        features: float64[n, 6].
        score: of the paths.
    """

    kind: str
    parent: Pairs
    end: Pairs
    features: Float64Array
    score: Values


def reached_passages(start: SeedBlock, paths: Sequence[Paths]) -> tuple[Pairs, Values]:
    """Return each reached pair with its greatest score."""
    pairs = np.concatenate([start.seeds, *(part.end for part in paths)])
    return keep_greatest(pairs, np.concatenate([start.scores, *(part.score for part in paths)]))


def best_of_rows(rows: Int64Array, values: Values, count: int) -> BoolArray:
    """Return bool[n], which values are among the ``count`` greatest of their row; rows ascend.

    Of equal values the first is taken.
    """
    order = np.lexsort((-values, rows))
    place = np.empty(len(rows), dtype=np.int64)
    place[order] = np.arange(len(rows)) - np.searchsorted(rows, rows[order])
    return place < count
