"""Passages chosen one after another, each by what it adds to those before: relational learning to rank.

Zhu, Lan, Guo, Cheng and Niu, "Learning for search result diversification" (SIGIR 2014), score a document by itself and
by its relations to what was chosen; here trees take the place of their linear sum, and the passages that explain a
question together that of a diverse page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from harness.core.errors import HarnessError, bounded
from harness.fusion.forest import add_leaves, check_trees, grow
from harness.fusion.fuser import Calibrated
from harness.fusion.learning import LEARNED
from harness.fusion.reranker import reorder, top
from harness.fusion.reranker.relation_features import FEATURES, State

ROUNDS = 2
"""Of teaching: on the fused order, then also on what the first round's trees choose."""


@dataclass(frozen=True)
class Relational:
    """Of the fused top m, ``picks`` passages are chosen one after another; the others follow in the fused order.

    Each time the one of greatest sum over trees of leaf(x) is taken, x being what ``relation_features`` tells of
    a passage beside those that were chosen; of equal ones the one that was fused higher.

    m: >= 2.    picks: >= 1, five for what is judged at five.    trees, depth, rate, least: of ``forest.grow``.
    forest: a row a node of each tree; null: learned from which passages support a question, on the folds of tune that
    it does not score, and locked. A question teaches a state for every pick.
    """

    reads: ClassVar[frozenset[str]] = frozenset({"relations"})

    m: int = 30
    picks: int = 5
    trees: int = 150
    depth: int = 4
    rate: float = 0.05
    least: int = 40
    forest: Sequence[Any] | None = field(default=None, hash=False, metadata=LEARNED)

    def __post_init__(self) -> None:
        bounds = {"m": (2, None), "picks": (1, None), "trees": (1, None), "depth": (1, 6), "least": (1, None)}
        for name, (low, high) in bounds.items():
            bounded(f"reranker.{name}", getattr(self, name), low, high)
            if not isinstance(getattr(self, name), int):
                raise HarnessError(f"reranker.{name} must be a whole number, got {name}={getattr(self, name)}")
        bounded("reranker.rate", self.rate, 0, 1, open_low=True)
        if self.forest is not None:
            check_trees("reranker.forest", self.forest, len(FEATURES))

    def fit(self, fused: Tensor, pool: Calibrated, gold: NDArray[np.int32]) -> Relational:
        """The same with the trees that these queries give. gold: int32[Q, H], -1 padding."""
        state = self._state(fused, pool, *top(fused, pool, self.m))
        wanted = (state.docs[:, :, None] == gold[:, None, :]).any(axis=2) & state.there
        rows: list[NDArray[np.float32]] = []
        labels: list[NDArray[np.bool_]] = []
        taught = self
        for _ in range(ROUNDS):
            for features, free, _ in taught._steps(state):
                rows.append(features[free])
                labels.append(wanted[free])
            judged = np.concatenate(labels)
            if judged.all() or not judged.any():
                raise HarnessError(
                    f"reranker=relational cannot learn from these {len(gold)} queries: {int(judged.sum())} of the "
                    f"{len(judged)} passages that it saw support a question; it needs some that do and some that do not"
                )
            forest = grow(
                np.concatenate(rows), judged, trees=self.trees, depth=self.depth, rate=self.rate, least=self.least
            )
            taught = replace(self, forest=forest)
        return taught

    def __call__(self, fused: Tensor, pool: Calibrated) -> Tensor:
        """float64[Q, U]."""
        if self.forest is None:
            raise HarnessError(
                "reranker=relational has no forest: `harness sweep` learns it on tune, and the lock has what it learned"
            )
        columns, there = top(fused, pool, self.m)
        state = self._state(fused, pool, columns, there)
        chosen = [pick for _, _, pick in self._steps(state)]
        scores = np.zeros(state.docs.shape)
        for place, pick in enumerate(chosen):
            scores[pick] = self.picks - place
        rest = -np.arange(1.0, state.docs.shape[1] + 1)
        scores = np.where(scores > 0, scores, rest)
        return reorder(fused, pool, columns, there, torch.from_numpy(scores).to(fused.device))

    def _steps(self, state: State) -> Iterator[tuple[NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_]]]:
        """For every pick: features float32[Q, m, F], what is free, and what is chosen then, bool[Q, m].

        Without a forest the passages are chosen in their fused order.
        """
        chosen = np.zeros_like(state.there)
        rows = np.arange(len(chosen))
        for _ in range(min(self.picks, state.docs.shape[1])):
            features, free = state.features(chosen), state.there & ~chosen
            values = -np.broadcast_to(np.arange(float(state.docs.shape[1])), state.docs.shape)
            if self.forest is not None:
                values = add_leaves(features, self.forest)
            best = np.where(free, values, -np.inf).argmax(axis=1)
            pick = np.zeros_like(chosen)
            pick[rows, best] = free[rows, best]
            yield features, free, pick
            chosen = chosen | pick

    def _state(self, fused: Tensor, pool: Calibrated, columns: Tensor, there: Tensor) -> State:
        """columns, there: of the best m, as ``top`` tells them."""
        relations = pool.pool.context.relations
        if relations is None:
            raise HarnessError(
                "reranker=relational asks what joins the passages of a benchmark, and these lists come without; rerank "
                "in `harness sweep`, where the benchmark has its texts"
            )
        docs = torch.where(there, pool.pool.docs.gather(-1, columns), -1).cpu().numpy().astype(np.int32)
        scores = torch.where(there, fused.gather(-1, columns), 0.0).cpu().numpy()
        related = pool.remember(("relations", docs.tobytes()), lambda: relations.among(docs))
        return State(docs, there.cpu().numpy(), scores, related)
