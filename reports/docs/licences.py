"""THIRD_PARTY.md: the licence of every pinned library, as its own metadata say. Run by `make
licences`.
"""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

ROOT = Path(__file__).parents[2]
HEAD = """# Licences of the libraries

Made by `make licences` from the metadata of the versions in constraints.txt, those of tests and documentation too. None
is part of this package; `pip` installs them. Licences of benchmarks stand in `datasets/*.yaml`, of models in their
packages. The documentation carries iframe-worker 1.0.4 (MIT), with its licence beside it.

| library | version | licence |
|---|---|---|
"""


def pinned() -> list[tuple[str, str]]:
    """Name and version of every line of constraints.txt."""
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    return re.findall(r"^([\w.-]+)==([^\s;]+)", text, re.MULTILINE)


def licence(name: str) -> str:
    """Of an installed library: its expression, else its classifiers, else the first line of its
    text.
    """
    try:
        facts = metadata(name)
    except PackageNotFoundError:
        return "not installed where this list was made"
    classified = [
        line.rpartition(" :: ")[2]
        for line in facts.get_all("Classifier") or ()
        if line.startswith("License ::")
    ]
    said = str(
        facts.get("License-Expression") or ", ".join(classified) or facts.get("License") or ""
    ).strip()
    return said.partition("\n")[0].strip() or "in its files: " + ", ".join(
        facts.get_all("License-File") or ["none"]
    )


def table() -> str:
    """The file."""
    return HEAD + "".join(
        f"| {name} | {version} | {licence(name)} |\n" for name, version in pinned()
    )


if __name__ == "__main__":
    (ROOT / "THIRD_PARTY.md").write_text(table(), encoding="utf-8")
