"""Entries from the columns of a table, with the first wrong row in messages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from harness.core.arrays import Float64Array, arrow, to_numpy
from harness.core.errors import HarnessError
from harness.run.content import LISTS, Content, plain
from harness.run.entries import Entries, id_of, number_of, several_systems
from harness.run.trec.lines import NUMBER

DISTANCE = re.compile("distance|(?:^|_)(?:dist|cost|loss)(?:_|$)")
"""In the name of a column of numbers that are better if they are lower."""
VALUE, RANK = 2, 3
"""The place of a row's number, and of its rank."""


def choose_columns(source: str, found: list[str], content: Content) -> list[str]:
    """Return the columns of a table with the query, the document and the number of each row.

    A column of ranks follows the number or replaces it, and a column of systems is last, if there
    are any.

    Args:
        source: the file, for messages.
        found: the names of all columns.
        content: the content of the rows.

    Raises:
        HarnessError: a column is missing or occurs twice.
    """
    chosen: list[str] = []
    names = [*map(plain, found)]
    rank = next((found[names.index(one)] for one in content.ranks if one in names), None)
    for number, others in enumerate((*content.columns.values(), content.ranks)):
        free = _free(others, found, chosen)
        name = next((one for one in free if number == RANK or one != rank), None)
        if name is None and number >= VALUE and (number == RANK or rank is not None):
            continue
        if name is None:
            raise HarnessError(_missing(source, found, content))
        if (count := names.count(plain(name))) > 1:
            raise HarnessError(f"{source}: {count} columns are called {plain(name)}; keep one")
        chosen.append(name)
    return [*chosen, *_free(content.systems, found, chosen)[:1]]


def _free(wanted: Iterable[str], found: list[str], chosen: list[str]) -> list[str]:
    """Return the wanted columns that a table has and that are not chosen yet."""
    named = {plain(one): one for one in found if one not in chosen}
    return [named[one] for one in wanted if one in named]


def _missing(source: str, found: list[str], content: Content) -> str:
    wanted = ", ".join(
        others[0] if len(others) == 1 else key for key, others in content.columns.items()
    )
    (first, *others) = found or [""]
    if first.startswith("#"):
        mend = "; leave out lines before the head"
    elif not others and (between := re.search(r"[|:;,\t ]", first)):
        mend = f"; its values are between {between[0]!r}: write commas, or tabs in a .tsv"
    elif any(NUMBER.fullmatch(name.strip().encode()) for name in found):
        mend = "; the first line has to name them"
    else:
        mend = (
            "; name yours: columns={query: ..., doc: ..., score: ...}"
            if content.typed == LISTS.typed
            else ""
        )
    return f"{source}: expected the columns {wanted}; found {', '.join(found) or 'none'}{mend}"


def no_rows(source: object, content: Content) -> HarnessError:
    """Return the error about a table without rows."""
    return HarnessError(
        f"{source}: there are no rows; expected the columns {', '.join(content.columns)}"
    )


def of_table(source: str, table: pa.Table, content: Content) -> Entries:
    """Return the entries of a table with the columns of ``choose_columns``."""
    if not len(table):
        raise no_rows(source, content)
    query, doc, *values = table.column_names
    system = values.pop() if plain(values[-1]) in content.systems else None
    return _entries(
        _texts(source, query, table[query]),
        _texts(source, doc, table[doc]),
        {name: _numbers(source, name, table[name]) for name in values},
        content,
        lambda entry: f"{source}: row {entry + 1}",
        [] if system is None else pc.unique(_plain(table[system])).to_pylist(),
    )


def _entries(
    queries: pa.DictionaryArray,
    docs: pa.DictionaryArray,
    values: Mapping[str, Float64Array],
    content: Content,
    place: Callable[[int], str],
    systems: Iterable[object] = (),
) -> Entries:
    """Return the entries of ids and of scores, ranks or both. The score of a rank alone is 1 /
    rank.
    """
    *names, last = values
    number = (names or [last])[0]
    source = place(0).rpartition(":")[0]
    is_distance = bool(DISTANCE.search(plain(number)) and (values[number] > 0).any())
    if is_distance and not names:
        raise HarnessError(
            f"{source}: a lower {number} is better, and a greater score: "
            f"write a column score, the {number} negated"
        )
    notes = several_systems(source, systems)
    if plain(last) not in content.ranks:
        return Entries(queries, docs, values[last], place=place, notes=notes, ordered=True)
    ranks = values[last]
    bad = np.flatnonzero((ranks < 0) | ~np.isfinite(ranks) | (np.floor(ranks) != ranks))
    if bad.size:
        message = f"expected a whole number from 0 or 1 on, got {ranks[bad[0]]:g}"
        raise HarnessError(f"{place(int(bad[0]))}: column {last}: {message}")
    scores = values[number] if names and not is_distance else 1 / (ranks + (ranks.min() == 0))
    return Entries(queries, docs, scores, ranks.astype(np.int64), place, notes)


def _texts(source: str, name: str, column: pa.ChunkedArray) -> pa.DictionaryArray:
    """Return a column of ids, texts or integers without nulls, as dictionary<int32, string>."""
    textual = (pa.string(), pa.large_string(), pa.string_view())
    found = _cast(source, name, column, pa.string(), textual, "texts or integers")
    return found.dictionary_encode().combine_chunks()


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
    names = chosen[:VALUE]
    values = [name for name in chosen[VALUE:] if plain(name) not in content.systems]
    read = [*names, *values]
    systems: dict[object, None] = {}
    lines: list[int] = []
    ids: tuple[list[str], list[str]] = [], []
    numbers: list[list[float]] = [[] for _ in values]
    for line, cells in rows:
        place = f"{before}{line}: column"
        if missing := [name for name, cell in zip(read, cells, strict=False) if cell is None]:
            raise HarnessError(f"{place} {missing[0]} is empty; give it in each row")
        for found, name, cell in zip(ids, names, cells, strict=False):
            found.append(id_of(f"{place} {name}", cell))
        for column, name, cell in zip(numbers, values, cells[VALUE:], strict=False):
            column.append(number_of(f"{place} {name}", cell))
        systems.update(dict.fromkeys(cells[len(read) :]))
        lines.append(line)
    queries, docs = (arrow(one).dictionary_encode() for one in ids)
    columns = (np.array(column, dtype=np.float64) for column in numbers)
    return _entries(
        queries,
        docs,
        dict(zip(values, columns, strict=True)),
        content,
        lambda entry: f"{before}{lines[entry]}",
        systems,
    )
