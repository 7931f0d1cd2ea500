"""Looks at test outside the protocol: what scores or shows test questions is a line of a ledger,
``paths.looks``.

The ledger of a runs folder numbers the evaluations of the protocol. That of looks (below the user's
cache) outlives a runs folder and also knows ``evaluate``, ``compare``, ``answer``, ``diagnose`` and
``trace``: how often were these questions looked at? Looks are counted by question, whatever a
splitting called it then: one that was scored as a question of tune, under a split of one's own, was
looked at all the same. The looks at a test are those at the question of it that had most. The
ledger is the authority for evaluations: one whose look could not be noted stands, counts, and is
noted by the next.
"""

from __future__ import annotations

import hashlib
import logging
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from typing_extensions import TypedDict

from harness.benchmark.source import SPAN
from harness.core.errors import HarnessError
from harness.core.identity import texts_sha256
from harness.core.table import counted, p_value, shown
from harness.evaluation.gold import Gold
from harness.evaluation.statistic import charge
from harness.sweep.heldout.ledger import Ledger, Look

if TYPE_CHECKING:
    from harness.evaluation.system_comparison import SystemComparison

log = logging.getLogger(__name__)
DIGITS = 12
"""Of the hash that a question is known by."""
IN_USE = "the split in use"
EVALUATED = "an earlier held-out evaluation"
"""What names test questions, whatever a split calls them now."""


class Noted(TypedDict, total=False):
    """What is known of a look once it is noted (see ``note_look``); empty where there was none to
    note.
    """

    test_questions: int
    looks: int | None
    test_splits: dict[str, int]


@dataclass(frozen=True)
class QuestionSet:
    """Questions that a command scores or shows.

    source: the benchmark or file that they are of.    passages: of each question its gold passages,
    by which it is
    known beside its id; none of one whose gold is not known.    tests: the ids of those of test by
    the split that says so, the one in use first. Questions that a held-out evaluation had as test
    are of test, whatever they are called.
    """

    source: str
    passages: Mapping[str, Iterable[str]]
    tests: Mapping[str, Collection[str]]

    @classmethod
    def of(cls, gold: Gold, test: Collection[str] | None = None) -> QuestionSet:
        """Those of a gold.    test: the ids of test, where a benchmark's split says so; None: as
        the gold does.
        """
        return cls(gold.source, gold.relevant(), gold.tests if test is None else {IN_USE: test})

    @property
    def test(self) -> set[str]:
        """All that some split calls test."""
        return set().union(*self.tests.values())

    @property
    def keys(self) -> dict[str, str]:
        """What each question is known by, its id first."""
        documents = {
            name: {_document(passage) for passage in own} for name, own in self.passages.items()
        }
        return {name: "\0".join([name, *sorted(own)]) for name, own in sorted(documents.items())}


def note_look(
    path: str | None, command: str, asked: QuestionSet, evaluations: Sequence[str] | None = None
) -> Noted:
    """Note that a command looks at these questions; ``{"test_questions", "looks"}`` with this one.

    path: the file; None notes nothing.    evaluations: hashes of lines of a ledger, each of which
    is noted once.
    test_splits: where the split in use does not name all of them, how many each names. looks: None
    where none is noted: no test question, no file, or one that cannot be written.
    """
    splits = {name: {*ids} for name, ids in asked.tests.items()}
    in_use, test, keys = next(iter(splits.values())), asked.test, asked.keys
    found: Noted = {"test_questions": len(test), "looks": None}
    if path is not None and not str(path).strip():
        raise HarnessError(
            "paths.looks (HARNESS_LOOKS) is empty: name a file, or give null to note no look"
        )
    if keys and path is not None:
        ledger = Ledger(Path(path))
        try:
            with ledger.exclusive():
                known = _looks(ledger)
                splits[EVALUATED] = _evaluated(keys, known)
                test |= splits[EVALUATED]
                found["test_questions"] = len(test)
                facts = _facts(command, asked.source, list(keys.values()), known)
                known += [
                    cast("Look", ledger.append({**facts, **look}))
                    for look in _due(evaluations, known)
                ]
                found["looks"] = (
                    _count(known, {name: keys[name] for name in sorted(test)}) if test else None
                )
        except HarnessError as error:
            why = "; the next held-out evaluation of this data notes it" if evaluations else ""
            log.warning("this look at test is not noted: %s%s", error, why)
    if test != in_use:
        found["test_splits"] = {name: len(ids) for name, ids in splits.items() if ids}
    return found


def count_looks(
    path: str | None, asked: QuestionSet, evaluations: Sequence[str] = ()
) -> int | None:
    """How many looks at the test questions among these are known: those in the file, and the
    evaluations it lacks.

    So a look that could not be noted (a full disk) counts all the same: the ledger holds the
    evaluation. None where nothing is recorded: no file is kept, or it cannot be read, and the
    ledger knows of none either.
    """
    known: list[Look] = []
    try:
        recorded = path is not None
        known = _looks(Ledger(Path(path))) if path is not None else []
    except HarnessError as error:
        recorded = False
        log.warning("the looks at test that were noted are not counted: %s", error)
    keys, test = asked.keys, asked.test
    count = _count(known, {name: key for name, key in keys.items() if name in test})
    count += len(_missing(evaluations, known))
    return count if recorded else count or None


def describe_looks(found: Noted, n: int, path: str | None) -> str:
    """What ``note_look`` found, for people; empty where none of the ``n`` questions is of test."""
    if not found["test_questions"]:
        return ""
    count = found["test_questions"]
    share, those = f"{count} of these {n} questions are test questions", "them"
    if count == 1:
        share, those = (
            "a test question" if n == 1 else f"1 of these {n} questions is a test question",
            "it",
        )
    named = [f"{own} by {name}" for name, own in found.get("test_splits", {}).items()]
    share += f" ({', '.join(named)})" if named else ""
    known = (
        "is not recorded"
        if found["looks"] is None
        else f"{found['looks']} at {those} that {path} knows of"
    )
    return f"{share}; look {known}"


def charged(p: float | None, looks: int | None) -> float | None:
    """A p at look number ``looks`` at test questions, times what that look costs (see ``charge``);
    None without one.
    """
    return min(1.0, p * charge(looks)) if p is not None and looks else None


def describe_charge(found: Sequence[SystemComparison], looks: int | None) -> str:
    """What is still shown of the differences when their p is charged for this look; empty where
    nothing was shown.
    """
    above = [one for one in found if one.finding != "even"]
    if not looks or not above:
        return ""
    told = [
        (one, charged(one.p_deciding if one.p_holm is None else one.p_holm, looks)) for one in above
    ]
    kept = [f"{one.name} by {one.metric}, p {p_value(p)}" for one, p in told if shown(p)]
    left = f"still shown: {'; '.join(kept)}" if kept else "no difference is shown any more"
    return (
        f"This is look {looks} at these test questions, so each p counts times "
        f"{charge(looks):.2f}; of "
        f"{counted(len(above), 'difference')} above {left}"
    )


def _document(passage: str) -> str:
    match = SPAN.fullmatch(passage)
    return match["document"] if match else passage


def _digests(texts: Iterable[str]) -> list[str]:
    return [hashlib.md5(text.encode()).hexdigest()[:DIGITS] for text in texts]


def _names(keys: Mapping[str, str]) -> dict[str, str]:
    """The questions by the digests of their keys, and of their ids, which is all that older lines
    have.
    """
    return {
        **dict(zip(_digests(keys), keys, strict=True)),
        **dict(zip(_digests(keys.values()), keys, strict=True)),
    }


def _looks(ledger: Ledger) -> list[Look]:
    """The lines that are looks: where evaluations are in the same ledger, each of them has a look,
    too.
    """
    return [cast("Look", line) for line in ledger.readable() if "questions" in line]


def _count(known: Sequence[Look], test: Mapping[str, str]) -> int:
    """The looks at the question of these that had most; at all of a set of which a line has the
    hash alone.
    """
    own, sets = _names(test), _sets(known)
    for texts in (test, test.values()):
        sets.setdefault(texts_sha256(texts), set(own))
    looks = Counter(
        name
        for one in known
        for name in {own[key] for key in own.keys() & sets.get(one["questions"], ())}
    )
    return max(looks.values(), default=0)


def _facts(
    command: str, source: str, keys: Sequence[str], known: Sequence[Look]
) -> dict[str, object]:
    """What is noted of a look; the digests of its questions where no line has those of the same
    ones.
    """
    questions = texts_sha256(keys)
    facts = {
        "command": command,
        "source": Path(source).name,
        "questions": questions,
        "n": len(keys),
    }
    return facts if questions in _sets(known) else {**facts, "ids": _digests(keys)}


def _due(evaluations: Sequence[str] | None, known: Sequence[Look]) -> list[dict[str, str]]:
    """What the lines to be added have beside that: one look, or those of evaluations that were not
    noted.
    """
    return (
        [{}]
        if evaluations is None
        else [{"evaluation": line} for line in _missing(evaluations, known)]
    )


def _evaluated(keys: Mapping[str, str], known: Sequence[Look]) -> set[str]:
    """Those of some questions that held-out evaluations had as test."""
    own, sets = _names(keys), _sets(known)
    judged = set().union(
        *(sets.get(entry["questions"], set()) for entry in known if entry.get("evaluation"))
    )
    return {own[digest] for digest in own.keys() & judged}


def _sets(known: Sequence[Look]) -> dict[str, set[str]]:
    """The digests of each set of questions, by its hash."""
    return {entry["questions"]: set(ids) for entry in known if (ids := entry.get("ids"))}


def _missing(evaluations: Iterable[str], known: Sequence[Look]) -> list[str]:
    noted = {entry.get("evaluation") for entry in known}
    return [sha256 for sha256 in evaluations if sha256 not in noted]
