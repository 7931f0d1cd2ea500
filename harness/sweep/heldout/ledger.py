"""A ledger: what test splits have seen, in a file that can only grow.

Each line is a JSON object with its own SHA-256 and that of the line before it; ``ledger.head``
beside it holds the number of lines and the last hash. So a line that was changed, removed, moved or
cut off is found and named. It finds accidents, not adversaries: who can write the file can write
all its hashes. What decides on test (``entries``) refuses a damaged ledger; what counts looks
(``readable``) passes over a damaged line and says so.

``paths.ledger`` holds the evaluations of a runs folder, ``paths.looks`` all looks of a user. They
may be one file.

``experiment.family`` of conf/experiment/*.yaml names a family of experiments: several looks at one
test split that were registered before the first, and are corrected. Its members are all experiments
that name it. They are written into the lock, so that a member that is added after the first look
makes another family.
"""

from __future__ import annotations

import contextlib
import datetime
import json
import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Required, cast

from filelock import FileLock, Timeout
from typing_extensions import TypedDict

from harness.core.errors import HarnessError
from harness.core.files import write_text
from harness.core.identity import sealed
from harness.core.input import misfit
from harness.core.table import counted
from harness.evaluation.statistic import charge
from harness.sweep.folder.integrity import Line
from harness.sweep.folder.lock import Family

log = logging.getLogger(__name__)
GENESIS = "0" * 64
MEND = "restore the file from a copy: it is the record of what test splits have seen"


class Look(TypedDict, total=False):
    """A line that is a look, as far as it is read; ``evaluation`` is the hash of the line of an
    evaluation.
    """

    questions: Required[str]
    ids: list[str] | None
    evaluation: str | None
    sha256: str
    previous: str


@dataclass(frozen=True)
class _Chain:
    """The lines of a ledger that are as they were written, what is wrong with the others, and how
    many were written.
    """

    lines: list[Line]
    faults: list[str]
    count: int

    @property
    def last(self) -> str:
        """The hash that the next line holds."""
        return next((line["sha256"] for line in reversed(self.lines) if line["sha256"]), GENESIS)

    def refuse(self) -> None:
        """Raise HarnessError where anything is wrong."""
        if self.faults:
            raise HarnessError(f"{self.faults[0]}; {MEND}")


@dataclass(frozen=True)
class Ledger:
    """The ledger at ``path``."""

    path: Path

    def entries(self) -> list[Line]:
        """All lines, verified. Raises HarnessError that names the first fault of the chain."""
        chain = self._chain()
        chain.refuse()
        return chain.lines

    def readable(self) -> list[Line]:
        """The lines that are as they were written; a warning names the first fault, and how many
        more there are.
        """
        chain = self._chain()
        if chain.faults:
            more = (
                f" (and {counted(len(chain.faults) - 1, 'fault')} more)" if chain.faults[1:] else ""
            )
            log.warning("%s%s; damaged lines are passed over; %s", chain.faults[0], more, MEND)
        return chain.lines

    def _chain(self) -> _Chain:
        lines: list[Line] = []
        faults: list[str] = []
        ends: list[str | None] = [GENESIS]
        for number, text in enumerate(filter(None, self._text().split("\n")), start=1):
            line = _parse(text)
            if line is not None and "sha256" not in line:
                lines.append(
                    {**line, "sha256": "", "previous": ""}
                )  # a look from before looks were chained
                continue
            if line is None or line != sealed(line):
                faults.append(f"{self.path}:{number}: this line was changed after it was written")
                ends.append(None)
                continue
            if ends[-1] not in (None, line.get("previous")):
                faults.append(f"{self.path}:{number}: a line before this one was removed or moved")
            lines.append(line)
            ends.append(line["sha256"])
        try:
            count, last = self._read_head()
        except ValueError as error:
            return _Chain(lines, [*faults, str(error)], len(ends) - 1)
        if count not in (
            len(ends) - 1,
            len(ends) - 2,
        ):  # one less: killed between a line and its head
            faults.append(
                f"{self.path}: it holds {counted(len(ends) - 1, 'line')}, {count} lines were "
                "written"
            )
        elif ends[count] not in (None, last):
            faults.append(f"{self._head}: not the hash of line {count} of {self.path.name}")
        return _Chain(lines, faults, count if faults else len(ends) - 1)

    def _read_head(self) -> tuple[int, str]:
        """How many lines were written, and the hash of the last one. Raises ValueError when that
        file is damaged.
        """
        try:
            text = self._head.read_text(encoding="utf-8")
        except FileNotFoundError:
            return 0, GENESIS
        except (OSError, ValueError) as error:
            raise ValueError(f"{self._head}: cannot be read ({error})") from error
        found = re.fullmatch(r"(\d{1,9}) ([0-9a-f]{64})\s*", text)
        if found is None:
            raise ValueError(f"{self._head}: {text[:40]!r}, expected a number of lines and a hash")
        return int(found[1]), found[2]

    def of(self, data_sha256: str, split: str = "test") -> list[Line]:
        """The evaluations of this split of this data."""
        return [
            entry
            for entry in self.entries()
            if (entry.get("data_sha256"), entry.get("split")) == (data_sha256, split)
        ]

    def of_lock(self, sha256: str) -> list[Line]:
        """The evaluations of the sweep with this lock."""
        return [entry for entry in self.entries() if entry.get("lock_sha256") == sha256]

    def check_whole(self, folder: Path, lock_sha256: str) -> None:
        """Raise HarnessError where a sweep's folder that shows no evaluation has one here."""
        if looks := self.of_lock(lock_sha256):
            raise HarnessError(
                f"{folder}: lacks the files of evaluation {looks[-1]['evaluation']} of test, "
                f"which {self.path} holds; "
                f"run `harness heldout sweep={folder}`: it finishes the same evaluation"
            )

    def append(self, facts: Mapping[str, object]) -> Line:
        """Add a line: ``facts``, the time and the chain, and the evaluation's number of facts about
        ``data_sha256``.

        An evaluation is not added to a damaged ledger (HarnessError); a look is, and hides no
        damage. The file is written again next to itself and renamed: on a full disk it is as it
        was.
        """
        with self.exclusive():
            chain, number = self._chain(), {}
            if "data_sha256" in facts:
                chain.refuse()
                number = {
                    "evaluation": len(self.of(str(facts["data_sha256"]), str(facts["split"]))) + 1
                }
            time = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
            line = sealed({"time": time, **facts, **number, "previous": chain.last})
            before = self._text()
            before += "\n" if before and not before.endswith("\n") else ""
            write_text(self.path, f"{before}{json.dumps(line, sort_keys=True)}\n")
            write_text(self._head, f"{chain.count + 1} {line['sha256']}\n")
            return cast("Line", line)

    @contextlib.contextmanager
    def exclusive(self) -> Iterator[None]:
        """A block that no other process is in; one that has to wait says for what. Blocks may be
        nested.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            try:
                self._lock.acquire(timeout=0.5)  # seconds; a look is noted in less
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
            raise HarnessError(f"{self.path}: cannot be read ({error.strerror}); {MEND}") from error

    @property
    def _head(self) -> Path:
        return self.path.with_suffix(".head")

    @cached_property
    def _lock(self) -> FileLock:
        return FileLock(self.path.with_suffix(".lock"), is_singleton=True)


def _parse(line: str) -> Line | None:
    try:
        entry: Any = json.loads(line)
    except (ValueError, RecursionError):
        return None
    form = Look if isinstance(entry, dict) and "questions" in entry else Line
    return entry if misfit(entry, form) is None else None


def permits(own: Family | None, seen: Sequence[Line]) -> bool:
    """Whether a member may look though others did: they all are of the same family, and it is none
    of them.
    """
    others = [entry.get("family") for entry in seen]
    return own is not None and all(
        other is not None
        and other["name"] == own["name"]
        and other["members"] == own["members"]
        and other["member"] != own["member"]
        for other in others
    )


def charged(own: Family | None, seen: Sequence[Line], looks: int | None) -> int:
    """The looks that a test split has had with this one; those of the same family are one, as
    ``correct`` counts them.

    seen: the evaluations before it.    looks: known ones of any kind before it, theirs among them.
    """
    families = [entry.get("family") for entry in seen]
    same = [
        of for of in families if own is not None and of is not None and of["name"] == own["name"]
    ]
    return 1 + max(looks or 0, len(seen)) - len(same)


def correct(p: float | None, own: Family | None, looks: int) -> dict[str, float | None]:
    """A p that was corrected within its experiment, corrected for what else looked at this test.

    ``p_family``: over the members of its family (Bonferroni).    ``p_looks``: that, charged as look
    number ``looks`` (see ``charge``): the p that decides on test.
    """
    within = (
        {}
        if own is None
        else {"p_family": None if p is None else min(1.0, p * len(own["members"]))}
    )
    spent = within.get("p_family", p)
    return {**within, "p_looks": None if spent is None else min(1.0, spent * charge(looks))}
