"""A reader of files of TREC lines. Arrow's CSV reader reads plain lines; others are read one by
one.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv

from harness.core.errors import HarnessError
from harness.core.input import MARK, decoded, numbered_lines, opened
from harness.core.table import counted
from harness.run.entries import Entries, several_systems
from harness.run.trec.lines import RUN, Line, first_line, is_comment

PIECE = 1 << 24
"""Number of bytes of a file that are read at once; more if a line is longer."""
PARSE = csv.ParseOptions(delimiter=" ", quote_char=False, double_quote=False)


def entries(
    path: Path,
    line: Line = RUN,
    lenient: bool = False,
    ids: tuple[Sequence[str], Sequence[str]] = ((), ()),
) -> Entries:
    """Return the entries of a file of TREC lines, each checked by itself (see harness.run.trec).

    Args:
        path: the file.
        line: the form of its lines.
        lenient: whether comment lines (``#``) and trailing fields are skipped.
        ids: the names of a query and a document in a first line of names.
    """

    @functools.cache
    def head() -> int:
        number, first = first_line(path, lenient)
        return number if line.is_head(first.split(), *ids) else 0

    number, tables = 1, [line.schema.empty_table()]
    skipped: Counter[str] = Counter()
    for text in pieces(path):
        table = None if lenient else plain(text, line)  # a comment may have as many words
        tables.append(
            parse_lines(path, number, text, line, lenient, head(), skipped)
            if table is None
            else table
        )
        number += len(text.splitlines())
    found = pa.concat_tables(tables).unify_dictionaries().combine_chunks()
    if not len(found):
        raise HarnessError(f"{path}: the file is empty; expected lines `{line.form}`")
    columns = {name: found[name].chunk(0) for name in line.read}
    queries, docs, *values = columns.values()
    scores = values["rank" in columns].cast(pa.float64(), safe=False).to_numpy()
    systems = columns["tag"].dictionary.to_pylist() if "tag" in columns else []
    left_out = [
        f"{path}: left out {counted(count, what)}" for what, count in skipped.items() if count
    ]
    return Entries(
        queries,
        docs,
        scores,
        columns["rank"].to_numpy() if "rank" in columns else None,
        lambda entry: f"{path}:{_line(path, entry, lenient, head())}",
        left_out + several_systems(str(path), systems),
    )


def pieces(path: Path) -> Iterator[bytes]:
    """Yield the file in pieces of whole lines, without a byte order mark."""
    rest, mark = b"", MARK
    with opened(path) as stream:
        while read := stream.read(PIECE):
            text = rest + read
            cut = text.rfind(b"\n") + 1 or text.rfind(b"\r", 0, -1) + 1
            if cut:
                yield text[:cut].removeprefix(mark)
                mark = b""
            rest = text[cut:]
    if rest:
        yield rest.removeprefix(mark)


def plain(text: bytes, line: Line = RUN) -> pa.Table | None:
    """Return the entries of lines, or None if a line is not plain words and gaps in UTF-8."""
    if any(gap in text for gap in (b"\t", b"\r", b"  ", b" \n", b"\n ")) or b" " in (
        text[:1],
        text[-1:],
    ):
        text = re.sub(rb" *\r?\n *", b"\n", re.sub(rb"[ \t]+", b" ", text)).strip(b" ")
    letters = np.frombuffer(text, dtype=np.uint8)
    if np.count_nonzero(letters < 0x20) > text.count(b"\n"):
        return None  # white space or NUL that Arrow would take for letters
    if any(letter in text and b" 0" + letter in text for letter in (b"x", b"X")):
        return None  # Arrow takes 0x1 for a whole number
    names = list(map(str, range(line.width)))
    places = {name: str(place) for name, place in line.places.items()}
    # threads outlive Python and abort it (arrow 34314)
    read = csv.ReadOptions(column_names=names, use_threads=False)
    types = {places[name]: kind for name, kind in line.read.items()}
    convert = csv.ConvertOptions(
        column_types=types, include_columns=[*places.values()], null_values=[]
    )
    try:
        text.decode()
        return csv.read_csv(pa.BufferReader(text), read, PARSE, convert).rename_columns([*places])
    except (pa.ArrowInvalid, UnicodeDecodeError):
        return None


def parse_lines(
    path: Path,
    first: int,
    text: bytes,
    line: Line,
    lenient: bool,
    head: int,
    skipped: Counter[str],
) -> pa.Table:
    """Return the entries of lines.

    Args:
        path: the file.
        first: the number of the first line.
        text: the lines.
        line: the form of a line.
        lenient: whether comment lines and further fields are skipped.
        head: the number of a line of names.
        skipped: counts of what was skipped, changed here.
    """
    rows = []
    for number, one in enumerate(text.splitlines(), first):
        fields = decoded(one, path, f"lines `{line.form}`", number).encode().split()
        if lenient and is_comment(one):
            skipped["comment line"] += 1
        elif fields and number != head:
            rows.append(line.parse(path, number, fields, lenient))
            skipped["further field"] += len(fields) - line.width
    columns = zip(*rows, strict=True) if rows else [()] * len(line.read)
    return pa.table(
        [pa.array(column, kind) for column, kind in zip(columns, line.schema.types, strict=True)],
        line.schema,
    )


def _line(path: Path, entry: int, lenient: bool, head: int) -> int:
    """Return the line of an entry, counted from 0 over the lines with an entry."""
    numbers = (
        number
        for number, line in numbered_lines(path)
        if number != head and not (lenient and is_comment(line))
    )
    return next(number for place, number in enumerate(numbers) if place == entry)
