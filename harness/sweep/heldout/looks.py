"""Looks at test outside the protocol: what scores or shows test questions is noted, for this user, in one file.

The ledger of a runs folder numbers the evaluations of the protocol. This file (``paths.looks``, below the user's cache)
outlives a runs folder and also knows ``evaluate``, ``compare``, ``answer`` and ``trace``: how often were these
questions looked at? They are known by the ids of the test questions, whatever file they came from. The ledger is the
authority for evaluations: one whose look could not be noted stands, counts, and is noted by the next.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from harness.benchmark import md5_split
from harness.core.errors import HarnessError
from harness.core.identity import texts_sha256
from harness.sweep.heldout.ledger import Ledger

log = logging.getLogger(__name__)


def note_look(
    path: str | None, command: str, source: str, ids: Iterable[str], evaluations: Sequence[str] | None = None
) -> dict[str, Any]:
    """Note that a command looks at the test questions among these; ``{"test_questions", "looks"}`` with this one.

    path: the file; None notes nothing. source: the benchmark or file that the questions are of; ids: those of them that
    are scored or shown. evaluations: hashes of lines of a ledger, each of which is noted once. looks: None where none
    is noted: no test question, no file, or one that cannot be written.
    """
    test = _of_test(ids)
    found: dict[str, Any] = {"test_questions": len(test), "looks": None}
    if test and path is not None:
        ledger, questions = Ledger(Path(path)), texts_sha256(test)
        facts = {"command": command, "source": Path(source).name, "questions": questions, "n": len(test)}
        try:
            with ledger.exclusive():
                known = _read(ledger.path)
                due = [{}] if evaluations is None else [{"evaluation": line} for line in _missing(evaluations, known)]
                for look in due:
                    ledger.append({**facts, **look})
                found["looks"] = _count(known, questions) + len(due)
        except HarnessError as error:
            why = "; the next held-out evaluation of this data notes it" if evaluations else ""
            log.warning("this look at test is not noted: %s%s", error, why)
    return found


def count_looks(path: str | None, ids: Iterable[str], evaluations: Iterable[str] = ()) -> int:
    """How many looks at the test questions among these are known: those in the file, and the evaluations it lacks.

    So a look that could not be noted (a full disk) counts all the same: the ledger holds the evaluation.
    """
    if path is None:
        return 0
    try:
        known = _read(Path(path))
    except HarnessError as error:
        log.warning("the looks at test that were noted are not counted: %s", error)
        known = []
    return _count(known, texts_sha256(_of_test(ids))) + len(_missing(evaluations, known))


def describe_looks(found: dict[str, Any], n: int, path: str | None) -> str:
    """What ``note_look`` found, for people; empty where none of the ``n`` questions is of test."""
    if not found["test_questions"]:
        return ""
    share = f"{found['test_questions']} of these {n} questions are test questions"
    return share if found["looks"] is None else f"{share}; look {found['looks']} at them that {path} knows of"


def _of_test(ids: Iterable[str]) -> list[str]:
    return sorted(name for name in ids if md5_split(name) == "test")


def _read(path: Path) -> list[str]:
    """The lines of the file; none when there is no file."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise HarnessError(f"{path}: cannot be read ({error.strerror}); make it readable, or remove it") from error


def _count(lines: Iterable[str], sha256: str) -> int:
    """The lines that hold a hash."""
    return sum(sha256 in line for line in lines)


def _missing(evaluations: Iterable[str], lines: Sequence[str]) -> list[str]:
    return [sha256 for sha256 in evaluations if not _count(lines, sha256)]
