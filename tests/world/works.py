"""What people create."""

from __future__ import annotations

from collections.abc import Mapping

from tests.world.names import WORDS
from tests.world.population import Population, know

GENRES = {
    "film": (
        "drama",
        "comedy",
        "crime thriller",
        "war drama",
        "romance",
        "mystery",
        "adventure",
        "historical drama",
    ),
    "novel": (
        "historical novel",
        "detective novel",
        "coming-of-age novel",
        "satirical novel",
        "epistolary novel",
    ),
    "album": ("folk", "jazz", "pop", "rock", "electronic", "soul"),
    "painting": ("landscape", "portrait", "still life", "seascape", "interior scene"),
    "opera": ("comic", "tragic", "one-act", "three-act", "chamber"),
}
CREATORS = {
    "film": {"director": "film director", "composer": "composer"},
    "novel": {"author": "novelist"},
    "album": {"artist": "singer"},
    "painting": {"painter": "painter"},
    "opera": {"composer": "composer", "librettist": "novelist"},
}
HOUSES = {"film": "studio", "novel": "publisher", "album": "label", "painting": "museum"}


def create(world: Population, counts: Mapping[str, int]) -> None:
    """Novels, operas, films, albums and paintings, by people of the right occupation."""
    dice = world.dice
    for kind in ("novel", "opera", "film", "album", "painting"):
        for _ in range(counts[kind]):
            work = world.add(kind, _named(world), genre=dice.pick(GENRES[kind]))
            facts = work.facts
            for role, occupation in CREATORS[kind].items():
                people = world.by_occupation[occupation]
                facts[role] = dice.skewed(people) if dice.chance(0.3) else dice.pick(people)
                know(facts[role], work)
            creator = facts[next(iter(CREATORS[kind]))]
            facts["country"] = creator.facts["country"]
            facts["theme"] = (
                creator.facts["theme"] if dice.chance(0.9) else dice.pick(WORDS["themes"])
            )
            facts["year"] = str(min(2023, creator.facts["year"] + dice.between(22, 40)))
            if kind in HOUSES:
                facts["house"] = dice.pick(world.by_kind[HOUSES[kind]])
                know(facts["house"], work)
            if kind == "film" and dice.chance(0.4):
                facts["novel"] = dice.pick(world.by_kind["novel"])
            if kind in ("film", "opera", "painting"):
                facts["setting"] = dice.pick(world.by_kind["town"])


def _named(world: Population) -> str:
    """A new title; or, sometimes, that of another work, or one that is close to it."""
    dice, names = world.dice, world.names
    works = [work for kind in GENRES for work in world.by_kind[kind][-40:]]
    if works and dice.chance(0.1):
        return dice.pick(works).name
    if works and dice.chance(0.1):
        name = dice.pick(works).name.removeprefix("The ").removeprefix("A ")
        return names.fresh(
            world.one_of, [f"Return to {name}", f"The Other {name}", f"After {name}"]
        )
    place, person = (
        dice.pick(world.by_kind["town"]).name,
        dice.pick(world.by_kind["person"]).name.split()[0],
    )
    return names.fresh(names.work, place, person)
