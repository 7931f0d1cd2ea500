"""The contents of a benchmark as plain lists: passages, questions and, if known, gold."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from harness.benchmark.benchmark import Benchmark, passage_text
from harness.benchmark.split import SPLITS, Splitting, read_splitting, split_queries
from harness.core.arrays import BoolArray, Int32Array
from harness.core.errors import HarnessError, one_of


@dataclass(frozen=True, eq=False)
class Texts:
    """D passages and Q questions (Q may be 0), in lists that need no library of tables.

    Attributes:
        name: the name of the benchmark.
        titles: str[D].
        texts: str[D].
        query_ids: str[Q].
        questions: str[Q].
        hops: number of hops of each question, None if unknown.
        given: split of each question, None if unknown.
        gold: int32[Q, H] as in ``Benchmark``; None if no question has any.
        chain: bool[Q], as in ``Benchmark``.
        ordered: bool[Q], as in ``Benchmark``.
        doc_ids: str[D], or empty.
    """

    name: str
    titles: Sequence[str]
    texts: Sequence[str]
    query_ids: Sequence[str] = ()
    questions: Sequence[str] = ()
    hops: Sequence[int | None] = ()
    given: Sequence[str | None] = ()
    gold: Int32Array | None = None
    chain: BoolArray | None = None
    ordered: BoolArray | None = None
    doc_ids: Sequence[str] = ()

    @classmethod
    def of(cls, benchmark: Benchmark) -> Texts:
        """Return the texts of a benchmark."""
        corpus, queries = benchmark.corpus, benchmark.queries
        titles, texts = list(corpus["title"][:]), list(corpus["text"][:])
        ids, hops = list(queries["id"][:]), list(queries["hops"][:])
        known = benchmark.gold, benchmark.chain, benchmark.ordered
        docs = benchmark.doc_ids.to_pylist()
        return cls(
            benchmark.name,
            titles,
            texts,
            ids,
            benchmark.questions,
            hops,
            benchmark.given,
            *known,
            docs,
        )

    @property
    def supporting(self) -> dict[str, list[str]]:
        """The ids of each question's gold passages."""
        gold = [] if self.gold is None else self.gold.tolist()
        return {
            name: [self.doc_ids[doc] for doc in row if doc >= 0]
            for name, row in zip(self.query_ids, gold, strict=False)
        }

    @cached_property
    def passages(self) -> list[str]:
        """Title, line break and text of each passage."""
        return list(map(passage_text, self.titles, self.texts))

    def parts(self, splitting: Splitting) -> NDArray[np.str_]:
        """Return str[Q], ``tune`` or ``test`` of each question by ``splitting``."""
        rule = read_splitting("splitting", splitting)
        known = self.gold
        gold = None if known is None else lambda: known
        return split_queries(rule, self.query_ids, self.name, "splitting", lambda: self.given, gold)

    def split(self, name: str, splitting: Splitting) -> Texts:
        """Return the texts with only the questions of ``tune`` or ``test``. Raise HarnessError if
        there are none.
        """
        one_of("split", name, SPLITS)
        if name == "all" or not self.questions:
            return self
        parts = self.parts(splitting)
        kept = np.flatnonzero(parts == name)
        if not len(kept):
            raise HarnessError(
                f"{self.name}: none of its {len(parts)} questions is in split={name}; take "
                "split=all"
            )
        places = kept.tolist()
        return dataclasses.replace(
            self,
            query_ids=[self.query_ids[place] for place in places],
            questions=[self.questions[place] for place in places],
            hops=[self.hops[place] for place in places],
            given=[self.given[place] for place in places],
            gold=None if self.gold is None else self.gold[kept],
            chain=None if self.chain is None else self.chain[kept],
            ordered=None if self.ordered is None else self.ordered[kept],
        )
