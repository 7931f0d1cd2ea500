"""Where sentences end."""

from __future__ import annotations

import re

SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[^\W\d_a-z])")
"""White space after ``. ! ?`` and before a capital."""


def sentences(text: str) -> list[str]:
    """The sentences of a text, without the white space between them."""
    return SENTENCE_END.split(text)
