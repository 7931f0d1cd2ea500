"""The ledger: every evaluation of a test split, in a file that can only grow.

Each line is a JSON object with its own SHA-256 and that of the line before it; ``ledger.head`` beside it holds the
number of lines and the last hash. So a line that was changed, removed, moved or cut off is found and named. It finds
accidents, not adversaries: who can write the file can write all its hashes (see ``harness ledger sign``).
"""

from __future__ import annotations

import contextlib
import datetime
import json
import logging
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from harness.core.errors import HarnessError
from harness.core.files import UNWRITABLE, write_text
from harness.core.identity import digest

log = logging.getLogger(__name__)
GENESIS = "0" * 64
LONGEST = 1 << 20
"""No line is as long, in bytes."""
MEND = "restore the file from a copy: it is the record of what test splits have seen"


@dataclass(frozen=True)
class Ledger:
    """The ledger at ``path``."""

    path: Path

    def entries(self) -> list[dict[str, Any]]:
        """All lines, verified. Raises HarnessError that names the first line which breaks the chain."""
        lines = self._lines()
        found: list[dict[str, Any]] = []
        for number, line in enumerate(lines, start=1):
            entry = _parse(line)
            if entry is None or entry.get("sha256") != _sha256(entry):
                raise HarnessError(f"{self.path}:{number}: this line was changed after it was written; {MEND}")
            if entry["previous"] != (found[-1]["sha256"] if found else GENESIS):
                raise HarnessError(f"{self.path}:{number}: a line before this one was removed or moved; {MEND}")
            found.append(entry)
        count, last = self.head()
        ends = [GENESIS, *(entry["sha256"] for entry in found)]
        killed = len(found) == count + 1  # between a line and its head: the chain holds all the same
        if count not in (len(found), len(found) - killed) or last != ends[count]:
            raise HarnessError(f"{self.path}: it holds {len(found)} lines, {count} lines were written; {MEND}")
        return found

    def head(self) -> tuple[int, str]:
        """How many lines were written, and the hash of the last one. Raises HarnessError when that file is damaged."""
        try:
            text = self._head.read_text(encoding="utf-8")
        except FileNotFoundError:
            return 0, GENESIS
        except (OSError, ValueError) as error:
            raise HarnessError(f"{self._head}: cannot be read ({error}); {MEND}") from error
        found = re.fullmatch(r"(\d{1,9}) ([0-9a-f]{64})\s*", text)
        if found is None:
            raise HarnessError(f"{self._head}: {text[:40]!r}, expected a number of lines and a hash; {MEND}")
        return int(found[1]), found[2]

    def of(self, data_sha256: str, split: str = "test") -> list[dict[str, Any]]:
        """The evaluations of this split of this data."""
        return [
            entry for entry in self.entries() if (entry.get("data_sha256"), entry.get("split")) == (data_sha256, split)
        ]

    def evaluations(self, data_sha256: str, split: str = "test") -> int:
        """How often this split of this data has been evaluated."""
        return len(self.of(data_sha256, split))

    def append(self, facts: Mapping[str, Any]) -> dict[str, Any]:
        """Add a line: ``facts``, the time and the chain, and the evaluation's number of facts about ``data_sha256``.

        The line is written whole or not at all: on a full disk the file keeps its length.
        """
        with self.exclusive():
            number = {}
            if "data_sha256" in facts:
                number = {"evaluation": self.evaluations(facts["data_sha256"], facts["split"]) + 1}
            size, count, previous = self._end()
            entry = {
                "time": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
                **facts,
                **number,
                "previous": previous,
            }
            entry["sha256"] = _sha256(entry)
            self._write(size, json.dumps(entry, sort_keys=True) + "\n")
            write_text(self._head, f"{count + 1} {entry['sha256']}\n")
            return entry

    @contextlib.contextmanager
    def exclusive(self) -> Iterator[None]:
        """A block that no other process is in; one that has to wait says for what. Blocks may be nested."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            try:
                self._lock.acquire(timeout=0)
            except Timeout:
                log.warning("%s: another process evaluates a test split; waiting until it has ended", self.path)
                self._lock.acquire()
        except OSError as error:
            raise HarnessError(f"{self.path}: cannot be locked ({error.strerror}); make its folder writable") from error
        try:
            yield
        finally:
            self._lock.release()

    def _lines(self) -> list[str]:
        """The lines; without a last one that was cut off while it was written, which never counted."""
        try:
            lines = self.path.read_text(encoding="utf-8").split("\n")
        except FileNotFoundError:
            return []
        except (OSError, ValueError) as error:
            raise HarnessError(f"{self.path}: cannot be read ({error}); {MEND}") from error
        cut = lines.pop()
        if cut:
            log.warning("%s: its last line was cut off while it was written; it is left out", self.path)
        return lines

    def _end(self) -> tuple[int, int, str]:
        """How many bytes the whole lines have, how many lines they are, and the hash of the last one.

        Only the end of the file is read: its head is one behind where a process was killed between the two.
        """
        count, last = self.head()
        if not self.path.is_file():
            return 0, count, last
        with self.path.open("rb") as stream:
            size = stream.seek(0, os.SEEK_END)
            start = stream.seek(max(0, size - LONGEST))
            data = stream.read()
        whole = data[: data.rfind(b"\n") + 1]
        entry = _parse(whole[whole.rfind(b"\n", 0, -1) + 1 :].decode(errors="replace")) or {}
        if entry.get("previous") == last and entry.get("sha256") == _sha256(entry):
            return start + len(whole), count + 1, str(entry["sha256"])
        if entry.get("sha256", GENESIS) != last:
            self.entries()  # which names the line
            raise HarnessError(f"{self.path}: its last line is not that of {self._head}; {MEND}")
        return start + len(whole), count, last

    def _write(self, size: int, line: str) -> None:
        """Put a line after the first ``size`` bytes: what comes behind them was cut off while it was written."""
        try:
            with self.path.open("ab", buffering=0) as stream:
                stream.truncate(size)
                try:
                    left = line.encode()
                    while left:
                        left = left[stream.write(left) :]
                    os.fsync(stream.fileno())
                except OSError:
                    stream.truncate(size)
                    raise
        except OSError as error:
            if error.errno not in UNWRITABLE:
                raise
            raise HarnessError(
                f"{self.path}: cannot write ({error.strerror}); it is as it was: free some space and do it again"
            ) from error

    @property
    def _head(self) -> Path:
        return self.path.with_suffix(".head")

    @cached_property
    def _lock(self) -> FileLock:
        return FileLock(self.path.with_suffix(".lock"))


def _parse(line: str) -> dict[str, Any] | None:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) and "previous" in entry else None


def _sha256(entry: Mapping[str, Any]) -> str:
    return digest({key: value for key, value in entry.items() if key != "sha256"})
