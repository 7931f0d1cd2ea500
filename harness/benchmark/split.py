"""Which questions may be chosen on (tune) and which are test: by the MD5 of their ids, by clusters,
or as is given.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from harness.benchmark.cluster import cluster_names
from harness.core.concepts import package_folder
from harness.core.errors import HarnessError, MissingFile, nearest, one_of, texts_of
from harness.core.input import numbered_lines

log = logging.getLogger(__name__)
Split = Literal["tune", "test"]
SPLITS = ("tune", "test", "all")
Splitting = str | Mapping[str, str]
"""``md5``: each question by the MD5 of its id. ``disjoint``: whole clusters by that of their
smallest id. ``given``: by the field ``split`` of each question, whose names mean what MEANING says;
a mapping does so too, and says what other names mean, ``{blind: test}``. Any other text is a file
with lines `id split`.
"""
RULES = ("md5", "disjoint", "given")
MEANING: Mapping[str, str] = {
    "tune": "tune",
    "dev": "tune",
    "train": "tune",
    "validation": "tune",
    "test": "test",
}
LINE = "id split"
QUESTIONS = "tune_questions.txt"
"""In ``datasets``: a line for each tune question of a benchmark, its name and the ``text_hash`` of
the question.
"""


def md5_split(query_id: str) -> Split:
    """The split of a query, which depends on its id alone.

    Args:
        query_id: of the query.

    Returns:
        ``tune`` when the MD5 of the id, read as an integer, is even; else ``test``.
    """
    (text,) = texts_of("query_id", [query_id])
    number = int(hashlib.md5(text.encode(), usedforsecurity=False).hexdigest(), 16)
    return "tune" if number % 2 == 0 else "test"


def read_splitting(knob: str, value: Splitting) -> Splitting:
    """A rule, a file, or a mapping to tune and test, as it stands in a configuration. knob: as it
    is typed.

    Raises HarnessError for anything else.
    """
    if isinstance(value, Mapping):
        for name, meaning in value.items():
            one_of(f"{knob}.{name}", meaning, ("tune", "test"))
        return {str(name): str(meaning) for name, meaning in value.items()}
    if str(value) not in RULES and not Path(str(value)).is_file():
        raise MissingFile(
            f"{knob}={value} is neither {', '.join(RULES)} nor a file with lines "
            f"`{LINE}`{nearest(str(value), RULES)}",
            str(value),
        )
    return str(value)


def splitting_name(splitting: Splitting) -> str:
    """``md5``, ``disjoint`` or, wherever it is given, ``given``."""
    return splitting if isinstance(splitting, str) and splitting in RULES else "given"


def split_queries(
    splitting: Splitting,
    query_ids: Sequence[str],
    source: str,
    knob: str,
    given: Callable[[], Sequence[str | None]] | None = None,
    gold: Callable[[], NDArray[np.int32]] | None = None,
) -> NDArray[np.str_]:
    """str[Q]: ``tune`` or ``test`` of each question.

    source: whose questions they are, for messages.    knob: the splitting's, as it is typed.
    given: their field
    ``split``, None where one has none.    gold: int32[Q, H], passage numbers. Raises HarnessError
    where a rule needs what is not there, for questions without a split, and for a name of which it
    is not known what it means.
    """
    if splitting == "md5":
        return np.array([md5_split(name) for name in query_ids], dtype="<U4")
    if splitting == "disjoint":
        if gold is None:
            raise HarnessError(
                f"{knob}=disjoint needs to know which queries share passages; give "
                "gold=queries.jsonl"
            )
        return np.array([md5_split(name) for name in cluster_names(query_ids, gold())], dtype="<U4")
    if splitting != "given" and isinstance(splitting, str):
        placed = read_splits(Path(splitting))
        return _found(
            query_ids,
            [placed.get(query) for query in query_ids],
            MEANING,
            source,
            f"add it to {splitting}",
        )
    if given is None:
        raise HarnessError(
            f"{knob}=given needs questions with a field `split`; give gold=queries.jsonl"
        )
    meaning = {**MEANING, **({} if isinstance(splitting, str) else splitting)}
    names = given()
    _check_meaning(names, meaning, source, knob)
    mend = f"give each a field `split`, or {knob}=FILE of lines `{LINE}`"
    return _found(query_ids, names, meaning, source, mend)


def _check_meaning(
    names: Sequence[str | None], meaning: Mapping[str, str], source: str, knob: str
) -> None:
    """Raise HarnessError for the name of a split of which it is not known what it means."""
    counts = Counter(name for name in names if name is not None)
    unknown = [name for name in counts if name not in meaning]
    if unknown:
        found = ", ".join(f"{name} ({counts[name]})" for name in unknown)
        raise HarnessError(
            f"{source}: questions of split {found}, known: {', '.join(meaning)}; say what it "
            "means: "
            f"'{knob}={{{unknown[0]}: test}}' (or tune)"
        )


def read_splits(path: Path) -> dict[str, str]:
    """The split of each id in a file of lines `id split`, plain or gzip, parted by blanks or tabs;
    `id split` may head.

    Raises HarnessError with file and line for another form, an id that comes twice, and an unknown
    split.
    """
    found: dict[str, tuple[str, int]] = {}
    for number, line in numbered_lines(path):
        where, fields = f"{path}:{number}", line.decode(errors="replace").split()
        if number == 1 and fields[1:] == ["split"]:
            continue
        if len(fields) != 2:
            raise HarnessError(
                f"{where}: expected `{LINE}`, found {len(fields)} fields: {' '.join(fields)[:60]!r}"
            )
        query, name = fields
        if name not in MEANING:
            raise HarnessError(
                f"{where}: split {name} of {query} is none of {', '.join(MEANING)}; write one of "
                "them"
            )
        if query in found:
            raise HarnessError(
                f"{where}: {query} stands in line {found[query][1]} already; keep one"
            )
        found[query] = name, number
    return {query: name for query, (name, _) in found.items()}


def say_unused(splitting: Splitting, given: Sequence[str | None], source: str, knob: str) -> None:
    """Warn where questions carry a split and the rule does not use it."""
    if splitting_name(splitting) != "given" and any(given):
        counts = ", ".join(f"{name or 'none'} {count}" for name, count in Counter(given).items())
        log.warning(
            "%s: its questions carry a split (%s), which %s=%s does not use; %s=given does",
            source,
            counts,
            knob,
            splitting,
            knob,
        )


def _found(
    query_ids: Sequence[str],
    names: Sequence[str | None],
    meaning: Mapping[str, str],
    source: str,
    mend: str,
) -> NDArray[np.str_]:
    missing = [query for query, name in zip(query_ids, names, strict=True) if name is None]
    if missing:
        raise HarnessError(
            f"{source}: {len(missing)} of its {len(query_ids)} questions have no split, e.g. "
            f"{missing[0]}; {mend}"
        )
    return np.array([meaning[str(name)] for name in names], dtype="<U4")


def text_hash(question: str) -> str:
    """Eight hex digits of the MD5 of a question's words in small letters, without signs."""
    words = " ".join(re.findall(r"\w+", question.lower()))
    return hashlib.md5(words.encode(), usedforsecurity=False).hexdigest()[:8]


def are_tune_questions(questions: Sequence[str], benchmarks: Iterable[str]) -> NDArray[np.bool_]:
    """bool[Q]: which of these texts are those of tune questions (by md5) of the benchmarks,
    whatever their ids.
    """
    known = frozenset[str]().union(*(_hashes().get(name, frozenset()) for name in benchmarks))
    return np.array(
        [bool(known) and text_hash(text) in known for text in questions], dtype=np.bool_
    )


@functools.cache
def _hashes() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for line in (package_folder("datasets") / QUESTIONS).read_text(encoding="utf-8").splitlines():
        name, one = line.split()
        found.setdefault(name, set()).add(one)
    return {name: frozenset(hashes) for name, hashes in found.items()}
