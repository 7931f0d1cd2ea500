"""The words of texts for BM25, read by all processors where there are many texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.core.errors import HarnessError
from harness.core.threads import available
from harness.work.processes import Workers

BLOCK = 1 << 12
"""Texts whose words are held at once."""
ALONE = 8 * BLOCK
"""Texts up to which one process is as fast: others take a second to start."""


@dataclass(frozen=True)
class Words:
    """Runs of two or more letters or digits, in lower case.

    stopwords: a language that bm25s knows; None keeps every word.
    stemmer: a Snowball language, through PyStemmer; None leaves words as they are.
    """

    stopwords: str | None
    stemmer: str | None

    def of(self, texts: Sequence[str]) -> list[list[str]]:
        """The words of each text, in their order."""
        import bm25s

        try:
            words: list[list[str]] = bm25s.tokenize(
                list(texts),
                stopwords=self.stopwords or [],
                stemmer=_stemmer(self.stemmer),
                return_ids=False,
                show_progress=False,
            )
        except ValueError as error:
            raise HarnessError(f"lists.NAME.stopwords={self.stopwords}: {error}") from error
        return words

    def numbered(self, texts: Sequence[str]) -> tuple[list[str], NDArray[np.int32], NDArray[np.int64]]:
        """The distinct words, the number of each word of all texts, text after text, and how many each text has."""
        known: dict[str, int] = {}
        words = self.of(texts)
        numbers = [known.setdefault(word, len(known)) for own in words for word in own]
        return list(known), np.array(numbers, dtype=np.int32), np.array([len(own) for own in words], dtype=np.int64)

    def counts(self, texts: Sequence[str]) -> tuple[Any, list[str]]:
        """float64[D, V]: how often each word stands in each text; and the words, in alphabetical order."""
        from scipy.sparse import csr_array

        known: dict[str, int] = {}
        columns, lengths = [np.empty(0, np.int32)], [np.zeros(1, np.int64)]
        count = available() if len(texts) > ALONE else 1
        with Workers(count, Words, Words.numbered, self.stopwords, self.stemmer) as workers:
            for words, numbers, own in workers.map(texts[a : a + BLOCK] for a in range(0, len(texts), BLOCK)):
                first_seen = np.array([known.setdefault(word, len(known)) for word in words], dtype=np.int32)
                columns.append(first_seen[numbers])
                lengths.append(own)
        names = sorted(known)
        alphabetical = np.empty(len(names), dtype=np.int32)
        alphabetical[[known[name] for name in names]] = np.arange(len(names), dtype=np.int32)
        held = alphabetical[np.concatenate(columns)]
        starts = np.cumsum(np.concatenate(lengths))
        counts = csr_array((np.ones(len(held)), held, starts), shape=(len(texts), len(names)), dtype=np.float64)
        counts.sum_duplicates()
        return counts, names


def _stemmer(language: str | None) -> Any:
    if language is None:
        return None
    try:
        import Stemmer
    except ImportError as error:
        raise HarnessError(
            f"lists.NAME.stemmer={language} needs PyStemmer: pip install PyStemmer, or set it to null"
        ) from error
    try:
        return Stemmer.Stemmer(language)
    except KeyError as error:
        raise HarnessError(
            f"lists.NAME.stemmer={language} is not known; known: {', '.join(Stemmer.algorithms())}"
        ) from error
