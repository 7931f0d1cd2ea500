"""What the world is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(eq=False)
class Entity:
    """A thing that has a passage.

    kind: ``person``, ``film``, ...    name: how texts call it.    title: of its passage; tells
    homonyms apart.
    aliases: other names, each given in its passage.    facts: by word, another entity or a text.
    """

    kind: str
    name: str
    title: str = ""
    aliases: list[str] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """Its name, then its aliases."""
        return [self.name, *self.aliases]
