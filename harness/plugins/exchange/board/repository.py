"""A board: a git repository of submissions with a ``board.yaml`` that says what they are scored on, and how."""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from string import Template
from typing import Any

from harness.benchmark import SPLITS, Benchmark, load
from harness.core.configuration import names
from harness.core.errors import HarnessError, one_of, whole_number
from harness.core.escape import file_name
from harness.core.files import write_text
from harness.core.input import read_yaml
from harness.core.table import counted, percent
from harness.evaluation.gold import Gold
from harness.evaluation.metric import Metric
from harness.plugins.exchange.board.scoring import Scored, score
from harness.plugins.exchange.board.submission import read_submission
from harness.sweep.heldout import QuestionSet, describe_looks, note_look

log = logging.getLogger(__name__)

SETTINGS, SUBMISSIONS = "board.yaml", "submissions"
LONGEST = 400
"""Characters of a reason; names in it are strangers'."""
KEYS = ("benchmarks", "metric", "metrics", "depth", "split")


@dataclass(frozen=True, eq=False)
class Collection:
    """A test collection: what the submissions of one benchmark are scored on. gold: of all its queries."""

    benchmark: Benchmark
    gold: Gold


@dataclass(frozen=True, eq=False)
class Board:
    """A board's folder, and its settings.

    benchmarks: by name, ``{"sha256": ..., "path": ...}``; path: of a folder of prepared files, from the board on, where
    it is none of conf/dataset.    metric: what systems are compared by.    metrics: others that are shown.
    depth: passages of a list, at most.    split: what is scored.
    """

    folder: Path
    benchmarks: Mapping[str, Mapping[str, str]]
    metric: Metric
    metrics: Sequence[Metric]
    depth: int
    split: str
    paths: Any = None
    _collections: dict[str, Collection] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path, paths: Any = None) -> Board:
        """The board in a folder. paths: of the configuration, where data and artifacts are.

        Raises HarnessError when it is none, or for a setting that is none.
        """
        import yaml

        path = folder / SETTINGS
        try:
            content = read_yaml(path)
            one = dict(content)
            given = {str(name): {str(key): str(value) for key, value in of.items()} for name, of in
                     one["benchmarks"].items()}  # fmt: skip
            metric, others = Metric.parse(one["metric"]), [Metric.parse(name) for name in one["metrics"]]
            depth, split = one["depth"], str(one["split"])
        except FileNotFoundError as error:
            raise HarnessError(f"{path}: there is no board; `harness board init {folder}` makes one") from error
        except (OSError, ValueError, TypeError, AttributeError, KeyError, yaml.YAMLError) as error:
            raise HarnessError(f"{path}: no settings of a board ({error}); expected {', '.join(KEYS)}") from error
        for name in given:
            _check_name(name)
        one_of("split", split, SPLITS)
        whole_number(f"{path}: depth", depth, 1)
        return cls(folder, given, metric, others, depth, split, paths)

    @cached_property
    def folders(self) -> list[Path]:
        """What lies below submissions/, by name; names that begin with a dot are git's."""
        place = self.folder / SUBMISSIONS
        if place.is_symlink() or not place.is_dir():
            raise HarnessError(f"{place}: there is no such folder; a board's submissions lie in it")
        return sorted(path for path in place.iterdir() if not path.name.startswith("."))

    def collection(self, name: str) -> Collection:
        """The benchmark of that name, which must be the one that the board was made for."""
        if name not in self._collections:
            known = self.benchmarks[name]
            data = _load(self.folder / known["path"] if "path" in known else name, self.paths)
            if data.sha256 != known.get("sha256"):
                raise HarnessError(
                    f"{self.folder / SETTINGS}: {name} has the sha256 {known.get('sha256')}, the data at hand has "
                    f"{data.sha256}; get the data that the board was made for"
                )
            gold = Gold.of(data)
            if self.metric.ordered and not gold.has_last_hop.any():
                raise HarnessError(
                    f"{self.folder / SETTINGS}: {name} has no hop order for {self.metric}; set full_sup@5"
                )
            self._collections[name] = Collection(data, gold)
        return self._collections[name]

    def open_all(self) -> tuple[list[Scored], dict[str, str]]:
        """The submissions, scored from their lists, and of those that are refused the reason, by name.

        Raises HarnessError where a benchmark is not at hand, which is no submission's fault.
        """
        scored: list[Scored] = []
        refused: dict[str, str] = {}
        for folder in self.folders:
            with _refusing(folder.name, refused):
                found = read_submission(folder)
                one_of(f"{folder / 'card.yaml'}: benchmark", found.card.benchmark, self.benchmarks)
            if folder.name in refused:
                continue
            own = self.collection(found.card.benchmark)
            with _refusing(folder.name, refused):
                if found.data_sha256 != own.benchmark.sha256:
                    raise HarnessError(
                        f"{folder / 'hashes'}: made on {found.card.benchmark} with the sha256 {found.data_sha256[:12]}"
                        f", the board's has {own.benchmark.sha256[:12]}; run the system on the board's data"
                    )
                scored.append(score(found, own.gold, self.depth, self.split))
        place = f"{self.folder / SUBMISSIONS}/"
        return scored, {name: _cut(reason.replace(place, "")) for name, reason in refused.items()}


@contextlib.contextmanager
def _refusing(name: str, refused: dict[str, str]) -> Iterator[None]:
    """Notes the reason where the block refuses a submission."""
    try:
        yield
    except HarnessError as error:
        refused[name] = str(error)


def copies(scored: Sequence[Scored]) -> dict[str, list[str]]:
    """By submission the others that have its lists, passage by passage, on the same benchmark."""
    same: dict[tuple[str, str], list[str]] = {}
    for one in scored:
        same.setdefault((one.submission.card.benchmark, one.order), []).append(one.submission.name)
    return {name: [other for other in names if other != name] for names in same.values() for name in names}


def notes(one: Scored, others: Sequence[str]) -> list[str]:
    """What is said of a submission: of its lists, and who else has them."""
    return [*one.notes, *([f"its lists are those of {', '.join(others[:5])}, passage by passage"] if others else [])]


def note_looks(board: Board, names: Iterable[str], command: str, looks: str | None) -> None:
    """Note that a command scores the board's split of these benchmarks, and say it."""
    for name in names:
        gold = board.collection(name).gold.split(board.split)
        noted = note_look(looks, command, QuestionSet(name, gold.relevant(), gold.tests))
        if said := describe_looks(noted, len(gold), looks):
            log.info("%s: %s", name, said)


def check(board: Board, looks: str | None = None) -> tuple[list[str], list[str]]:
    """A line for each submission and each thing to know of it; and the names of those that are refused.

    looks: the file of looks at test.
    """
    scored, refused = board.open_all()
    same, lines = copies(scored), []
    note_looks(board, dict.fromkeys(one.submission.card.benchmark for one in scored), "board check", looks)
    for one in scored:
        card, values = one.submission.card, board.metric(one.on(board.split))
        known = values[values == values]
        share = f"{percent(float(known.mean()))}%" if len(known) else "none"
        where = f"{card.benchmark} {board.split}, {counted(len(known), 'question')}"
        lines.append(f"scored   {one.submission.name}: {where}, {board.metric} {share}")
        lines += [f"note     {one.submission.name}: {text}" for text in notes(one, same[one.submission.name])]
    lines += [f"refused  {name}: {reason}" for name, reason in refused.items()]
    return lines, list(refused)


def init(folder: Path, benchmarks: Sequence[str], package: str | None, paths: Any = None) -> list[Path]:
    """Write a new board; the files that were written.

    benchmarks: names, or folders of prepared files.    package: what the workflow installs; None: this release.
    """
    if there := [folder / place for place in FILES.values() if (folder / place).exists()]:
        raise HarnessError(f"{there[0]}: there already, and not written over; give another folder, or move it")
    if not benchmarks:
        raise HarnessError("benchmarks=[]: expected at least one, e.g. benchmarks=[sample]")
    named: dict[str, str] = {}
    for given in benchmarks:
        data = _load(given, paths)
        _check_name(data.name)
        own = "" if given in names("dataset") else f", path: {os.path.relpath(given, folder)!r}"
        named[data.name] = f"  {data.name}: {{sha256: {data.sha256}{own}}}"
    marks = {
        "benchmarks": "\n".join(named.values()),
        "names": ", ".join(named),
        "first": next(iter(named)),
        "package": package or f"multihop-harness=={version('multihop-harness')}",
    }
    written = []
    for name, place in FILES.items():
        text = Template((TEMPLATES / name).read_text(encoding="utf-8")).substitute(marks)
        write_text(folder / place, text)
        written.append(folder / place)
    return written


TEMPLATES = Path(__file__).parents[1] / "templates"
FILES = {"board.yaml": SETTINGS, "README.md": "README.md", "check.yml": ".github/workflows/check.yml",
         "keep": f"{SUBMISSIONS}/.gitkeep", "ignored": ".gitignore"}  # fmt: skip
"""The templates of a board, and where they are put."""


def _check_name(name: str) -> None:
    """Raise where the file of a benchmark's page could not be called so."""
    if file_name(name) != name or name == "index":
        raise HarnessError(f"benchmark {name}: expected a name of letters, digits, _ and -, not index; rename it")


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} ..."


def _load(name: str | Path, paths: Any) -> Benchmark:
    return load(name, *([] if paths is None else [str(paths.data), str(paths.runs)]))
