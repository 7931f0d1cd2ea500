"""A reader of files of TREC lines.

Arrow's CSV reader reads plain lines. Others are read one by one, with any white space, and the line
that is refused is named.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv

from harness.core.arrays import to_numpy
from harness.core.errors import HarnessError
from harness.core.input.read import MARK, decoded, numbered_lines, opened
from harness.core.table import counted
from harness.run.entries import Entries, several_systems

WHOLE = re.compile(rb"[+-]?[0-9]{1,18}(\.0*)?")
NUMBER = re.compile(
    rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?(inf|infinity|nan)", re.IGNORECASE
)
ANY = re.compile(rb".*", re.DOTALL)
ID = pa.dictionary(pa.int32(), pa.string())
TYPES: Mapping[pa.DataType, tuple[re.Pattern[bytes], str, Callable[[bytes], Any]]] = {
    pa.int64(): (WHOLE, "a whole number", lambda text: int(text.partition(b".")[0])),
    pa.float64(): (NUMBER, "a finite number", float),
}
"""The pattern of a number of each type, its description for messages, and the function that reads
it.
"""


@dataclass(frozen=True)
class Line:
    """A line of fields separated by white space.

    Attributes:
        what: the kind of file, for messages.
        form: the names of its fields.
        read: the fields that are read: the query, the document and numbers, with their types.
        others: the endings of files of other forms, for messages.
    """

    what: str
    form: str
    read: Mapping[str, pa.DataType]
    others: str = ""

    @cached_property
    def places(self) -> dict[str, int]:
        """The places of the fields that are read."""
        return {name: self.form.split().index(name) for name in self.read}

    @cached_property
    def width(self) -> int:
        """The number of fields."""
        return len(self.form.split())

    def fits(self, fields: Sequence[bytes]) -> bool:
        """Return whether these are the fields of such a line."""
        numbers = {name: TYPES[kind][0] for name, kind in self.read.items() if kind in TYPES}
        return len(fields) == self.width and all(
            pattern.fullmatch(fields[self.places[name]]) for name, pattern in numbers.items()
        )

    def is_head(self, fields: Sequence[bytes], queries: Sequence[str], docs: Sequence[str]) -> bool:
        """Return whether these are names of the fields.

        Args:
            fields: the fields.
            queries: the names that a query may have.
            docs: the names that a document may have.
        """
        if len(fields) != self.width or self.fits(fields):
            return False
        query, doc, *_ = (fields[place].decode(errors="replace") for place in self.places.values())
        return query in queries and doc in docs

    def parse(self, where: str, fields: Sequence[bytes], lenient: bool) -> list[Any]:
        """Return the values of the fields that are read.

        Args:
            where: the place of the line.
            fields: its fields.
            lenient: whether further fields are skipped.

        Raises:
            HarnessError: it is no such line.
        """
        other = next((line for line in LINES if line.fits(fields)), self)
        is_cut = len(fields) < self.width and fields[1:2] == [b"Q0"]
        if other is not self and other.what != self.what and not is_cut:
            raise HarnessError(
                f"{where}: `{other.form}`: this is {other.what}; expected {self.what}, "
                f"`{self.form}`"
            )
        if len(fields) < self.width or (len(fields) > self.width and not lenient):
            raise HarnessError(
                f"{where}: expected {self.width} fields `{self.form}`, found {len(fields)}: "
                f"{shown(b' '.join(fields))}{self._mend(fields, lenient)}"
            )
        values: list[Any] = []
        for name, kind in self.read.items():
            text = fields[self.places[name]]
            pattern, expected, read = TYPES.get(kind, (ANY, "", bytes.decode))
            if not pattern.fullmatch(text):
                mend = "; write a decimal point" if b"," in text else ""
                raise HarnessError(
                    f"{where}: the {name} must be {expected}, got {shown(text)}{mend}"
                )
            values.append(read(text))
        return values

    def _mend(self, fields: Sequence[bytes], lenient: bool) -> str:
        comment = fields[0].startswith(b"#")
        if not lenient and (comment or self.fits(fields[: self.width])):
            return "; lenient=true passes over comment lines and trailing fields"
        return self.others and f"; {self.what} in another form needs its ending: {self.others}"


RUN = Line(
    "a run",
    "qid Q0 docid rank score tag",
    {"qid": ID, "docid": ID, "rank": pa.int64(), "score": pa.float64(), "tag": ID},
)
QRELS = Line(
    "judgements",
    "qid 0 docid relevance",
    {"qid": ID, "docid": ID, "relevance": pa.int64()},
)
LINES = (RUN, QRELS)


def first_line(path: Path, lenient: bool) -> tuple[int, bytes]:
    """Return number and bytes of the first line that is read; 0 and no bytes if there is none."""
    for number, content in numbered_lines(path):
        if not (lenient and is_comment(content)):
            return number, content
    return 0, b""


def is_comment(line: bytes) -> bool:
    """Return whether a line begins with ``#``."""
    return line.lstrip().startswith(b"#")


def shown(text: bytes) -> str:
    """Return at most 60 characters, for a message."""
    line = text.decode(errors="replace").strip()
    if len(line) > 60:
        line = line[:57] + "..."
    return repr(line)


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
    with opened(path) as stream:
        text = stream.read().removeprefix(MARK)
    skipped: Counter[str] = Counter()
    table = None if lenient else plain(text, line)  # a comment may have as many words
    head = 0
    if table is None:
        number, first = first_line(path, lenient)
        head = number if line.is_head(first.split(), *ids) else 0
        table = parse_lines(path, text, line, lenient, head, skipped)
    if not len(table):
        raise HarnessError(f"{path}: the file is empty; expected lines `{line.form}`")
    table = table.unify_dictionaries().combine_chunks()
    columns = {name: table[name].chunk(0) for name in line.read}
    queries, docs, *values = columns.values()
    scores = to_numpy(values["rank" in columns].cast(pa.float64(), safe=False))
    systems = columns["tag"].dictionary.to_pylist() if "tag" in columns else []
    ranks = to_numpy(columns["rank"]) if "rank" in columns else None
    left_out = [
        f"{path}: left out {counted(count, what)}" for what, count in skipped.items() if count
    ]
    return Entries(
        queries,
        docs,
        scores,
        ranks,
        lambda entry: f"{path}:{_line(path, entry, lenient, head)}",
        left_out + several_systems(str(path), systems),
    )


def plain(text: bytes, line: Line = RUN) -> pa.Table | None:
    """Return the entries of lines, or None if a line is not plain words and gaps in UTF-8."""
    gaps = (b"\t", b"\r", b"  ", b" \n", b"\n ")
    if any(gap in text for gap in gaps) or text[:1] == b" " or text[-1:] == b" ":
        text = re.sub(rb" *\r?\n *", b"\n", re.sub(rb"[ \t]+", b" ", text)).strip(b" ")
    letters = np.frombuffer(text, dtype=np.uint8)
    if np.count_nonzero(letters < 0x20) > text.count(b"\n"):
        return None  # white space or NUL that Arrow would take for letters
    if any(hexadecimal in text for hexadecimal in (b" 0x", b" 0X")):
        return None  # Arrow takes 0x1 for a whole number
    names = {name: str(place) for name, place in line.places.items()}
    # threads outlive Python and abort it (arrow 34314)
    read = csv.ReadOptions(column_names=list(map(str, range(line.width))), use_threads=False)
    convert = csv.ConvertOptions(
        column_types={names[name]: kind for name, kind in line.read.items()},
        include_columns=list(names.values()),
        null_values=[],
    )
    try:
        text.decode()
        return csv.read_csv(pa.BufferReader(text), read, PARSE, convert).rename_columns([*names])
    except (pa.ArrowInvalid, UnicodeDecodeError):
        return None


def parse_lines(
    path: Path, text: bytes, line: Line, lenient: bool, head: int, skipped: Counter[str]
) -> pa.Table:
    """Return the entries of lines.

    Args:
        path: the file.
        text: the lines.
        line: the form of a line.
        lenient: whether comment lines and further fields are skipped.
        head: the number of a line of names.
        skipped: counts of what was skipped, changed here.
    """
    rows = []
    for number, content in enumerate(text.splitlines(), 1):
        fields = decoded(content, path, f"lines `{line.form}`", number).encode().split()
        if lenient and is_comment(content):
            skipped["comment line"] += 1
        elif fields and number != head:
            rows.append(line.parse(f"{path}:{number}", fields, lenient))
            skipped["further field"] += len(fields) - line.width
    columns = zip(*rows, strict=True) if rows else [()] * len(line.read)
    arrays = list(itertools.starmap(pa.array, zip(columns, line.read.values(), strict=True)))
    return pa.table(arrays, pa.schema(line.read.items()))


def _line(path: Path, entry: int, lenient: bool, head: int) -> int:
    """Return the line of an entry, counted from 0 over the lines with an entry."""
    numbers = (
        number
        for number, line in numbered_lines(path)
        if number != head and not (lenient and is_comment(line))
    )
    return next(itertools.islice(numbers, entry, None))
