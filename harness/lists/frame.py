"""Parquet and pandas: a row an entry, columns ``query_id, doc_id, score``."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from harness.errors import HarnessError
from harness.files import whole
from harness.lists.entries import Entries, runs_of
from harness.run import Run

if TYPE_CHECKING:
    import pandas as pd

NAMES = {"query_id": ("query_id", "qid", "q_id", "query"), "doc_id": ("doc_id", "docno", "docid"), "score": ("score",)}
"""Our column names, and what other tools call them (PyTerrier, ranx, ir_measures)."""

SCHEMA = pa.schema({"query_id": pa.string(), "doc_id": pa.string(), "rank": pa.int64(), "score": pa.float64()}.items())

PIECE = 1 << 20
"""Rows that are read at once."""


def entries(path: Path) -> Iterator[Entries]:
    """The entries of a Parquet file in pieces; ids may be texts or integers. Other columns are not read."""
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            wanted = _columns(str(path), file.schema_arrow.names)
            if file.metadata.num_rows == 0:
                raise HarnessError(f"{path}: there are no rows; expected the columns {', '.join(NAMES)}")
            for batch in file.iter_batches(PIECE, columns=wanted):
                yield _entries(str(path), pa.Table.from_batches([batch]).select(wanted))
    except FileNotFoundError as error:
        raise HarnessError(f"{path}: there is no such file") from error
    except (pa.ArrowException, OSError, MemoryError, UnicodeDecodeError) as error:
        raise HarnessError(f"{path}: no readable Parquet file ({str(error).splitlines()[0]})") from error


def place(path: Path, entry: int) -> str:
    """Where an entry of the file stands, for messages."""
    return f"{path}: row {entry + 1}"


def from_frame(frame: pd.DataFrame) -> Run:
    """The run of a data frame with the columns above (e.g. PyTerrier's ``qid, docno, score``)."""
    wanted = _columns("the data frame", [str(name) for name in frame.columns])
    found = _entries("the data frame", pa.Table.from_pandas(frame[wanted], preserve_index=False))
    return runs_of({"": replace(found, place=lambda entry: f"the data frame: row {entry + 1}")})[""]


def to_frame(run: Run) -> pd.DataFrame:
    """A row an entry: ``query_id, doc_id, rank`` (from 1), ``score``; best document first."""
    frame: pd.DataFrame = _table(run).to_pandas()
    return frame


@contextlib.contextmanager
def writing(path: Path) -> Iterator[Callable[[Run], None]]:
    """Writes a Parquet file with the columns ``query_id, doc_id, rank, score``."""
    import pyarrow.parquet as pq

    with whole(path) as partial, pq.ParquetWriter(partial, SCHEMA) as file:
        yield lambda run: file.write_table(_table(run))


def _table(run: Run) -> pa.Table:
    rows = np.repeat(np.arange(len(run)), run.lengths())
    columns = {
        "query_id": run.query_ids.take(pa.array(rows)),
        "doc_id": run.doc_ids.take(pa.array(run.docs)),
        "rank": np.arange(1, len(rows) + 1) - run.indptr[:-1][rows],
        "score": run.scores,
    }
    return pa.table(columns, schema=SCHEMA)


def _columns(source: str, found: list[str]) -> list[str]:
    names = [next((name for name in others if name in found), None) for others in NAMES.values()]
    if None in names:
        raise HarnessError(f"{source}: expected the columns {', '.join(NAMES)}; found {', '.join(found) or 'none'}")
    return [name for name in names if name is not None]


def _entries(source: str, table: pa.Table) -> Entries:
    columns = []
    for name, kind in zip(table.column_names, (pa.string(), pa.string(), pa.float64()), strict=True):
        column = table[name]
        if isinstance(column.type, pa.DictionaryType):
            column = column.cast(column.type.value_type)
        numeric = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
        textual = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
        if column.null_count or not (numeric if name == "score" else textual or pa.types.is_integer(column.type)):
            raise HarnessError(
                f"{source}: column {name}: expected {'numbers' if name == 'score' else 'texts or integers'} without "
                f"nulls, found {column.type} with {column.null_count} nulls"
            )
        try:
            column.validate(full=True)
            columns.append(column.cast(kind, safe=name != "score"))
        except pa.ArrowInvalid as error:
            raise HarnessError(f"{source}: column {name}: {str(error).splitlines()[0]}") from error
    queries = columns[0].unique()
    rows = pc.index_in(columns[0], value_set=queries).to_numpy()
    return Entries(queries, rows, columns[1], columns[2].to_numpy())
