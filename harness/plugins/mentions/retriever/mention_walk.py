"""A walk along mentions: from passages that the question names or resembles to those they name."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from harness.benchmark import Benchmark
from harness.core.arrays import Int64Array, distinct
from harness.core.artifact import Facts
from harness.core.errors import check_fields, one_of
from harness.graph.extractor import (
    KINDS,
    Extraction,
    Extractor,
    Mentions,
    extract,
    find_names,
)
from harness.graph.network import about, count_matrix
from harness.model.encoder import Encoder, embed
from harness.plugins.mentions.retriever.mentions.pairs import (
    cosines,
    follow_edges,
    keep_greatest,
)
from harness.retriever.search.exact import exact_search
from harness.run import Run
from harness.work.store import Store


@dataclass(frozen=True)
class MentionWalk:
    """A walk along the edges "this text names that title".

    A seed is one of the ``passages`` passages of greatest cosine to the question, or one whose
    title the question names: score(p) = cos(q, p) + bonus [the question names p's title]. In each
    of ``steps`` steps a passage c that passages p of the step before lead to gets score(c) = max_p
    link score(p) + cosine cos(q, c) + relation cos(q', c) + prior / log2(2 + passages that lead to
    c), if that is more than it has. q' is the question with ``it`` for each title that it names. A
    passage keeps its greatest score; scores are float64, and a list holds the reached passages.

    Args:
        direction: ``out``, from the text to the title that it names; ``in``, back; ``both``.
    """

    version = 1
    fitted_on = ("2wikimultihopqa", "hotpotqa", "musique")
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
        check_fields(
            "lists.NAME",
            self,
            passages="whole [0, inf)",
            bonus="[0, inf)",
            link="[0, inf)",
            cosine="[0, inf)",
            relation="[0, inf)",
            prior="[0, inf)",
            steps="whole [0, inf)",
        )
        one_of("lists.NAME.direction", self.direction, ("out", "in", "both"))

    def retrieve(self, benchmark: Benchmark, store: Store) -> tuple[Run, Facts]:
        """Walk from the seeds step by step along the edges, all questions together.

        A pair is n D + p, with n the question.
        """
        extraction = extract(self.extractor, benchmark, store)
        edges = title_edges(extraction, self.direction)
        passages = embed(self.encoder, benchmark.passages, "passage", store)
        questions = embed(self.encoder, benchmark.questions, "question", store)
        mentions = find_names(self.extractor, benchmark, store).mentions
        masked = mask_titles(benchmark.questions, mentions)
        asked = embed(self.encoder, masked, "question", store)
        prior = self.prior / np.log2(2 + np.bincount(edges.indices, minlength=edges.shape[0]))
        near, _ = exact_search(passages, questions, self.passages)
        rows, docs = find_named_titles(mentions, extraction)
        named = rows * len(passages) + docs
        pairs = np.union1d(near + len(passages) * np.arange(len(near))[:, None], named)
        reached = [
            (pairs, cosines(passages, questions, pairs) + self.bonus * np.isin(pairs, named))
        ]
        for _ in range(self.steps):
            pairs, carried = keep_greatest(*follow_edges(*reached[-1], edges))
            near_question = self.cosine * cosines(passages, questions, pairs)
            near_relation = self.relation * cosines(passages, asked, pairs)
            values = (
                self.link * carried + near_question + near_relation + prior[pairs % len(passages)]
            )
            reached.append((pairs, values))
        columns = zip(*reached, strict=True)
        pairs, values = keep_greatest(*(np.concatenate(column) for column in columns))
        rows, docs = np.divmod(pairs, len(passages))
        return Run.of(benchmark.query_ids, benchmark.doc_ids, rows, docs, values), {}


def title_edges(extraction: Extraction, direction: str) -> sp.csr_array:
    """Return [D, D], 1 if the row's text names the column's title (``out``), or the reverse;
    diagonal 0.
    """
    mentions, size = extraction.passages, len(extraction.titled)
    titles = about(extraction)
    keep = mentions.kind == KINDS.index("title")
    named = (
        count_matrix(mentions.text[keep], mentions.entity[keep], (size, titles.shape[0])) @ titles
    )
    whole = {"out": named, "in": named.T, "both": named + named.T}[direction].tocoo()
    other = whole.row != whole.col
    rows, columns = whole.row[other], whole.col[other]
    return count_matrix(rows, columns, (size, size))


def find_named_titles(questions: Mentions, extraction: Extraction) -> tuple[Int64Array, Int64Array]:
    """Return questions and the passages whose title they name, int64[N] each, ascending."""
    size, known = len(extraction.titled), questions.entity < len(extraction.names)
    shape = (len(questions.indptr) - 1, len(extraction.names))
    named = count_matrix(questions.text[known], questions.entity[known], shape)
    titles = (named @ about(extraction)).tocoo()
    return tuple(np.divmod(distinct(titles.row.astype(np.int64) * size + titles.col), size))  # type: ignore[return-value]


def mask_titles(questions: list[str], mentions: Mentions) -> list[str]:
    """Return the questions with ``it`` for each title that they name."""
    titles = mentions.kind == KINDS.index("title")
    texts, owner = [question.encode() for question in questions], mentions.text
    for place in np.flatnonzero(titles)[::-1]:
        text = texts[owner[place]]
        texts[owner[place]] = text[: mentions.start[place]] + b"it" + text[mentions.end[place] :]
    return [text.decode() for text in texts]
