"""GTE-Qwen2-7B-Instruct (Li et al. 2023), which runs its own code on a GPU with about 16 GB."""

from __future__ import annotations

from dataclasses import dataclass

from harness.model.encoder.sentence_transformer import SentenceTransformer


@dataclass(frozen=True)
class GteQwen2(SentenceTransformer):
    """The last token's vector; only questions have an instruction. See ``SentenceTransformer``."""

    version = 1
