"""CLASS: passages by the words that they share with the question."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from harness.benchmark import Benchmark
from harness.core.errors import whole_number
from harness.run import Run
from harness.work.store import Store

WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class CLASS:
    """score(q, d) = how many distinct words of q stand in d's title or text; a passage without any
    is left out.

    depth: passages a question, >= 1.
    """

    depth: int = 10

    def __post_init__(self) -> None:
        whole_number("lists.NAME.depth", self.depth, 1)

    def retrieve(self, benchmark: Benchmark, store: Store) -> tuple[Run, Mapping[str, Any]]:
        """The run over all queries, and facts for its manifest. Ties go to the lower passage
        number.
        """
        passages = [set(WORD.findall(text.lower())) for text in benchmark.passages]
        entries: list[tuple[int, int, float]] = []
        for query, text in enumerate(benchmark.questions):
            words = set(WORD.findall(text.lower()))
            shared = [(len(words & held), doc) for doc, held in enumerate(passages)]
            best = sorted(
                (pair for pair in shared if pair[0]), key=lambda pair: (-pair[0], pair[1])
            )
            entries += [(query, doc, float(score)) for score, doc in best[: self.depth]]
        queries, docs, scores = zip(*entries, strict=True) if entries else ((), (), ())
        return Run.of(benchmark.query_ids, benchmark.doc_ids, queries, docs, scores), {}
