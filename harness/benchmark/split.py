"""The split of questions into tune, on which choices are made, and test: by the MD5 of ids, by
clusters, or as given.
"""

from __future__ import annotations

import hashlib
import logging
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from harness.core.arrays import BoolArray, Int32Array, Int64Array
from harness.core.concepts import package_folder
from harness.core.errors import HarnessError, MissingFile, nearest, one_of, texts_of
from harness.core.input.read import numbered_lines

log = logging.getLogger(__name__)
Split = Literal["tune", "test"]
SPLITS = ("tune", "test", "all")
Splitting = str | Mapping[str, str]
"""The rule of a split.

``md5`` uses the MD5 of each question's id. ``disjoint`` uses that of the smallest id of a cluster
for all its questions. ``given`` uses the field ``split`` of each question, with the names in
MEANING. A mapping does the same and defines other names, ``{blind: test}``. Any other text is a
file with lines `id split`.
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
"""A file in ``datasets`` with a line for each tune question: the benchmark's name and the
``text_hash`` of the question.
"""


def md5_split(query_id: str) -> Split:
    """Return the split of a query, which depends only on its id.

    Args:
        query_id: the id.

    Returns:
        ``tune`` if the MD5 of the id, read as an integer, is even; otherwise ``test``.
    """
    (text,) = texts_of("query_id", [query_id])
    return "tune" if _md5(text) % 2 == 0 else "test"


def read_splitting(knob: str, value: Splitting) -> Splitting:
    """Return a splitting of a configuration: a rule, a file, or a mapping to tune and test.

    Args:
        knob: the key as it is typed.
        value: its value.

    Raises:
        HarnessError: any other value.
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
    """Return ``md5``, ``disjoint``, or ``given`` for any form of a given split."""
    return splitting if isinstance(splitting, str) and splitting in RULES else "given"


def split_queries(
    splitting: Splitting,
    query_ids: Sequence[str],
    source: str,
    knob: str,
    given: Callable[[], Sequence[str | None]] | None = None,
    gold: Callable[[], Int32Array] | None = None,
) -> NDArray[np.str_]:
    """Return str[Q], ``tune`` or ``test`` of each question.

    Args:
        splitting: the rule.
        query_ids: the ids of the questions.
        source: their name for messages.
        knob: the key of the splitting, as typed.
        given: returns their field ``split``, None for a missing one.
        gold: returns int32[Q, H], passage numbers.

    Raises:
        HarnessError: the rule needs a missing argument, a question has no split, or the meaning of
            a name is unknown.
    """
    if splitting in ("md5", "disjoint"):
        if splitting == "disjoint":
            if gold is None:
                raise HarnessError(
                    f"{knob}=disjoint needs to know which queries share passages; give "
                    "gold=queries.jsonl"
                )
            query_ids = cluster_names(query_ids, gold())
        return np.array([md5_split(name) for name in query_ids], dtype="<U4")
    meaning, mend = MEANING, f"add it to {splitting}"
    if isinstance(splitting, str) and splitting != "given":
        placed = read_splits(Path(splitting))
        names: Sequence[str | None] = [placed.get(query) for query in query_ids]
    elif given is None:
        raise HarnessError(
            f"{knob}=given needs questions with a field `split`; give gold=queries.jsonl"
        )
    else:
        names, mend = given(), f"give each a field `split`, or {knob}=FILE of lines `{LINE}`"
        meaning = {**MEANING, **({} if isinstance(splitting, str) else splitting)}
    counts = Counter(names)
    if unknown := [name for name in counts if name not in (None, *meaning)]:
        unknown_counts = ", ".join(f"{name} ({counts[name]})" for name in unknown)
        raise HarnessError(
            f"{source}: questions of split {unknown_counts}, known: {', '.join(meaning)}; say what "
            f"it means: '{knob}={{{unknown[0]}: test}}' (or tune)"
        )
    if None in counts:
        raise HarnessError(
            f"{source}: {counts[None]} of its {len(names)} questions have no split, e.g. "
            f"{query_ids[list(names).index(None)]}; {mend}"
        )
    return np.array([meaning[str(name)] for name in names], dtype="<U4")


def read_splits(path: Path) -> dict[str, str]:
    """Return the split of each id in a file of lines `id split`, separated by blanks or tabs, plain
    or packed.

    A first line `id split` is skipped.

    Raises:
        HarnessError: another form, a repeated id, or an unknown split; names file and line.
    """
    splits: dict[str, str] = {}
    for number, line in numbered_lines(path):
        fields = line.decode(errors="replace").split()
        if number == 1 and fields[1:] == ["split"]:
            continue
        if len(fields) != 2 or fields[1] not in MEANING or fields[0] in splits:
            raise HarnessError(
                f"{path}:{number}: expected `{LINE}` with each id once and one of the splits "
                f"{', '.join(MEANING)}, found {' '.join(fields)[:60]!r}"
            )
        splits[fields[0]] = fields[1]
    return splits


def say_unused(splitting: Splitting, splits: Sequence[str | None], source: str, knob: str) -> None:
    """Warn if questions have a split and the rule does not use it."""
    if splitting_name(splitting) != "given" and any(splits):
        counts = ", ".join(f"{name or 'none'} {count}" for name, count in Counter(splits).items())
        log.warning(
            "%s: its questions carry a split (%s), which %s=%s does not use; %s=given does",
            source,
            counts,
            knob,
            splitting,
            knob,
        )


def text_hash(question: str) -> str:
    """Return eight hex digits of the MD5 of a question's words in lower case, without
    punctuation.
    """
    words = " ".join(re.findall(r"\w+", question.lower()))
    return hashlib.md5(words.encode(), usedforsecurity=False).hexdigest()[:8]


def are_tune_questions(questions: Sequence[str], benchmarks: Iterable[str]) -> BoolArray:
    """Return bool[Q], which texts are those of tune questions (by md5) of the benchmarks, whatever
    their ids.
    """
    lines = (package_folder("datasets") / QUESTIONS).read_text(encoding="utf-8").splitlines()
    wanted = set(benchmarks)
    known = {text_sha for name, text_sha in map(str.split, lines) if name in wanted}
    return np.array([bool(known) and text_hash(text) in known for text in questions], np.bool_)


FOLDS = 5
"""Number of folds, for methods that learn from some questions and are scored on others."""


def clusters(gold: Int32Array) -> Int64Array:
    """Return int64[Q]: queries with the same number are linked by shared gold passages, directly or
    through others.

    Numbers are counted by first appearance.

    Args:
        gold: int32[Q, H], passage numbers, -1 for none.
    """
    rows, places = np.nonzero(gold >= 0)
    passages = gold[rows, places]
    labels = np.arange(len(gold))
    while True:  # the smallest number of a cluster spreads over its passages
        least = np.full(int(gold.max(initial=0)) + 1, len(gold))
        np.minimum.at(least, passages, labels[rows])
        spread = labels.copy()
        np.minimum.at(spread, rows, least[passages])
        np.minimum.at(spread, labels[rows], least[passages])
        spread = spread[spread]
        if np.array_equal(spread, labels):
            return np.unique(labels, return_inverse=True)[1].astype(np.int64)
        labels = spread


def cluster_names(query_ids: Sequence[str], gold: Int32Array) -> list[str]:
    """Return the smallest query id of each query's cluster. Its MD5 decides the side of a
    ``disjoint`` split.
    """
    return smallest_ids(query_ids, clusters(gold))


def smallest_ids(query_ids: Sequence[str], labels: Int64Array) -> list[str]:
    """Return, for each query, the smallest id among the queries with the same label."""
    smallest: dict[int, str] = {}
    for label, name in zip(labels.tolist(), query_ids, strict=True):
        smallest[label] = min(name, smallest.get(label, name))
    return [smallest[label] for label in labels.tolist()]


def share_gold(gold: Int32Array, other: Int32Array) -> BoolArray:
    """Return bool[Q], which queries of ``gold`` [Q, H] share a gold passage with a query of
    ``other``.
    """
    return np.asarray(np.isin(gold, other[other >= 0]).any(axis=1))


def folds(names: Sequence[str]) -> Int64Array:
    """Return int64[n], the fold of each name: half of its MD5 (the last bit is the split), modulo
    FOLDS.
    """
    return np.array([_md5(name) // 2 % FOLDS for name in names], dtype=np.int64)


def _md5(text: str) -> int:
    return int(hashlib.md5(text.encode(), usedforsecurity=False).hexdigest(), 16)
