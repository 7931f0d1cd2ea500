"""CLASS: a benchmark from files of your own form. This one is written here; read yours in
``load``.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from harness.benchmark import Benchmark
from harness.benchmark.source.assembly import assemble
from harness.benchmark.source.records import Records
from harness.work.store import Store

CORPUS = [
    {"id": "dune", "title": "Dune (film)", "text": "Dune was filmed by David Lynch."},
    {"id": "lynch", "title": "David Lynch", "text": "David Lynch grew up in Missoula."},
]
QUERIES = [
    {
        "id": "q1",
        "question": "Where did the director of Dune grow up?",
        "answers": ["Missoula"],
        "supporting_ids": ["dune", "lynch"],
        "hops": 2,
        "type": "bridge",
    },
]


@dataclass(frozen=True)
class CLASS:
    """Passages and questions as records: ``supporting_ids`` in hop order, the last one is the last
    hop.

    path: where the files are.
    """

    path: str = "."

    def load(self, store: Store) -> Benchmark:
        """The benchmark, checked. What is computed with effort is kept in ``store``."""
        corpus, queries = (
            Path(self.path) / "corpus",
            Path(self.path) / "queries",
        )  # named in messages about a record
        return assemble("NAME", _records(corpus, CORPUS), _records(queries, QUERIES), "all")


def _records(path: Path, values: list[dict[str, object]]) -> Records:
    return Records(path, values, range(1, len(values) + 1))
