"""A cross-encoder: a classifier of question and passage together (Nogueira and Cho 2019; ADR)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from harness.core.arrays import BoolArray, Float64Array
from harness.core.configuration.stored_strategy import REACHES
from harness.core.errors import HarnessError
from harness.plugins.llm.reranker.pretrained import (
    PretrainedReranker,
    load,
    round_up,
    score_batches,
)
from harness.plugins.llm.reranker.text_reranker import Pair


@dataclass(frozen=True)
class CrossEncoder(PretrainedReranker):
    """s = logit of "relevant", by a Hugging Face sequence classifier with one label or two.

    With two labels s = logit of the second - logit of the first. The other fields are those of
    every reranker that reads: blend, m, max_length.
    """

    model: str = field(default="cross-encoder/ms-marco-MiniLM-L6-v2", metadata=REACHES)

    def open(self) -> Classifier:
        """Load tokenizer and weights; imports transformers."""
        return Classifier(self)


class Classifier:
    """A loaded sequence classifier (see ``text_reranker.PairScorer``)."""

    def __init__(self, judge: CrossEncoder) -> None:
        self.judge = judge
        kind = "AutoModelForSequenceClassification"
        self.tokenizer, self.model, self.device = load(
            kind, judge.model, judge.revision, judge.dtype, judge.device
        )
        longest = getattr(self.model.config, "max_position_embeddings", None) or judge.max_length
        self.limit = min(judge.max_length, self.tokenizer.model_max_length, longest)
        if self.model.config.num_labels > 2:
            raise HarnessError(
                f"reranker.model={judge.model} has {self.model.config.num_labels} labels; give "
                "one that tells relevant "
                "from not, with one label or two"
            )

    def score(
        self, pairs: Sequence[Pair], advance: Callable[[int], object]
    ) -> tuple[Float64Array, BoolArray]:
        """Score pairs in batches of one length. The tokenizer uses one thread, because it has a
        state.
        """
        texts = [question for question, _ in pairs], [passage for _, passage in pairs]
        self._check(dict.fromkeys(texts[0]))
        whole = self.tokenizer(*texts, verbose=False)["input_ids"]
        read = self.tokenizer(*texts, truncation="only_second", max_length=self.limit)
        inputs = zip(*read.values(), strict=True)
        rows = [dict(zip(read.keys(), row, strict=True)) for row in inputs]

        def forward(length: Hashable, places: Sequence[int]) -> Float64Array:
            batch = self.tokenizer.pad(
                [rows[place] for place in places],
                padding="max_length",
                max_length=length,
                return_tensors="pt",
            ).to(self.device)
            logits = self.model(**batch).logits.double()
            values: Float64Array = (
                (logits[:, -1] - (logits[:, 0] if logits.shape[1] > 1 else 0)).cpu().numpy()
            )
            return values

        shapes = [min(round_up(len(row["input_ids"])), self.limit) for row in rows]
        cut = np.array([len(ids) > self.limit for ids in whole])
        return score_batches(forward, shapes, self.judge.batch_size, self.device, advance), cut

    def _check(self, questions: Iterable[str]) -> None:
        """Raise HarnessError for a question that leaves no token to a passage."""
        for question in questions:
            length = len(self.tokenizer(question, "", verbose=False)["input_ids"])
            if length >= self.limit:
                raise HarnessError(
                    f"reranker.max_length={self.judge.max_length}: a question takes {length} of "
                    f"the {self.limit} "
                    f"tokens that {self.judge.model} reads, so that none is left for a passage "
                    f"({question[:60]!r}...); "
                    "give more, or a model that reads more"
                )
