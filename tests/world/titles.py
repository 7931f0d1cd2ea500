"""What the passages are called."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from tests.world.entity import Entity


def entitle(entities: Sequence[Entity]) -> None:
    """A passage's title is the entity's name; homonyms are told apart as an encyclopedia
    does it.
    """
    alike: dict[str, list[Entity]] = defaultdict(list)
    for entity in entities:
        alike[entity.name].append(entity)
    for name, group in alike.items():
        words = [_word(entity) for entity in group]
        shared = Counter(words)
        for entity, word in zip(group, words, strict=True):
            exact = f"{entity.facts.get('year', '')} {word}" if entity.kind != "person" else word
            entity.title = (
                name if len(group) == 1 else f"{name} ({word if shared[word] == 1 else exact})"
            )
    _number(entities)


def _number(entities: Sequence[Entity]) -> None:
    """Tell the last namesakes apart: ``(1987 film)``, ``(1987 film, 2)``."""
    seen: Counter[str] = Counter()
    for entity in entities:
        seen[entity.title] += 1
        if seen[entity.title] > 1:
            entity.title = f"{entity.title.removesuffix(')')}, {seen[entity.title]})"


def _word(entity: Entity) -> str:
    return str(entity.facts["occupation"]) if entity.kind == "person" else entity.kind
