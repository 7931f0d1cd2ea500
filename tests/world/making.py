"""The world, made in order: what comes later hangs together with what came before."""

from __future__ import annotations

from tests.world.organisations import celebrate, found
from tests.world.people import born, live
from tests.world.places import settle
from tests.world.population import Population
from tests.world.titles import entitle
from tests.world.works import create

SHARES = {
    "country": 8,
    "region": 24,
    "river": 40,
    "town": 200,
    "university": 40,
    "studio": 30,
    "publisher": 30,
    "label": 24,
    "museum": 24,
    "newspaper": 24,
    "club": 30,
    "award": 24,
    "festival": 40,
    "survey": 30,
    "film": 230,
    "novel": 170,
    "album": 120,
    "painting": 80,
    "opera": 50,
}
"""How many of each kind there are among 2000 passages; all others are people."""


def populated(passages: int, seed: int) -> Population:
    """A world of so many passages, one for each entity."""
    counts = {kind: max(2, passages * share // 2000) for kind, share in SHARES.items()}
    world = Population(seed)
    settle(world, counts)
    born(world, passages - sum(counts.values()))
    found(world, counts)
    live(world)
    create(world, counts)
    celebrate(world, counts)
    entitle(world.entities)
    return world
