"""Sentences of a passage, by a rule."""

from __future__ import annotations

import re

_END = re.compile(r"[.!?。！？][\"'”’)\]]*(?:\s+|$)|\n+")
_SHORT = re.compile(r"\b(?:[A-Z]\w?|Mrs|Inc|Ltd|Corp|Sgt|Col|Gen|Rev|Hon|Capt|Prof|vs|etc)\.$")


def sentences(text: str) -> list[tuple[int, int]]:
    """[first character, character after the last) of each sentence, in order; together they hold every word.

    A sentence ends at a line break, or at a full stop or the like that a blank follows, unless what comes next begins
    with a lower-case letter, or the stop is that of an initial or a short abbreviation (``J.``, ``Dr.``, ``Inc.``).
    """
    found, first = [], 0
    for stop in _END.finditer(text):
        mark = stop.start() + 1
        ahead = text[stop.end() : stop.end() + 1]
        within = stop[0][0] == "." and ahead and (ahead.islower() or _SHORT.search(text, first, mark))
        if not within:
            found.append((first, stop.end()))
            first = stop.end()
    found.append((first, len(text)))
    return [
        (a + len(text[a:b]) - len(text[a:b].lstrip()), a + len(text[a:b].rstrip()))
        for a, b in found
        if text[a:b].strip()
    ]
