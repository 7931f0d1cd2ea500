"""A reader of single TREC lines. It is slow, accepts any white space, and names the line that it
refuses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from harness.core.errors import HarnessError
from harness.core.input import numbered_lines

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
        if other := next((one for one in LINES if one.fits(fields)), None):
            return f"`{other.form}`: this is {other.what}; expected {self.what}, `{self.form}`"
        if lenient and len(fields) > self.width:
            return ""
        mend = self._mend(fields, lenient)
        found = f"found {len(fields)}: {shown(b' '.join(fields))}"
        return f"expected {self.width} fields `{self.form}`, {found}{mend and f'; {mend}'}"

    def _mend(self, fields: Sequence[bytes], lenient: bool) -> str:
        comment = fields[0].startswith(b"#")
        if not lenient and (comment or len(fields) > self.width):
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
