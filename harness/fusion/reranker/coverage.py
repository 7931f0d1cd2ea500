"""Passages chosen one after another for the words of the question that are not yet covered."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from harness.core.arrays import Float64Array, Int64Array
from harness.core.errors import bounded, whole_number
from harness.fusion.context import SourceTexts, needed
from harness.fusion.fuser import Calibrated
from harness.fusion.reranker import reorder, scale, top
from harness.retriever.bm25 import BM25

Floats = Float64Array
Numbers = Int64Array


@dataclass(frozen=True)
class Coverage:
    """The fused top m, chosen one after another by fused score and newly covered words of the
    question.

    The next d has the greatest h(d) + weight sum_{t in q, t in d, t in no s} idf(t) / sum_{t in q}
    idf(t).

    h: the fused score, scaled to [0, 1] over the top m of the question (0 if all are equal). t: the
    distinct words of the question q that any passage has, as ``retriever=bm25`` counts them with
    the longer list of English stop words; idf is its own, over all passages. s: the passages chosen
    before. Of equal ones the higher fused one is chosen.

    The sum of h and of the words' shares is monotone and submodular in the chosen passages: each
    first k have at least 1 - 1/e of the value of the best k of the m (Nemhauser, Wolsey and Fisher
    1978; for summaries Lin and Bilmes, ACL 2011).

    weight: 0 or more; 0 is the fused order. m: 1 or more, number of reranked documents.
    """

    version = 1
    reads = frozenset({"texts"})

    weight: float = 2.0
    m: int = 20

    def __post_init__(self) -> None:
        bounded("reranker.weight", self.weight, 0)
        whole_number("reranker.m", self.m, 1)

    def __call__(self, fused: Tensor, pool: Calibrated) -> Tensor:
        """Return float64[Q, U]."""
        texts = needed(
            pool.pool.context.texts, "reranker=coverage reads the words of questions and passages"
        )
        columns, present = top(fused, pool, self.m)
        docs = pool.pool.docs.gather(-1, columns).cpu().numpy().astype(np.int64)
        share, pairs, held_pairs = pool.remember("question words", lambda: _words(texts))
        held = pool.remember(
            ("words held", docs.tobytes()),
            lambda: np.isin(pairs[:, None, :] + docs[:, :, None], held_pairs),
        )
        free, rows = present.cpu().numpy().copy(), np.arange(len(docs))
        values = scale(fused.gather(-1, columns), present, 0.0).cpu().numpy()
        places = np.full(docs.shape, docs.shape[1])
        uncovered = self.weight * share
        for place in range(docs.shape[1]):
            gain = np.cumsum(held * uncovered[:, None, :], axis=-1)[..., -1]
            best = np.where(free, values + gain, -np.inf).argmax(axis=1)
            chosen = free[rows, best]
            places[rows[chosen], best[chosen]] = place
            free[rows, best] = False
            uncovered = np.where(held[rows, best], 0.0, uncovered)
        scores = torch.from_numpy((docs.shape[1] - places).astype(np.float64)).to(fused.device)
        return reorder(fused, pool, columns, present, scores)


def _words(texts: SourceTexts) -> tuple[Floats, Numbers, Numbers]:
    """Return the words of Q questions of up to W words, and of D passages; w is the number of a
    word.

    Returns:
        float64[Q, W], each word's share of its question's idf, 0 in the padding; int64[Q, W], w D;
        and int64[N], w D + d for each word w of each passage d.
    """
    bags, index = BM25(stopwords="english_plus").index(texts.passages, texts.questions, texts.store)
    question_words, word = np.unique(bags.indices, return_inverse=True)
    holding, size = index[question_words], len(texts.passages)
    counts = np.diff(holding.indptr)
    lengths = np.diff(bags.indptr)
    row = np.repeat(np.arange(len(lengths)), lengths)
    slot = np.arange(len(row)) - bags.indptr[row]
    share = np.zeros((len(lengths), max(lengths.max(initial=0), 1)))
    share[row, slot] = np.log(1 + (size - counts + 0.5) / (counts + 0.5))[word]
    pairs = np.zeros(share.shape, dtype=np.int64)
    pairs[row, slot] = word * size
    total = np.cumsum(share, axis=1)[:, -1:]
    share = np.divide(share, total, out=np.zeros_like(share), where=total > 0)
    return share, pairs, np.repeat(np.arange(len(question_words)) * size, counts) + holding.indices
