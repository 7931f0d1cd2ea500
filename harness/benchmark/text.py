"""Texts: their words and sentences, the casing of words in a corpus, and known names found in
texts.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from harness.core.arrays import Int64Array

# Scripts without spaces are read one character a word: a name in them may begin anywhere.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
MARKS = "".join(
    chr(point) for point in range(0x300, 0x10000) if unicodedata.category(chr(point))[0] == "M"
)
"""Vowel signs and accents that are separate characters. They belong to the word around them."""
_LETTER = rf"[^\W_{UNSPACED}]"
_WORD = re.compile(rf"[{UNSPACED}]|{_LETTER}(?:{_LETTER}|[{MARKS}\u200c\u200d])*")
_BRACKETS = re.compile(r"\s*[(（\[][^()（）\[\]]*[)）\]]\s*$")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[^\W\d_a-z])")
"""White space after ``. ! ?`` and before a capital."""
JOINING = {
    *("al", "and", "bin", "da", "de", "del", "der", "des", "di"),
    *("du", "ibn", "la", "le", "of", "the", "van", "von"),
}
"""Words in lower case that may occur inside a name but not at its end."""
_STOPS = '.!?:;。！？\n"“”'
_STOP = re.compile(f"[{_STOPS}]")
_TOKEN = re.compile(f"{_STOP.pattern}|{_WORD.pattern}")
_ASCII_WORD = re.compile("[A-Za-z0-9]+")
_ASCII_TOKEN = re.compile(f"{_STOP.pattern}|{_ASCII_WORD.pattern}")
_GAP = re.compile(r"[ \u00a0.'’\-–&]{1,3}")
_FIRST, _SURROGATES, _LAST = 1, range(0xD800, 0xE000), 0x10FFFF


@dataclass(frozen=True, eq=False)
class Words:
    """The W words of a text.

    If one run of letters folds into several words (a ligature of ideographs), they share its
    characters.

    Attributes:
        texts: the normalised words (NFKC, case-folded).
        start: the first character of each.
        end: the character after the last of each.
    """

    texts: list[str]
    start: list[int]
    end: list[int]


def words(text: str) -> Words:
    """Return the runs of letters and digits of a text, separated by punctuation and white space."""
    if text.isascii():
        parts = [(match[0].lower(), *match.span()) for match in _ASCII_WORD.finditer(text)]
    else:
        matches = _WORD.finditer(text)
        parts = [
            (part, *match.span()) for match in matches for part in _WORD.findall(fold(match[0]))
        ]
    return Words(
        [word for word, _, _ in parts],
        [start for _, start, _ in parts],
        [end for _, _, end in parts],
    )


def fold(text: str) -> str:
    """Return NFKC, case-folded. Folding may decompose characters, so NFKC is applied once more
    after it.
    """
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def bare(title: str) -> str:
    """Return a title without its bracketed tail, ``Dune (film)`` -> ``Dune``, or the title if
    nothing else is in it.
    """
    return _BRACKETS.sub("", title) or title


def normal(name: str) -> str:
    """Return the normalised form of a name: the words of its bare form with single spaces; empty
    without a word.
    """
    return " ".join(words(bare(name)).texts)


def byte_offsets(text: str, places: Int64Array) -> Int64Array:
    """Return int64[n], the bytes (UTF-8) at which the n characters ``places`` of a text (0 to its
    length) begin.
    """
    if text.isascii():
        return places
    code = np.frombuffer(text.encode("utf-32-le"), dtype="<u4")
    size = 1 + (code > 0x7F).astype(np.int64) + (code > 0x7FF) + (code > 0xFFFF)
    return np.concatenate([[0], np.cumsum(size)])[places]


def is_capitalised(text: str, words: Words, number: int) -> bool:
    """Return whether the word does not begin with a lower-case letter. Digits and scripts without
    case count as capital.
    """
    return not text[words.start[number]].islower()


def opens_sentence(text: str, words: Words, number: int) -> bool:
    """Return whether the word is the text's first or follows a full stop or the like. There a
    capital means nothing.
    """
    return number == 0 or _STOP.search(text, words.end[number - 1], words.start[number]) is not None


@dataclass(frozen=True)
class Casing:
    """The words that a corpus mostly writes with a small letter inside sentences: ``she``, not
    ``paris``.
    """

    small: frozenset[str]

    @classmethod
    def of(cls, texts: Iterable[str]) -> Casing:
        """Return the casing of texts."""
        seen, capital = Counter[str](), Counter[str]()
        for text in texts:
            inside = list(_inside(text))
            seen.update([word for word, _ in inside])
            capital.update([word for word, is_capital in inside if is_capital])
        return cls(frozenset(word for word, count in seen.items() if 2 * capital[word] < count))

    def capitalises(self, word: str) -> bool:
        """Return whether half of a word's places inside sentences or more have a capital. A word
        without such a place counts as capitalised.
        """
        return word not in self.small


def _inside(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the words that open no sentence, and whether each is capitalised.

    This is ``words``, ``opens_sentence`` and ``is_capitalised`` in one pass.
    """
    opens = True
    for token in (_ASCII_TOKEN if text.isascii() else _TOKEN).findall(text):
        if token in _STOPS:
            opens = True
            continue
        for word in (token.lower(),) if token.isascii() else _WORD.findall(fold(token)):
            if not opens:
                yield word, not token[0].islower()
            opens = False


def spans(text: str, words: Words, casing: Casing) -> list[tuple[int, int]]:
    """Return [first word, word after the last) of each longest run of capitalised words and
    ``JOINING`` words.

    Only blanks, apostrophes and hyphens may separate the words of a run, and full stops after short
    words (initials, St., Jr.). A sentence's first word belongs to a run only if the corpus
    capitalises it inside sentences, too, and is no run by itself.
    """
    runs: list[tuple[int, int]] = []
    first = last = -1
    for i in range(len(words.texts) + 1):
        over = i == len(words.texts)
        if first >= 0 and (over or not _goes_on(text, words, i)):
            if last > first or (
                not opens_sentence(text, words, first) and casing.capitalises(words.texts[first])
            ):
                runs.append((first, last + 1))
            first = -1
        if not over and text[words.start[i]].isupper():
            if first >= 0:
                last = i
            elif not opens_sentence(text, words, i) or casing.capitalises(words.texts[i]):
                first = last = i
    return runs


def _goes_on(text: str, words: Words, number: int) -> bool:
    gap = text[words.end[number - 1] : words.start[number]]
    short = words.end[number - 1] - words.start[number - 1] <= 2
    joined = _GAP.fullmatch(gap) is not None and ("." not in gap or short)
    return joined and (is_capitalised(text, words, number) or words.texts[number] in JOINING)


@dataclass(frozen=True, eq=False)
class Gazetteer:
    """A finder of normalised names (words with single spaces, none empty).

    Each word of names and texts is coded as one character. So a match begins and ends at the
    boundaries of words, and its place is the number of a word. Of overlapping matches the leftmost
    one counts, then the longest.
    """

    names: Sequence[str]

    @cached_property
    def _codes(self) -> dict[str, str]:
        vocabulary = dict.fromkeys(word for name in self.names for word in name.split(" "))
        if len(vocabulary) > _LAST - len(_SURROGATES) - _FIRST:
            raise ValueError(f"{len(vocabulary)} different words in names, of {_LAST} possible")
        points = (point for point in range(_FIRST, _LAST + 1) if point not in _SURROGATES)
        return {word: chr(point) for word, point in zip(vocabulary, points, strict=False)}

    @cached_property
    def _automaton(self) -> Any:
        from ahocorasick_rs import AhoCorasick, MatchKind

        patterns = ["".join(map(self._codes.__getitem__, name.split(" "))) for name in self.names]
        return AhoCorasick(patterns, matchkind=MatchKind.LeftmostLongest, store_patterns=False)

    def find(self, words: Words) -> Iterator[tuple[int, int, int]]:
        """Return an iterator over (number of the name, first word, word after the last) of each
        match, in order.
        """
        if not self.names:
            return iter(())
        code = self._codes
        return iter(
            self._automaton.find_matches_as_indexes(
                "".join(code.get(word, "\0") for word in words.texts)
            )
        )
