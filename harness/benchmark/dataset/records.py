"""Records of a file, each with its place in it, read from JSON lines (plain or gzip) or from one JSON array."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.core.errors import HarnessError
from harness.core.input import numbered_lines, parse_json, read_json
from harness.core.resources import gibibytes, need_memory

Record = Mapping[str, Any]
PLAIN, PACKED = 4, 12
"""Bytes of memory that a byte of a file of records takes at least, plain and gzip."""


@dataclass(frozen=True)
class Records:
    """JSON objects and where they stand.

    places: for each record its line number (``unit`` ":") or its number in the array (``unit`` ": record ").
    """

    path: Path
    values: Sequence[Record]
    places: Sequence[int]
    unit: str = ":"

    def at(self, number: int) -> str:
        """Where a record stands: ``queries.jsonl:12``."""
        return f"{self.path}{self.unit}{self.places[number]}"

    def with_values(self, values: Sequence[Record]) -> Records:
        """Other records (made from these, one each) at the same places."""
        return Records(self.path, values, self.places, self.unit)


def read_lines(path: Path) -> Records:
    """The records of a file of JSON lines, plain or gzip; blank lines are passed over."""
    values, places = [], []
    _foresee(path)
    for number, line in numbered_lines(path):
        value = parse_json(line, path, "one JSON object a line", number)
        if not isinstance(value, dict):
            raise HarnessError(f"{path}:{number}: expected a JSON object, found {type(value).__name__}")
        values.append(value)
        places.append(number)
    if not values:
        raise HarnessError(f"{path}: the file is empty; expected one JSON object a line")
    return Records(path, values, places)


def _foresee(path: Path) -> None:
    """Raise HarnessError where the file is too large for the memory."""
    if path.is_file():
        size = path.stat().st_size
        factor = PACKED if path.suffix == ".gz" else PLAIN
        mend = "take fewer passages, or a machine with more memory"
        need_memory(factor * size, f"{path}: reading {gibibytes(size)} of records", mend)


def read_array(path: Path) -> Any:
    """The JSON value of a whole file, as upstream authors publish theirs."""
    value = read_json(path, "one JSON array of objects")
    if not value:
        raise HarnessError(f"{path}: the file holds no records; get the file again")
    return value
