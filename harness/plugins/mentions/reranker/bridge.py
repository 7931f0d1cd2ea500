"""Bridge-conditioned reranking: a candidate is read with the question and the best passage so far
(BridgeRAG 2026).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from harness.core.errors import whole_number
from harness.fusion.context import SourceTexts
from harness.fusion.reranker.cross_encoder import CrossEncoder
from harness.fusion.reranker.text_reranker import Pair


@dataclass(frozen=True)
class Bridge(CrossEncoder):
    """score(c) = (1 - blend) P(h(c)) + blend P(s(q, b, c)), b the best fused passage, the bridge,
    which stays first.

    s: the cross-encoder's logit of the question with the first ``words`` words of b, and c. h: the
    fused score.
    P: the percentile rank among the other m - 1, the share of them that score less, equal ones
    half; in [0, 1]. BridgeRAG (Bacellar 2026, arXiv 2604.03384) scores (question, bridge,
    candidate) by a large language model and fuses by percentile ranks; here any sequence classifier
    reads, and the candidates are those of the fused list.

    words: >= 0; with 0 the question is read alone. The other fields are those of ``CrossEncoder``.
    """

    blend: float = field(default=0.5, kw_only=True)
    words: int = 100

    def __post_init__(self) -> None:
        super().__post_init__()
        whole_number("reranker.words", self.words, 0)

    def pairs(
        self,
        texts: SourceTexts,
        docs: NDArray[np.int32],
        rows: NDArray[np.int64],
        places: NDArray[np.int64],
    ) -> list[Pair]:
        """The question and the bridge in one text, and the candidate; the bridge itself is read
        with the question.
        """
        found = []
        for row, place, doc in zip(
            rows.tolist(), places.tolist(), docs[rows, places].tolist(), strict=True
        ):
            bridge = " ".join(texts.passages[docs[row, 0]].split()[: self.words]) if place else ""
            question = texts.questions[row]
            found.append((f"{question}\n{bridge}" if bridge else question, texts.passages[doc]))
        return found

    def combine(self, fused: Tensor, read: Tensor, there: Tensor) -> Tensor:
        """float64[Q, m]: the bridge has 2, the others their two percentile ranks."""
        others = there.clone()
        others[:, :1] = False
        score = (1 - self.blend) * percentile_ranks(fused, others) + self.blend * percentile_ranks(
            read, others
        )
        score[:, :1] = 2.0
        return score


def percentile_ranks(values: Tensor, there: Tensor) -> Tensor:
    """float64[Q, m]: of each value of a row, the share of its others that are less, equal ones
    half; 0.5 alone.
    """
    both = there[:, :, None] & there[:, None, :]
    less = ((values[:, None, :] < values[:, :, None]) & both).sum(dim=-1).double()
    equal = ((values[:, None, :] == values[:, :, None]) & both).sum(dim=-1).double() - 1
    count = (there.sum(dim=-1, keepdim=True) - 1).double()
    return torch.where(there & (count > 0), (less + equal / 2) / count.clamp(min=1), 0.5)
