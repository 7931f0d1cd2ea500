"""Cards: ``datasets/<name>.yaml`` says where a benchmark comes from, under which licence, and what
it must hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NotRequired

import yaml
from typing_extensions import TypedDict

from harness.benchmark.source.assembly import Chain, check_chain
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
    """What is known of a benchmark.

    expected: for each way in (``prepared``, ``upstream``, ``hub``) the versions that are known,
    each with ``queries``, ``passages`` (records in the files) and ``sha256`` of the content (null
    when it is not known);
    ``sample``: what every number on it says, where it is another sample than the published one.
    ``official``: of questions with their own contexts, ``queries`` alone; other counts are a
    warning.
    folder: where prepared files stand, if that is not ``name``.
    retrieved: whether the contexts were retrieved, so that some hold no gold; questions whose gold
    is in no context are left out and counted.
    files: ``queries`` and ``corpus`` as upstream publishes them, each with ``name``, ``sha256``
    (null: not known), ``bytes``, ``blob`` (git's hash), and ``seen``
    (``repository, sha256, bytes``): a copy elsewhere that could not be
    compared; one that differs warns. Questions with their own contexts have ``queries`` alone,
    with their official ``names``.    hub: ``repo`` and ``revision`` (null: the newest); of a data
    set ``configuration`` and ``split``, too.
    mirrors: addresses of folders that hold the files, tried in order where the Hub gives none; they
    need a ``sha256``.
    chain: see ``source/assembly.py``.
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
    mirrors: Sequence[str] = ()

    def official_files(self, root: Path) -> list[Path]:
        """Where the publishers' file may be below a folder; empty for a card with a corpus file."""
        names = ((self.files or {}).get("queries") or {}).get("names", ())
        places = (root / self.name, root / self.name.partition("_")[0], root)
        packed = [f"{name}{ending}" for name in names for ending in ("", ".gz")]
        return [place / name for place in places for name in packed]

    def check(self, way: str, where: str, queries: int, passages: int, sha256: str) -> None:
        """Raise unless a known version has these counts and, where it pins one, this hash."""
        known = self.expected[way]
        same = [
            version
            for version in known
            if (version["queries"], version["passages"]) == (queries, passages)
        ]
        pinned = [version.get("sha256") for version in same]
        own = {
            "prepared": "use them as your own with dataset=folder dataset.path=DIR",
            "upstream": "read a part of the questions, with their own contexts as the corpus, by "
            f"dataset={self.name.partition('_')[0]}_dev dataset.path=FILE",
        }
        mend = f"get the files again{f', or {own[way]}' if way in own else ''}"
        if not same:
            held = [(version["queries"], version["passages"]) for version in known]
            found, *counts = (
                f"{counted(some, 'query')} and {counted(more, 'passage')}"
                for some, more in [(queries, passages), *held]
            )
            raise HarnessError(
                f"{where}: found {found}, but datasets/{self.name}.yaml expects "
                f"{' or '.join(counts)} ({way}); {mend}"
            )
        if None not in pinned and sha256 not in pinned:
            raise HarnessError(
                f"{where}: the content has sha256 {sha256}, but datasets/{self.name}.yaml expects "
                f"{' or '.join(map(str, pinned))} ({way}); {mend}"
            )


def read_card(name: str) -> Card:
    """The card of that name."""
    path = package_folder("datasets") / f"{name}.yaml"
    if not path.is_file():
        raise HarnessError(
            f"{path}: there is no such card; cards are {package_folder('datasets')}/*.yaml"
        )
    card = Card(**yaml.safe_load(path.read_text(encoding="utf-8")))
    check_chain(f"{path.name}: chain", card.chain)
    return card


def sample_note(name: str, sha256: str) -> str:
    """What numbers on a benchmark say of its sample, by the hash of its content: a sentence, or
    nothing.
    """
    path = package_folder("datasets") / f"{name}.yaml"
    versions = (
        [one for way in read_card(name).expected.values() for one in way] if path.is_file() else []
    )
    said = next(
        (one["sample"] for one in versions if "sample" in one and one.get("sha256") == sha256), ""
    )
    return f" {name} is {said}." if said else ""
