"""``renamed``: names have other, made-up names, word by word, one to one, wherever they stand."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import starmap

from harness.benchmark.text import Casing, Words, opens_sentence, words
from harness.plugins.twins.twin.content import Changes, Content
from harness.plugins.twins.twin.made_up import made_up

SHARE = 0.95
"""Least share of a word's places inside sentences that have a capital, for it to be of names."""
SHORTEST = 3
"""Letters: initials and ``Jr`` stay, for there are too few other words of their length."""
KEPT = frozenset(
    words(
        "January February March April May June July August September October November December Monday Tuesday "
        "Wednesday Thursday Friday Saturday Sunday yes no"
    ).texts
)
_QUOTES = re.compile(r"[\s,(]*[\"“”][\s(]*")
_NUMERAL = re.compile(r"x{0,3}(?:ix|iv|v?i{0,3})")


def rename(content: Content, seed: int) -> tuple[Content, Changes]:
    """Each word of names becomes a made-up one of its length, vowels, consonants and capitals (``made_up``).

    A word is of names if it stands with a capital inside a sentence, first in a quotation or after an initial inside
    one, in a title or in an answer, if at least ``SHARE`` of its places inside the passages' sentences have one, and if
    it has ``SHORTEST`` or more letters, all Latin.
    Months, days, yes, no and numerals to XXXIX stay, and so do words that are common too: ``University``, ``The``,
    ``Green``. As all places of a word change alike, whatever their capitals, two texts share a word afterwards exactly
    if they did before.
    """
    texts = [(field, text, words(text)) for field, text in content.texts()]
    vocabulary = Vocabulary.of(texts)
    other = _other_names(vocabulary, seed)
    twin = content.map(functools.partial(replace_words, other=other))
    places = Counter(field for field, _, at in texts for word in at.texts if word in other)
    left = Counter(word for _, text in twin.texts() for word in words(text).texts if word in other)
    titles = {row["title"]: new["title"] for row, new in zip(content.corpus, twin.corpus, strict=True)}
    return twin, {
        "words of names": len(other),
        "of them made longer, as all words of their length were taken": sum(
            len(new) > len(w) for w, new in other.items()
        ),
        **{f"places in {field}s": places[field] for field in ("title", "text", "question", "answer", "step")},
        "titles": len(titles),
        "titles without a word that was renamed": sum(old == new for old, new in titles.items()),
        "words with a capital that stay, being common": len(vocabulary.common),
        "words with a capital that stay, being short, numerals, dates or not Latin": len(vocabulary.unfit),
        "places of old names afterwards": left.total(),
    }


@dataclass(frozen=True)
class Vocabulary:
    """All ``known`` words; ``names`` are renamed, ``common`` and ``unfit`` ones have a capital and stay."""

    known: Set[str]
    names: Sequence[str]
    common: Set[str]
    unfit: Set[str]

    @classmethod
    def of(cls, texts: Sequence[tuple[str, str, Words]]) -> Vocabulary:
        """The words of (field, text, its words)."""
        casing = Casing(text for field, text, _ in texts if field == "text")
        known = set().union(*(at.texts for _, _, at in texts))
        capital = set().union(*starmap(_capitals, texts))
        folded = set().union(*(_several(at) for _, _, at in texts))
        candidates = capital | set(filter(casing.knows, known))
        common = {word for word in candidates if casing.share(word) < SHARE}
        names = sorted(filter(_is_renamed, candidates - common - folded))
        return cls(known, names, common & capital, capital - common - set(names))


def _other_names(vocabulary: Vocabulary, seed: int) -> dict[str, str]:
    """A made-up word for each name, none of which the texts have or another name got."""
    other: dict[str, str] = {}
    taken = set(vocabulary.known)
    for word in vocabulary.names:
        other[word] = made_up(word, seed, taken)
        taken.add(other[word])
    return other


def replace_words(text: str, other: Mapping[str, str]) -> str:
    """The text with other words for some (case-folded), each letter as large as the one in its place."""
    at, made, last = words(text), [], 0
    for word, start, end in zip(at.texts, at.start, at.end, strict=True):
        if word in other:
            made += [text[last:start], _cased(text[start:end], other[word])]
            last = end
    return "".join([*made, text[last:]])


def _cased(old: str, new: str) -> str:
    if old.isupper():
        return new.upper()
    sizes = old.ljust(len(new), "x")
    return "".join(letter.upper() if size.isupper() else letter for letter, size in zip(new, sizes, strict=False))


def _capitals(field: str, text: str, at: Words) -> list[str]:
    """The words with a capital, but not those that open a sentence of a text or question."""
    free = field in ("title", "answer")
    return [
        word
        for i, word in enumerate(at.texts)
        if text[at.start[i]].isupper() and (free or not opens_sentence(text, at, i) or _is_inside(text, at, i))
    ]


def _is_inside(text: str, at: Words, number: int) -> bool:
    """Whether a word after a quotation mark (``the film "Orgazmo"``) or an initial (``C.R.W. Nevinson``) opens none."""
    if number == 0:
        return False
    gap = text[at.end[number - 1] : at.start[number]]
    initial = at.end[number - 1] - at.start[number - 1] == 1 and text[at.start[number - 1]].isupper()
    return _QUOTES.fullmatch(gap) is not None or (initial and gap.strip() == ".")


def _several(at: Words) -> list[str]:
    """Words that share their characters with another: one run of letters that folds into several words."""
    return [word for word, times in zip(at.texts, map(Counter(at.start).get, at.start), strict=True) if times != 1]


def _is_renamed(word: str) -> bool:
    fits = len(word) >= SHORTEST and word not in KEPT and _NUMERAL.fullmatch(word) is None
    return fits and all(map(_is_latin, word))


@functools.cache
def _is_latin(letter: str) -> bool:
    return letter.isalpha() and unicodedata.name(letter, "").startswith("LATIN")
