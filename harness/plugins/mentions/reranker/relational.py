"""Passages chosen one after another, each by its relations to those before (relational learning to
rank).

Zhu, Lan, Guo, Cheng and Niu, "Learning for search result diversification" (SIGIR 2014), score a
document by itself and by its relations to the chosen ones. Here trees replace their linear sum, and
passages that explain a question together replace a diverse page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor

from harness.core.arrays import BoolArray, Float32Array, Float64Array, Int32Array, Int64Array
from harness.core.errors import check_fields
from harness.fusion.context import needed
from harness.fusion.fuser import Calibrated
from harness.fusion.learning import LEARNED, learned_value
from harness.fusion.reranker import reorder, top
from harness.plugins.mentions.forest import add_leaves, check_growth, check_trees, grow
from harness.plugins.mentions.fuser.features import check_mixed
from harness.plugins.mentions.retriever.mentions.question_words import sum_shares
from harness.plugins.mentions.retriever.mentions.relations import PassageRelations, Related

ROUNDS = 2
"""Rounds of learning: on the fused order, then also on the choices of the first round's trees."""
FIRST = 10
"""Number of best fused passages that represent the topic of the question."""
FEATURES = (
    "score",
    "below",
    "words",
    "named",
    "first_names",
    "first_names_relation",
    "names_first",
    "first_shares",
    "first_shares_relation",
    "new",
    "covered",
    "names",
    "names_relation",
    "names_back",
    "names_back_relation",
    "shares",
    "shares_relation",
    "cosine",
    "naming",
    "sharing",
    "chosen",
)
"""The columns. Of the passage: its fused score, the same minus the best, its share of the
question's words, whether the question names its title; with the best of the first fused
passages: the rarity of a name that leads from one of them to it (and the cosine of the sentence
to the question), of a name from it to one of them, and of an entity that both mention. With the
chosen passages: its share of the question's words that they lack, their share; the best name
from one of them to it, from it to one of them, an entity of both; the greatest cosine to one of
them; how many of them name it, and share an entity with it; their number.
"""


@dataclass(frozen=True, eq=False)
class State:
    """The best m passages of each question.

    Args:
        docs: int32[Q, m], -1 for none.
        there: bool[Q, m].
        scores: float64[Q, m], fused.
        related: their relations.
    """

    docs: Int32Array
    there: BoolArray
    scores: Float64Array
    related: Related

    @cached_property
    def alone(self) -> list[Float64Array]:
        """float64[Q, m] each, the features that do not depend on the chosen passages."""
        related, there = self.related, self.there
        best = np.where(there, self.scores, -np.inf).max(axis=1, initial=-np.inf, keepdims=True)
        first = there & (np.arange(there.shape[1]) < FIRST)
        return [
            self.scores,
            np.where(there, self.scores - best, 0.0),
            sum_shares(related.weight[:, None, :], related.held),
            related.named.astype(np.float64),
            _greatest(related.names, first),
            _greatest(related.names_relation, first),
            _greatest(related.names.swapaxes(1, 2), first),
            _greatest(related.shares, first),
            _greatest(related.shares_relation, first),
        ]

    def features(self, chosen: BoolArray) -> Float32Array:
        """Return float32[Q, m, F], in the order of ``FEATURES``. ``chosen`` is bool[Q, m]."""
        related, weight = self.related, self.related.weight[:, None, :]
        chosen_held = np.where(chosen, related.held, np.uint64(0))
        bits = np.bitwise_or.reduce(chosen_held, axis=1, keepdims=True)
        names, relation = related.names, related.names_relation
        beside = [
            sum_shares(weight, related.held & ~bits),
            sum_shares(weight, bits),
            *(_greatest(matrix, chosen) for matrix in (names, relation)),
            *(_greatest(matrix.swapaxes(1, 2), chosen) for matrix in (names, relation)),
            _greatest(related.shares, chosen),
            _greatest(related.shares_relation, chosen),
            _greatest(related.cosine, chosen),
            _count(names, chosen),
            _count(related.shares, chosen),
            chosen.sum(axis=1, keepdims=True),
        ]
        return np.stack(np.broadcast_arrays(*self.alone, *beside), axis=2).astype(np.float32)


def _greatest(values: Float64Array, of: BoolArray) -> Float64Array:
    """Return float64[Q, m], for each column the greatest value in the rows of ``of``, >= 0."""
    best: Float64Array = np.where(of[:, :, None], values, 0.0).max(axis=1, initial=0.0)
    return best


def _count(values: Float64Array, of: BoolArray) -> Int64Array:
    counted: Int64Array = (of[:, :, None] & (values > 0)).sum(axis=1)
    return counted


@dataclass(frozen=True)
class Relational:
    """Choose ``picks`` of the fused top m one after another; the others follow in the fused order.

    Each time, the passage of greatest sum over trees of leaf(x) is chosen, with x its ``FEATURES``
    given the chosen ones; of equal ones, the one that was fused higher.

    Args:
        m: >= 2.
        picks: >= 1; five for scores at five.
        trees: see ``forest.grow``.
        depth: see ``forest.grow``.
        rate: see ``forest.grow``.
        least: see ``forest.grow``.
        forest: a row per node of each tree. None: learned from the passages that support a
            question, on the folds of tune that are not scored, and locked. A question gives one
            state per pick.
    """

    reads = frozenset({"relations"})

    m: int = 30
    picks: int = 5
    trees: int = 150
    depth: int = 4
    rate: float = 0.05
    least: int = 40
    forest: Sequence[Any] | None = field(default=None, hash=False, metadata=LEARNED)

    def __post_init__(self) -> None:
        check_fields("reranker", self, m="whole [2, inf)", picks="whole [1, inf)")
        check_growth("reranker", self)
        if self.forest is not None:
            check_trees("reranker.forest", self.forest, len(FEATURES))

    def fit(self, fused: Tensor, pool: Calibrated, gold: Int32Array) -> Relational:
        """Return the reranker with the trees of these queries. ``gold`` is int32[Q, H], padded with
        -1.
        """
        state = self._state(fused, pool, *top(fused, pool, self.m))
        wanted = (state.docs[:, :, None] == gold[:, None, :]).any(axis=2) & state.there
        rows: list[Float32Array] = []
        labels: list[BoolArray] = []
        taught = self
        for _ in range(ROUNDS):
            for features, free, _ in taught._steps(state):
                rows.append(features[free])
                labels.append(wanted[free])
            judged = np.concatenate(labels)
            seen = "passages that it saw support a question"
            check_mixed(judged, "reranker=relational", len(gold), seen)
            growth = {name: getattr(self, name) for name in ("trees", "depth", "rate", "least")}
            taught = replace(self, forest=grow(np.concatenate(rows), judged, **growth))
        return taught

    def __call__(self, fused: Tensor, pool: Calibrated) -> Tensor:
        """Return float64[Q, U], the reranked scores."""
        learned_value("reranker=relational", "forest", self.forest)
        columns, there = top(fused, pool, self.m)
        state = self._state(fused, pool, columns, there)
        scores = np.broadcast_to(-np.arange(1.0, there.shape[1] + 1), there.shape).copy()
        for place, (_, _, pick) in enumerate(self._steps(state)):
            scores[pick] = self.picks - place
        return reorder(fused, pool, columns, there, torch.from_numpy(scores).to(fused.device))

    def _steps(self, state: State) -> Iterator[tuple[Float32Array, BoolArray, BoolArray]]:
        """Yield, for every pick, features float32[Q, m, F], free passages and the choice, bool[Q,
        m].

        Without a forest the passages are chosen in their fused order.
        """
        chosen = np.zeros_like(state.there)
        rows, width = np.arange(len(chosen)), chosen.shape[1]
        for _ in range(min(self.picks, width)):
            features, free = state.features(chosen), state.there & ~chosen
            values = np.broadcast_to(-np.arange(float(width)), chosen.shape)
            if self.forest is not None:
                values = add_leaves(features, self.forest)
            best = np.where(free, values, -np.inf).argmax(axis=1)
            pick = np.zeros_like(chosen)
            pick[rows, best] = free[rows, best]
            yield features, free, pick
            chosen = chosen | pick

    def _state(self, fused: Tensor, pool: Calibrated, columns: Tensor, there: Tensor) -> State:
        """Return the state of the best m. ``columns`` and ``there`` are those of ``top``."""
        context = pool.pool.context.relations
        known = context if isinstance(context, PassageRelations) else None
        asking = "reranker=relational asks what joins the passages of a benchmark"
        relations = needed(known, asking)
        docs = torch.where(there, pool.pool.docs.gather(-1, columns), -1).cpu().numpy()
        scores = torch.where(there, fused.gather(-1, columns), 0.0).cpu().numpy()
        docs = docs.astype(np.int32)
        related = pool.remember(("relations", docs.tobytes()), lambda: relations.among(docs))
        return State(docs, there.cpu().numpy(), scores, related)
