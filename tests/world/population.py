"""Who and what there is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from tests.world.dice import Dice
from tests.world.entity import Entity
from tests.world.names import Names

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)


class Population:
    """The entities made so far, by kind in the order of their making; a kind's first ones are its
    hubs.
    """

    def __init__(self, seed: int) -> None:
        self.dice = Dice(seed, "population")
        self.names = Names(Dice(seed, "names"))
        self.by_kind: dict[str, list[Entity]] = defaultdict(list)
        self.by_occupation: dict[str, list[Entity]] = defaultdict(list)

    @property
    def entities(self) -> list[Entity]:
        """All of them."""
        return [entity for kind in self.by_kind.values() for entity in kind]

    def add(self, kind: str, name: str, **facts: object) -> Entity:
        """A new entity."""
        entity = Entity(kind, name, facts=facts)
        self.by_kind[kind].append(entity)
        return entity

    def company(self, patterns: Sequence[str]) -> str:
        """A name after a town or a family."""
        return self.dice.pick(patterns).format(
            self.dice.skewed(self.by_kind["town"]).name, self.names.surname()
        )

    def one_of(self, names: Sequence[str]) -> str:
        """One of the names."""
        return self.dice.pick(names)

    def date(self, year: int) -> str:
        """A day of that year."""
        return f"{self.dice.between(1, 28)} {self.dice.pick(MONTHS)} {year}"


def know(entity: Entity, other: Entity) -> None:
    """``entity`` is known for ``other``: a person for works, a town for natives, ..."""
    entity.facts.setdefault("known", []).append(other)
