"""GTR with T5-base (Ni et al. 2022)."""

from __future__ import annotations

from dataclasses import dataclass

from harness.model.encoder.sentence_transformer import SentenceTransformer


@dataclass(frozen=True)
class GtrT5Base(SentenceTransformer):
    """The mean of the tokens through one linear layer, no prompts. See ``SentenceTransformer``."""

    version = 1
