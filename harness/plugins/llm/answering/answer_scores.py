"""Metrics of answers: exact match and F1 of words after SQuAD's normalisation, best over gold
answers.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(a|an|the)\b")


def normalised(text: str) -> str:
    """Return lower case, without ASCII punctuation and the articles a, an, the, with
    single spaces.
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def em(answer: str, gold: Sequence[str]) -> float:
    """Return 1 if the normalised answer is one of the gold answers, otherwise 0."""
    return float(normalised(answer) in map(normalised, gold))


def f1(answer: str, gold: Sequence[str]) -> float:
    """Return the max over gold answers g of 2 s / (|answer| + |g|), with s their shared words.

    Words count with repetition. If one of the two has no word left, it is 1 if neither has,
    otherwise 0 (as the script of SQuAD 2.0; that of 1.1 gives 0).
    """
    words = normalised(answer).split()
    return max((_overlap(words, normalised(text).split()) for text in gold), default=0.0)


def _overlap(answer: list[str], gold: list[str]) -> float:
    if not answer or not gold:
        return float(answer == gold)
    shared = sum((Counter(answer) & Counter(gold)).values())
    return 2 * shared / (len(answer) + len(gold))
