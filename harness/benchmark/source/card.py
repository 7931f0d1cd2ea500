"""Cards: ``datasets/<name>.yaml`` has the source, the licence and the expected content of a
benchmark.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NotRequired

import yaml
from typing_extensions import TypedDict

from harness.benchmark.source.records import Chain, check_chain
from harness.core.concepts import package_folder
from harness.core.errors import HarnessError
from harness.core.table import counted


class Version(TypedDict):
    """The counts and the hash of a known version of a benchmark."""

    queries: int
    passages: NotRequired[int]
    sha256: NotRequired[str | None]
    sample: NotRequired[str]
    of: NotRequired[str]


@dataclass(frozen=True)
class Card:
    """The card of a benchmark.

    Attributes:
        name: its name.
        source: where it was published.
        revision: its revision there.
        licence: its licence.
        citation: its citation.
        chain: the rule of chains (see ``source/assembly.py``).
        expected: the known versions of each source (``prepared``, ``upstream``, ``hub``):
            ``queries``, ``passages`` (records in the files), ``sha256`` of the content (null if
            unknown), and ``sample``, a note on every number if it is another sample than the
            published one. ``official`` is for questions with their own contexts and has ``queries``
            alone; other counts are a warning.
        note: a remark.
        folder: the folder of prepared files, if it is not ``name``.
        retrieved: whether the contexts were retrieved. Questions whose gold is in no context are
            then left out and counted.
        files: ``queries`` and ``corpus`` of the publishers, each with ``name``, ``sha256`` (null if
            unknown) and ``bytes``. Questions with their own contexts have ``queries`` alone, with
            their official ``names``.
        hub: ``repo`` and ``revision`` (null: the newest); for a data set also ``configuration`` and
            ``split``.
    """

    name: str
    source: str
    revision: str | None
    licence: str
    citation: str
    chain: Chain
    expected: Mapping[str, Sequence[Version]]
    note: str = ""
    folder: str | None = None
    retrieved: bool = False
    files: Mapping[str, Mapping[str, Any]] | None = None
    hub: Mapping[str, str | None] | None = None

    def official_files(self, root: Path) -> list[Path]:
        """Return the possible places of the publishers' file below a folder; empty for a card with
        a corpus file.
        """
        names = ((self.files or {}).get("queries") or {}).get("names", ())
        places = (root / self.name, root / self.name.partition("_")[0], root)
        packed = [f"{name}{ending}" for name in names for ending in ("", ".gz")]
        return [place / name for place in places for name in packed]

    def check(self, way: str, where: str, queries: int, passages: int, sha256: str) -> None:
        """Raise HarnessError unless a known version has these counts and, if it has one, this
        hash.
        """
        known = self.expected[way]
        counts = [(version["queries"], version["passages"]) for version in known]
        hashes = [
            version.get("sha256")
            for version, own in zip(known, counts, strict=True)
            if own == (queries, passages)
        ]
        if None in hashes or sha256 in hashes:
            return
        found, expected = f"the content has sha256 {sha256}", list(map(str, hashes))
        if not hashes:
            found, *expected = (
                f"{counted(some, 'query')} and {counted(more, 'passage')}"
                for some, more in [(queries, passages), *counts]
            )
        raise HarnessError(
            f"{where}: found {found}, but datasets/{self.name}.yaml expects "
            f"{' or '.join(expected)} ({way}); get the files again, or use them as your own with "
            "dataset=folder dataset.path=DIR"
        )


def read_card(name: str) -> Card:
    """Return the card of that name."""
    path = package_folder("datasets") / f"{name}.yaml"
    card = Card(**yaml.safe_load(path.read_text(encoding="utf-8")))
    check_chain(f"{path.name}: chain", card.chain)
    return card


def sample_note(name: str, sha256: str) -> str:
    """Return a sentence on the sample of a benchmark, by the hash of its content, or an empty
    text.
    """
    if not (package_folder("datasets") / f"{name}.yaml").is_file():
        return ""
    for version in itertools.chain(*read_card(name).expected.values()):
        if "sample" in version and version.get("sha256") == sha256:
            return f" {name} is {version['sample']}."
    return ""
