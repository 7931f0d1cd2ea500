"""Passages: what an encyclopedia would say of each entity, from sentence templates.

The sentences are in ``sentences.yaml``. A slot in braces is a fact; an entity is named by its name
or by an alias. ``a/an`` becomes the article that fits. There are none to two sentences of colour.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from tests.world.dice import Dice
from tests.world.entity import Entity
from tests.world.population import Population

ARTICLE = re.compile(r"\b([Aa])/an (\W*)(\w)")


class Writer:
    """Writes passages of one world, each from draws of its own."""

    def __init__(self, world: Population, seed: int) -> None:
        self.world = world
        self.seed = seed
        self.sentences = yaml.safe_load(
            Path(__file__).with_name("sentences.yaml").read_text(encoding="utf-8")
        )

    def passage(self, entity: Entity, number: int) -> str:
        """The text on an entity; ``number`` names its draws."""
        dice = Dice(self.seed, f"passage {number}")
        slots = self._slots(entity, dice)
        kind = self.sentences[entity.kind]
        intro = dice.pick(kind["intro"])
        if entity.aliases:
            also = self.sentences["also"]
            intro = intro.replace(
                "{name}", "{name}" + dice.pick(also.get(entity.kind, also["other"])), 1
            )
            slots["alias"] = entity.aliases[0]
        told = [
            dice.pick(forms)
            for words, forms in kind["facts"].items()
            if all(w in slots for w in words.split())
        ]
        if dice.chance(0.6):
            told = dice.shuffled(told)
        colour = [form for form in dice.shuffled(kind["colour"]) if not _missing(form, slots)]
        told += colour[: dice.between(0, 2)]
        return _sentence(" ".join([intro, *told]), slots)

    def _slots(self, entity: Entity, dice: Dice) -> dict[str, str]:
        """What stands for each slot: the entity's facts, and some others of the world for
        colour.
        """
        by_kind = self.world.by_kind
        facts: dict[str, Any] = {
            "somewhere": dice.skewed(by_kind["town"]),
            "someone": dice.pick(by_kind["person"]),
            "another": dice.pick(by_kind["person"]),
            "some_festival": dice.pick(by_kind["festival"]),
            "some_university": dice.skewed(by_kind["university"]),
            "some_newspaper": dice.pick(by_kind["newspaper"]),
            "some_film": dice.pick(by_kind["film"]),
            "some_novel": dice.pick(by_kind["novel"]),
            **entity.facts,
        }
        slots = {
            word: _mention(value, dice)
            for word, value in facts.items()
            if isinstance(value, (str, int, Entity))
        }
        slots["name"] = entity.name
        country = facts.get("country") or (
            facts["town"].facts["country"] if "town" in facts else None
        )
        if country is not None:
            slots["adjective"], slots["country"] = country.facts["adjective"], country.name
        slots.setdefault("adjective", "")
        if "woman" in facts:
            slots |= self.sentences["pronouns"]["woman" if facts["woman"] else "man"]
        if "known" in facts and dice.chance(0.85):
            slots["known"] = _list(
                [_mention(other, dice) for other in dice.shuffled(facts["known"])[:3]]
            )
        if "art" in facts:
            slots["people"] = self.sentences["people"][facts["art"]]
        return slots


def _mention(value: object, dice: Dice) -> str:
    if not isinstance(value, Entity):
        return str(value)
    return value.aliases[0] if value.aliases and dice.chance(0.5) else value.name


def _list(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _missing(form: str, slots: dict[str, str]) -> bool:
    return any(word not in slots for word in re.findall(r"{(\w+)}", form))


def _sentence(text: str, slots: dict[str, str]) -> str:
    filled = text.format_map(slots)
    return ARTICLE.sub(
        lambda m: f"{m[1]}{'n' if m[3] in 'aeiouAEIOU' else ''} {m[2]}{m[3]}", filled
    )
