"""The base of rerankers that read: a model's score of each (question, passage), computed once,
stored.
"""

from __future__ import annotations

import dataclasses
import functools
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, Self

import numpy as np
import torch
from torch import Tensor

from harness.core.arrays import BoolArray, Float64Array, Int32Array, Int64Array
from harness.core.configuration.stored_strategy import REACHES
from harness.core.errors import HarnessError, bounded, whole_number
from harness.core.identity import identity, texts_sha256
from harness.fusion.context import SourceTexts, needed
from harness.fusion.fuser import Calibrated
from harness.fusion.reranker import reorder, scale, top
from harness.plugins.llm.reranker.pair_scores import PairScores
from harness.work.progress import Progress
from harness.work.store import Store

log = logging.getLogger(__name__)
SHARD = 256
"""Number of pairs after which scores are stored: a killed process loses up to this many."""
ONE = threading.Lock()
"""Lock of a model: blocks of questions that need pairs wait for each other."""

Pair = tuple[str, str]


class PairScorer(Protocol):
    """An opened model; the score of a pair depends on the pair alone."""

    def score(
        self, pairs: Sequence[Pair], advance: Callable[[int], object]
    ) -> tuple[Float64Array, BoolArray]:
        """Return float64[n], a score for each (question, passage), and bool[n], whether it was
        shortened.
        """
        ...


@dataclass(frozen=True)
class TextReranker:
    """score = (1 - blend) h + blend s, over the fused top m: h the fused score, s the model's.

    Both are scaled to [-1, 1] over the top m of each question (0 if all are equal). A pair's score
    is an artifact by (model, question, passage): other m, blends and fusers score no pair twice.

    Attributes:
        blend: in [0, 1].
        m: 1 or more.
        model: see the subclass.
    """

    version = 1

    reads = frozenset({"texts"})

    model: str = field(metadata=REACHES)
    blend: float = field(default=1.0, kw_only=True)
    m: int = field(default=10, kw_only=True)

    def __post_init__(self) -> None:
        bounded("reranker.blend", self.blend, 0, 1)
        whole_number("reranker.m", self.m, 1)

    def open(self) -> PairScorer:
        """Load the model. Libraries that take seconds are imported here."""
        raise NotImplementedError

    def order(self, pair: Pair) -> Any:
        """Return the sort key of pairs before they are scored: here the longest come first."""
        return -len(pair[0]) - len(pair[1])

    def limit(self) -> str:
        """Return in words how much of a pair is read, for the count of shortened pairs."""
        raise NotImplementedError

    def judge(self) -> Self:
        """Return a copy without fields that only order; rerankers with equal copies share scores of
        pairs.
        """
        return dataclasses.replace(self, blend=1.0, m=1)

    def __call__(self, fused: Tensor, pool: Calibrated) -> Tensor:
        """Return float64[Q, U]."""
        columns, there = top(fused, pool, self.m)
        name = type(self).__module__.rpartition(".")[2]
        texts = needed(pool.pool.context.texts, f"reranker={name} reads questions and passages")
        docs = pool.pool.docs.gather(-1, columns).cpu().numpy()
        rows, places = np.nonzero(there.cpu().numpy())
        pairs = self.pairs(texts, docs, rows, places)
        verdict = np.zeros(docs.shape)
        verdict[rows, places] = scores(self.judge(), pairs, texts.store)
        read = torch.from_numpy(verdict).to(fused.device)
        combined = self.combine(fused.gather(-1, columns), read, there)
        return reorder(fused, pool, columns, there, combined)

    def pairs(
        self,
        texts: SourceTexts,
        docs: Int32Array,
        rows: Int64Array,
        places: Int64Array,
    ) -> list[Pair]:
        """Return the pair for each (row, place) of docs int32[Q, m], best first."""
        asked = zip(rows.tolist(), docs[rows, places].tolist(), strict=True)
        return [(texts.questions[row], texts.passages[doc]) for row, doc in asked]

    def combine(self, fused: Tensor, read: Tensor, there: Tensor) -> Tensor:
        """Return float64[Q, m], the new score of the best m from their fused scores and the
        model's.
        """
        return (1 - self.blend) * scale(fused, there) + self.blend * scale(read, there)


def scores(judge: TextReranker, pairs: Sequence[Pair], store: Store) -> Float64Array:
    """Return float64[n], the model's scores of the pairs; missing ones are computed and stored."""
    keys = [texts_sha256(pair) for pair in pairs]
    with ONE:
        known = _verdicts(store.place("judge", identity(judge), {}), judge)
        missing = {key: pair for key, pair in zip(keys, pairs, strict=True) if key not in known}
        if missing:
            _count(judge, missing, known)
        return np.array([known[key] for key in keys], dtype=np.float64)


def _count(judge: TextReranker, missing: Mapping[str, Pair], known: PairScores) -> None:
    asked = sorted(missing, key=lambda key: (judge.order(missing[key]), key))
    cut = 0
    with Progress("read", len(asked), "pairs") as bar:
        for start in range(0, len(asked), SHARD):
            part = asked[start : start + SHARD]
            scores, shortened = _opened(judge).score([missing[key] for key in part], bar.update)
            bad = np.flatnonzero(~np.isfinite(scores))
            if bad.size:
                question, passage = missing[part[bad[0]]]
                raise HarnessError(
                    f"reranker.model={judge.model}: the score of {question[:40]!r} and "
                    f"{passage[:40]!r} is {scores[bad[0]]} (half precision overflows in some "
                    "models: try reranker.dtype=float32)"
                )
            known.add(part, scores)
            cut += int(shortened.sum())
    if cut:
        log.warning("%d of %d pairs were shortened %s", cut, len(asked), judge.limit())


@functools.lru_cache(maxsize=1)
def _opened(judge: TextReranker) -> PairScorer:
    return judge.open()


@functools.lru_cache(maxsize=8)
def _verdicts(folder: Path, judge: TextReranker) -> PairScores:
    return PairScores(folder, {"stage": "judge", "config": identity(judge)})
