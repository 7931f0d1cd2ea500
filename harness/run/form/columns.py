"""Entries from the columns of a table, with the first wrong row in messages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from harness.core.arrays import Float64Array, to_numpy
from harness.core.errors import HarnessError
from harness.run.content import LISTS, Content, plain
from harness.run.entries import Entries, id_of, number_of, several_systems
from harness.run.trec.lines import NUMBER

DISTANCE = re.compile("distance|(?:^|_)(?:dist|cost|loss)(?:_|$)")
"""In the name of a column of numbers that are better if they are lower."""
VALUE, RANK = 2, 3
"""The place of a row's number, and of its rank."""


def choose_columns(source: str, columns: list[str], content: Content) -> list[str]:
    """Return the columns of a table with the query, the document and the number of each row.

    A column of ranks follows the number or replaces it, and a column of systems is last, if there
    are any.

    Args:
        source: the file, for messages.
        columns: the names of all columns.
        content: the content of the rows.

    Raises:
        HarnessError: a column is missing or occurs twice.
    """
    names = {plain(name): name for name in reversed(columns)}
    rank = _first(content.ranks, names)
    chosen: list[str] = []
    for wanted in content.columns.values():
        free = {key: name for key, name in names.items() if name != rank and name not in chosen}
        if (name := _first(wanted, free)) is not None:
            chosen.append(name)
        elif len(chosen) < VALUE or rank is None:
            raise HarnessError(_missing(source, columns, content))
    chosen += [] if rank is None else [rank]
    plain_names = list(map(plain, columns))
    if twice := [name for name in chosen if plain_names.count(plain(name)) > 1]:
        count = plain_names.count(plain(twice[0]))
        raise HarnessError(f"{source}: {count} columns are called {plain(twice[0])}; keep one")
    unused = {key: name for key, name in names.items() if name not in chosen}
    system = _first(content.systems, unused)
    return chosen if system is None else [*chosen, system]


def _first(wanted: Iterable[str], names: Mapping[str, str]) -> str | None:
    """Return the column of the first wanted name that a table has."""
    return next((names[name] for name in wanted if name in names), None)


def _missing(source: str, columns: list[str], content: Content) -> str:
    """Return the message about a table that lacks a column."""
    wanted = ", ".join(
        others[0] if len(others) == 1 else key for key, others in content.columns.items()
    )
    first = columns[0] if columns else ""
    between = re.search(r"[|:;,\t ]", first) if len(columns) == 1 else None
    mend = ""
    if first.startswith("#"):
        mend = "; leave out lines before the head"
    elif between:
        mend = f"; its values are between {between[0]!r}: write commas, or tabs in a .tsv"
    elif any(NUMBER.fullmatch(name.strip().encode()) for name in columns):
        mend = "; the first line has to name them"
    elif content.typed == LISTS.typed:
        mend = (
            "; name yours: 'columns={query: ..., doc: ..., score: ...}', or those of each list, as "
            "in 'lists={vec: {file: a.csv, columns: {doc: ...}}}'"
        )
    return f"{source}: expected the columns {wanted}; found {', '.join(columns) or 'none'}{mend}"


def no_rows(source: object, content: Content) -> HarnessError:
    """Return the error about a table without rows."""
    return HarnessError(
        f"{source}: there are no rows; expected the columns {', '.join(content.columns)}"
    )


def of_table(
    source: str,
    table: pa.Table,
    content: Content,
    place: Callable[[int], str] | None = None,
) -> Entries:
    """Return the entries of a table with the columns of ``choose_columns``.

    The score of a rank alone is 1 / rank.

    Args:
        source: the table, for messages.
        table: the columns.
        content: the content of the rows.
        place: returns the place of a row for messages; None for its number.
    """
    if not len(table):
        raise no_rows(source, content)
    at = place or (lambda entry: f"{source}: row {entry + 1}")
    query, doc, *values = table.column_names
    systems: list[object] = []
    if plain(values[-1]) in content.systems:
        systems = pc.unique(_plain(table[values.pop()])).to_pylist()
    numbers = {name: _numbers(source, name, table[name]) for name in values}
    rank = values.pop() if plain(values[-1]) in content.ranks else None
    score = values[0] if values else None
    queries, docs = (_texts(source, name, table[name]) for name in (query, doc))
    notes = several_systems(source, systems)
    if score and DISTANCE.search(plain(score)) and (numbers[score] > 0).any():
        if rank is None:
            raise HarnessError(
                f"{source}: a lower {score} is better, and a greater score: write a column score, "
                f"the {score} negated"
            )
        score = None
    if rank is None:
        return Entries(queries, docs, numbers[score or ""], place=at, notes=notes, ordered=True)
    ranks = numbers[rank]
    _check_whole(at, rank, ranks)
    scores = numbers[score] if score else 1 / (ranks + (ranks.min() == 0))
    return Entries(queries, docs, scores, ranks.astype(np.int64), at, notes)


def _check_whole(at: Callable[[int], str], rank: str, ranks: Float64Array) -> None:
    """Raise HarnessError if a rank is no whole number from 0 on."""
    bad = np.flatnonzero((ranks < 0) | ~np.isfinite(ranks) | (np.floor(ranks) != ranks))
    if bad.size:
        message = f"expected a whole number from 0 or 1 on, got {ranks[bad[0]]:g}"
        raise HarnessError(f"{at(int(bad[0]))}: column {rank}: {message}")


def _texts(source: str, name: str, column: pa.ChunkedArray) -> pa.DictionaryArray:
    """Return a column of ids, texts or integers without nulls, as dictionary<int32, string>."""
    textual = (pa.string(), pa.large_string(), pa.string_view())
    cells = _cast(source, name, column, pa.string(), textual, "texts or integers")
    return cells.dictionary_encode().combine_chunks()


def _numbers(source: str, name: str, column: pa.ChunkedArray) -> Float64Array:
    """Return a column of numbers without nulls, float64[N]."""
    numeric = (pa.float16(), pa.float32(), pa.float64())
    return to_numpy(_cast(source, name, column, pa.float64(), numeric, "numbers"))


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    encoded = isinstance(column.type, pa.DictionaryType)
    return column.cast(column.type.value_type) if encoded else column


def _cast(
    source: str,
    name: str,
    column: pa.ChunkedArray,
    kind: pa.DataType,
    usual: Sequence[pa.DataType],
    expected: str,
) -> pa.ChunkedArray:
    """Return a column of integers or one of the usual types as another type.

    Raises:
        HarnessError: the column has another type or an empty cell.
    """
    column = _plain(column)
    if column.null_count:
        row = int(pc.index(pc.is_null(column), True).as_py()) + 1
        raise HarnessError(f"{source}: row {row}: column {name} is empty; give it in each row")
    if not pa.types.is_integer(column.type) and column.type not in usual:
        raise HarnessError(f"{source}: column {name}: expected {expected}, found {column.type}")
    try:
        column.validate(full=True)
        return column.cast(kind, safe=kind == pa.string())
    except pa.ArrowInvalid as error:
        raise HarnessError(f"{source}: column {name}: {str(error).splitlines()[0]}") from error


def of_rows(
    before: str,
    chosen: Sequence[str],
    rows: Iterable[tuple[int, Sequence[Any]]],
    content: Content,
) -> Entries:
    """Return the entries of rows (line, values of the columns), each checked by itself.

    Args:
        before: text before the number of a line in messages.
        chosen: the result of ``choose_columns``.
        rows: the rows.
        content: the content of the rows.
    """
    columns: list[list[Any]] = [[] for _ in chosen]
    lines: list[int] = []
    readers: list[Callable[[str, object], Any]] = [id_of, id_of, *[number_of] * len(chosen)]
    if plain(chosen[-1]) in content.systems:
        readers[len(chosen) - 1] = lambda place, cell: None if cell is None else str(cell)
    for line, cells in rows:
        for column, name, reader, cell in zip(columns, chosen, readers, cells, strict=False):
            place = f"{before}{line}: column {name}"
            if cell is None and reader in (id_of, number_of):
                raise HarnessError(f"{place} is empty; give it in each row")
            column.append(reader(place, cell))
        lines.append(line)
    table = pa.table([*map(pa.array, columns)], content.schema(chosen))
    return of_table(before.rpartition(":")[0], table, content, lambda row: f"{before}{lines[row]}")
