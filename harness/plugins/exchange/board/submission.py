"""A submission: a folder of three plain files, ``run.trec.gz``, ``card.yaml`` and ``hashes``, made and opened."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from harness.core.errors import HarnessError
from harness.core.files import make_folder, write_text
from harness.core.identity import file_sha256
from harness.plugins.exchange.board.card import Card, read_card, read_values, write_card
from harness.plugins.exchange.board.card import missing as lacking

if TYPE_CHECKING:
    from harness.run import Run

RUN, CARD, HASHES = "run.trec.gz", "card.yaml", "hashes"
LARGEST = {RUN: 256 << 20, CARD: 64 << 10, HASHES: 4 << 10}
"""Bytes of each file, at most."""
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,79}")
"""What a submission's folder may be called, so that no two are one on a disk that ignores case."""
LINE = re.compile(r"([0-9a-f]{64})  (run\.trec\.gz|card\.yaml|benchmark \S.*)")


@dataclass(frozen=True)
class Submission:
    """An opened submission, whose files are those of its hashes. data_sha256: of the benchmark that it ran on."""

    folder: Path
    card: Card
    data_sha256: str

    @property
    def name(self) -> str:
        """Of the folder: what the submission is called on the board."""
        return self.folder.name

    @property
    def run(self) -> Path:
        """The file of the lists."""
        return self.folder / RUN


def submit(
    folder: Path, run: Run, values: Mapping[str, object], data_sha256: str, known: Mapping[str, object] | None = None
) -> None:
    """Write a submission. What the card in the folder says already stays where ``values`` have nothing.

    values: the fields of a card, None where nothing is given (see ``harness.run.metadata.FIELDS``), and ``claims``.
    known: the same of what neither ``values`` nor that card has.
    """
    if not NAME.fullmatch(folder.name):
        raise HarnessError(f"{folder}: a submission is called by small letters, digits, _ and -; set out=DIR/name")
    make_folder(folder)
    card = read_values(folder / CARD) if (folder / CARD).is_file() else {}
    several = (values, card, known or {})
    merged = {name: next((one[name] for one in several if one.get(name) is not None), None) for name in values}
    run.to_trec(folder / RUN, tag=folder.name)
    write_card(folder / CARD, merged)
    lines = [f"{file_sha256(folder / name)}  {name}" for name in (RUN, CARD)]
    write_text(folder / HASHES, "\n".join([*lines, f"{data_sha256}  benchmark {merged['benchmark']}"]) + "\n")


def missing(folder: Path) -> list[str]:
    """What the card of a submission has no value for yet."""
    return lacking(read_values(folder / CARD))


def read_submission(folder: Path) -> Submission:
    """Open a submission: three plain files, of bounded size, with the hashes that they are said to have.

    Raises HarnessError for another file, a link, a folder, a file that is too large or changed, and an incomplete card.
    """
    _check_files(folder)
    text = (folder / HASHES).read_bytes().decode("utf-8", "replace")
    found = [LINE.fullmatch(line) for line in text.splitlines()]
    hashes = {match[2]: match[1] for match in found if match}
    data = [name for name in hashes if name.startswith("benchmark ")]
    if None in found or len(found) != 3 or sorted(hashes) != sorted([*data, CARD, RUN]) or len(data) != 1:
        raise HarnessError(f"{folder / HASHES}: expected `SHA-256  NAME` of {RUN}, {CARD} and `benchmark NAME`")
    for name in (RUN, CARD):
        if file_sha256(folder / name) != hashes[name]:
            raise HarnessError(f"{folder / name}: not the file that {HASHES} names; run `harness submit` again")
    card = read_card(folder / CARD)
    if data != [f"benchmark {card.benchmark}"]:
        raise HarnessError(f"{folder / HASHES}: has the {data[0]}, {CARD} is of {card.benchmark}")
    return Submission(folder, card, hashes[data[0]])


def _check_files(folder: Path) -> None:
    if not NAME.fullmatch(folder.name):
        raise HarnessError(f"{folder}: called by other than small letters, digits, _ and -, at most 80; rename it")
    if folder.is_symlink() or not folder.is_dir():
        raise HarnessError(f"{folder}: no folder of its own, but a {'link' if folder.is_symlink() else 'file'}")
    there = sorted(folder.iterdir())
    if others := [path.name for path in there if path.name not in LARGEST]:
        raise HarnessError(f"{folder}: holds {others[0]!r}, expected {RUN}, {CARD} and {HASHES} alone; remove it")
    if absent := [name for name in LARGEST if folder / name not in there]:
        raise HarnessError(f"{folder}: lacks {', '.join(absent)}; `harness submit` writes a whole submission")
    for path in there:
        _check_file(path)


def _check_file(path: Path) -> None:
    if path.is_symlink() or not path.is_file():
        raise HarnessError(f"{path}: no plain file, but a link, folder or device; put the file itself there")
    if (size := path.stat().st_size) > LARGEST[path.name]:
        raise HarnessError(f"{path}: {size} bytes, at most {LARGEST[path.name]}")
