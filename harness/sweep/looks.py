"""Looks at test outside the protocol: what scores or shows test questions is noted, for this user, in one file.

The ledger of a runs folder numbers the evaluations of the protocol. This file (``paths.looks``, below the user's cache)
outlives a runs folder and also knows ``evaluate``, ``compare``, ``answer`` and ``trace``: how often were these
questions looked at? They are known by the ids of the test questions, whatever file they came from.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from harness.benchmark import md5_split
from harness.core.errors import HarnessError
from harness.core.identity import texts_sha256
from harness.sweep.ledger import Ledger

log = logging.getLogger(__name__)


def note_look(
    path: str | None, command: str, source: str, ids: Iterable[str], evaluation: str | None = None
) -> dict[str, Any]:
    """Note that a command looks at the test questions among these; ``{"test_questions", "looks"}`` with this one.

    path: the file; None notes nothing. source: the benchmark or file that the questions are of; ids: those of them that
    are scored or shown. evaluation: the hash of a ledger's line, which is noted once. looks: None where none is noted:
    no test question, no file, or one that cannot be written.
    """
    test = _of_test(ids)
    found: dict[str, Any] = {"test_questions": len(test), "looks": None}
    if test and path is not None:
        ledger, questions = Ledger(Path(path)), texts_sha256(test)
        try:
            with ledger.exclusive():
                if evaluation is None or not _count(ledger.path, evaluation):
                    facts = {"command": command, "source": Path(source).name, "questions": questions, "n": len(test)}
                    ledger.append({**facts, **({"evaluation": evaluation} if evaluation else {})})
                found["looks"] = _count(ledger.path, questions)
        except HarnessError as error:
            log.warning("this look at test is not noted: %s", error)
    return found


def count_looks(path: str | None, ids: Iterable[str]) -> int:
    """How many looks at the test questions among these are known."""
    return 0 if path is None else _count(Path(path), texts_sha256(_of_test(ids)))


def describe_looks(found: dict[str, Any], n: int, path: str | None) -> str:
    """What ``note_look`` found, for people; empty where none of the ``n`` questions is of test."""
    if not found["test_questions"]:
        return ""
    share = f"{found['test_questions']} of these {n} questions are test questions"
    return share if found["looks"] is None else f"{share}; look {found['looks']} at them that {path} knows of"


def _of_test(ids: Iterable[str]) -> list[str]:
    return sorted(name for name in ids if md5_split(name) == "test")


def _count(path: Path, sha256: str) -> int:
    """The lines that hold a hash."""
    if not path.is_file():
        return 0
    return sum(sha256 in line for line in path.read_text(encoding="utf-8", errors="replace").splitlines())
