"""A ledger of the evaluations of test splits, in a file that only grows.

Each line is a JSON object with its own SHA-256 and that of the line before it, so that a line that
was changed, moved or removed between others is found. A line that was cut off at the end is found
by the folder of its sweep, which has a copy (``harness verify``, ``harness doctor``). This detects
accidents, not attacks: whoever can write the file can write all its hashes.
"""

from __future__ import annotations

import base64
import contextlib
import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from filelock import FileLock, Timeout

from harness.core.errors import HarnessError
from harness.core.files import write_text
from harness.core.identity import sealed
from harness.core.resources import time_now
from harness.core.table import counted
from harness.sweep.folder.files import LedgerLine

if TYPE_CHECKING:
    from omegaconf import DictConfig

log = logging.getLogger(__name__)
GENESIS = "0" * 64
MEND = "restore the file from a copy: it records the evaluations of test splits"


SHARE = 0.1
"""The share of the questions of an evaluation from which an earlier one of them counts."""


@dataclass(frozen=True)
class Look:
    """What a ledger knows of some test questions.

    Attributes:
        earlier: the evaluations that count, in order.
        seen: number of the questions that any line holds.
        of: number of the questions.
    """

    earlier: Sequence[LedgerLine]
    seen: int
    of: int

    @property
    def evaluation(self) -> int:
        """The number of the next evaluation of these questions."""
        return len(self.earlier) + 1

    @property
    def sentence(self) -> str:
        """How many of the questions were evaluated before."""
        return f"{self.seen} of these {counted(self.of, 'test question')} were evaluated before"


def ledger_path(folder: Path, config: DictConfig) -> Path:
    """Return the ledger of a sweep: the given one, otherwise that of the sweep's own runs folder,
    whatever the working folder is.

    Args:
        folder: the sweep's.
        config: the configuration of a command.
    """
    configured, usual = Path(config.paths.ledger), Path(config.paths.runs) / "ledger.jsonl"
    if configured.absolute() != usual.absolute():
        return configured
    return folder.resolve().parent.parent / "ledger.jsonl"


def pack_keys(keys: Sequence[tuple[str, ...]]) -> str:
    """Return the distinct keys of questions, sorted, 8 bytes each, in base64."""
    distinct = sorted({key for question_keys in keys for key in question_keys})
    return base64.b64encode(bytes.fromhex("".join(distinct))).decode()


def unpack_keys(packed: str) -> set[str]:
    """Return the keys in ``pack_keys``."""
    text = base64.b64decode(packed).hex()
    return {text[start : start + 16] for start in range(0, len(text), 16)}


@dataclass(frozen=True)
class Ledger:
    """The ledger at ``path``."""

    path: Path

    def entries(self) -> list[LedgerLine]:
        """Return all lines, verified.

        Raises:
            HarnessError: a line was changed; the error names the first one.
        """
        lines: list[LedgerLine] = []
        for number, text in enumerate(filter(None, self._text().split("\n")), start=1):
            try:
                line: Any = json.loads(text)
            except (ValueError, RecursionError):
                line = None
            if not isinstance(line, dict) or line != sealed(line):
                raise HarnessError(
                    f"{self.path}:{number}: this line was changed after it was written; {MEND}"
                )
            if line.get("previous") != (lines[-1]["sha256"] if lines else GENESIS):
                raise HarnessError(
                    f"{self.path}:{number}: a line before this one was removed or moved; {MEND}"
                )
            lines.append(line)
        return lines

    def look(self, keys: Sequence[tuple[str, ...]], data_sha256: str) -> Look:
        """Return what earlier evaluations make of a new one.

        An earlier evaluation counts if it holds at least a tenth of the questions. A line of before
        0.6.0 has no keys of questions; it counts if it is of the same data.

        Args:
            keys: of each test question (see ``Benchmark.question_keys``).
            data_sha256: hash of the data.
        """
        earlier, seen = [], np.zeros(len(keys), dtype=np.bool_)
        for line in self.entries():
            line_keys = unpack_keys(line.get("questions", ""))
            held = np.array(
                [not line_keys.isdisjoint(question) for question in keys], dtype=np.bool_
            )
            if "questions" not in line and line.get("data_sha256") == data_sha256:
                held[:] = True
            seen |= held
            if len(keys) and held.sum() >= SHARE * len(keys):
                earlier.append(line)
        return Look(earlier, int(seen.sum()), len(keys))

    def of_lock(self, sha256: str) -> list[LedgerLine]:
        """Return the evaluations of the sweep with this lock."""
        return [entry for entry in self.entries() if entry.get("lock_sha256") == sha256]

    def check_whole(self, folder: Path, lock_sha256: str) -> None:
        """Raise HarnessError if a sweep's folder without an evaluation has one in the ledger."""
        if seen := self.of_lock(lock_sha256):
            raise HarnessError(
                f"{folder}: lacks the files of evaluation {seen[-1]['evaluation']} of test, "
                f"which is in {self.path}; "
                f"run `harness heldout sweep={folder}`: it completes the same evaluation"
            )

    def append(self, facts: Mapping[str, object]) -> LedgerLine:
        """Add an evaluation: ``facts``, the time and the chain.

        A damaged ledger raises HarnessError. The file is written next to itself and renamed: on a
        full disk it does not change.
        """
        with self.exclusive():
            lines = self.entries()
            previous = lines[-1]["sha256"] if lines else GENESIS
            line = sealed({"time": time_now(), **facts, "previous": previous})
            before = self._text()
            if before and not before.endswith("\n"):
                before += "\n"
            write_text(self.path, f"{before}{json.dumps(line, sort_keys=True)}\n")
            return cast("LedgerLine", line)

    @contextlib.contextmanager
    def exclusive(self) -> Iterator[None]:
        """Lock the ledger for this process; a process that waits logs the reason. Blocks may be
        nested.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            try:
                self._lock.acquire(timeout=0.5)  # seconds
            except Timeout:
                log.warning(
                    "%s: another process evaluates a test split; waiting until it has ended",
                    self.path,
                )
                self._lock.acquire()
        except OSError as error:
            raise HarnessError(
                f"{self.path}: cannot be locked ({error.strerror}); make its folder writable"
            ) from error
        try:
            yield
        finally:
            self._lock.release()

    def _text(self) -> str:
        try:
            return self.path.read_text(encoding="utf-8", errors="replace")
        except FileNotFoundError:
            return ""
        except OSError as error:
            folder = f"it is a folder; name a file: paths.ledger={self.path}/ledger.jsonl"
            mend = folder if self.path.is_dir() else MEND
            raise HarnessError(f"{self.path}: cannot be read ({error.strerror}); {mend}") from error

    @cached_property
    def _lock(self) -> FileLock:
        return FileLock(self.path.with_suffix(".lock"), is_singleton=True)
