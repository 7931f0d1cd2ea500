"""Where the edges of a graph come from: passages, and the bytes of them."""

from __future__ import annotations

from itertools import accumulate

import numpy as np
import pyarrow as pa

from harness.benchmark import Benchmark
from harness.extractor import Extraction
from harness.extractor.extraction import KINDS
from harness.extractor.name import Words, byte_offsets, words

Span = tuple[int, int]
UNKNOWN: Span = (-1, -1)


def table(benchmark: Benchmark, extraction: Extraction) -> pa.Table:
    """A row for each time that a passage says an edge, in the order of the passages.

    family: ``relation`` (a triple; self-loops make no edge) or ``context-KIND`` (a mention).    source: an entity.
    target: an entity, or for a mention null.    said: the predicate.    confidence: the triple's, null where none is
    stated.    passage: the id.    source_start, source_end, target_start, target_end: bytes of
    ``benchmark.passages[n].encode()`` on which the entity is named: those of the mention; for a triple, and for a
    mention of kind ``open``, where the name's words first stand; -1 where they do not.
    """
    ids = benchmark.doc_ids.to_pylist()
    rows = sorted([*_stated(benchmark, extraction), *_mentioned(benchmark, extraction)], key=lambda row: row[0])
    columns = {
        "family": [row[1] for row in rows],
        "source": [extraction.names[row[2]] for row in rows],
        "target": [None if row[3] is None else extraction.names[row[3]] for row in rows],
        "said": [row[4] for row in rows],
        "confidence": pa.array([row[5] for row in rows], pa.float32()),
        "passage": [ids[row[0]] for row in rows],
    }
    places = {"source": [row[6] for row in rows], "target": [row[7] for row in rows]}
    ends = {
        f"{name}_{edge}": pa.array([span[side] for span in spans], pa.int32())
        for name, spans in places.items()
        for side, edge in enumerate(("start", "end"))
    }
    return pa.table(columns | ends)


Row = tuple[int, str, int, int | None, str | None, float | None, Span, Span]


def _stated(benchmark: Benchmark, extraction: Extraction) -> list[Row]:
    triples, read = extraction.triples, _Reader(benchmark)
    sure = [None] * len(triples.subject) if triples.confidence is None else triples.confidence.tolist()
    columns = (triples.passage.tolist(), triples.subject.tolist(), triples.predicate.tolist(), triples.object.tolist())
    return [
        (
            passage, "relation", subject, other, triples.predicates[predicate], grade,
            read.find(passage, extraction.names[subject]), read.find(passage, extraction.names[other]),
        )
        for passage, subject, predicate, other, grade in zip(*columns, sure, strict=True)
        if subject != other
    ]  # fmt: skip


def _mentioned(benchmark: Benchmark, extraction: Extraction) -> list[Row]:
    found, read = extraction.passages, _Reader(benchmark)
    columns = (
        found.text.tolist(),
        found.entity.tolist(),
        found.start.tolist(),
        found.end.tolist(),
        found.kind.tolist(),
    )
    return [
        (
            passage, f"context-{KINDS[kind]}", entity, None, None, None,
            (start, end) if start >= 0 else read.find(passage, extraction.names[entity]), UNKNOWN,
        )
        for passage, entity, start, end, kind in zip(*columns, strict=True)
        if entity != extraction.titled[passage]
    ]  # fmt: skip


class _Reader:
    """Finds names in passages that are asked for one after the other."""

    def __init__(self, benchmark: Benchmark) -> None:
        self.passages = benchmark.passages
        self.number, self.at, self.line, self.starts = -1, Words([], [], []), "", [0]

    def find(self, passage: int, name: str) -> Span:
        """The bytes on which the name's words first stand."""
        if passage != self.number:
            self.number, self.at = passage, words(self.passages[passage])
            self.line = f" {' '.join(self.at.texts)} "
            self.starts = list(accumulate((len(word) + 1 for word in self.at.texts), initial=0))
        place = self.line.find(f" {name} ")
        if place < 0:
            return UNKNOWN
        first = int(np.searchsorted(self.starts, place))
        last = first + name.count(" ")
        ends = np.array([self.at.start[first], self.at.end[last]])
        start, end = byte_offsets(self.passages[passage], ends).tolist()
        return start, end
