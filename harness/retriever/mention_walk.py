"""A walk along mentions: from what the question names or resembles to what those texts name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from harness.artifacts import Store
from harness.benchmark import Benchmark
from harness.encoder import Encoder, embed
from harness.errors import bounded, one_of
from harness.extractor import Extraction, Extractor, extract
from harness.extractor.extraction import KINDS
from harness.retriever.index import build, search
from harness.retriever.pairs import cosines, greatest, spread
from harness.run import Run


@dataclass(frozen=True)
class MentionWalk:
    """Edges are only "this text names that title". All scores are float64; a list holds the passages that are reached.

    A seed is one of the ``passages`` passages of greatest cosine to the question, or one whose title the question
    names: score(p) = cos(q, p) + bonus [the question names p's title]. In each of ``steps`` steps a passage c that
    passages p of the step before lead to gets

    score(c) = max_p link score(p) + cosine cos(q, c) + relation cos(q', c) + prior / log2(2 + passages that lead to c)

    if that is more than it has; q' is the question with ``it`` for each title that it names, so that what is asked
    counts and not what it is asked about. Every reached passage keeps its greatest score.

    direction: ``out``, from the text to the title that it names; ``in``, back; ``both``.
    """

    version: ClassVar[int] = 1
    extractor: Extractor
    encoder: Encoder
    passages: int = 10
    bonus: float = 0.3
    link: float = 0.55
    cosine: float = 0.2
    relation: float = 0.3
    prior: float = 0.1
    steps: int = 1
    direction: str = "out"

    def __post_init__(self) -> None:
        bounded("lists.mention_walk.passages", self.passages, 0)
        for name in ("bonus", "link", "cosine", "relation", "prior"):
            bounded(f"lists.mention_walk.{name}", getattr(self, name), 0)
        bounded("lists.mention_walk.steps", self.steps, 0)
        one_of("lists.mention_walk.direction", self.direction, ("out", "in", "both"))

    def retrieve(self, benchmark: Benchmark, store: Store) -> tuple[Run, Mapping[str, Any]]:
        """Seeds, then step by step along the edges, all questions together."""
        extraction = extract(self.extractor, benchmark, store)
        edges = _edges(extraction, self.direction)
        passages = np.asarray(embed(self.encoder, benchmark.passages, "passage", store))
        questions = np.asarray(embed(self.encoder, benchmark.questions, "question", store))
        asked = np.asarray(embed(self.encoder, _asked(benchmark.questions, extraction), "question", store))
        prior = self.prior / np.log2(2 + np.bincount(edges.indices, minlength=edges.shape[0]))
        near, _ = search(build(passages, "Flat"), passages, questions, self.passages, True)
        named = _named(extraction)
        pairs = np.union1d(near + len(passages) * np.arange(len(near))[:, None], named)
        values = cosines(passages, questions, pairs) + self.bonus * np.isin(pairs, named)
        frontier = (pairs, values)
        for _ in range(self.steps):
            reached, carried = greatest(*spread(*frontier, edges))
            near_question = self.cosine * cosines(passages, questions, reached)
            near_relation = self.relation * cosines(passages, asked, reached)
            along = self.link * carried + near_question + near_relation + prior[reached % len(passages)]
            frontier = (reached, along)
            pairs, values = greatest(np.concatenate([pairs, frontier[0]]), np.concatenate([values, frontier[1]]))
        rows, docs = np.divmod(pairs, len(passages))
        run = Run.of(benchmark.query_ids, benchmark.doc_ids, rows, docs, values)
        return run, {"edges": edges.nnz, "questions_that_name_a_title": len(np.unique(named // len(passages)))}


def _edges(extraction: Extraction, direction: str) -> sp.csr_array:
    """[D, D], 1 where the row's text names the column's title (``out``), or the other way round; no self-loops."""
    mentions, size = extraction.passages, len(extraction.titled)
    titles = _about(extraction)
    keep = mentions.kind == KINDS.index("title")
    entries = (np.ones(int(keep.sum())), (mentions.text[keep], mentions.entity[keep]))
    named = sp.csr_array(sp.coo_array(entries, shape=(size, titles.shape[0]))) @ titles
    whole = {"out": named, "in": named.T, "both": named + named.T}[direction].tocoo()
    other = whole.row != whole.col
    rows, columns = whole.row[other], whole.col[other]
    edges = sp.csr_array(sp.coo_array((np.ones(len(rows)), (rows, columns)), shape=(size, size)))
    edges.sort_indices()
    return edges


def _named(extraction: Extraction) -> NDArray[np.int64]:
    """The pairs q D + p of questions and the passages whose title they name, ascending."""
    questions, size = extraction.questions, len(extraction.titled)
    shape = (len(questions.indptr) - 1, len(extraction.names))
    entries = (np.ones(len(questions.entity)), (questions.text, questions.entity))
    found = (sp.csr_array(sp.coo_array(entries, shape=shape)) @ _about(extraction)).tocoo()
    return np.unique(found.row.astype(np.int64) * size + found.col)


def _asked(questions: list[str], extraction: Extraction) -> list[str]:
    """The questions with ``it`` for each title that they name."""
    mentions = extraction.questions
    titles = mentions.kind == KINDS.index("title")
    texts, owner = [question.encode() for question in questions], mentions.text
    for place in np.flatnonzero(titles)[::-1]:
        text = texts[owner[place]]
        texts[owner[place]] = text[: mentions.start[place]] + b"it" + text[mentions.end[place] :]
    return [text.decode() for text in texts]


def _about(extraction: Extraction) -> sp.csr_array:
    """[E, D], 1 where the name is the passage's title."""
    titled = np.flatnonzero(extraction.titled >= 0)
    shape = (len(extraction.names), len(extraction.titled))
    return sp.csr_array(sp.coo_array((np.ones(len(titled)), (extraction.titled[titled], titled)), shape=shape))
