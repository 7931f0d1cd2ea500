"""Edges between passages, by named titles and by shared entities, in arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from harness.core.arrays import Float64Array, Int32Array, Int64Array, distinct
from harness.graph.extractor import KINDS, Extraction
from harness.plugins.mentions.retriever.mentions.pairs import expand_ranges
from harness.plugins.mentions.retriever.mentions.sentence import Sentences
from harness.work.shared_rows import cut

TEXTS = 1 << 18
"""Number of texts whose edges are computed together."""
Numbers = Int64Array
Edges = tuple[Int32Array, Int32Array, Int32Array]
"""Start, end and sentence of edges, int32[edges] each."""


@dataclass(frozen=True, eq=False)
class Links:
    """Edges sorted by their start.

    Args:
        indptr: int64[starts + 1].
        end: int32[edges].
        sentence: int32[edges], the sentence that makes the edge.
    """

    indptr: Numbers
    end: Int32Array
    sentence: Int32Array

    @classmethod
    def of(cls, parts: Iterable[Edges], count: int) -> Links:
        """Return the edges of ``count`` starts; equal edges are one.

        Edges of a part may have any order; no part has a start before those of an earlier one.
        """
        columns = zip(*map(_sorted, parts), strict=True)
        start, end, sentence = (np.concatenate(column) for column in columns)
        return cls(np.searchsorted(start, np.arange(count + 1, dtype=start.dtype)), end, sentence)

    def leaving(self, starts: NDArray[np.integer]) -> tuple[Numbers, Numbers]:
        """Return, for every edge that leaves one of ``starts``, the place in ``starts`` and its
        number.
        """
        counts = self.indptr[starts + 1] - self.indptr[starts]
        return np.repeat(np.arange(len(starts)), counts), expand_ranges(self.indptr[starts], counts)


@dataclass(frozen=True, eq=False)
class Crossing:
    """Ways from a passage to another: along one edge, or along one edge of each of two ``links``.

    Args:
        links: the edges of each step.
        rarity: float64[N], of the first edge's end.
        at_start: whether the rarity is of its start instead.
    """

    links: tuple[Links, ...]
    rarity: Float64Array
    at_start: bool = False

    def leaving(self, starts: Numbers) -> tuple[Numbers, Numbers, Numbers, Float64Array]:
        """Return, for every way from one of ``starts``, place, end, first sentence and rarity."""
        first, *others = self.links
        place, edge = first.leaving(starts)
        end, sentence = first.end[edge].astype(np.int64), first.sentence[edge].astype(np.int64)
        rarity = self.rarity[starts[place] if self.at_start else end]
        for links in others:
            onward, edge = links.leaving(end)
            place, end = place[onward], links.end[edge].astype(np.int64)
            sentence, rarity = sentence[onward], rarity[onward]
        return place, end, sentence, rarity


def link_titles(
    extraction: Extraction, sentences: Sentences, most: int
) -> tuple[Crossing, Crossing]:
    """Return the edges from a text to the passages whose title it names, and back.

    Edges back exist if up to ``most`` texts name the title. n of the rarity is the number of texts
    that name it.
    """
    mentions, size = extraction.passages, len(extraction.titled)
    held = np.flatnonzero(extraction.titled >= 0).astype(np.int32)
    title_of = extraction.titled[held], held, np.zeros_like(held)
    about = Links.of([title_of], len(extraction.names))
    is_title = mentions.kind == KINDS.index("title")
    text, entity = mentions.text[is_title], mentions.entity[is_title]
    sentence = sentences.at(text, mentions.start[is_title])

    def parts() -> Iterator[Edges]:
        for texts in cut(size, TEXTS):  # all at once are hundreds of millions in a large corpus
            rows = slice(*np.searchsorted(text, [texts.start, texts.stop]).tolist())
            place, edge = about.leaving(entity[rows])
            start, end = text[rows][place], about.end[edge]
            other = start != end
            yield start[other], end[other], sentence[rows][place][other]

    forth = Links.of(parts(), size)
    start = np.repeat(np.arange(size, dtype=np.int32), np.diff(forth.indptr))
    count = _in_degrees(start, forth.end, size)
    few = count[forth.end] <= most
    back = Links.of([(forth.end[few], start[few], forth.sentence[few])], size)
    rarity = 1 / np.log2(2 + count)
    return Crossing((forth,), rarity), Crossing((back,), rarity, at_start=True)


def link_shared_entities(extraction: Extraction, sentences: Sentences, widest: int) -> Crossing:
    """Return the edges from a passage to its entities, and from these to the passages that mention
    them.

    Entities of a single passage, or of more than ``widest``, are left out. n of the rarity is the
    number of passages.
    """
    mentions, size = extraction.passages, len(extraction.names)
    text, entity = mentions.text, mentions.entity
    count = _in_degrees(text, entity, size)
    shared = (count[entity] > 1) & (count[entity] <= widest)
    text, entity = text[shared], entity[shared]
    sentence = sentences.at(text, mentions.start[shared])
    forth = Links.of([(text, entity, sentence)], len(extraction.titled))
    onward = Links.of([(entity, text, np.zeros_like(sentence))], size)
    return Crossing((forth, onward), 1 / np.log2(2 + count))


def _sorted(part: Edges) -> Edges:
    """Return the different edges, sorted by start, end and sentence."""
    order = np.lexsort(part[::-1])
    start, end, sentence = (column[order] for column in part)
    new = np.ones(len(order), dtype=np.bool_)
    new[1:] = np.diff(start) | np.diff(end) | np.diff(sentence)
    return start[new], end[new], sentence[new]


def _in_degrees(start: Int32Array, end: Int32Array, size: int) -> Numbers:
    """Return int64[size], from how many starts edges lead to each end."""
    pairs = distinct(start.astype(np.int64) * size + end)
    return np.bincount(pairs % size, minlength=size)
