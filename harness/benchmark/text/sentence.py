"""Where sentences end."""

from __future__ import annotations

import re

SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[^\W\d_a-z])")
"""White space after ``. ! ?`` and before a capital."""
_ABBREVIATION = re.compile(
    r"(?<![^\W\d_])(?:[^\W\d_a-z]|St|Mt|Dr|Mr|Mrs|Ms|Jr|Sr|Bros|Lt|Col|Gen|Capt|Sgt|Rev|Prof|Op|vs)\.$"
)


def sentences(text: str) -> list[str]:
    """The sentences of a text, without the white space between them.

    None ends after an initial or an abbreviation that a name follows (``P. Ramlee``, ``St. Francis``); a sentence that
    does end in one is kept with the next.
    """
    found: list[str] = []
    last = 0
    for end in SENTENCE_END.finditer(text):
        if _ABBREVIATION.search(text[last : end.start()]) is None:
            found.append(text[last : end.start()])
            last = end.end()
    return [*found, text[last:]]
