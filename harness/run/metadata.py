"""The record of how a run file was made: ``NAME.ir-metadata.yml`` next to it, with the keys of
ir_metadata.

A TREC file cannot hold it, because trec_eval fails on comment lines. Keys are those of ir_metadata
(Breuer, Keller & Schaer 2022, https://www.ir-metadata.org) if it has them, in the order of PRIMAD:
platform, research goal, implementation, method, actor, data. ``resources`` is the TIREx tracker's,
and ``run`` (the contents of the file) is ours.
"""

from __future__ import annotations

import difflib
import platform
import resource
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.core.errors import HarnessError
from harness.core.files import write_text
from harness.core.identity import code_version, file_sha256, library_versions
from harness.core.input import read_settings, value_at
from harness.core.resources import describe_machine
from harness.core.table import counted

if TYPE_CHECKING:
    from harness.run.run import Run

SUFFIX = ".ir-metadata.yml"
HEAD = "# The names are those of ir_metadata (https://www.ir-metadata.org) if it has them.\n"
FIELDS: Mapping[str, tuple[str, ...]] = {
    "system": ("tag",),
    "version": ("version",),
    "team": ("actor", "team"),
    "code": ("implementation", "source", "repository"),
    "commit": ("implementation", "source", "commit"),
    "encoder": ("method", "encoder"),
    "language_models": ("method", "language models"),
    "benchmark": ("data", "test collection", "name"),
    "trained_on": ("data", "training data"),
    "fitted_on": ("data", "fitted data"),
    "cost": ("cost",),
    "licence": ("licence",),
}
"""The place in the file of each field that a card has, too."""
FURTHER: Mapping[str, tuple[str, ...]] = {
    "command": ("implementation", "executable", "cmd"),
    "strategy": ("method", "name"),
    "lists": ("method", "lists"),
    "lock": ("method", "lock sha256"),
    "data_sha256": ("data", "test collection", "sha256"),
    "measures": ("research goal", "evaluation", "reported measures"),
    "tests": ("research goal", "evaluation", "significance test"),
    "platform": ("platform",),
    "resources": ("resources",),
    "run": ("run",),
}
"""The place of each field that only a run's metadata file has."""


def sidecar(path: Path) -> Path:
    """Return the metadata file of a run file."""
    return path.with_name(path.name + SUFFIX)


def write_metadata(path: Path, run: Run, values: Mapping[str, object]) -> None:
    """Write the metadata file of a run file.

    Args:
        path: the run file.
        run: its lists.
        values: by the names of ``FIELDS`` and ``FURTHER``. Platform and resources are those of this
            process unless given.
    """
    usual = {"system": "harness", "code": f"multihop-harness {code_version()}"}
    measured = {"platform": _platform(), "resources": _resources(), "run": _contents(path, run)}
    known = {name: each for name, each in values.items() if each}
    write_fields(sidecar(path), {**usual, **measured, **known}, {**FIELDS, **FURTHER})


def write_fields(
    path: Path, values: Mapping[str, object], fields: Mapping[str, tuple[str, ...]]
) -> None:
    """Write each value at its place in the file. A field that is None in ``values`` is an empty
    place.
    """
    import yaml

    content: dict[str, Any] = {}
    for name, place in fields.items():
        if name in values:
            value = values[name]
            if name in ("trained_on", "fitted_on") and isinstance(value, list):
                value = [entry if isinstance(entry, dict) else _data(str(entry)) for entry in value]
            node = content
            for key in place[:-1]:
                node = node.setdefault(key, {})
            node[place[-1]] = value
    write_text(path, HEAD + yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=120))


def read_fields(path: Path, fields: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    """Return the values of the fields in the file, None for a missing one."""
    content = read_settings(path)
    if not isinstance(content, dict):
        raise HarnessError(
            f"{path}: expected a mapping, found {type(content).__name__}; write the file again"
        )
    known = {place[0] for place in fields.values()}
    for key in content:  # other keys are allowed, except typing mistakes
        if key not in known and (
            meant := difflib.get_close_matches(str(key).lower(), known, n=1, cutoff=0.8)
        ):
            raise HarnessError(f"{path}: {key} is not read by anything (did you mean {meant[0]}?)")
    return {name: value_at(content, place) for name, place in fields.items()}


def check_metadata(path: Path, run: Run) -> str:
    """Return one line about a run file that agrees with its metadata. Raise HarnessError if it does
    not.

    Args:
        path: the run file.
        run: its lists, as read.
    """
    beside = sidecar(path)
    if not beside.is_file():
        raise HarnessError(f"{path}: {beside.name} is missing next to it; write the run again")
    said = read_fields(beside, {"run": ("run",)})["run"]
    for name, found in _contents(path, run).items():
        if (stated := value_at(said, (name,))) != found:
            raise HarnessError(
                f"{path}: {name} is {found}, and {beside.name} says {stated}; write the run again"
            )
    counts = f"{counted(said['queries'], 'query')}, {counted(said['entries'], 'entry')}"
    return f"{path}: {counts}, hash and counts as {beside.name} says"


def _contents(path: Path, run: Run) -> dict[str, object]:
    return {"sha256": file_sha256(path), "queries": run.answered, "entries": len(run.docs)}


def _platform() -> dict[str, object]:
    libraries = [f"{name} {version}" for name, version in library_versions().items()]
    python = [f"python {platform.python_version()}", *libraries]
    return {**describe_machine(), "software": {"libraries": {"python": python}}}


def _resources() -> dict[str, object]:
    """Return the processor seconds of this process and its peak memory (Linux counts it in KiB)."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    unit = 1 if sys.platform == "darwin" else 1024
    mib = used.ru_maxrss * unit >> 20
    return {
        "cpu": {"used process": {"seconds": round(used.ru_utime + used.ru_stime, 1)}},
        "ram": {"used process": {"max": f"{mib} MiB"}},
    }


def _data(name: str) -> dict[str, str]:
    collection, _, split = name.partition("/")
    return {"name": collection, "split": split}
