"""Edges between passages, by named titles and by shared entities, in arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from harness.core.arrays import Float64Array, Int32Array, Int64Array
from harness.graph.extractor import KINDS, Extraction
from harness.plugins.mentions.retriever.mentions.pairs import expand_ranges
from harness.plugins.mentions.retriever.mentions.sentence import Sentences
from harness.work.shared_rows import cut

TEXTS = 1 << 18
"""Number of texts whose edges are computed together."""
Numbers = Int64Array
Places = Int32Array


@dataclass(frozen=True, eq=False)
class Links:
    """Edges sorted by their start.

    Args:
        indptr: int64[starts + 1].
        end: int32[edges].
        sentence: int32[edges], the sentence that makes the edge.
    """

    indptr: Numbers
    end: Places
    sentence: Places

    @classmethod
    def of(cls, start: Places, end: Places, sentence: Places, count: int) -> Links:
        """Return the edges of columns in any order; equal edges are one."""
        order = np.lexsort((sentence, end, start))
        new = np.zeros(len(order), dtype=np.bool_)
        new[:1] = True
        for column in (start, end, sentence):
            sorted_ = column[order]
            new[1:] |= sorted_[1:] != sorted_[:-1]
        kept = order[new]
        return cls(
            np.searchsorted(start[kept], np.arange(count + 1, dtype=start.dtype)),
            end[kept],
            sentence[kept],
        )

    @classmethod
    def joined(cls, parts: list[Links]) -> Links:
        """Return the edges of consecutive starts. ``parts`` is emptied, so that no edge is held
        twice.
        """
        indptr = np.cumsum(
            np.concatenate([[0], *(np.diff(part.indptr) for part in parts)]), dtype=np.int64
        )
        end, sentence, first = np.empty(indptr[-1], np.int32), np.empty(indptr[-1], np.int32), 0
        while parts:
            part = parts.pop(0)
            last = first + len(part.end)
            end[first:last], sentence[first:last], first = part.end, part.sentence, last
        return cls(indptr, end, sentence)

    @property
    def start(self) -> Places:
        """int32[edges], the start of each edge."""
        return np.repeat(np.arange(len(self.indptr) - 1, dtype=np.int32), np.diff(self.indptr))

    def leaving(self, starts: Numbers) -> tuple[Numbers, Numbers]:
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
    order = held[np.argsort(extraction.titled[held], kind="stable")]
    about = Links(
        np.searchsorted(extraction.titled[order], np.arange(len(extraction.names) + 1)),
        order,
        np.empty(0, np.int32),
    )
    kept = np.flatnonzero(mentions.kind == KINDS.index("title"))
    entity, made_by = mentions.entity[kept], sentences.of_mentions(mentions, kept)
    first = np.searchsorted(kept, mentions.indptr)
    parts, blocks, count = [], cut(size, TEXTS), np.zeros(size, np.int64)
    for texts in blocks:  # all at once are hundreds of millions in a corpus of millions
        own = slice(first[texts.start], first[texts.stop])
        place, edge = about.leaving(entity[own].astype(np.int64))
        text = np.repeat(
            np.arange(texts.stop - texts.start, dtype=np.int32),
            np.diff(first[texts.start : texts.stop + 1]),
        )
        text, title, sentence = text[place], about.end[edge], made_by[own][place]
        other = text + np.int32(texts.start) != title
        parts.append(Links.of(text[other], title[other], sentence[other], texts.stop - texts.start))
        count += _in_degrees(parts[-1], size)
    back = []
    for texts, part in zip(blocks, parts, strict=True):
        few = np.flatnonzero(count[part.end] <= most)
        back.append((part.end[few], part.start[few] + np.int32(texts.start), part.sentence[few]))
    none, rarity = np.empty(0, np.int32), 1 / np.log2(2 + count)
    title, text, sentence = (
        np.concatenate([none, *(columns[place] for columns in back)]) for place in range(3)
    )
    forth, named_by = Links.joined(parts), Links.of(title, text, sentence, size)
    return Crossing((forth,), rarity), Crossing((named_by,), rarity, at_start=True)


def link_shared_entities(extraction: Extraction, sentences: Sentences, widest: int) -> Crossing:
    """Return the edges from a passage to its entities, and from these to the passages that mention
    them.

    Entities of a single passage, or of more than ``widest``, are left out. n of the rarity is the
    number of passages.
    """
    mentions, size = extraction.passages, len(extraction.names)
    text, nothing = mentions.text, np.zeros(len(mentions.entity), np.int32)
    count = _in_degrees(Links.of(text, mentions.entity, nothing, len(extraction.titled)), size)
    kept = np.flatnonzero((count[mentions.entity] > 1) & (count[mentions.entity] <= widest))
    text, entity, sentence = (
        text[kept],
        mentions.entity[kept],
        sentences.of_mentions(mentions, kept),
    )
    forth = Links.of(text, entity, sentence, len(extraction.titled))
    return Crossing(
        (forth, Links.of(entity, text, np.zeros_like(sentence), size)), 1 / np.log2(2 + count)
    )


def _in_degrees(links: Links, size: int) -> Numbers:
    """Return int64[size], from how many starts edges lead to each end."""
    start, new = links.start, np.ones(len(links.end), dtype=np.bool_)
    new[1:] = (start[1:] != start[:-1]) | (links.end[1:] != links.end[:-1])
    return np.bincount(links.end[new], minlength=size)
