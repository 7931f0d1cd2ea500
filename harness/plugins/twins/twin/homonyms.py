"""``homonyms``: other entities with the name of each bridge."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping

from harness.benchmark.text import bare
from harness.plugins.twins.twin.content import Changes, Content

MORE = 2
"""Entities that share a bridge's name, each with a passage of its own."""


def add_homonyms(content: Content, seed: int) -> tuple[Content, Changes]:
    """For each supporting passage that is not a question's last, ``MORE`` new ones under its name.

    A new passage is one that supports no question and names its own title, drawn by the seed, with the bridge's name in
    that title's place; its title is the name with a number in brackets (``Dune (1)``). All others stay. A name inside
    a longer word is none (``Thad`` in ``Thaddeus``), and a text that ends in a colon, as lists of what a name may refer
    to do, is not taken.
    """
    gold, between = set[str](), set[str]()
    for query in content.queries:
        gold.update(query["supporting_ids"])
        between.update(query["supporting_ids"][:-1])
    free = [row for row in content.corpus if row["id"] not in gold and _can_be_taken(row)]
    bridges = [row for row in content.corpus if free and row["title"] and row["id"] in between]
    draw, added = random.Random(f"{seed} homonyms"), []
    for bridge in bridges:
        name = bare(bridge["title"])
        for number in range(1, MORE + 1):
            other = draw.choice(free)
            text = name.join(_places(other["title"]).split(other["text"]))
            added.append({"id": f"{bridge['id']}~{number}", "title": f"{name} ({number})", "text": text})
    return Content([*content.corpus, *added], content.queries), {
        "bridges with homonyms": len(bridges),
        "passages added": len(added),
        "passages whose text was taken": len(free),
    }


def _can_be_taken(row: Mapping[str, str]) -> bool:
    """Whether a passage names its own title, and is no list of what a name may refer to."""
    if not row["title"] or row["text"].endswith(":"):
        return False
    return _places(row["title"]).search(row["text"]) is not None


def _places(title: str) -> re.Pattern[str]:
    """Where a text has the title's bare form, as words of their own."""
    return re.compile(rf"(?<!\w){re.escape(bare(title))}(?!\w)")
