"""Initials: D. Lynch, where David Lynch is spoken of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from harness.benchmark import Benchmark
from harness.graph.alias import Rows, names_by_passage, rows
from harness.graph.extractor import Extraction


@dataclass(frozen=True)
class Initials:
    """In a passage, a name with initials stands for the one name there that spells them out: the
    same last word, and before it as many words or more, which begin with those of the short name in
    order (``d lynch``, ``j r r tolkien``).
    """

    version: ClassVar[int] = 1

    def find(self, benchmark: Benchmark, extraction: Extraction) -> Rows:
        """See ``harness.graph.alias.Alias``."""
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
    return all(
        any(word == part or (len(part) == 1 and word[0] == part) for word in given)
        for part in short[:-1]
    )
