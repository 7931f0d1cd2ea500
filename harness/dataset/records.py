"""Records of a file, each with its place in it, read from JSON lines (plain or gzip) or from one JSON array."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.errors import HarnessError

Record = Mapping[str, Any]


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
    """The records of a ``.jsonl`` or ``.jsonl.gz`` file; blank lines are passed over."""
    values, places = [], []
    for number, line in enumerate(_bytes(path).split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
            if b"\\ud" in line or b"\\uD" in line:
                json.dumps(value, ensure_ascii=False).encode()
        except UnicodeDecodeError as error:
            raise _not_utf8(f"{path}:{number}", error) from error
        except UnicodeEncodeError as error:
            raise HarnessError(
                f"{path}:{number}: half of a surrogate pair ({error.reason}); write the character"
            ) from error
        except (ValueError, RecursionError) as error:
            raise HarnessError(f"{path}:{number}: broken JSON ({error}); expected one object a line") from error
        if not isinstance(value, dict):
            raise HarnessError(f"{path}:{number}: expected a JSON object, found {type(value).__name__}")
        values.append(value)
        places.append(number)
    if not values:
        raise HarnessError(f"{path}: the file is empty; expected one JSON object a line")
    return Records(path, values, places)


def read_array(path: Path) -> Any:
    """The JSON value of a whole file, as upstream authors publish theirs."""
    data = _bytes(path)
    try:
        text = data.decode()
        value = json.loads(text)
        if "\\ud" in text or "\\uD" in text:
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _not_utf8(f"{path}:{line}", error) from error
    except UnicodeEncodeError as error:
        raise HarnessError(f"{path}: half of a surrogate pair ({error.reason}); write the character") from error
    except json.JSONDecodeError as error:
        raise HarnessError(f"{path}:{error.lineno}: broken JSON ({error}); get the file again") from error
    if not value:
        raise HarnessError(f"{path}: the file holds no records; get the file again")
    return value


def _bytes(path: Path) -> bytes:
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as stream:
            return stream.read()
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise HarnessError(f"{path}: not a whole gzip file ({error}); get or compress it again") from error
    except OSError as error:
        raise HarnessError(f"{path}: cannot be read ({error.strerror or error})") from error


def _not_utf8(where: str, error: UnicodeDecodeError) -> HarnessError:
    return HarnessError(f"{where}: not UTF-8 (byte {error.object[error.start]:#04x}); save the file as UTF-8")
