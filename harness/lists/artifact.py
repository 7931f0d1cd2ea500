"""A run of ours: the folder ``<runs>/artifacts/retrieve/<key>`` that `harness prepare` names for every list."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np
import pyarrow as pa

from harness import ids
from harness.errors import HarnessError
from harness.lists.entries import Entries
from harness.run import Run


def entries(path: Path) -> Iterator[Entries]:
    """The entries of a run of ours; a query with an empty list is named all the same."""
    run = ids.run(path)
    rows = np.repeat(np.arange(len(run)), run.lengths())
    yield Entries(run.query_ids, rows, pa.chunked_array([run.doc_ids.take(pa.array(run.docs))]), run.scores)


def place(path: Path, entry: int) -> str:
    """Where an entry stands, for messages."""
    return f"{path}: entry {entry + 1}"


def writing(path: Path) -> AbstractContextManager[Callable[[Run], None]]:
    """Runs are not written as artifacts: those are the retrievers'."""
    raise HarnessError(f"out={path}: this is a folder; name a file: .trec, .trec.gz, .json or .parquet")
