"""What a file from elsewhere may say: values, and strategies that conf/ names; never code, endpoints or secrets.

The command line of a user is free; a sweep's folder or a lock may come from anybody.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from harness.core.configuration.extensions import folders
from harness.core.configuration.rooms import roomless
from harness.core.errors import HarnessError

TARGET = "_target_"
REACHING = (
    *("base_url", "urls", "uri", "key_variable", "password", "answers", "trust_remote_code"),
    *("harness.extractor.offline.Offline.model", "harness.encoder.nv_embed_v2.NvEmbedV2.model"),
)
"""Fields (of one class, or of all) that reach beyond the folder: to a server, a secret, a place, a model's own code."""
LOCAL = re.compile(r"(https?|bolt)://(127\.0\.0\.1|localhost|\[::1\])(:\d+)?(/\S*)?")
WRITTEN = re.compile(
    rf"(?m)\b({TARGET}|{'|'.join(name for name in REACHING if '.' not in name)}|model):\s*(\$\{{\S*|[^\s,}}#]+)"
)
REFERENCE = re.compile(r"\$\{\.*[\w.@]+\}")


def check_values(values: Any, place: Path) -> None:
    """Raise HarnessError unless these are scalars, lists of them, and mappings of them by plain names."""
    for path, value, _ in _leaves(values):
        if any(key.startswith("_") for key in path) or (isinstance(value, str) and "${" in value):
            raise HarnessError(
                f"{place}: {'.'.join(path)} = {value!r}, expected a number, a word or a list of them; take this file "
                "from where it was made"
            )


def check_strategies(config: Mapping[str, Any], place: Path, trusted: bool = False) -> None:
    """Raise HarnessError where a stored configuration names what conf/ does not.

    ``_target_`` is one of conf/ (ours, an installed package's, or ``--config-dir``'s), interpolations are references to
    other keys, and fields that reach beyond the folder (``REACHING``) have a value of conf/, unless it is ``trusted``.
    """
    known = _known(tuple(folders()))
    for path, value, target in _leaves(config):
        name, field = ".".join(path), next(key for key in (*reversed(path), "") if not key.isdecimal())
        found = f"{place}: {name} = {value!r}"
        if field == TARGET and ("", roomless(str(value))) not in known:
            raise HarnessError(
                f"{found}, expected a strategy of conf/; name your own in a file conf/<concept>/<name>.yaml, and its "
                "folder with --config-dir=DIR"
            )
        if any(key.startswith("_") for key in path[:-1]) or (field.startswith("_") and field != TARGET):
            raise HarnessError(f"{found}, expected no key of Hydra's but {TARGET}; sweep again")
        if isinstance(value, str) and "${" in REFERENCE.sub("", value):
            raise HarnessError(f"{found}, expected only references to other keys, ${{key}}; sweep again")
        if path[0] == "experiment" and field == "name" and not re.fullmatch(r"[\w.-]+", str(value)):
            raise HarnessError(f"{found}, expected the name of a table or figure, which is no path; sweep again")
        reaches = {field, f"{target}.{field}"} & set(REACHING)
        if reaches and not (trusted or _harmless(field, value, known)):
            keys = ".".join(key for key in path if not key.isdecimal())
            raise HarnessError(
                f"{place}: {keys} = {value!r} reaches beyond this folder, expected a value of conf/ or of this "
                "machine; if you trust who wrote the file, add trust=true"
            )


def _harmless(field: str, value: Any, known: frozenset[tuple[str, str]]) -> bool:
    return not value or (field, str(value)) in known or LOCAL.fullmatch(str(value)) is not None


def _leaves(node: Any, path: tuple[str, ...] = (), target: str = "") -> Iterator[tuple[tuple[str, ...], Any, str]]:
    """Each scalar, with the keys that lead to it and the target of the strategy that it is a field of."""
    if isinstance(node, Mapping):
        own = roomless(str(node.get(TARGET, "")))
        for key, value in node.items():
            yield from _leaves(value, (*path, str(key)), own)
    elif isinstance(node, (list, tuple)):
        for number, value in enumerate(node):
            yield from _leaves(value, (*path, str(number)), target)
    else:
        yield path, node, target


@functools.cache
def _known(places: tuple[Path, ...]) -> frozenset[tuple[str, str]]:
    """What conf/ writes: ("", target) of each strategy, and (field, value) of what reaches beyond a folder."""
    found = set()
    for folder in places:
        for path in folder.rglob("*.yaml"):
            for field, value in WRITTEN.findall(path.read_text(encoding="utf-8")):
                found.add(("", roomless(value)) if field == TARGET else (field, value))
    return frozenset(found)
