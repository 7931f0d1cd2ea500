"""Surnames: Lynch as a name of David Lynch."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import ClassVar

from harness.benchmark import Benchmark
from harness.core.errors import whole_number
from harness.graph.alias import Rows, names_by_passage, rows
from harness.graph.extractor import Extraction

PHRASES = frozenset(("of", "the", "and", "in", "at", "for", "to"))


@dataclass(frozen=True)
class Surname:
    """An alias rule for surnames.

    In a passage, a name of one word that is not a title refers to the only longer name there that
    ends in it, has up to ``longest`` words (>= 2) and none of ``PHRASES`` (``Maria Antonia of
    Austria`` is not called Austria). If there are two such names, it refers to neither.
    """

    version: ClassVar[int] = 2
    longest: int = 4

    def __post_init__(self) -> None:
        whole_number("alias.longest", self.longest, 2)

    def find(self, benchmark: Benchmark, extraction: Extraction) -> Rows:
        """Return the aliases. See ``harness.graph.alias.Alias``."""
        found = []
        split = [name.split() for name in extraction.names]
        titles = set(extraction.titled.tolist())
        for passage, names in enumerate(names_by_passage(extraction)):
            ending: dict[str, list[int]] = defaultdict(list)
            for name in names:
                if 2 <= len(split[name]) <= self.longest and PHRASES.isdisjoint(split[name]):
                    ending[split[name][-1]].append(name)
            for name in names:
                meant = (
                    ending.get(split[name][0], [])
                    if len(split[name]) == 1 and name not in titles
                    else []
                )
                if len(meant) == 1:
                    found.append((passage, name, meant[0]))
        return rows(found)
