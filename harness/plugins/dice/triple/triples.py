"""Triples of sentences, and the passages to which scored triples lead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from harness.benchmark.text import SENTENCE_END
from harness.core.arrays import Float64Array, Int64Array
from harness.graph.extractor import Extraction, Triples
from harness.plugins.dice.triple.edit import EditLabels
from harness.plugins.dice.triple.sorensen import Labels
from harness.plugins.dice.triplestore import Expand, TripleTable
from harness.plugins.mentions.retriever.mentions.pairs import expand_ranges, keep_greatest

Seeds = Int64Array | None


def sentence_triples(extraction: Extraction, passages: Sequence[str]) -> Triples:
    """Return (title, sentence, name) for each name that a sentence of a titled passage mentions,
    once.

    A sentence ends at ``. ! ?`` before white space and a capital; the line of the title is not one.
    Mentions of unknown place, in the title's line, and of the title itself make no triple.
    """
    mentions, rows = extraction.passages, dict[tuple[int, int, int, int], None]()
    sentences: dict[str, int] = {}
    for passage, (first, after) in enumerate(
        zip(mentions.indptr[:-1], mentions.indptr[1:], strict=True)
    ):
        title = int(extraction.titled[passage])
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


def _sentences(passage: str) -> Int64Array:
    """Return int64[S + 1], the byte after the title's line (0 without one), then after each
    sentence.
    """
    begin = passage.find("\n") + 1
    places = [
        begin,
        *(match.end() for match in SENTENCE_END.finditer(passage, begin)),
        len(passage),
    ]
    return np.array([len(passage[:place].encode()) for place in places], dtype=np.int64)


@dataclass(frozen=True, eq=False)
class RowTargets:
    """The passages to which a row leads.

    Args:
        indptr: int64[E + 1]; entity e has the passages ``docs[indptr[e]:indptr[e + 1]]``.
        docs: int64[A].
        passage: int64[T], which passage states each triple. None: not used.
    """

    indptr: Int64Array
    docs: Int64Array
    passage: Int64Array | None

    @classmethod
    def of(cls, extraction: Extraction, triples: Triples, leads: str) -> RowTargets:
        """Return the targets. ``leads`` is ``title`` or ``both``."""
        order = np.argsort(extraction.titled, kind="stable")
        indptr = np.searchsorted(extraction.titled[order], np.arange(len(extraction.names) + 1))
        passage = triples.passage.astype(np.int64) if leads == "both" else None
        return cls(indptr.astype(np.int64), order, passage)


@dataclass(frozen=True, eq=False)
class GraphBranch:
    """The graph branch over one graph: from a question and its seeds to passages and scores.

    Args:
        facts: the triples.
        expand: a triple store, from seeds to the triples that touch them.
        known: the labels of ``facts``, entities first.
        reach: the passages of rows.
        inward: whether triples also lead from tail to head.
        limit: number of best rows that count; None for all.
        hops: distance of triples from the seeds, >= 1.
        relations: number of relations, most similar to the question, that lead beyond the first
            hop; None for all.
    """

    facts: TripleTable
    expand: Expand
    known: Labels | EditLabels
    reach: RowTargets
    inward: bool
    limit: int | None
    hops: int = 1
    relations: int | None = None

    @cached_property
    def table(self) -> Int64Array:
        """int64[T, 3], the labels of each triple."""
        facts = self.facts
        return np.stack([facts.subject, len(facts.names) + facts.relation, facts.object], axis=1)

    def __call__(self, question: str, seeds: Seeds) -> tuple[Int64Array, Float64Array]:
        """Return passages int64[N] and scores float64[N].

        ``seeds`` are entities, ascending; None scores every triple.
        """
        touched, hop = np.arange(len(self.table)), None
        if seeds is not None:
            touched, hop = self._subgraph(question, seeds)
        score = self.known.scores(question, touched, self.table)
        rows = best_rows(self.table, touched, score, hop, self.hops, self.inward, self.limit)
        return passages_of_rows(*rows, self.reach)

    def _subgraph(self, question: str, seeds: Int64Array) -> tuple[Int64Array, Int64Array]:
        """Return the triples up to ``hops`` from the seeds, and int64[E], the hop of each entity.

        Entities that are not expanded have ``hops``. There is one query per hop: the pattern
        (seed)-[a relation like the question]-(m)-[r]-(t).
        """
        hop = np.full(len(self.facts.names), self.hops)
        hop[seeds] = 0
        touched = self.expand(seeds)
        for distance in range(1, self.hops):
            through = touched[np.isin(self.facts.relation[touched], self._alike(question))]
            near = self.facts.object[through]
            if self.inward:
                near = np.union1d(near, self.facts.subject[through])
            hop[near] = np.minimum(hop[near], distance)
            touched = self.expand(np.flatnonzero(hop < self.hops))
        return touched, hop

    def _alike(self, question: str) -> Int64Array:
        """Return the ``relations`` relations whose labels are most similar to the question, ties by
        number.
        """
        count = len(self.facts.relations)
        if self.relations is None:
            return np.arange(count)
        labels = np.repeat(len(self.facts.names) + np.arange(count)[:, None], 3, axis=1)
        scores = self.known.scores(question, np.arange(count), labels)
        return np.argsort(-scores, kind="stable")[: self.relations]


def best_rows(
    table: Int64Array,
    touched: Int64Array,
    score: Float64Array,
    hop: Int64Array | None,
    hops: int,
    inward: bool,
    limit: int | None,
) -> tuple[Int64Array, Int64Array, Float64Array]:
    """Return triples int64[R], far ends int64[R] and scores float64[R] of the ``limit`` best rows.

    Ties go by triple, tail first. A row leads from the nearer end of a triple to the other, both
    ways if they are equally near; without ``inward`` only from head to tail. Every touched triple
    has an end (without ``inward`` its head) nearer than ``hops``.

    Args:
        table: int64[T, 3], whose first and last columns are the ends.
        touched: int64[N], triples.
        score: float64[N].
        hop: int64[E], distance of each entity from a seed, at most ``hops``; None: both ends may be
            the near one.
        hops: largest distance.
        inward: whether rows also lead from tail to head.
        limit: number of rows; None for all.
    """
    # every triple makes a row, so no other can be among the best
    if limit is not None and len(score) > limit:
        first = np.flatnonzero(score >= np.partition(score, -limit)[-limit])
        touched, score = touched[first], score[first]
    head, tail = table[touched, 0], table[touched, 2]
    from_head = np.zeros(len(touched), np.int64) if hop is None else hop[head]
    from_tail = np.zeros(len(touched), np.int64) if hop is None else hop[tail]
    forth = (from_head < hops) & ((from_head <= from_tail) | (not inward))
    back = inward & (head != tail) & (from_tail < hops) & (from_tail <= from_head)
    row = np.concatenate([np.flatnonzero(forth), np.flatnonzero(back)])
    far = np.concatenate([tail[forth], head[back]])
    value = score[row]
    best = np.lexsort((np.arange(len(row)), touched[row], -value))[:limit]
    return touched[row[best]], far[best], value[best]


def passages_of_rows(
    triple: Int64Array, far: Int64Array, value: Float64Array, reach: RowTargets
) -> tuple[Int64Array, Float64Array]:
    """Return passages int64[N], each once, and float64[N], the greatest score of their rows."""
    first, after = reach.indptr[far], reach.indptr[far + 1]
    docs = [reach.docs[expand_ranges(first, after - first)]]
    values = [np.repeat(value, after - first)]
    if reach.passage is not None:
        docs.append(reach.passage[triple])
        values.append(value)
    return keep_greatest(np.concatenate(docs), np.concatenate(values))
