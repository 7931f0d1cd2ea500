"""A gazetteer: known names found in texts, longest match first, in time linear in the text (Aho-Corasick)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from harness.benchmark.text.name import Words
from harness.core.errors import HarnessError

_FIRST, _SURROGATES, _LAST = 1, range(0xD800, 0xE000), 0x10FFFF


@dataclass(frozen=True, eq=False)
class Gazetteer:
    """Finds normalised names (words with one space between, none empty).

    Each word of the names is coded as one character and so is each word of a text, hence a match begins and ends at
    a word's boundary, and a match's place is the number of its word. Of overlapping matches the leftmost counts, then
    the longest.
    """

    names: Sequence[str]

    @cached_property
    def _codes(self) -> dict[str, str]:
        vocabulary = dict.fromkeys(word for name in self.names for word in name.split(" "))
        if len(vocabulary) > _LAST - len(_SURROGATES) - _FIRST:
            raise HarnessError(f"the titles have {len(vocabulary)} different words; at most {_LAST} can be searched")
        points = (point for point in range(_FIRST, _LAST + 1) if point not in _SURROGATES)
        return {word: chr(point) for word, point in zip(vocabulary, points, strict=False)}

    @cached_property
    def _automaton(self) -> Any:
        from ahocorasick_rs import AhoCorasick, MatchKind

        patterns = ["".join(self._codes[word] for word in name.split(" ")) for name in self.names]
        return AhoCorasick(patterns, matchkind=MatchKind.LeftmostLongest, store_patterns=False)

    def find(self, words: Words) -> Iterator[tuple[int, int, int]]:
        """(number of the name, first word, word after the last) of each match, in order."""
        if not self.names:
            return iter(())
        code = self._codes
        return iter(self._automaton.find_matches_as_indexes("".join(code.get(word, "\0") for word in words.texts)))
