"""Who there is, and their lives."""

from __future__ import annotations

from tests.world.names import WORDS
from tests.world.population import Population, know

OCCUPATIONS = {
    "film director": 13,
    "novelist": 13,
    "composer": 11,
    "singer": 11,
    "painter": 9,
    "politician": 12,
    "architect": 5,
    "industrialist": 8,
    "footballer": 7,
    "journalist": 5,
    "physicist": 3,
    "botanist": 3,
}


def born(world: Population, count: int) -> None:
    """People, of every occupation in its share; some have a pen name, some the name of another."""
    dice, names = world.dice, world.names
    drawn = [name for name, weight in OCCUPATIONS.items() for _ in range(weight)]
    for number in range(count):
        woman = dice.chance(0.5)
        name = names.fresh(names.person, woman)
        occupation = drawn[number % len(drawn)]
        birth = dice.between(1880, 1985)
        facts = {
            "occupation": occupation,
            "woman": woman,
            "born": world.date(birth),
            "year": birth,
            "theme": dice.pick(WORDS["themes"]),
        }
        person = world.add("person", name, **facts)
        world.by_occupation[occupation].append(person)
        if dice.chance(0.07):
            other = dice.pick(world.by_kind["person"])
            if other.facts["woman"] == woman and other.facts["occupation"] != occupation:
                person.name = other.name
        if dice.chance(0.22):
            person.aliases.append(names.fresh(names.pen_name, person.name, woman))


def live(world: Population) -> None:
    """Where people were born, learned, worked and died, what they won, and whom they married."""
    dice, towns = world.dice, world.by_kind["town"]
    people = world.by_kind["person"]
    for person in people:
        facts = person.facts
        facts["birthplace"] = dice.skewed(towns) if dice.chance(0.35) else dice.pick(towns)
        facts["country"] = facts["birthplace"].facts["country"]
        facts["alma_mater"] = dice.skewed(world.by_kind["university"])
        if facts["year"] < 1945:
            facts["deathplace"] = dice.skewed(towns) if dice.chance(0.5) else dice.pick(towns)
            facts["died"] = world.date(facts["year"] + dice.between(41, 75))
        if dice.chance(0.4):
            facts["award"] = dice.skewed(world.by_kind["award"])
        if facts["occupation"] == "footballer":
            facts["club"] = dice.pick(world.by_kind["club"])
        if facts["occupation"] == "journalist":
            facts["newspaper"] = dice.pick(world.by_kind["newspaper"])
        if "spouse" not in facts and dice.chance(0.3):
            other = dice.pick(people)
            if (
                other is not person
                and "spouse" not in other.facts
                and abs(other.facts["year"] - facts["year"]) < 16
            ):
                facts["spouse"], other.facts["spouse"] = other, person
        for fact in ("birthplace", "alma_mater", "award", "club", "newspaper"):
            if fact in facts:
                know(facts[fact], person)
    living = [person for person in world.by_occupation["politician"] if "died" not in person.facts]
    for town in towns:
        town.facts["mayor"] = dice.pick(living or world.by_occupation["politician"])
