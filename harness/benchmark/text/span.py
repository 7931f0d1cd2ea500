"""Capitalised spans: what a text itself marks as a name, for the names that a recogniser misses."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from harness.benchmark.text.name import Words

JOINING = frozenset(
    ("al", "and", "bin", "da", "de", "del", "der", "des", "di", "du", "ibn", "la", "le", "of", "the", "van", "von")
)
"""Words that may stand inside a name in lower case, never at its end."""
_STOP = re.compile(r"[.!?:;。！？\n\"“”]")
_GAP = re.compile(r"[ \u00a0.'’\-–&]{1,3}")


def is_capitalised(text: str, words: Words, number: int) -> bool:
    """Whether the word begins with no lower-case letter (digits and scripts without case count as capital)."""
    return not text[words.start[number]].islower()


def opens_sentence(text: str, words: Words, number: int) -> bool:
    """Whether the word is the text's first, or follows a full stop or the like: there a capital means nothing."""
    return number == 0 or _STOP.search(text, words.end[number - 1], words.start[number]) is not None


class Casing:
    """In what share of its places inside a sentence a corpus capitalises a word: of ``Paris`` 1, of ``She`` 0."""

    def __init__(self, texts: Iterable[tuple[str, Words]]) -> None:
        self._seen: Counter[str] = Counter()
        self._capital: Counter[str] = Counter()
        for text, words in texts:
            inside = [i for i in range(len(words.texts)) if not opens_sentence(text, words, i)]
            self._seen.update(words.texts[i] for i in inside)
            self._capital.update(words.texts[i] for i in inside if is_capitalised(text, words, i))

    def knows(self, word: str) -> bool:
        """Whether it stands inside a sentence."""
        return word in self._seen

    def share(self, word: str) -> float:
        """In [0, 1]; 1 for a word that stands nowhere inside a sentence."""
        return self._capital[word] / self._seen[word] if word in self._seen else 1.0


def spans(text: str, words: Words, casing: Casing) -> list[tuple[int, int]]:
    """[first word, word after the last) of each longest run of capitalised words, joined by ``JOINING`` words.

    Only blanks, apostrophes and hyphens may stand between the words of a run, and full stops after short words
    (initials, St., Jr.). A sentence's first word belongs to a run only if the corpus writes it with a capital inside
    sentences too, and is none by itself.
    """
    found: list[tuple[int, int]] = []
    first = last = -1
    for i in range(len(words.texts) + 1):
        over = i == len(words.texts)
        if first >= 0 and (over or not _goes_on(text, words, i)):
            if last > first or (not opens_sentence(text, words, first) and casing.share(words.texts[first]) >= 0.5):
                found.append((first, last + 1))
            first = -1
        if not over and text[words.start[i]].isupper():
            if first >= 0:
                last = i
            elif not opens_sentence(text, words, i) or casing.share(words.texts[i]) >= 0.5:
                first = last = i
    return found


def _goes_on(text: str, words: Words, number: int) -> bool:
    gap = text[words.end[number - 1] : words.start[number]]
    short = words.end[number - 1] - words.start[number - 1] <= 2
    joined = _GAP.fullmatch(gap) is not None and ("." not in gap or short)
    return joined and (is_capitalised(text, words, number) or words.texts[number] in JOINING)
