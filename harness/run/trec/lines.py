"""A reader of files of TREC lines.

Arrow's CSV reader reads plain lines. Others are read one by one, with any white space, and the line
that is refused is named.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv

from harness.core.arrays import to_numpy
from harness.core.errors import HarnessError
from harness.core.input import MARK, decoded, numbered_lines, opened
from harness.core.table import counted
from harness.run.entries import Entries, several_systems

WHOLE = re.compile(rb"[+-]?[0-9]{1,18}")
NUMBER = re.compile(
    rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?(inf|infinity|nan)", re.IGNORECASE
)
ID = pa.dictionary(pa.int32(), pa.string())
TYPES: Mapping[pa.DataType, tuple[re.Pattern[bytes] | None, str, Callable[[bytes], Any]]] = {
    ID: (None, "", bytes.decode),
    pa.int64(): (WHOLE, "a whole number", int),
    pa.float64(): (NUMBER, "a finite number", float),
}
"""The pattern of a field of each type, its description for messages, and the function that reads
it.
"""


@dataclass(frozen=True)
class Line:
    """A line of fields separated by white space.

    Attributes:
        what: the kind of file, for messages.
        form: the names of its fields.
        read: the fields that are read: the query, the document and numbers, with their types.
        mends: by a wrong number of fields, what they probably are; ``{0}`` is the first of them.
        others: the endings of files of other forms, for messages.
    """

    what: str
    form: str
    read: Mapping[str, pa.DataType]
    mends: Mapping[int, str] = field(default_factory=dict)
    others: str = ""

    @cached_property
    def width(self) -> int:
        """The number of fields."""
        return len(self.form.split())

    @cached_property
    def schema(self) -> pa.Schema:
        """The schema of the fields that are read."""
        return pa.schema(self.read.items())

    @cached_property
    def places(self) -> dict[str, int]:
        """The places of the fields that are read."""
        return {name: self.form.split().index(name) for name in self.read}

    @cached_property
    def _fields(
        self,
    ) -> list[tuple[int, str, re.Pattern[bytes] | None, str, Callable[[bytes], Any]]]:
        return [(place, name, *TYPES[self.read[name]]) for name, place in self.places.items()]

    def fits(self, fields: Sequence[bytes]) -> bool:
        """Return whether these are the fields of such a line."""
        numbers = ((place, pattern) for place, _, pattern, _, _ in self._fields if pattern)
        return len(fields) == self.width and all(
            pattern.fullmatch(fields[place]) for place, pattern in numbers
        )

    def is_head(self, fields: Sequence[bytes], queries: Sequence[str], docs: Sequence[str]) -> bool:
        """Return whether these are names of the fields.

        Args:
            fields: the fields.
            queries: the names that a query may have.
            docs: the names that a document may have.
        """
        query, doc = list(self.places.values())[:2]
        if len(fields) != self.width or self.fits(fields):
            return False
        return (
            fields[query].decode(errors="replace") in queries
            and fields[doc].decode(errors="replace") in docs
        )

    def parse(self, path: Path, number: int, fields: Sequence[bytes], lenient: bool) -> list[Any]:
        """Return the values of the fields that are read.

        Args:
            path: the file.
            number: the number of the line.
            fields: its fields.
            lenient: whether further fields are skipped.

        Raises:
            HarnessError: it is no such line.
        """
        if len(fields) != self.width and (fault := self._misfit(fields, lenient)):
            raise HarnessError(f"{path}:{number}: {fault}")
        values = []
        for place, name, pattern, expected, value_of in self._fields:
            if pattern and not pattern.fullmatch(fields[place]):
                mend = "; write a decimal point" if b"," in fields[place] else ""
                got = f"{shown(fields[place])}{mend}"
                raise HarnessError(f"{path}:{number}: the {name} must be {expected}, got {got}")
            values.append(value_of(fields[place]))
        return values

    def _misfit(self, fields: Sequence[bytes], lenient: bool) -> str:
        """Return, for a message, what is wrong with another number of fields."""
        other = next((one for one in LINES if one.fits(fields)), None)
        is_cut = len(fields) < self.width and fields[1:2] == [b"Q0"]
        if other and not is_cut:
            return f"`{other.form}`: this is {other.what}; expected {self.what}, `{self.form}`"
        if lenient and len(fields) > self.width:
            return ""
        mend = self._mend(fields, lenient)
        found = f"found {len(fields)}: {shown(b' '.join(fields))}"
        return f"expected {self.width} fields `{self.form}`, {found}{mend and f'; {mend}'}"

    def _mend(self, fields: Sequence[bytes], lenient: bool) -> str:
        comment = fields[0].startswith(b"#")
        if not lenient and (comment or self.fits(fields[: self.width])):
            return "lenient=true passes over comment lines and trailing fields"
        if mend := self.mends.get(len(fields)):
            return mend.format(*(one.decode() for one in fields))
        return self.others and f"{self.what} in another form needs its ending: {self.others}"


RUN = Line(
    "a run",
    "qid Q0 docid rank score tag",
    {"qid": ID, "docid": ID, "rank": pa.int64(), "score": pa.float64(), "tag": ID},
)
QRELS = Line(
    "judgements",
    "qid 0 docid relevance",
    {"qid": ID, "docid": ID, "relevance": pa.int64()},
    {
        3: "if they are query, document, relevance: `{0} 0 {1} {2}`, or a .tsv with the first line "
        "`query-id corpus-id score`, between tabs"
    },
)
LINES = (RUN, QRELS)


def first_line(path: Path, lenient: bool) -> tuple[int, bytes]:
    """Return number and bytes of the first line that is read; 0 and no bytes if there is none."""
    return next(
        (one for one in numbered_lines(path) if not (lenient and is_comment(one[1]))), (0, b"")
    )


def is_comment(line: bytes) -> bool:
    """Return whether a line begins with ``#``."""
    return line.lstrip().startswith(b"#")


def shown(text: bytes) -> str:
    """Return at most 60 characters, for a message."""
    found = text.decode(errors="replace").strip()
    return repr(found if len(found) <= 60 else found[:57] + "...")


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

    number, tables = 1, [pa.Table.from_batches([], line.schema)]
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
    scores = to_numpy(values["rank" in columns].cast(pa.float64(), safe=False))
    systems = columns["tag"].dictionary.to_pylist() if "tag" in columns else []
    left_out = [
        f"{path}: left out {counted(count, what)}" for what, count in skipped.items() if count
    ]
    return Entries(
        queries,
        docs,
        scores,
        to_numpy(columns["rank"]) if "rank" in columns else None,
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
