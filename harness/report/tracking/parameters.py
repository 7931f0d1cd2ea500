"""Parameters and metrics of MLflow runs: flat names as typed, values as text or numbers."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from harness.core.configuration.stored_strategy import NAME
from harness.core.identity import digest, record

GROUPS = ("dataset", "encoder", "extractor", "graph", "lists", "objective", "margin")
"""The parameters in a sweep's configuration; fuser, normalizer, pool and others
are each trial's.
"""
MECHANICAL = {"backend", "batch_size", "block", "device", "processes", "threads", "version"}
"""Fields that change how something is computed, but not the result."""
LONGEST = 250
"""The largest number of characters of a key, and of a parameter that is not replaced by its hash.
"""


REFERENCE = re.compile(r"\$\{([\w.@]+)\}")
DEEPEST = 20
"""Number of nested levels of a configuration that are read."""


def key_name(name: str) -> str:
    """Return the name of a parameter, metric or tag as MLflow accepts it.

    ``last_hop@5`` is ``last_hop_at_5``. Letters that MLflow refuses are their code:
    ``bm25+rm3`` is ``bm25_x2B_rm3``. A name that is too long ends with its hash.
    """
    plain = re.sub(
        r"[^\w.\- :/]|^/|/(?=[./]|$)",
        lambda match: f"_x{ord(match[0]):02X}_",
        name.replace("@", "_at_"),
    )
    return plain if len(plain) <= LONGEST else f"{plain[: LONGEST - 17]}:{digest(name)[:16]}"


def pipeline(config: Mapping[str, object], manifest: Mapping[str, object]) -> dict[str, str]:
    """Return the knobs of a sweep's pipeline: ``encoder``, ``graph.synonym``,
    ``lists.dense.depth``, ...

    Lists are as the manifest resolved them. A strategy that is also at the top (``encoder`` inside
    of ``lists.dense``) is only named there, and described at the top. Paths are no parameters.
    """
    nodes = record({**config, "lists": manifest.get("lists") or config.get("lists")})
    nodes = {**nodes, **{group: _resolved(nodes.get(group), nodes) for group in GROUPS}}
    top = {group: _name(nodes[group]) for group in GROUPS if isinstance(nodes.get(group), Mapping)}
    knobs = dict(pair for group in GROUPS for pair in _flat(group, nodes.get(group), top))
    return {
        **knobs,
        "dataset": str(manifest["dataset"]),
        "split": str(manifest["split"]),
        "n": str(manifest["n"]),
    }


def _resolved(node: Any, root: Mapping[str, object], depth: int = 0) -> Any:
    """Return what ``${encoder}`` refers to; None for paths and environment variables."""
    if isinstance(node, Mapping):
        return {key: _resolved(value, root, depth + 1) for key, value in node.items()}
    if not (isinstance(node, str) and "${" in node):
        return node
    reference, path = REFERENCE.fullmatch(node), root
    if reference is None or depth > DEEPEST:
        return None
    for key in reference[1].split("."):
        path = path.get(key) if isinstance(path, Mapping) and key != "paths" else None  # type: ignore[assignment]
    return _resolved(path, root, depth + 1)


def _flat(key: str, node: Any, top: Mapping[str, str | None]) -> Iterator[tuple[str, str]]:
    if not isinstance(node, Mapping):
        if node is not None:
            yield key, text(node)
        return
    name = _name(node)
    if name:
        yield key, name
    concept = key.rpartition(".")[2]
    if "." in key and name and top.get(concept) == name:
        return
    for field, value in node.items():
        if field not in (NAME, "class", *MECHANICAL):
            yield from _flat(f"{key}.{field}", value, top)


def _name(node: Mapping[str, object]) -> str | None:
    """Return ``minilm`` of ``encoder/minilm``, or of the class
    ``harness.encoder.minilm.MiniLM``.
    """
    if NAME in node:
        return str(node[NAME]).rpartition("/")[2].rpartition(".")[2]
    parts = str(node.get("class") or "").split(".")
    return parts[-2] if len(parts) > 1 else None


def text(value: Any) -> str:
    """Return a value as typed in a config: ``0.7``, ``null``, ``[dense, graph]`` as JSON."""
    return value if isinstance(value, str) else json.dumps(value)


def shortened(params: Mapping[str, str]) -> dict[str, str]:
    """Return parameters with long values replaced by their hash."""
    return {
        key: value if len(value) <= LONGEST else f"sha256:{digest(value)[:16]}"
        for key, value in params.items()
    }


def numbers(name: str, value: Any) -> Iterator[tuple[str, float]]:
    """Yield every number in a value, under flat names; intervals end in ``_low`` and ``_high``.

    Null and NaN are left out.
    """
    if isinstance(value, Mapping):
        for key, inner in value.items():
            flat = f"{name}_{key}" if name else str(key)
            yield from numbers(flat, inner)
    elif (
        isinstance(value, (list, tuple))
        and len(value) == 2
        and all(isinstance(end, (int, float)) for end in value)
    ):
        yield from numbers(name, {"low": value[0], "high": value[1]})
    elif isinstance(value, (int, float)) and not math.isnan(value):
        yield name, float(value)
