"""Passages split into sentences by rule."""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from harness.benchmark import Benchmark
from harness.benchmark.text import byte_offsets
from harness.core.arrays import Int32Array, Int64Array
from harness.work.shared_rows import cut

ROWS = 1 << 20
"""Number of mentions that are located together."""
_BREAK = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[]*[A-Z0-9])")


@dataclass(frozen=True, eq=False)
class SentenceTexts(Sequence[str]):
    """Each sentence after its passage's title and a line break, made when it is read.

    Args:
        passages: the texts.
        head: int32[D], the characters of a passage's title and line break.
        passage: int32[S], the passage of each sentence.
        begin: int32[S], its first character in the passage.
        end: int32[S], the character after its last.
    """

    passages: Sequence[str]
    head: Int32Array
    passage: Int32Array
    begin: Int32Array
    end: Int32Array

    def take(self, places: Int64Array) -> SentenceTexts:
        """Return some of the sentences."""
        return SentenceTexts(
            self.passages, self.head, self.passage[places], self.begin[places], self.end[places]
        )

    def __len__(self) -> int:
        """Return S."""
        return len(self.begin)

    def __getitem__(self, place: Any) -> Any:
        """Return the text of a place, or a list of those of a slice."""
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(len(self)))]
        owner = self.passage[place]
        whole = self.passages[owner]
        return whole[: self.head[owner]] + whole[self.begin[place] : self.end[place]]


@dataclass(frozen=True, eq=False)
class Sentences:
    """The S sentences of D passages, in order; a passage has one or more.

    Args:
        texts: the sentences.
        first: int64[D + 1]; passage p's sentences are ``first[p]:first[p + 1]``.
        start: int32[S], the byte of the passage's UTF-8 (title, line break, text) at which it
            begins.
    """

    texts: SentenceTexts
    first: Int64Array
    start: Int32Array

    @classmethod
    def of(cls, benchmark: Benchmark) -> Sentences:
        """Return the sentences of a benchmark's passages."""
        begin, end, start, counts = (array("i") for _ in range(4))
        heads = benchmark.passages.heads
        for head, whole in zip(heads.tolist(), benchmark.passages, strict=True):
            bounds = np.array(spans(whole[head:]), dtype=np.int32) + np.int32(head)
            begin.frombytes(bounds[:, 0].tobytes())
            end.frombytes(bounds[:, 1].tobytes())
            start.frombytes(byte_offsets(whole, bounds[:, 0]).astype(np.int32).tobytes())
            counts.append(len(bounds))
        first = np.cumsum([0, *counts], dtype=np.int64)
        owner = np.repeat(np.arange(len(counts), dtype=np.int32), np.diff(first))
        texts = SentenceTexts(benchmark.passages, heads, owner, np.array(begin), np.array(end))
        return cls(texts, first, np.array(start))

    def at(self, passage: Int32Array, start: Int32Array) -> Int32Array:
        """Return int32[M], the sentence at a byte of a passage; the first if the byte is unknown
        (-1).
        """
        width = 1 + max(int(self.start.max(initial=0)), int(start.max(initial=0)))
        begins = self.texts.passage.astype(np.int64) * width + self.start
        sentence = np.empty(len(passage), np.int32)
        for some in cut(len(passage), ROWS):
            wanted = passage[some].astype(np.int64) * width + np.maximum(start[some], 0)
            after = np.searchsorted(begins, wanted, side="right")
            sentence[some] = np.maximum(after - 1, self.first[passage[some]])
        return sentence


def spans(text: str) -> list[tuple[int, int]]:
    """Return [first character, character after the last) of each sentence.

    A sentence ends after ``.``, ``!`` or ``?``, closing quotes and brackets, and white space,
    before a capital or a digit; so initials and abbreviations also end one.
    """
    breaks = [match.span() for match in _BREAK.finditer(text)]
    return list(
        zip([0, *(b for _, b in breaks)], [*(a for a, _ in breaks), len(text)], strict=True)
    )
