"""The ranked lists of another system, from a file: TREC, JSON, Parquet, or the folder of a run of
ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from harness.benchmark import Benchmark
from harness.core.artifact import Facts
from harness.core.errors import MissingFile, whole_number
from harness.core.identity import LATER, NO_RESULT, file_sha256
from harness.run import Run, artifact, io
from harness.run.matching import fit, known
from harness.work.store import Store


@dataclass(frozen=True)
class Trec:
    """path: the file, in any form of ``harness.run.io``; known by its content.    depth: how much
    of a list is taken.

    lenient: pass over comment lines (``#``) and trailing fields of a TREC file.
    columns: what a table's columns are called (see ``harness.run.io.read``).
    A query that the file lacks has an empty list; one that the benchmark lacks is left out; both
    are counted.
    """

    version: ClassVar[int] = 1

    path: str = field(metadata=NO_RESULT)
    depth: int | None = None
    lenient: bool = field(default=False, metadata=NO_RESULT)
    columns: Mapping[str, str] | None = field(default=None, metadata=LATER)

    def __post_init__(self) -> None:
        if self.depth is not None:
            whole_number("lists.NAME.depth", self.depth, 1)

    def content(self) -> str:
        """The hash of the file; of a folder of ours, those of its arrays and of its benchmark."""
        place = Path(self.path)
        if place.is_dir():
            return artifact.content(place)
        if not place.is_file():
            raise MissingFile(
                f"{self.path}: there is no such run file; set the list's path to one", self.path
            )
        return file_sha256(place)

    def retrieve(self, benchmark: Benchmark, store: Store) -> tuple[Run, Facts]:
        """The file's lists for the benchmark's queries and passages, and how many queries each side
        lacks.

        Raises HarnessError when the file has none of the queries, or a document that is not in the
        corpus.
        """
        whole = io.read(self.path, self.lenient, self.columns)
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
            **facts,
        }
