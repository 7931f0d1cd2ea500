"""The ranked lists of another system, read from a TREC run file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow.compute as pc

from harness.artifacts import Store
from harness.benchmark import Benchmark
from harness.errors import HarnessError, bounded
from harness.identity import NO_RESULT, file_sha256
from harness.run import Run


@dataclass(frozen=True)
class Trec:
    """path: the run file, plain or ``.gz``; it is known by its content.    depth: how many of each list are taken.

    A query that the file lacks has an empty list; one that the benchmark lacks is left out; both are counted.
    """

    path: str = field(metadata=NO_RESULT)
    depth: int | None = None

    def __post_init__(self) -> None:
        if self.depth is not None:
            bounded("lists.trec.depth", self.depth, 1)

    def content(self) -> str:
        """The hash of the file."""
        if not Path(self.path).is_file():
            raise HarnessError(f"{self.path}: there is no such run file; set the list's path to one")
        return file_sha256(Path(self.path))

    def retrieve(self, benchmark: Benchmark, store: Store) -> tuple[Run, Mapping[str, Any]]:
        """The file's lists, for the benchmark's queries and passages."""
        whole = Run.from_trec(self.path)
        known = int(pc.sum(pc.is_in(whole.query_ids, value_set=benchmark.query_ids)).as_py() or 0)
        run = whole.aligned(benchmark.query_ids, benchmark.doc_ids).top(self.depth)
        facts = {"queries_left_out": len(whole) - known, "queries_missing": len(run) - known}
        return run, {"file": Path(self.path).name, "sha256": self.content(), **facts}
