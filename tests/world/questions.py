"""Questions about the world: chains of two to four passages, and comparisons of two; see
``questions.yaml``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

import yaml

from tests.world.dice import Dice
from tests.world.entity import Entity
from tests.world.population import Population

SHARES = {"chain2": 270, "chain3": 110, "chain4": 60, "comparison": 160}
"""Questions of each type among 600."""

CLUED = 0.8
"""Share of the chains whose question says one more thing of its last hop."""


@dataclass(frozen=True)
class Question:
    """A question with its gold: the passages in hop order, of which a chain's last one holds the
    answer.
    """

    type: str
    text: str
    answers: list[str]
    gold: list[Entity]


class Asker:
    """Asks about one world. A question names entities by names that no other of their kind has."""

    def __init__(self, world: Population, seed: int) -> None:
        self.seed = seed
        self.words = yaml.safe_load(
            Path(__file__).with_name("questions.yaml").read_text(encoding="utf-8")
        )
        self.unique: dict[str, list[Entity]] = {}
        for kind, entities in world.by_kind.items():
            bearers = Counter(name for entity in entities for name in entity.names)
            self.unique[kind] = [
                entity for entity in entities if all(bearers[name] == 1 for name in entity.names)
            ]

    def ask(self, count: int) -> list[Question]:
        """``count`` different questions, the types mixed."""
        questions: dict[str, Question] = {}
        accumulated = dict(zip(SHARES, accumulate(SHARES.values()), strict=True))
        for kind, share in accumulated.items():
            dice = Dice(self.seed, f"questions {kind}")
            draws = (
                self._comparisons(dice)
                if kind == "comparison"
                else self._chains(int(kind[-1]), dice)
            )
            while len(questions) < count * share // 600:
                question = next(draws)
                questions.setdefault(question.text, question)
        return Dice(self.seed, "order of questions").shuffled(list(questions.values()))

    def _chains(self, length: int, dice: Dice) -> Iterator[Question]:
        hops, asks = self.words["hops"], self.words["asks"]
        starts = [kind for kind, weight in self.words["starts"].items() for _ in range(weight)]
        while True:
            gold = [dice.pick(self.unique[dice.pick(starts)])]
            phrase = self._named(gold[0], dice)
            while len(gold) < length:
                last = gold[-1]
                ways = [hop for hop in hops.get(last.kind, ()) if hop in last.facts]
                if not ways:
                    break
                hop = dice.pick(ways)
                phrase = dice.pick(hops[last.kind][hop]).format(phrase)
                gold.append(last.facts[hop])
            facts = [fact for fact in asks.get(gold[-1].kind, ()) if fact in gold[-1].facts]
            if (
                len(gold) == length
                and facts
                and (question := self._chain(gold, phrase, dice.pick(facts), dice))
            ):
                yield question

    def _chain(self, gold: list[Entity], phrase: str, fact: str, dice: Dice) -> Question | None:
        """The question for this fact of the last hop; ``None`` when it would give away what it asks
        for.
        """
        last = gold[-1]
        value = last.facts[fact]
        answers = value.names if isinstance(value, Entity) else [str(value)]
        if dice.chance(CLUED):
            phrase = self._clued(phrase, last, fact, dice)
        text = dice.pick(self.words["asks"][last.kind][fact]).format(phrase).replace(",?", "?")
        hidden = [name for entity in gold[1:] for name in entity.names] + answers
        if (
            len(set(map(id, gold))) < len(gold)
            or value in gold
            or any(name in text for name in hidden)
        ):
            return None
        return Question(f"chain{len(gold)}", text, answers, gold)

    def _clued(self, phrase: str, last: Entity, asked: str, dice: Dice) -> str:
        """The phrase with something else that the last passage says: a theme, or a tie to
        another.
        """
        forms: dict[str, str] = self.words["clues"].get(last.kind, {})
        known = [fact for fact in forms if fact != asked and fact in last.facts]
        if not known:
            return phrase
        fact = "theme" if "theme" in known and dice.chance(0.5) else dice.pick(known)
        value: Any = last.facts[fact]
        return (
            f"{phrase}, {forms[fact].format(value.name if isinstance(value, Entity) else value)},"
        )

    def _named(self, entity: Entity, dice: Dice) -> str:
        """How a question names its start; sometimes by an alias, sometimes with what it is
        about.
        """
        name = entity.aliases[0] if entity.aliases and dice.chance(0.3) else entity.name
        if entity.kind == "person":
            return name if dice.chance(0.6) else f"the {entity.facts['occupation']} {name}"
        if entity.kind in self.words["about"] and dice.chance(0.6):
            return f"the {entity.facts['year']} {entity.kind} {name} about {entity.facts['theme']}"
        return f"the {entity.kind} {name}" if dice.chance(0.8) else name

    def _comparisons(self, dice: Dice) -> Iterator[Question]:
        while True:
            form = dice.pick(self.words["comparisons"])
            pair = [dice.pick(self.unique[form["kind"]]), dice.pick(self.unique[form["kind"]])]
            values = [int(str(entity.facts[form["fact"]]).replace(",", "")) for entity in pair]
            if values[0] != values[1]:
                answer = pair[0] if (values[0] < values[1]) == form["least"] else pair[1]
                text = form["form"].format(*(entity.name for entity in pair))
                yield Question("comparison", text, answer.names, pair)
