"""Passages cut into sentences, by rule."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from harness.benchmark import Benchmark
from harness.graph.extractor import Mentions
from harness.graph.extractor.name import byte_offsets

_BREAK = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[]*[A-Z0-9])")


@dataclass(frozen=True, eq=False)
class Sentences:
    """The S sentences of D passages, in order; a passage has at least one.

    texts: each after its passage's title and a line break, so that it says what it is about.
    first: int64[D + 1]; passage p's sentences are ``first[p]:first[p + 1]``.
    start: int64[S], the byte of the passage's UTF-8 (title, line break, text) at which it begins.
    """

    texts: Sequence[str]
    first: NDArray[np.int64]
    start: NDArray[np.int64]

    @classmethod
    def of(cls, benchmark: Benchmark) -> Sentences:
        """The sentences of a benchmark's passages."""
        texts, counts, starts = [], [], []
        for title, text in zip(benchmark.corpus["title"][:], benchmark.corpus["text"][:], strict=True):
            found = spans(text)
            texts += [f"{title}\n{text[a:b]}" if title else text[a:b] for a, b in found]
            counts.append(len(found))
            before = len(f"{title}\n".encode()) if title else 0
            starts.append(before + byte_offsets(text, np.array([a for a, _ in found], dtype=np.int64)))
        first = np.cumsum([0, *counts], dtype=np.int64)
        return cls(texts, first, np.concatenate([np.empty(0, np.int64), *starts]))

    def of_mentions(self, mentions: Mentions) -> NDArray[np.int64]:
        """int64[M]: the sentence in which each mention in the passages begins; the first one where it is not known."""
        passage = mentions.text.astype(np.int64)
        width = 1 + max(int(self.start.max(initial=0)), int(mentions.start.max(initial=0)))
        owner = np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))
        at = passage * width + np.maximum(mentions.start, 0)
        found = np.searchsorted(owner * width + self.start, at, side="right") - 1
        return np.maximum(found, self.first[passage])


def spans(text: str) -> list[tuple[int, int]]:
    """[first character, character after the last) of each sentence.

    One ends after ``.``, ``!`` or ``?``, closing quotes and brackets, and white space, where a capital or a digit
    follows; initials and abbreviations therefore cut too.
    """
    breaks = [match.span() for match in _BREAK.finditer(text)]
    return list(zip([0, *(b for _, b in breaks)], [*(a for a, _ in breaks), len(text)], strict=True))
