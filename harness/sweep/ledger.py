"""The ledger: every evaluation of a test split, in a file that can only grow.

Each line of ``runs/ledger.jsonl`` is a JSON object with its own SHA-256 and that of the line before it; ``ledger.head``
beside it holds the number of lines and the last hash. So a line that was changed, removed, moved or cut off is found
and named.
"""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock

from harness.errors import HarnessError
from harness.files import write_text
from harness.identity import digest

GENESIS = "0" * 64
MEND = "restore the file from a copy: it is the record of what test splits have seen"


@dataclass(frozen=True)
class Ledger:
    """The ledger at ``path``."""

    path: Path

    def entries(self) -> list[dict[str, Any]]:
        """All lines, verified. Raises HarnessError that names the first line which breaks the chain."""
        lines = self.path.read_text(encoding="utf-8").splitlines() if self.path.is_file() else []
        found: list[dict[str, Any]] = []
        for number, line in enumerate(lines, start=1):
            entry = _parse(line)
            if entry is None or entry.get("sha256") != _sha256(entry):
                raise HarnessError(f"{self.path}:{number}: this line was changed after it was written; {MEND}")
            if entry["previous"] != (found[-1]["sha256"] if found else GENESIS):
                raise HarnessError(f"{self.path}:{number}: a line before this one was removed or moved; {MEND}")
            found.append(entry)
        head = self._head.read_text(encoding="utf-8").split() if self._head.is_file() else ["0", GENESIS]
        ends = [GENESIS, *(entry["sha256"] for entry in found)]
        killed = len(found) == int(head[0]) + 1  # between a line and its head: the chain holds all the same
        if int(head[0]) not in (len(found), len(found) - killed) or head[1] != ends[int(head[0])]:
            raise HarnessError(f"{self.path}: it holds {len(found)} lines, {head[0]} lines were written; {MEND}")
        return found

    def evaluations(self, data_sha256: str, split: str = "test") -> int:
        """How often this split of this data has been evaluated."""
        return sum(entry["data_sha256"] == data_sha256 and entry["split"] == split for entry in self.entries())

    def append(self, facts: Mapping[str, Any]) -> dict[str, Any]:
        """Add a line: ``facts`` (with ``data_sha256`` and ``split``), time, evaluation number and the chain."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(self.path.with_suffix(".lock")):
            entries = self.entries()
            entry = {
                "time": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
                **facts,
                "evaluation": self.evaluations(facts["data_sha256"], facts["split"]) + 1,
                "previous": entries[-1]["sha256"] if entries else GENESIS,
            }
            entry["sha256"] = _sha256(entry)
            with self.path.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(entry, sort_keys=True) + "\n")
                stream.flush()
                os.fsync(stream.fileno())
            write_text(self._head, f"{len(entries) + 1} {entry['sha256']}\n")
            return entry

    @property
    def _head(self) -> Path:
        return self.path.with_suffix(".head")


def _parse(line: str) -> dict[str, Any] | None:
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    return entry if isinstance(entry, dict) and "previous" in entry else None


def _sha256(entry: Mapping[str, Any]) -> str:
    return digest({key: value for key, value in entry.items() if key != "sha256"})
