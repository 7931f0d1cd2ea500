"""Tables, a row an entry: Parquet, CSV and TSV with a head, JSONL, pandas; columns ``query_id, doc_id, score``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from harness.core.errors import HarnessError, keys_of
from harness.core.files import whole
from harness.run.entries import Entries
from harness.run.run import Run, runs_of

if TYPE_CHECKING:
    import pandas as pd

QUERY = ("query_id", "qid", "q_id", "query", "topic", "query-id")
DOC = ("doc_id", "docno", "docid", "doc", "pid", "passage_id", "corpus-id", "_id")
COLUMNS: Mapping[str, Sequence[str]] = {"query_id": QUERY, "doc_id": DOC, "score": ("score", "similarity")}
"""Our column names, and what other tools call them (PyTerrier, ranx, ir_measures, BEIR)."""
TYPED = {"query": "query_id", "doc": "doc_id", "score": "score"}
"""What is typed as ``columns={query: ..., doc: ..., score: ...}``, by our names."""

SCHEMA = pa.schema({"query_id": pa.string(), "doc_id": pa.string(), "rank": pa.int64(), "score": pa.float64()}.items())


def entries(path: Path, lenient: bool = False, columns: Mapping[str, str] | None = None) -> Entries:
    """The entries of a file; ids may be texts or integers. Other columns are not read. columns: see ``known_as``."""
    return _entries(str(path), read_columns(path, known_as(columns)))


def known_as(columns: Mapping[str, str] | None) -> Mapping[str, Sequence[str]]:
    """The names under which each column is looked for: a given one alone, ``{"doc": "pid"}``, else those of COLUMNS.

    Raises HarnessError for a key that is none of TYPED.
    """
    keys_of("columns", columns, TYPED)
    return {**COLUMNS, **{TYPED[key]: (str(name),) for key, name in (columns or {}).items()}}


def read_columns(path: Path, names: Mapping[str, Sequence[str]]) -> pa.Table:
    """These columns of a file, under the first of their names that it has, at least one row."""
    form = path.name.removesuffix(".gz").rpartition(".")[2].lower()
    try:
        table = _load(path, form, names)
    except FileNotFoundError as error:
        raise HarnessError(f"{path}: there is no such file") from error
    except (pa.ArrowException, OSError, MemoryError, UnicodeDecodeError) as error:
        said = "Parquet" if form == "parquet" else form.upper()
        raise HarnessError(f"{path}: no readable {said} file ({str(error).splitlines()[0]})") from error
    if not len(table):
        raise HarnessError(f"{path}: there are no rows; expected the columns {', '.join(names)}")
    return table.select(_columns(str(path), table.column_names, names))


def _load(path: Path, form: str, names: Mapping[str, Sequence[str]]) -> pa.Table:
    if form == "parquet":
        import pyarrow.parquet as pq

        with pq.ParquetFile(path) as file:
            return file.read(_columns(str(path), file.schema_arrow.names, names), use_threads=False)
    if form == "jsonl":
        import pyarrow.json

        return pyarrow.json.read_json(path, pyarrow.json.ReadOptions(use_threads=False))
    import pyarrow.csv

    ids = {name: pa.string() for key, others in names.items() if key != "score" for name in others}  # 007 is no 7
    return pyarrow.csv.read_csv(
        path,
        pyarrow.csv.ReadOptions(use_threads=False),
        pyarrow.csv.ParseOptions(delimiter="\t" if form == "tsv" else ","),
        pyarrow.csv.ConvertOptions(column_types=ids),
    )


def from_frame(frame: pd.DataFrame, columns: Mapping[str, str] | None = None) -> Run:
    """The run of a data frame with the columns above (e.g. PyTerrier's ``qid, docno, score``), or with those named."""
    wanted = _columns("the data frame", [str(name) for name in frame.columns], known_as(columns))
    table = pa.Table.from_pandas(frame[wanted], preserve_index=False)
    return runs_of({"": _entries("the data frame", table)})[""]


def to_frame(run: Run) -> pd.DataFrame:
    """A row an entry: ``query_id, doc_id, rank`` (from 1), ``score``; best document first."""
    frame: pd.DataFrame = _table(run).to_pandas()
    return frame


def write(run: Run, path: Path) -> None:
    """Write a file with the columns ``query_id, doc_id, rank, score``, in the form of its ending."""
    import pyarrow.parquet as pq

    form = path.name.removesuffix(".gz").rpartition(".")[2].lower()
    packed: Literal["gzip"] | None = "gzip" if path.suffix == ".gz" else None
    with whole(path) as partial:
        if form == "parquet":
            pq.write_table(_table(run), partial)
        elif form == "jsonl":
            to_frame(run).to_json(partial, orient="records", lines=True, double_precision=15, compression=packed)
        else:
            to_frame(run).to_csv(partial, index=False, sep="\t" if form == "tsv" else ",", compression=packed)


def _table(run: Run) -> pa.Table:
    rows = np.repeat(np.arange(len(run)), run.lengths())
    columns = {
        "query_id": run.query_ids.take(pa.array(rows)),
        "doc_id": run.doc_ids.take(pa.array(run.docs)),
        "rank": np.arange(1, len(rows) + 1) - run.indptr[:-1][rows],
        "score": run.scores,
    }
    return pa.table(columns, schema=SCHEMA)


def _columns(source: str, found: list[str], names: Mapping[str, Sequence[str]]) -> list[str]:
    chosen = [next((name for name in others if name in found), None) for others in names.values()]
    if None in chosen:
        mend = "; name yours: columns={query: ..., doc: ..., score: ...}" if set(names) == set(COLUMNS) else ""
        wanted = ", ".join(others[0] if len(others) == 1 else key for key, others in names.items())
        raise HarnessError(f"{source}: expected the columns {wanted}; found {', '.join(found) or 'none'}{mend}")
    for name in chosen:
        if found.count(str(name)) > 1:
            raise HarnessError(f"{source}: {found.count(str(name))} columns are called {name}; keep one")
    return [name for name in chosen if name is not None]


def texts(source: str, name: str, column: pa.ChunkedArray) -> pa.DictionaryArray:
    """A column of ids, texts or integers without nulls, as dictionary<int32, string>."""
    column = _plain(column)
    textual = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    _check(source, name, column, textual or pa.types.is_integer(column.type), "texts or integers")
    return _cast(source, name, column, pa.string()).dictionary_encode().combine_chunks()


def numbers(source: str, name: str, column: pa.ChunkedArray) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """A column of numbers without nulls, float64[N]."""
    column = _plain(column)
    numeric = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
    _check(source, name, column, numeric, "numbers")
    values: np.ndarray[tuple[int], np.dtype[np.float64]] = _cast(source, name, column, pa.float64()).to_numpy()
    return values


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column.cast(column.type.value_type) if isinstance(column.type, pa.DictionaryType) else column


def _check(source: str, name: str, column: pa.ChunkedArray, good: bool, expected: str) -> None:
    if column.null_count:
        row = int(pc.index(pc.is_null(column), True).as_py()) + 1
        raise HarnessError(f"{source}: row {row}: column {name} is empty; expected {expected} in each row")
    if not good:
        raise HarnessError(f"{source}: column {name}: expected {expected}, found {column.type}")


def _cast(source: str, name: str, column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    try:
        column.validate(full=True)
        return column.cast(kind, safe=kind == pa.string())
    except pa.ArrowInvalid as error:
        raise HarnessError(f"{source}: column {name}: {str(error).splitlines()[0]}") from error


def _entries(source: str, table: pa.Table) -> Entries:
    query, doc, score = table.column_names
    return Entries(
        texts(source, query, table[query]),
        texts(source, doc, table[doc]),
        numbers(source, score, table[score]),
        place=lambda entry: f"{source}: row {entry + 1}",
    )
