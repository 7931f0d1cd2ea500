"""Initials: D. Lynch as a name of David Lynch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from harness.benchmark import Benchmark
from harness.graph.alias import Rows, names_by_passage, rows
from harness.graph.extractor import Extraction


@dataclass(frozen=True)
class Initials:
    """An alias rule for names with initials.

    In a passage, such a name refers to the only name there that spells it out: with the same last
    word, and before it as many or more words, which begin with those of the short name in order
    (``d lynch``, ``j r r tolkien``).
    """

    version: ClassVar[int] = 1

    def find(self, benchmark: Benchmark, extraction: Extraction) -> Rows:
        """Return the aliases. See ``harness.graph.alias.Alias``."""
        found = []
        split = [name.split() for name in extraction.names]
        for passage, names in enumerate(names_by_passage(extraction)):
            short = [name for name in names if any(len(word) == 1 for word in split[name][:-1])]
            for name in short:
                meant = [other for other in names if _spells(split[other], split[name])]
                if len(meant) == 1:
                    found.append((passage, name, meant[0]))
        return rows(found)


def _spells(full: list[str], short: list[str]) -> bool:
    if (
        full == short
        or full[-1] != short[-1]
        or len(short[-1]) < 2
        or any(len(word) == 1 for word in full)
    ):
        return False
    given = iter(full[:-1])
    for part in short[:-1]:
        if not any(word == part or (len(part) == 1 and word[0] == part) for word in given):
            return False
    return True
