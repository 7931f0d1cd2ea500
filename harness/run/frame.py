"""Tables, a row an entry: Parquet, CSV and TSV with a head, JSONL, pandas; columns ``query_id, doc_id, score``.

Ids are texts whatever they look like: ``2019-04-18`` is no time and ``007`` no 7. Arrow reads with that schema; what it
refuses is read row by row, slowly, and the first row that is wrong is named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from harness.core.errors import HarnessError, described, keys_of
from harness.core.files import whole
from harness.core.input import (
    COMMA,
    MARK,
    TAB,
    form_of,
    numbered_lines,
    opened,
    parse_json,
    read_text,
    refuse_array,
    rows_of,
)
from harness.run.entries import Entries
from harness.run.trec import SCORE

if TYPE_CHECKING:
    import pandas as pd

QUERY = ("query_id", "qid", "q_id", "query", "topic", "query-id")
DOC = ("doc_id", "docno", "docid", "doc", "pid", "passage_id", "corpus-id", "_id")
COLUMNS: Mapping[str, Sequence[str]] = {"query_id": QUERY, "doc_id": DOC, "score": ("score", "similarity")}
"""Our column names, and what other tools call them (PyTerrier, ranx, ir_measures, BEIR)."""
TYPED = {"query": "query_id", "doc": "doc_id", "score": "score"}
"""What is typed as ``columns={query: ..., doc: ..., score: ...}``, by our names."""

SCHEMA = pa.schema({"query_id": pa.string(), "doc_id": pa.string(), "rank": pa.int64(), "score": pa.float64()}.items())
TYPES = (pa.string(), pa.string(), pa.float64())
"""Of a query, a document and a number, as Arrow reads them."""

FRAME = "the data frame"
Frame = Any
"""Of pandas, polars or Arrow; none of them is imported for it."""
Names = Mapping[str, Sequence[str]]
"""Query, document and number of an entry: by our name of each column those that it may have, the first one first."""


def entries(path: Path, lenient: bool = False, columns: Mapping[str, str] | None = None) -> Entries:
    """The entries of a file; ids may be texts or integers. Other columns are not read. columns: see ``known_as``."""
    return read_entries(path, known_as(columns))


def known_as(columns: Mapping[str, str] | None, usual: Names = COLUMNS, typed: Mapping[str, str] = TYPED) -> Names:
    """The names under which each column is looked for: a given one alone, ``{"doc": "pid"}``, else the usual ones.

    typed: the keys of ``columns``, and our name of each. Raises HarnessError for another key.
    """
    keys_of("columns", columns, typed)
    return {**usual, **{typed[key]: (str(name),) for key, name in (columns or {}).items()}}


def read_entries(path: Path, names: Names) -> Entries:
    """The entries of a file, at least one: two columns of ids and one of numbers.

    names: of each column; the first that the file has is taken.
    """
    form = form_of(path)
    try:
        return READERS[form](path, names)
    except FileNotFoundError as error:
        raise HarnessError(f"{path}: there is no such file") from error
    except (pa.ArrowException, OSError, MemoryError, UnicodeDecodeError) as error:
        said = "Parquet" if form == "parquet" else form.upper()
        raise HarnessError(f"{path}: no readable {said} file ({str(error).splitlines()[0]})") from error


def _parquet(path: Path, names: Names) -> Entries:
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        table = file.read(_columns(str(path), file.schema_arrow.names, names), use_threads=False)
    return _of_table(str(path), table, names)


def _jsonl(path: Path, names: Names) -> Entries:
    import pyarrow.json

    first = next(numbered_lines(path), None)
    if first is None:
        raise _empty(path, names)
    refuse_array(path, first[1])
    chosen = _columns(str(path), list(_object(path, names, *first)), names)
    schema = pa.schema(zip(chosen, TYPES, strict=True))
    options = pyarrow.json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
    try:
        with opened(path) as stream:
            data = pa.BufferReader(stream.read().removeprefix(MARK))
        table = pyarrow.json.read_json(data, pyarrow.json.ReadOptions(use_threads=False), options).select(chosen)
        table.validate(full=True)
        if not any(column.null_count for column in table.columns):
            return _of_table(str(path), table, names)
    except pa.ArrowInvalid:  # the loop below names the line, or reads integers as ids
        pass
    rows = ((number, _object(path, names, number, line)) for number, line in numbered_lines(path))
    return _of_rows(f"{path}:", chosen, ((number, [row.get(name) for name in chosen]) for number, row in rows))


def _object(path: Path, names: Names, number: int, line: bytes) -> Mapping[str, Any]:
    expected = "{" + ", ".join(f'"{name}": ...' for name in names) + "}"
    row = parse_json(line, path, expected, number)
    if not isinstance(row, dict):
        raise HarnessError(f"{path}:{number}: expected {expected}, found {type(row).__name__}")
    return row


def _separated(delimiter: str) -> Callable[[Path, Names], Entries]:
    def read(path: Path, names: Names) -> Entries:
        text = read_text(path)
        rows = rows_of(path, text, delimiter)
        _, head = next(rows, (0, list[str]()))
        if not head:
            raise _empty(path, names)
        chosen = _columns(str(path), head, names)
        if '"' not in text and (table := _plain_rows(text, delimiter, chosen)) is not None:
            return _of_table(str(path), table, names)
        places = [head.index(name) for name in chosen]
        found = _of_rows(f"{path}:", chosen, ((number, _cells(row, places)) for number, row in rows))
        if not len(found.scores):
            raise _empty(path, names)
        return found

    return read


def _plain_rows(text: str, delimiter: str, chosen: list[str]) -> pa.Table | None:
    """These columns of a text without double quotes; None where a row is not as it should be."""
    import pyarrow.csv

    refused: list[object] = []

    def skip(row: object) -> str:
        refused.append(row)
        return "skip"

    parse = pyarrow.csv.ParseOptions(
        delimiter=delimiter, quote_char=False, double_quote=False, invalid_row_handler=skip
    )
    types = dict(zip(chosen, TYPES, strict=True))
    convert = pyarrow.csv.ConvertOptions(column_types=types, include_columns=chosen)
    data = pa.BufferReader(text.lstrip("\n").encode())
    try:
        table = pyarrow.csv.read_csv(data, pyarrow.csv.ReadOptions(use_threads=False), parse, convert)
    except pa.ArrowInvalid:
        return None
    return None if refused or table[chosen[2]].null_count else table


def _cells(row: Sequence[str], places: Sequence[int]) -> list[Any]:
    """A query, a document and a number, as a text where it is none."""
    query, doc, value = (row[place] for place in places)
    return [query, doc, float(value) if SCORE.fullmatch(value.strip().encode()) else value]


READERS = {"parquet": _parquet, "jsonl": _jsonl, "csv": _separated(COMMA), "tsv": _separated(TAB)}
"""By the ending of the name."""


def _of_rows(before: str, chosen: Sequence[str], rows: Iterable[tuple[int, Sequence[Any]]]) -> Entries:
    """The entries of rows (line, [query, document, number]), each checked by itself.

    before: what stands before a line's number in messages.    chosen: the columns' names.
    """
    query, doc, value = chosen
    lines: list[int] = []
    queries: list[str] = []
    docs: list[str] = []
    values: list[float] = []
    for line, (own_query, own_doc, own_value) in rows:
        lines.append(line)
        queries.append(_id(f"{before}{line}", query, own_query))
        docs.append(_id(f"{before}{line}", doc, own_doc))
        values.append(_value(f"{before}{line}", value, own_value))
    ids = [pa.array(one, pa.string()).dictionary_encode() for one in (queries, docs)]
    return Entries(ids[0], ids[1], np.array(values, dtype=np.float64), place=lambda entry: f"{before}{lines[entry]}")


def _id(place: str, name: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Integral) and not isinstance(value, bool):
        return str(int(value))
    found = "is empty; expected" if value is None else f"is {value!r:.60}; expected"
    raise HarnessError(f"{place}: column {name} {found} texts or integers in each row")


def _value(place: str, name: str, value: Any) -> float:
    if value is None or value == "":
        raise HarnessError(f"{place}: column {name} is empty; expected numbers in each row")
    if isinstance(value, bool) or not isinstance(value, Real):
        raise HarnessError(f"{place}: column {name}: expected numbers, found {value!r:.60}")
    try:
        return float(value)
    except OverflowError as error:
        raise HarnessError(f"{place}: column {name}: a number that does not fit 64 bits; scale them down") from error


def is_frame(value: object) -> bool:
    """Whether this is a data frame: it has columns, and Arrow can read it."""
    return hasattr(value, "columns") and (hasattr(value, "__arrow_c_stream__") or hasattr(value, "iloc"))


def entries_of(frame: Frame, names: Names) -> Entries:
    """The entries of a data frame: two columns of ids and one of numbers. Raises HarnessError that names the row."""
    if not is_frame(frame):
        raise HarnessError(f"expected a data frame with the columns {', '.join(names)}, got {described(frame)}")
    found = [str(name) for name in (frame.column_names if isinstance(frame, pa.Table) else frame.columns)]
    wanted = _columns(FRAME, found, names)
    places = [found.index(name) for name in wanted]
    if not hasattr(frame, "iloc"):
        return _of_table(FRAME, pa.table(frame).select(places), names)
    chosen = frame.iloc[:, places]
    try:
        table = pa.Table.from_pandas(chosen, preserve_index=False).rename_columns(wanted)
    except (pa.ArrowException, OverflowError):  # a column of mixed values
        return _of_rows(f"{FRAME}: row ", wanted, enumerate(chosen.itertuples(index=False, name=None), 1))
    return _of_table(FRAME, table, names)


def to_frame(run: Any) -> pd.DataFrame:
    """A row an entry: ``query_id, doc_id, rank`` (from 1), ``score``; best document first.

    run: a ``harness.run.Run``, which imports this module.
    """
    frame: pd.DataFrame = _table(run).to_pandas()
    return frame


def write(run: Any, path: Path) -> None:
    """Write a Parquet file with the columns ``query_id, doc_id, rank, score``."""
    import pyarrow.parquet as pq

    with whole(path) as partial:
        pq.write_table(_table(run), partial)


def _table(run: Any) -> pa.Table:
    rows = np.repeat(np.arange(len(run)), run.lengths())
    columns = {
        "query_id": run.query_ids.take(pa.array(rows)),
        "doc_id": run.doc_ids.take(pa.array(run.docs)),
        "rank": np.arange(1, len(rows) + 1) - run.indptr[:-1][rows],
        "score": run.scores,
    }
    return pa.table(columns, schema=SCHEMA)


def _empty(source: object, names: Names) -> HarnessError:
    return HarnessError(f"{source}: there are no rows; expected the columns {', '.join(names)}")


def has_columns(found: Sequence[str], names: Names) -> bool:
    """Whether a file whose columns are these has one of the names of each."""
    return all(any(name in found for name in others) for others in names.values())


def _columns(source: str, found: list[str], names: Names) -> list[str]:
    chosen = [next((name for name in others if name in found), None) for others in names.values()]
    if None in chosen:
        mend = "; name yours: columns={query: ..., doc: ..., score: ...}" if set(names) == set(COLUMNS) else ""
        wanted = ", ".join(others[0] if len(others) == 1 else key for key, others in names.items())
        raise HarnessError(f"{source}: expected the columns {wanted}; found {', '.join(found) or 'none'}{mend}")
    for name in chosen:
        if found.count(str(name)) > 1:
            raise HarnessError(f"{source}: {found.count(str(name))} columns are called {name}; keep one")
    return [name for name in chosen if name is not None]


def _of_table(source: str, table: pa.Table, names: Names) -> Entries:
    if not len(table):
        raise _empty(source, names)
    query, doc, value = table.column_names
    return Entries(
        _texts(source, query, table[query]),
        _texts(source, doc, table[doc]),
        _numbers(source, value, table[value]),
        place=lambda entry: f"{source}: row {entry + 1}",
    )


def _texts(source: str, name: str, column: pa.ChunkedArray) -> pa.DictionaryArray:
    """A column of ids, texts or integers without nulls, as dictionary<int32, string>."""
    column = _plain(column)
    textual = any(test(column.type) for test in (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view))
    _check(source, name, column, textual or pa.types.is_integer(column.type), "texts or integers")
    return _cast(source, name, column, pa.string()).dictionary_encode().combine_chunks()


def _numbers(source: str, name: str, column: pa.ChunkedArray) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
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
