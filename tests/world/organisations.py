"""What people found."""

from __future__ import annotations

from collections.abc import Mapping

from tests.world.names import WORDS
from tests.world.population import Population

COMPANY_NAMES = {
    "studio": ("{0} Pictures", "{0} Film", "{0} Studios", "{1} Productions"),
    "publisher": ("{0} Press", "{1} & Sons", "{0} House", "{1} Verlag"),
    "label": ("{0} Records", "{1} Music", "{0} Sound"),
    "newspaper": ("{0} Gazette", "{0} Courier", "{0} Observer", "{0} Tribune"),
    "club": ("{0} United", "{0} Rovers", "{0} Athletic", "{0} Wanderers"),
    "museum": ("{0} Museum of Art", "{1} Gallery", "{0} Art Hall"),
    "university": (
        "University of {0}",
        "{1} University",
        "{0} Institute of Technology",
        "{0} Academy of Arts",
    ),
}
FORMER_NAMES = {
    "university": ("{1} College", "{0} Seminary"),
    "studio": ("{1} Brothers",),
    "label": ("{1} Discs",),
}


def found(world: Population, counts: Mapping[str, int]) -> None:
    """Companies, universities, clubs and the like, each in a town; and awards."""
    dice, names = world.dice, world.names
    for kind, patterns in COMPANY_NAMES.items():
        for _ in range(counts[kind]):
            town = dice.skewed(world.by_kind["town"])
            name = names.fresh(world.company, patterns)
            founder = dice.pick(
                world.by_occupation["architect" if kind == "museum" else "industrialist"]
            )
            founded = str(founder.facts["year"] + dice.between(25, 45))
            theme = dice.pick(WORDS["fields" if kind == "university" else "themes"])
            world.add(kind, name, town=town, founded=founded, founder=founder, theme=theme)
            if kind in FORMER_NAMES and dice.chance(0.3):
                world.by_kind[kind][-1].aliases.append(
                    names.fresh(world.company, FORMER_NAMES[kind])
                )
    for _ in range(counts["award"]):
        person = dice.pick(world.by_kind["person"])
        name = names.fresh(
            world.one_of, [f"{person.name} {word}" for word in ("Prize", "Medal", "Award")]
        )
        first = str(dice.between(max(1900, person.facts["year"] + 30), 2018))
        world.add(
            "award",
            name,
            honours=person,
            founded=first,
            body=dice.pick(world.by_kind["university"]),
        )


def celebrate(world: Population, counts: Mapping[str, int]) -> None:
    """Festivals, and surveys of an art in a country."""
    dice, names = world.dice, world.names
    arts = ("Film", "Literature", "Music", "Painting", "Opera")
    for _ in range(counts["festival"]):
        town, art = dice.skewed(world.by_kind["town"]), dice.pick(arts)
        name = names.fresh(
            world.company, [f"{{0}} {art} Festival", f"{{0}} {art} Week", f"{{0}} {art} Days"]
        )
        world.add(
            "festival", name, town=town, art=art.lower(), founded=str(dice.between(1925, 2005))
        )
    for number in range(counts["survey"]):
        country, art = world.by_kind["country"][number // 5 % counts["country"]], arts[number % 5]
        name = names.fresh(world.one_of, [f"{art} in {country.name}"])
        world.add("survey", name, country=country, art=art.lower())
