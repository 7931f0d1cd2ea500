"""Metrics of answers: exact match and the F1 of words, after SQuAD's normalisation, best over the
gold answers.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(a|an|the)\b")


def normalised(text: str) -> str:
    """Lower case, without ASCII punctuation, without the articles a, an, the, single spaces, in
    this order.
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def em(answer: str, gold: Sequence[str]) -> float:
    """1 when the answer, normalised, is one of the gold answers, else 0."""
    return float(normalised(answer) in map(normalised, gold))


def f1(answer: str, gold: Sequence[str]) -> float:
    """Max over gold answers g of 2 s / (|answer| + |g|), s the words that both hold, counted with
    repetition.

    Where one of the two has no word left, 1 if neither has, else 0 (as the script of SQuAD 2.0;
    that of 1.1 gives 0).
    """
    return max(
        (_overlap(normalised(answer).split(), normalised(one).split()) for one in gold), default=0.0
    )


def _overlap(answer: list[str], gold: list[str]) -> float:
    if not answer or not gold:
        return float(answer == gold)
    shared = sum((Counter(answer) & Counter(gold)).values())
    return 2 * shared / (len(answer) + len(gold))
