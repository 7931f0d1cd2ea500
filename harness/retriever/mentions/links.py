"""What joins passages: the titles that they name, and the entities that they share; found by passage, in arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from harness.graph.extractor import KINDS, Extraction
from harness.retriever.mentions.pairs import expand_ranges
from harness.retriever.mentions.sentence import Sentences

Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Links:
    """Edges sorted by where they start: ``indptr`` int64[starts + 1], and for each edge its end, the sentence that
    makes it, and its rarity.
    """

    indptr: Numbers
    end: Numbers
    sentence: Numbers
    rarity: NDArray[np.float64]

    @classmethod
    def of(cls, start: Numbers, end: Numbers, sentence: Numbers, rarity: NDArray[np.float64], count: int) -> Links:
        """From columns in any order; equal edges are one."""
        order = np.lexsort((sentence, end, start))
        table = np.stack([start[order], end[order], sentence[order]])
        new = np.ones(len(order), dtype=np.bool_)
        new[1:] = (table[:, 1:] != table[:, :-1]).any(axis=0)
        kept = order[new]
        return cls(np.searchsorted(start[kept], np.arange(count + 1)), end[kept], sentence[kept], rarity[kept])

    def leaving(self, starts: Numbers) -> tuple[Numbers, Numbers]:
        """For every edge that leaves one of ``starts``: the place in ``starts``, and the number of the edge."""
        counts = self.indptr[starts + 1] - self.indptr[starts]
        return np.repeat(np.arange(len(starts)), counts), expand_ranges(self.indptr[starts], counts)


def cross(crossings: Sequence[Links], starts: Numbers) -> tuple[Numbers, Numbers, Numbers, NDArray[np.float64]]:
    """For every way from one of ``starts`` along one edge of each: the place in ``starts``, the end and the sentence of
    the first edge, each int64[ways], and its rarity, float64[ways].
    """
    first, *others = crossings
    place, edge = first.leaving(starts)
    end, sentence, rarity = first.end[edge], first.sentence[edge], first.rarity[edge]
    for links in others:
        onward, edge = links.leaving(end)
        place, end, sentence, rarity = place[onward], links.end[edge], sentence[onward], rarity[onward]
    return place, end, sentence, rarity


def link_titles(extraction: Extraction, sentences: Sentences, most: int) -> tuple[Links, Links]:
    """From a text to the passages whose title it names, and back where at most ``most`` texts name it.

    n of the rarity: texts that name the title.
    """
    mentions, size = extraction.passages, len(extraction.titled)
    held = np.flatnonzero(extraction.titled >= 0)
    order = held[np.argsort(extraction.titled[held], kind="stable")]
    indptr = np.searchsorted(extraction.titled[order], np.arange(len(extraction.names) + 1))
    about = Links(indptr, order, np.zeros(0, np.int64), np.zeros(0))
    kept = np.flatnonzero(mentions.kind == KINDS.index("title"))
    place, edge = about.leaving(mentions.entity[kept].astype(np.int64))
    text, title = mentions.text[kept][place].astype(np.int64), about.end[edge]
    sentence = sentences.of_mentions(mentions)[kept][place]
    other = text != title
    text, title, sentence = text[other], title[other], sentence[other]
    count = np.bincount(np.unique(text * size + title) % size, minlength=size) if size else np.zeros(0)
    rarity = 1 / np.log2(2 + count[title])
    forth, back = Links.of(text, title, sentence, rarity, size), count[title] <= most
    return forth, Links.of(title[back], text[back], sentence[back], rarity[back], size)


def link_shared_entities(extraction: Extraction, sentences: Sentences, widest: int) -> tuple[Links, Links]:
    """From a passage to the entities that it mentions, and from these to the passages that do.

    Entities that one passage alone mentions, or more than ``widest``, are left out. n of the rarity: the passages.
    """
    mentions, size = extraction.passages, len(extraction.names)
    text, entity = mentions.text.astype(np.int64), mentions.entity.astype(np.int64)
    sentence = sentences.of_mentions(mentions)
    count = np.bincount(np.unique(text * size + entity) % size, minlength=size) if size else np.zeros(0)
    kept = (count[entity] > 1) & (count[entity] <= widest)
    text, entity, sentence = text[kept], entity[kept], sentence[kept]
    rarity = 1 / np.log2(2 + count[entity])
    forth = Links.of(text, entity, sentence, rarity, len(extraction.titled))
    return forth, Links.of(entity, text, np.zeros_like(sentence), rarity, size)
