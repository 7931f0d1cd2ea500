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
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from harness.core.errors import HarnessError
from harness.core.files import write_text
from harness.core.identity import digest

log = logging.getLogger(__name__)
GENESIS = "0" * 64
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

    def append(self, facts: Mapping[str, Any]) -> dict[str, Any]:
        """Add a line: ``facts``, the time and the chain, and the evaluation's number of facts about ``data_sha256``.

        The file is written anew beside itself and renamed: on a full disk it is as it was.
        """
        with self.exclusive():
            known = self.entries()
            number = {}
            if "data_sha256" in facts:
                number = {"evaluation": len(self.of(facts["data_sha256"], facts["split"])) + 1}
            entry = {
                "time": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
                **facts,
                **number,
                "previous": known[-1]["sha256"] if known else GENESIS,
            }
            entry["sha256"] = _sha256(entry)
            write_text(self.path, "".join(f"{json.dumps(line, sort_keys=True)}\n" for line in [*known, entry]))
            write_text(self._head, f"{len(known) + 1} {entry['sha256']}\n")
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
        try:
            return self.path.read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return []
        except (OSError, ValueError) as error:
            raise HarnessError(f"{self.path}: cannot be read ({error}); {MEND}") from error

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
