"""``homonyms``: other entities with the name of each bridge."""

from __future__ import annotations

import random
import re

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
    gold = {name for query in content.queries for name in query["supporting_ids"]}
    between = {name for query in content.queries for name in query["supporting_ids"][:-1]}
    bridges = [row for row in content.corpus if row["id"] in between and row["title"]]
    free = [
        row
        for row in content.corpus
        if row["id"] not in gold
        and row["title"]
        and not row["text"].endswith(":")
        and _places(row["title"]).search(row["text"])
    ]
    draw, added = random.Random(f"{seed} homonyms"), []
    for bridge in bridges if free else ():
        name = bare(bridge["title"])
        for number in range(1, MORE + 1):
            other = draw.choice(free)
            text = name.join(_places(other["title"]).split(other["text"]))
            added.append({"id": f"{bridge['id']}~{number}", "title": f"{name} ({number})", "text": text})
    return Content([*content.corpus, *added], content.queries), {
        "bridges with homonyms": len(bridges) if free else 0,
        "passages added": len(added),
        "passages whose text was taken": len(free),
    }


def _places(title: str) -> re.Pattern[str]:
    """Where a text has the title's bare form, as words of their own."""
    return re.compile(rf"(?<!\w){re.escape(bare(title))}(?!\w)")
