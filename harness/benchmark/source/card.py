"""Cards: ``datasets/<name>.yaml`` has the source, the licence and the pinned content of a
benchmark.
"""

from __future__ import annotations

import dataclasses
import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from harness.benchmark import Benchmark
from harness.benchmark.content import content_sha256
from harness.benchmark.source.records import Chain, check_chain
from harness.core.concepts import package_folder
from harness.core.table import counted

log = logging.getLogger(__name__)
CONTEXT = "+"
"""The beginning of a line of an id list whose question is not asked; its paragraphs are in the
corpus.
"""
OTHER = re.compile(r"_[0-9a-f]{8}$")
"""The end of the name of a benchmark with another content than its card's."""


@dataclass(frozen=True)
class Card:
    """The card of a benchmark: one name, one content.

    Attributes:
        name: its name.
        source: where it was published.
        revision: its revision there.
        licence: its licence.
        citation: its citation.
        chain: the rule of chains (see ``source/assembly.py``).
        expected: the pinned content: number of ``queries``, of ``passages`` and ``content``, its
            hash (``content_sha256``). Each is missing if it is not known or not fixed.
        alias: the plain name that means this benchmark. Ids of passages begin with it.
        note: a remark.
        sample: a note for every number, if it is another sample than the published one.
        of: the card of the publishers' questions from which ``datasets/ids/<name>.txt`` takes some.
        retrieved: whether the contexts were retrieved. Questions whose gold is in no context are
            then left out and counted.
        files: ``queries`` and ``corpus`` of HippoRAG, each with ``name``, ``sha256`` (null if
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
    expected: Mapping[str, Any]
    alias: str | None = None
    note: str = ""
    sample: str = ""
    of: str | None = None
    retrieved: bool = False
    files: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict)
    hub: Mapping[str, str | None] | None = None

    @property
    def official(self) -> Card | None:
        """The card of the publishers' questions with their contexts; None if there is none."""
        if self.of is not None:
            return read_card(self.of)
        return self if "names" in self.files.get("queries", ()) else None

    @cached_property
    def ids(self) -> Mapping[str, bool] | None:
        """The ids of its questions in their order, and whether each is asked; None for all."""
        if self.of is None:
            return None
        lines = ids_file(self.name).read_text(encoding="utf-8").split()
        return {line.removeprefix(CONTEXT): not line.startswith(CONTEXT) for line in lines}

    def folders(self, root: Path) -> list[Path]:
        """Return the possible folders of prepared files below a folder."""
        return [root / name for name in (self.name, self.alias) if name]

    def official_files(self, root: Path) -> list[Path]:
        """Return the possible places of the publishers' file below a folder."""
        if (card := self.official) is None:
            return []
        names = card.files["queries"]["names"]
        places = (root / self.name, root / card.name, root / card.name.partition("_")[0], root)
        packed = [f"{name}{ending}" for name in names for ending in ("", ".gz")]
        return [place / name for place in dict.fromkeys(places) for name in packed]

    def named(self, benchmark: Benchmark, where: str) -> Benchmark:
        """Return the benchmark, under another name if it has another content than the card's.

        Args:
            benchmark: a benchmark under the name of the card.
            where: its place, for the warning.
        """
        wanted = self.expected
        counts = {"queries": len(benchmark.queries), "passages": len(benchmark.corpus)}
        same = all(wanted.get(key) in (None, count) for key, count in counts.items())
        pinned = wanted.get("content")
        if same and pinned is None:
            return benchmark
        content = content_sha256(benchmark)
        if same and pinned == content:
            return benchmark
        name = f"{benchmark.name}_{content[:8]}"
        log.warning(
            "%s: %s and %s, content %s; datasets/%s.yaml has %s. This is another benchmark, named "
            "%s",
            where,
            counted(counts["queries"], "question"),
            counted(counts["passages"], "passage"),
            content[:12],
            self.name,
            ", ".join(f"{key} {str(value)[:12]}" for key, value in wanted.items()),
            name,
        )
        return dataclasses.replace(benchmark, name=name)


def read_card(name: str) -> Card:
    """Return the card of that name. A card with ``of`` has the fields of that card that it lacks,
    but for what describes its files.
    """
    values = _values(name)
    if values.get("of"):
        whole = _values(values["of"])
        shared = ("source", "revision", "licence", "citation", "chain")
        values = {key: whole[key] for key in shared} | values
    card = Card(**values)
    check_chain(f"{name}.yaml: chain", card.chain)
    return card


def find_card(name: str) -> Card | None:
    """Return the card of a benchmark, also of one with another content; None if it has no card."""
    for known in (name, OTHER.sub("", name)):
        if (package_folder("datasets") / f"{known}.yaml").is_file():
            return read_card(known)
    return None


def plain_name(name: str) -> str:
    """Return the plain name of a benchmark (its alias), or its name if it has none."""
    card = find_card(name)
    return card.alias or card.name if card else name


def ids_file(name: str) -> Path:
    """Return the file of the question ids of a benchmark."""
    return package_folder("datasets") / "ids" / f"{name}.txt"


def sample_note(name: str) -> str:
    """Return a sentence on the sample of a benchmark, or an empty text."""
    card = find_card(name)
    return f" {name} is {card.sample}." if card and card.sample else ""


def _values(name: str) -> dict[str, Any]:
    path = package_folder("datasets") / f"{name}.yaml"
    values: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return values
