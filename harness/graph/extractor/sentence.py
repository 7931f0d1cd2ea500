"""Triples without a language model: what a passage's title has to do with a name, in the words of a sentence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from harness.benchmark.text import SENTENCE_END
from harness.graph.extractor.extraction import Extraction, Triples


def sentence_triples(found: Extraction, passages: Sequence[str]) -> Triples:
    """(title, sentence, name) for each name that a sentence of a passage with a title mentions; once a sentence.

    A sentence ends at ``. ! ?`` before white space and a capital; the line of the title is none. Mentions of unknown
    place, in the title's line, and of the title itself make no triple.
    """
    mentions, rows = found.passages, dict[tuple[int, int, int, int], None]()
    sentences: dict[str, int] = {}
    for passage, (first, after) in enumerate(zip(mentions.indptr[:-1], mentions.indptr[1:], strict=True)):
        title = int(found.titled[passage])
        if title < 0 or first == after:
            continue
        text, ends = passages[passage].encode(), _sentences(passages[passage])
        for place in range(first, after):
            name, start = int(mentions.entity[place]), int(mentions.start[place])
            if start < ends[0] or name == title:
                continue
            at = int(np.searchsorted(ends, start, side="right"))
            sentence = " ".join(text[ends[at - 1] : ends[at]].decode().split())
            rows[passage, title, sentences.setdefault(sentence, len(sentences)), name] = None
    return Triples.of(list(rows), list(sentences))


def _sentences(passage: str) -> NDArray[np.int64]:
    """int64[S + 1]: the byte after the title's line (0 without one), then after each sentence."""
    begin = passage.find("\n") + 1
    places = [begin, *(match.end() for match in SENTENCE_END.finditer(passage, begin)), len(passage)]
    return np.array([len(passage[:place].encode()) for place in places], dtype=np.int64)
