"""Where things are."""

from __future__ import annotations

from collections.abc import Mapping

from tests.world.names import WORDS
from tests.world.population import Population


def settle(world: Population, counts: Mapping[str, int]) -> None:
    """Countries, regions, rivers and towns; the first town of a country or region is its
    capital.
    """
    dice, names = world.dice, world.names
    for _ in range(counts["country"]):
        name = names.fresh(names.word, "country_ends", 0.2)
        world.add(
            "country", name, adjective=_adjective(name), founded=str(dice.between(1790, 1925))
        )
    for _ in range(counts["region"]):
        name = names.fresh(names.word, "region_ends", 0.2)
        world.add(
            "region",
            name,
            country=dice.pick(world.by_kind["country"]),
            area=f"{dice.between(900, 9800):,}",
        )
    for _ in range(counts["river"]):
        name = names.fresh(names.word, "river_ends", 0.3)
        length = f"{dice.between(40, 880)} kilometres"
        world.add("river", name, source=dice.pick(world.by_kind["region"]), length=length)
    for _ in range(counts["town"]):
        region = dice.pick(world.by_kind["region"])
        town = world.add("town", names.town(), region=region, country=region.facts["country"])
        town.facts |= {
            "river": dice.pick(world.by_kind["river"]),
            "population": f"{dice.between(3, 940)},{dice.between(100, 999)}",
            "chartered": str(dice.between(1120, 1790)),
            "theme": dice.pick(WORDS["trades"]),
        }
        if dice.chance(0.2):
            town.aliases.append(names.town())
    towns = world.by_kind["town"]
    for place in (*world.by_kind["country"], *world.by_kind["region"]):
        place.facts["capital"] = towns[0]
    for town in reversed(towns):
        town.facts["country"].facts["capital"] = town.facts["region"].facts["capital"] = town


def _adjective(country: str) -> str:
    """``Veldonia``: ``Veldonian``; ``Karsland``: ``Karslandic``; ``Karsland Fenby``:
    ``Karsland Fenbyan``.
    """
    endings = {"a": "n", "land": "ic", "mark": "ish", "istan": "i"}
    return country + next(
        (ending for last, ending in endings.items() if country.endswith(last)), "an"
    )
