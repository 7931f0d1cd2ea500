"""The ranked lists of another system, from a file or from the folder of a stored run."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from harness.benchmark import Benchmark
from harness.core.artifact import Facts
from harness.core.errors import MissingFile, whole_number
from harness.core.identity import NO_RESULT, file_sha256
from harness.run import Run, io, stored_run
from harness.run.matching import fit, known
from harness.work.store import Store


@dataclass(frozen=True)
class Trec:
    """A list that is read from a file, identified by its content.

    A query that the file lacks has an empty list. One that the benchmark lacks is left out. Both
    are counted.

    Attributes:
        path: the file, in any form of ``harness.run.io``.
        depth: number of documents that are taken from a list; ``null`` for all.
        lenient: whether comment lines (``#``) and trailing fields of a TREC file are skipped.
        columns: the names of a table's columns (see ``harness.run.io.read``).
    """

    version = 2

    path: str = field(metadata=NO_RESULT)
    depth: int | None = None
    lenient: bool = field(default=False, metadata=NO_RESULT)
    columns: Mapping[str, str] | None = field(default=None, metadata=NO_RESULT)

    def __post_init__(self) -> None:
        if self.depth is not None:
            whole_number("lists.NAME.depth", self.depth, 1)

    def content(self) -> str:
        """Return the hash of the file's lists: ids and scores, whatever its form. For a stored run,
        return those of its arrays and of its benchmark.
        """
        place = Path(self.path)
        if place.is_dir():
            return stored_run.content(place)
        if not place.is_file():
            raise MissingFile(
                f"{self.path}: there is no such run file; set the list's path to one", self.path
            )
        return self.read().content_sha256()

    def read(self) -> Run:
        """Return the whole run of the file, which is read once while it is unchanged."""
        place = Path(self.path)
        columns = None if self.columns is None else tuple(sorted(self.columns.items()))
        if place.is_dir():
            return io.read(self.path, self.lenient, self.columns)
        facts = place.stat()
        return _read(self.path, self.lenient, columns, facts.st_size, facts.st_mtime_ns)

    def retrieve(self, benchmark: Benchmark, store: Store) -> tuple[Run, Facts]:
        """Return the file's lists for the benchmark's queries and passages, and how many queries
        each side lacks.

        Raises:
            HarnessError: the file has none of the queries, or a document that is not in the corpus.
        """
        whole = self.read()
        run = fit(
            whole,
            self.path,
            benchmark.query_ids,
            benchmark.doc_ids,
            f"the benchmark {benchmark.name}",
        )
        shared = known(whole.query_ids, benchmark.query_ids)
        facts = {"queries_left_out": len(whole) - shared, "queries_missing": len(run) - shared}
        return run.top(self.depth), {
            "file": Path(self.path).name,
            "sha256": self.content(),
            **({"file_sha256": file_sha256(place)} if (place := Path(self.path)).is_file() else {}),
            **facts,
        }


@functools.lru_cache(maxsize=8)
def _read(
    path: str, lenient: bool, columns: tuple[tuple[str, str], ...] | None, size: int, changed: int
) -> Run:
    """Return the run of a file of this size and time of change, in nanoseconds."""
    names = None if columns is None else dict(columns)
    return io.read(path, lenient, names)
