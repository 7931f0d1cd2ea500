"""Names: what makes two mentions one entity, and where the words of a text stand."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# Scripts that write no spaces are read one character a word: a name in them may stand anywhere.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
MARKS = "".join(chr(point) for point in range(0x300, 0x10000) if unicodedata.category(chr(point))[0] == "M")
"""Vowel signs and accents that stand for themselves belong to the word that they are written in."""
_LETTER = rf"[^\W_{UNSPACED}]"
_WORD = re.compile(rf"[{UNSPACED}]|{_LETTER}(?:{_LETTER}|[{MARKS}\u200c\u200d])*")
_BRACKETS = re.compile(r"\s*[(（\[][^()（）\[\]]*[)）\]]\s*$")


@dataclass(frozen=True, eq=False)
class Words:
    """The W words of a text: normalised (NFKC, case-folded), with the characters [start, end) that they stand on.

    Where one run of letters folds into several words (a ligature of ideographs), they share its characters.
    """

    texts: list[str]
    start: list[int]
    end: list[int]


def words(text: str) -> Words:
    """The runs of letters and digits of a text; punctuation and white space part them."""
    if text.isascii():
        found = [(match[0].lower(), *match.span()) for match in _WORD.finditer(text)]
    else:
        matches = _WORD.finditer(text)
        found = [(part, *match.span()) for match in matches for part in _WORD.findall(fold(match[0]))]
    return Words([word for word, _, _ in found], [start for _, start, _ in found], [end for _, _, end in found])


def fold(text: str) -> str:
    """NFKC, case-folded. Folding may decompose again, so NFKC is taken after it too."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def bare(title: str) -> str:
    """A title without its bracketed tail, ``Dune (film)`` -> ``Dune``; itself when nothing else is in it."""
    return _BRACKETS.sub("", title) or title


def normal(name: str) -> str:
    """The normalised form of a name: its bare form's words, one space between; empty when it has no word."""
    return " ".join(words(bare(name)).texts)


def byte_offsets(text: str, places: NDArray[np.int64]) -> NDArray[np.int64]:
    """int64[n]: where the n characters ``places`` of a text (0 to its length) begin in its UTF-8 bytes."""
    if text.isascii():
        return places
    code = np.frombuffer(text.encode("utf-32-le"), dtype="<u4")
    size = 1 + (code > 0x7F).astype(np.int64) + (code > 0x7FF) + (code > 0xFFFF)
    return np.concatenate([[0], np.cumsum(size)])[places]
