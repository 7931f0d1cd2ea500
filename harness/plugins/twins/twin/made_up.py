"""Made-up words: as long as another word, with vowels and consonants in its places, and never a word that is known."""

from __future__ import annotations

import itertools
import random
import unicodedata
from collections.abc import Container

VOWELS = "aeiouy"
STARTS = (
    "b c d f g h j k l m n p r s t v w z",
    "bl br cl cr dr fl fr gl gr kl kr pl pr sk sl sm sn sp st tr th sh ch",
    "str spr scr spl shr thr",
)
ENDS = (
    "b d f g k l m n p r s t x",
    "ld lk lm lp ls lt mp nd nk ns nt rb rd rk rl rm rn rp rt sk sp st ck ll ss th sh",
    "rst nds lks mps rth nth tch nks rns lms",
)
PEAKS = ("a e i o u", "ai au ea ee ei eo ia ie io oa oo ou ua ue")
TRIES = 40
"""Draws at one length before the word is made one letter longer."""


def made_up(word: str, seed: int, known: Container[str]) -> str:
    """A lower-case word of the letters a to z that is not ``known``: the same one for the same word, seed and known.

    Each run of vowels or consonants of the word gives one of the same length; after ``TRIES`` known ones the word is a
    letter longer.
    """
    draw = random.Random(f"{seed} {word}")
    shape = [(vowel, sum(1 for _ in run)) for vowel, run in itertools.groupby(_plain(word), lambda c: c in VOWELS)]
    while True:
        for _ in range(TRIES):
            found = "".join(
                _run(draw, vowel, length, first=place == 0, last=place == len(shape) - 1)
                for place, (vowel, length) in enumerate(shape)
            )
            if found not in known:
                return found
        shape.append((not shape[-1][0], 1))


def _run(draw: random.Random, vowel: bool, length: int, *, first: bool, last: bool) -> str:
    """Vowels, or consonants as they stand at a word's start, at its end, or between vowels: an end and a start."""
    if vowel:
        return _of_parts(draw, PEAKS, length)
    if first and last:  # no vowel at all, as NBC
        return "".join(draw.choice(STARTS[0].split()) for _ in range(length))
    if first or last:
        return _of_parts(draw, STARTS if first else ENDS, length)
    ends = length // 2
    return (_of_parts(draw, ENDS, ends) if ends else "") + _of_parts(draw, STARTS, length - ends)


def _of_parts(draw: random.Random, parts: tuple[str, ...], length: int) -> str:
    """Letters of this length: one of the parts that long, or several of the longest and a rest."""
    found = ""
    while length:
        size = min(length, len(parts))
        found += draw.choice(parts[size - 1].split())
        length -= size
    return found


def _plain(word: str) -> str:
    """Without accents."""
    return "".join(letter for letter in unicodedata.normalize("NFKD", word) if not unicodedata.combining(letter))
