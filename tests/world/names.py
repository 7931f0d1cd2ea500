"""Made-up names: of places, people and works."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from tests.world.dice import Dice

WORDS: dict[str, list[str]] = yaml.safe_load(
    Path(__file__).with_name("words.yaml").read_text(encoding="utf-8")
)


class Names:
    """Names that have not been given before."""

    def __init__(self, dice: Dice) -> None:
        self.dice = dice
        self._taken: set[str] = set()
        self._used_up: set[str] = set()

    def fresh(self, make: Callable[..., str], *given: Any) -> str:
        """A name from ``make(*given)`` that nothing else has; once 900 draws found none, with a
        surname at once.
        """
        name = make(*given)
        key = f"{make.__name__} {given}"
        for attempt in range(901 if key in self._used_up else 0, 2000):
            if name not in self._taken:
                break
            if attempt <= 900:
                name = make(*given) if attempt < 900 else f"New {name}"
            else:
                self._used_up.add(key)
                name = f"{make(*given)} {self.surname()}"
        self._taken.add(name)
        return name

    def word(self, ends: str, middle: float = 0.4) -> str:
        """A stem, sometimes a middle, and one of these ends: ``Haldenford``."""
        dice = self.dice
        return (
            dice.pick(WORDS["stems"])
            + (dice.pick(WORDS["middles"]) if dice.chance(middle) else "")
            + dice.pick(WORDS[ends])
        )

    def town(self) -> str:
        """A town."""
        return self.fresh(self.word, "town_ends")

    def given(self, woman: bool) -> str:
        """A given name."""
        return self.dice.pick(WORDS["women"] if woman else WORDS["men"])

    def surname(self) -> str:
        """A surname; families share them."""
        return self.word("surname_ends", 0.3)

    def person(self, woman: bool) -> str:
        """A given name and a surname."""
        return f"{self.given(woman)} {self.surname()}"

    def pen_name(self, name: str, woman: bool) -> str:
        """Another name for a person: initials, another given name, another surname, or both."""
        given, _, surname = name.partition(" ")
        other = self.given(woman)
        initials = f"{given[0]}. {other[0]}. {surname}"
        return self.dice.pick(
            (
                initials,
                f"{other} {surname}",
                f"{other} {self.surname()}",
                f"{given} {self.surname()}",
            )
        )

    def work(self, place: str, person: str) -> str:
        """The title of a work; it may name a place or a person of this world."""
        dice = self.dice
        adjective, noun, other = (
            dice.pick(WORDS["adjectives"]),
            dice.pick(WORDS["nouns"]),
            dice.pick(WORDS["nouns"]),
        )
        article = "An" if noun[0] in "AEIO" or noun == "Hour" else "A"
        return dice.pick(
            (
                f"The {adjective} {noun}",
                f"The {adjective} {noun}",
                f"{adjective} {noun}",
                f"The {noun} and the {other}",
                f"The {noun} of {place}",
                f"{article} {noun} in {place}",
                f"{noun} Without {other}",
                f"The {noun}'s {other}",
                f"Under the {adjective} {noun}",
                f"Letters to {person}",
                f"Beyond the {noun}",
                f"{adjective} {noun}, {dice.pick(WORDS['adjectives'])} {other}",
            )
        )
