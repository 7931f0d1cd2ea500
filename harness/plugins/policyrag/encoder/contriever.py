"""Contriever (Izacard et al. 2022): one encoder, trained without supervision."""

from __future__ import annotations

from dataclasses import dataclass

from harness.model.encoder.sentence_transformer import SentenceTransformer


@dataclass(frozen=True)
class Contriever(SentenceTransformer):
    """The mean of the tokens, without prompts; ranked by cosine instead of the inner product.

    See ``SentenceTransformer``.
    """

    version = 1
