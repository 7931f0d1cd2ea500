"""Reading a TREC run file: Arrow's CSV reader where the lines are plain, line by line where one is not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv

from harness.core.errors import HarnessError
from harness.core.input import MARK, form_of, numbered_lines, opened
from harness.run.entries import Entries
from harness.run.trec.lines import FORM, RANK, SCHEMA, SCORE, is_comment, parse_lines

PIECE = 1 << 24
"""Bytes of a file that are read at once; more when a line is longer."""

READ = csv.ReadOptions(column_names=["query", "q0", "doc", "rank", "score", "tag"], use_threads=False)
"""One thread: files are read side by side, and threads of Arrow that outlive Python abort the process (arrow 34314)."""
PARSE = csv.ParseOptions(delimiter=" ", quote_char=False, double_quote=False)
CONVERT = csv.ConvertOptions(column_types=dict(zip(SCHEMA.names, SCHEMA.types, strict=True)),
                             include_columns=SCHEMA.names, null_values=[])  # fmt: skip


def entries(path: Path, lenient: bool = False) -> Entries:
    """The entries of a TREC run file; each line is checked by itself (see harness.run.trec).

    lenient: pass over comment lines (``#``) and trailing fields.
    """
    line, tables = 1, [SCHEMA.empty_table()]
    for text in pieces(path):
        table = None if lenient else plain(text)  # a comment may have six words
        tables.append(parse_lines(path, line, text, lenient) if table is None else table)
        line += len(text.splitlines())
    found = pa.concat_tables(tables).unify_dictionaries().combine_chunks()
    if not len(found):
        raise HarnessError(f"{path}: the file is empty; a TREC run has a line `{FORM}` an entry")
    queries, docs = (found[name].chunk(0) for name in ("query", "doc"))
    scores, ranks = (found[name].to_numpy() for name in ("score", "rank"))
    return Entries(queries, docs, scores, ranks, lambda entry: f"{path}:{_line(path, entry, lenient)}")


def is_headless(path: Path) -> bool:
    """Whether a file begins with a line of a TREC run, whatever its name says: six fields, a rank and a score."""
    if form_of(path) == "parquet" or not path.is_file():
        return False
    fields = next(numbered_lines(path), (0, b""))[1].split()
    return len(fields) == 6 and bool(RANK.fullmatch(fields[3]) and SCORE.fullmatch(fields[4]))


def pieces(path: Path) -> Iterator[bytes]:
    """The file in pieces of whole lines, without a byte order mark."""
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


def plain(text: bytes) -> pa.Table | None:
    """The entries (``SCHEMA``) of some lines; None when one is not plain: six words and their gaps, in UTF-8."""
    if any(gap in text for gap in (b"\t", b"\r", b"  ", b" \n", b"\n ")) or b" " in (text[:1], text[-1:]):
        text = re.sub(rb" *\r?\n *", b"\n", re.sub(rb"[ \t]+", b" ", text)).strip(b" ")
    letters = np.frombuffer(text, dtype=np.uint8)
    if np.count_nonzero(letters < 0x20) > text.count(b"\n"):  # white space or NUL that Arrow would take for letters
        return None
    try:
        text.decode()
        return csv.read_csv(pa.BufferReader(text), READ, PARSE, CONVERT)
    except (pa.ArrowInvalid, UnicodeDecodeError):
        return None


def _line(path: Path, entry: int, lenient: bool) -> int:
    """The line of an entry, counted from 0 over the lines that hold one."""
    numbers = (number for number, line in numbered_lines(path) if not (lenient and is_comment(line)))
    return next(number for place, number in enumerate(numbers) if place == entry)
