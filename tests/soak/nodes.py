"""A JSON or YAML file that is whole and says something else: one of its values replaced, or a key
left out.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ODD = (
    None,
    [],
    {},
    "x",
    "",
    -1,
    0,
    1.5,
    True,
    10**30,
    float("inf"),
    float("nan"),
    [[1]],
    [None],
    {"a": {"b": 1}},
    "../x",
    "\x1b[2J",
    "${oops}",
    "???",
    {"_target_": "os.getcwd"},
    "=1+1",
)
"""What no reader expects everywhere."""
Keys = tuple[Any, ...]


def is_structured(path: Path) -> bool:
    return path.suffix in (".json", ".yaml", ".jsonl")


def replace_node(whole: bytes, path: Path, rng: random.Random) -> bytes:
    """The content with one node replaced by an odd value, or removed; of lines of JSON in
    one line.
    """
    if path.suffix == ".jsonl":
        lines = whole.splitlines(keepends=True)
        at = rng.randrange(len(lines))
        lines[at] = replace_node(lines[at], path.with_suffix(".json"), rng) + b"\n"
        return b"".join(lines)
    content = yaml.safe_load(whole) if path.suffix == ".yaml" else json.loads(whole)
    *above, last = rng.choice([*_nodes(content)])
    node = content
    for key in above:
        node = node[key]
    if rng.random() < 0.1:
        del node[last]
    else:
        node[last] = rng.choice(ODD)
    return (yaml.safe_dump(content) if path.suffix == ".yaml" else json.dumps(content)).encode()


def _nodes(node: Any, place: Keys = ()) -> Iterator[Keys]:
    if place:
        yield place
    found = (
        node.items()
        if isinstance(node, dict)
        else enumerate(node)
        if isinstance(node, list)
        else ()
    )
    for key, value in found:
        yield from _nodes(value, (*place, key))
