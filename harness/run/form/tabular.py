"""Files with columns, a row for each entry: CSV and TSV with a head, JSONL, Parquet.

Ids are always texts: ``2019-04-18`` is no time and ``007`` is not 7. Arrow reads plain CSV with
that schema. Other rows are read one by one, and the first wrong row is named.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from harness.core.errors import HarnessError
from harness.core.files import whole
from harness.core.input.read import numbered_lines, opened, parse_json, refuse_array
from harness.core.input.separated import read_text, rows_of, separator_of
from harness.run.content import Content
from harness.run.entries import Entries
from harness.run.form.columns import VALUE, choose_columns, no_rows, of_rows, of_table
from harness.run.trec.lines import NUMBER


def read_parquet(path: Path, content: Content, lenient: bool) -> Entries:
    """Return the entries of a Parquet file."""
    import pyarrow.parquet as pq

    with opened(path) as stream, pq.ParquetFile(stream) as file:
        table = file.read(
            choose_columns(str(path), file.schema_arrow.names, content), use_threads=False
        )
    return of_table(str(path), table, content)


def read_jsonl(path: Path, content: Content, lenient: bool) -> Entries:
    """Return the entries of a file with one JSON object a line."""
    lines = list(numbered_lines(path))
    if not lines:
        raise no_rows(path, content)
    refuse_array(path, lines[0][1])
    first = _object(path, content, *lines[0])
    if not content.has_columns(list(first)):
        _refuse_lists(f"{path}:{lines[0][0]}", first, content)
    chosen = choose_columns(str(path), list(first), content)
    rows = ((number, _object(path, content, number, line)) for number, line in lines)
    cells = ((number, list(map(row.get, chosen))) for number, row in rows)
    return of_rows(f"{path}:", chosen, cells, content)


def _refuse_lists(place: str, row: Mapping[str, object], content: Content) -> None:
    """Raise HarnessError if a line has a list of entries, as the requests of rerankers do, or a
    question with its gold.
    """
    if "supporting_ids" in row:
        raise HarnessError(f"{place}: a question with supporting_ids; give this file as gold")
    if several := [name for name, value in row.items() if isinstance(value, list)]:
        raise HarnessError(
            f"{place}: a whole list in one line ({', '.join(several)}); write a line for each "
            f"entry, its fields {', '.join(content.columns)}"
        )


def _object(path: Path, content: Content, number: int, line: bytes) -> Mapping[str, object]:
    expected = "{" + ", ".join(f'"{name}": ...' for name in content.columns) + "}"
    row = parse_json(line, path, expected, number)
    if not isinstance(row, dict):
        raise HarnessError(f"{path}:{number}: expected {expected}, found {type(row).__name__}")
    return row


def read_separated(delimiter: str) -> Callable[[Path, Content, bool], Entries]:
    """Return a reader of files with a head and this separator."""

    def read(path: Path, content: Content, lenient: bool) -> Entries:
        between, text = separator_of(read_text(path), delimiter)
        rows = rows_of(path, text, between)
        _, head = next(rows, (0, list[str]()))
        if not head:
            raise no_rows(path, content)
        chosen = choose_columns(str(path), head, content)
        if (
            '"' not in text
            and (table := _plain_rows(text, between, content.schema(chosen))) is not None
        ):
            return of_table(str(path), table, content)
        places = [head.index(name) for name in chosen]
        cells = ((number, _cells(row, places)) for number, row in rows)
        return of_rows(f"{path}:", chosen, cells, content)

    return read


def _plain_rows(text: str, delimiter: str, schema: pa.Schema) -> pa.Table | None:
    """Return these columns of a text without double quotes, or None if a row is wrong."""
    import pyarrow.csv

    refused: list[object] = []

    def skip(row: object) -> str:
        refused.append(row)
        return "skip"

    parse = pyarrow.csv.ParseOptions(
        delimiter=delimiter, quote_char=False, double_quote=False, invalid_row_handler=skip
    )
    convert = pyarrow.csv.ConvertOptions(column_types=schema, include_columns=schema.names)
    data = pa.BufferReader(text.lstrip("\n").encode())
    try:
        table = pyarrow.csv.read_csv(
            data, pyarrow.csv.ReadOptions(use_threads=False), parse, convert
        )
    except pa.ArrowInvalid:
        return None
    empty = any(table[name].null_count for name in schema.names[VALUE:])
    return None if refused or empty else table


def _cells(row: Sequence[str], places: Sequence[int]) -> list[Any]:
    """Return a query, a document and numbers. A cell that is no number stays a text, or is None if
    it is empty.
    """
    query, doc, *values = (row[place] for place in places)
    numbers = (
        float(cell) if NUMBER.fullmatch(cell.strip().encode()) else cell or None for cell in values
    )
    return [query, doc, *numbers]


def write_parquet(entries: Entries, path: Path) -> None:
    """Write a Parquet file with the columns ``query_id, doc_id, rank, score``."""
    import pyarrow.parquet as pq

    with whole(path) as partial:
        pq.write_table(entries.to_table(), partial)
