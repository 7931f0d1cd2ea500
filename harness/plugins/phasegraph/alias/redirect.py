"""Redirects of an encyclopedia: a title without its leading article or without accents."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from dataclasses import dataclass
from typing import ClassVar

from harness.benchmark import Benchmark
from harness.graph.alias import EVERYWHERE, Rows, rows
from harness.graph.extractor import Extraction

ARTICLES = ("the ", "a ", "an ")


@dataclass(frozen=True)
class Redirect:
    """An alias rule for titles without accents or articles.

    A name that is not a title refers everywhere to the only title that equals it but for marks over
    Latin letters and, with two words or more, a leading article: ``beyonce`` to ``beyoncé``,
    ``rolling stones`` to ``the rolling stones``, but not ``mission`` to ``the mission``.
    """

    version: ClassVar[int] = 2

    def find(self, benchmark: Benchmark, extraction: Extraction) -> Rows:
        """Return the aliases. See ``harness.graph.alias.Alias``."""
        titles = set(extraction.titled[extraction.titled >= 0].tolist())
        target: dict[str, list[int]] = defaultdict(list)
        for number in sorted(titles):
            target[_plain(extraction.names[number])].append(number)
        found = []
        for number, name in enumerate(extraction.names):
            meant = target.get(_plain(name), []) if number not in titles else []
            if len(meant) == 1:
                found.append((EVERYWHERE, number, meant[0]))
        return rows(found)


def _plain(name: str) -> str:
    for article in ARTICLES:
        if name.startswith(article) and " " in name[len(article) :]:
            name = name[len(article) :]
    if name.isascii():
        return name
    kept: list[str] = []
    for part in unicodedata.normalize("NFD", name):
        if not ("\u0300" <= part <= "\u036f" and kept and kept[-1] < "\u0250"):
            kept.append(part)
    return unicodedata.normalize("NFC", "".join(kept))
