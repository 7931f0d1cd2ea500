"""The ledger: every evaluation of a test split, in a file that can only grow.

Each line is a JSON object with its own SHA-256 and that of the line before it; ``ledger.head`` beside it holds the
number of lines and the last hash. So a line that was changed, removed, moved or cut off is found and named. It finds
accidents, not adversaries: who can write the file can write all its hashes.

``experiment.family`` of conf/experiment/*.yaml names a family of experiments: several looks at one test split that were
registered before the first, and are corrected. Its members are all experiments that name it. They are written into the
lock, so that a member that is added after the first look makes another family.
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
from typing import Any

from filelock import FileLock, Timeout

from harness.core.configuration import folders
from harness.core.errors import HarnessError
from harness.core.files import write_text
from harness.core.identity import digest
from harness.evaluation.statistic import charge
from harness.sweep.folder.integrity import LINE
from harness.sweep.folder.lock import misfit

log = logging.getLogger(__name__)
GENESIS = "0" * 64
NAMED = re.compile(r"(?m)^  family: *([\w-]+)")
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
        if count not in (len(found), len(found) - killed):
            raise HarnessError(f"{self.path}: it holds {len(found)} lines, {count} lines were written; {MEND}")
        if last != ends[count]:
            raise HarnessError(f"{self._head}: not the hash of line {count} of {self.path.name}; {MEND}")
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

    def of_lock(self, sha256: str) -> list[dict[str, Any]]:
        """The evaluations of the sweep with this lock."""
        return [entry for entry in self.entries() if entry.get("lock_sha256") == sha256]

    def check_whole(self, folder: Path, lock_sha256: str) -> None:
        """Raise HarnessError where a sweep's folder that shows no evaluation has one here."""
        if looks := self.of_lock(lock_sha256):
            raise HarnessError(
                f"{folder}: lacks the files of evaluation {looks[-1]['evaluation']} of test, which {self.path} holds; "
                f"run `harness heldout sweep={folder}`: it finishes the same evaluation"
            )

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
    return entry if misfit(entry, LINE) is None else None


def _sha256(entry: Mapping[str, Any]) -> str:
    return digest({key: value for key, value in entry.items() if key != "sha256"})


def experiment_family(experiment: Mapping[str, Any] | None, given: Sequence[str]) -> dict[str, Any] | None:
    """``name``, ``member`` (the experiment that the typed overrides ``given`` chose) and ``members``; None for none."""
    name = (experiment or {}).get("family")
    if name is None:
        return None
    typed = (text.lstrip("+").partition("=") for text in given)
    member = next((value for key, _, value in typed if key == "experiment"), None)
    members = sorted(
        path.stem
        for folder in folders()
        for path in (folder / "experiment").glob("*.yaml")
        if name in NAMED.findall(path.read_text(encoding="utf-8"))
    )
    if member not in members:
        raise HarnessError(f"experiment.family={name}: its members are {', '.join(members)}; got experiment={member}")
    return {"name": name, "member": member, "members": members}


def permits(own: Mapping[str, Any] | None, seen: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a member may look though others did: they all are of the same family, and it is none of them."""
    others = [entry.get("family") for entry in seen]
    return own is not None and all(
        other is not None and other["name"] == own["name"] and other["members"] == own["members"]
        and other["member"] != own["member"]
        for other in others
    )  # fmt: skip


def charged(own: Mapping[str, Any] | None, seen: Sequence[Mapping[str, Any]], looks: int | None) -> int:
    """The looks that a test split has had with this one; those of the same family are one, as ``correct`` counts them.

    seen: the evaluations before it.    looks: known ones of any kind before it, theirs among them.
    """
    same = [entry for entry in seen if own is not None and (entry.get("family") or {}).get("name") == own["name"]]
    return 1 + max(looks or 0, len(seen)) - len(same)


def correct(p: float | None, own: Mapping[str, Any] | None, looks: int) -> dict[str, float | None]:
    """A p that was corrected within its experiment, corrected for what else looked at this test.

    ``p_family``: over the members of its family (Bonferroni).    ``p_looks``: that, charged as look number ``looks``
    (see ``charge``): the p that decides on test.
    """
    within = {} if own is None else {"p_family": None if p is None else min(1.0, p * len(own["members"]))}
    spent = within.get("p_family", p)
    return {**within, "p_looks": None if spent is None else min(1.0, spent * charge(looks))}
