"""The record of how a run file was made: ``NAME.ir-metadata.yml`` next to it, with the keys of
ir_metadata.

A TREC file cannot hold it, because trec_eval fails on comment lines. Keys are those of ir_metadata
(Breuer, Keller & Schaer 2022, https://www.ir-metadata.org) if it has them, in the order of PRIMAD:
platform, research goal, implementation, method, actor, data. ``run`` (the contents of the file) is
ours.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.core.errors import HarnessError
from harness.core.files import write_text
from harness.core.identity import code_version, file_sha256, library_versions
from harness.core.input.read import read_settings, value_at
from harness.core.resources import describe_machine
from harness.core.table import counted

if TYPE_CHECKING:
    from harness.run.run import Run

SUFFIX = ".ir-metadata.yml"
HEAD = "# The names are those of ir_metadata (https://www.ir-metadata.org) if it has them.\n"
FIELDS: Mapping[str, tuple[str, ...]] = {
    "system": ("tag",),
    "version": ("version",),
    "code": ("implementation", "source", "repository"),
    "encoder": ("method", "encoder"),
    "benchmark": ("data", "test collection", "name"),
    "fitted_on": ("data", "fitted data"),
    "command": ("implementation", "executable", "cmd"),
    "strategy": ("method", "name"),
    "lists": ("method", "lists"),
    "lock": ("method", "lock sha256"),
    "data_sha256": ("data", "test collection", "sha256"),
    "measures": ("research goal", "evaluation", "reported measures"),
    "tests": ("research goal", "evaluation", "significance test"),
    "platform": ("platform",),
    "run": ("run",),
}
"""The place of each field in the file."""


def sidecar(path: Path) -> Path:
    """Return the metadata file of a run file."""
    return path.with_name(path.name + SUFFIX)


def write_metadata(path: Path, run: Run, values: Mapping[str, object]) -> None:
    """Write the metadata file of a run file.

    Args:
        path: the run file.
        run: its lists.
        values: by the names of ``FIELDS``; empty ones are left out. The platform is
            that of this process unless given.
    """
    import yaml

    usual = {"system": "harness", "code": f"multihop-harness {code_version()}"}
    measured = {"platform": _platform(), "run": _contents(path, run)}
    known = {**usual, **measured, **{name: value for name, value in values.items() if value}}
    content: dict[str, Any] = {}
    for name, place in FIELDS.items():
        if name in known:
            node = content
            for key in place[:-1]:
                node = node.setdefault(key, {})
            node[place[-1]] = known[name]
    text = yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=120)
    write_text(sidecar(path), HEAD + text)


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
    content = read_settings(beside)
    for name, actual in _contents(path, run).items():
        if (stated := value_at(content, ("run", name))) != actual:
            raise HarnessError(
                f"{path}: {name} is {actual}, and {beside.name} says {stated}; write the run again"
            )
    counts = f"{counted(run.answered, 'query')}, {counted(len(run.docs), 'entry')}"
    return f"{path}: {counts}, hash and counts as {beside.name} says"


def _contents(path: Path, run: Run) -> dict[str, object]:
    return {"sha256": file_sha256(path), "queries": run.answered, "entries": len(run.docs)}


def _platform() -> dict[str, object]:
    libraries = [f"{name} {version}" for name, version in library_versions().items()]
    python = [f"python {platform.python_version()}", *libraries]
    return {**describe_machine(), "software": {"libraries": {"python": python}}}
