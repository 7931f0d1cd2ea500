"""The questions that shipped weights were chosen on, known by their texts: their ids may be others elsewhere."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from harness.core.concepts import package_folder

FILE = "tune_questions.txt"
"""In ``datasets``: a line for each tune question of a benchmark, its name and the ``text_hash`` of the question."""


def text_hash(question: str) -> str:
    """Eight hex digits of the MD5 of a question's words in small letters, without signs."""
    words = " ".join(re.findall(r"\w+", question.lower()))
    return hashlib.md5(words.encode(), usedforsecurity=False).hexdigest()[:8]


def are_tune_questions(questions: Sequence[str], benchmarks: Iterable[str]) -> NDArray[np.bool_]:
    """bool[Q]: which of these texts are those of tune questions (by md5) of the benchmarks, whatever their ids."""
    known = frozenset[str]().union(*(_hashes().get(name, frozenset()) for name in benchmarks))
    return np.array([bool(known) and text_hash(text) in known for text in questions], dtype=np.bool_)


@cache
def _hashes() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for line in (package_folder("datasets") / FILE).read_text(encoding="utf-8").splitlines():
        name, one = line.split()
        found.setdefault(name, set()).add(one)
    return {name: frozenset(hashes) for name, hashes in found.items()}
