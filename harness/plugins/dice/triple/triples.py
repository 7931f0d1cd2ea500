"""Triples from sentences, and from scored triples to passages: the best rows, and where they lead."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from harness.benchmark.text import SENTENCE_END
from harness.graph.extractor import Extraction, Triples
from harness.plugins.dice.triple.sorensen import Labels, similarities
from harness.plugins.dice.triplestore import Expand, TripleTable
from harness.plugins.mentions.retriever.mentions import keep_greatest

Seeds = NDArray[np.int64] | None
Branch = Callable[[str, Seeds], tuple[NDArray[np.int64], NDArray[np.float64]]]
"""int64[N] passages and float64[N] scores of a question and its seeds."""


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


@dataclass(frozen=True, eq=False)
class RowTargets:
    """Where a row leads. indptr: int64[E + 1], docs: int64[A], the passages about each entity; null for none.

    passage: int64[T], which states each triple; null for none.
    """

    indptr: NDArray[np.int64] | None
    docs: NDArray[np.int64]
    passage: NDArray[np.int64] | None

    @classmethod
    def of(cls, found: Extraction, triples: Triples, leads: str) -> RowTargets:
        """leads: ``title``, ``stated`` or ``both``."""
        order = np.argsort(found.titled, kind="stable")
        indptr = np.searchsorted(found.titled[order], np.arange(len(found.names) + 1)).astype(np.int64)
        passage = triples.passage.astype(np.int64)
        return cls(indptr if leads != "stated" else None, order, passage if leads != "title" else None)


def graph_branch(
    facts: TripleTable, expand: Expand, reach: RowTargets, tokens: str, inward: bool, rows: int | None
) -> Branch:
    """The graph branch over one graph, where ``expand`` expands seeds: a question and its seeds to passages and scores.

    Seeds are entities, ascending; null scores every triple.
    """
    table = np.stack([facts.subject, len(facts.names) + facts.relation, facts.object], axis=1)
    known = Labels.of([*facts.names, *facts.relations], tokens)

    def branch(question: str, seeds: Seeds) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        touched = np.arange(len(table)) if seeds is None else expand(seeds)
        bag, own = known.bag(question)
        memory = np.full(len(known.total), -1.0)
        score = similarities(touched, table, known.indptr, known.token, known.count, known.total, bag, own, memory)
        return passages_of_rows(*best_rows(table, touched, score, seeds, inward, rows), reach)

    return branch


def best_rows(
    table: NDArray[np.int64],
    touched: NDArray[np.int64],
    score: NDArray[np.float64],
    seeds: NDArray[np.int64] | None,
    inward: bool,
    limit: int | None,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """int64[R] triples, int64[R] far ends and float64[R] scores of the ``limit`` best rows, ties by triple, tail first.

    table: int64[T, 3], whose first and last columns are the ends.    seeds: ascending; null where both ends may be one.
    Every touched triple has a seed as head or, ``inward``, as tail.
    """
    if limit is not None and len(score) > limit:  # every triple makes a row, so no other can be among the best
        first = np.flatnonzero(score >= np.partition(score, -limit)[-limit])
        touched, score = touched[first], score[first]
    head, tail = table[touched, 0], table[touched, 2]
    forth = np.ones(len(touched), np.bool_) if seeds is None else np.isin(head, seeds)
    back = inward & (head != tail) & (True if seeds is None else np.isin(tail, seeds))
    row = np.concatenate([np.flatnonzero(forth), np.flatnonzero(back)])
    far = np.concatenate([tail[forth], head[back]])
    value = score[row]
    kept = np.lexsort((np.arange(len(row)), touched[row], -value))[:limit]
    return touched[row[kept]], far[kept], value[kept]


def passages_of_rows(
    triple: NDArray[np.int64], far: NDArray[np.int64], value: NDArray[np.float64], reach: RowTargets
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """int64[N] passages, each once, and float64[N], the greatest score of the rows that lead to them."""
    docs, values = [np.empty(0, np.int64)], [np.empty(0)]
    if reach.indptr is not None:
        first, after = reach.indptr[far], reach.indptr[far + 1]
        docs += [reach.docs[a:b] for a, b in zip(first.tolist(), after.tolist(), strict=True)]
        values.append(np.repeat(value, after - first))
    if reach.passage is not None:
        docs.append(reach.passage[triple])
        values.append(value)
    return keep_greatest(np.concatenate(docs), np.concatenate(values))
