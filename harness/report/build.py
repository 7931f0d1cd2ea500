"""The report of a sweep: ``tables/*.tex``, ``figures/*.{pdf,png}``, ``report.tex``, ``report.pdf``, ``index.html``."""

from __future__ import annotations

import base64
import dataclasses
import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.configuration import names
from harness.files import write_text
from harness.report import experiment, tables
from harness.report.compile import SECONDS, compile_pdf
from harness.report.figure import Picture, alpha, ceiling, flow, frontier, outcomes
from harness.report.foresight import foreseen
from harness.report.table import Table
from harness.report.template import fill
from harness.report.view import View
from harness.sweep.result import SweepResult

OWN = (
    *(
        f"{name}.tex"
        for name in (
            "heldout",
            "leaderboard",
            "by_hops",
            "by_type",
            "effect",
            "ablation",
            "singles",
            "ceiling",
            "headroom",
        )
    ),
    *(
        f"{name}.p??"
        for name in ("outcomes_*", "alpha", "frontier", "ceiling*", "flow", "distributions", "scores_*", "calibration")
    ),
)
"""What a report may write, beside what has an experiment's name: what an earlier report left of these is removed."""


@dataclass(frozen=True)
class Built:
    """What was written, and one line about the PDF (its path, or why there is none)."""

    files: Sequence[Path]
    pdf: str


@dataclass(frozen=True)
class Section:
    """What is told of one sweep. ``trials``: its whole leaderboard, for the page."""

    title: str
    facts: Mapping[str, str]
    tables: Sequence[Table]
    trials: Table
    pictures: Sequence[Picture]

    def apart(self, name: str) -> Section:
        """The same below a folder and a label of that name, so that several sweeps stand in one report."""
        return dataclasses.replace(
            self,
            tables=[dataclasses.replace(table, name=f"{name}/{table.name}") for table in self.tables],
            trials=dataclasses.replace(self.trials, name=f"{name}/{self.trials.name}"),
            pictures=[dataclasses.replace(picture, name=f"{name}/{picture.name}") for picture in self.pictures],
        )


def section(result: SweepResult, more: Iterable[Picture] = ()) -> Section:
    """Every table and figure of a sweep.

    more: further figures, such as ``distributions``, which need the lists themselves.
    """
    drawers = (outcomes, alpha, frontier, ceiling, flow)
    drawn = [picture for drawer in drawers for picture in drawer.pictures(result)]
    return Section(
        f"Sweep {result.folder.name}",
        described(result),
        [*experiment.tables(result), *tables.every(result)],
        full(result),
        [*experiment.pictures(result), *drawn, *more],
    )


def build(result: SweepResult, folder: Path, more: Iterable[Picture] = ()) -> Built:
    """Write the report of a sweep into ``folder``; the same results give the same bytes."""
    return write([section(result, more)], folder)


def gather(sections: Mapping[str, Section], folder: Path) -> Built:
    """Write one report of several sweeps, by the name of each: its tables and figures lie in folders of that name."""
    named = [dataclasses.replace(one, title=name).apart(re.sub(r"\W+", "-", name)) for name, one in sections.items()]
    return write(named, folder)


def write(sections: Sequence[Section], folder: Path) -> Built:
    """Write the files of a report. Tables and figures that an earlier one left and this one does not have go."""
    files: list[Path] = []
    images = {}
    for one in sections:
        files += [_write(folder / "tables" / f"{t.name}.tex", fill("table.tex.j2", table=t)) for t in one.tables]
        for picture in one.pictures:
            pdf, png = picture.save(folder / "figures")
            files += [pdf, png]
            images[picture.name] = base64.b64encode(png.read_bytes()).decode()
    title = sections[0].title if len(sections) == 1 else f"{len(sections)} sweeps"
    page = fill("index.html.j2", title=title, sections=sections, images=images)
    document = fill("report.tex.j2", title=title, sections=sections)
    files += [_write(folder / "index.html", page), _write(folder / "report.tex", document)]
    _forget(folder, files)
    return Built(files, compile_pdf(folder, SECONDS * len(sections)))


def full(result: SweepResult) -> Table:
    """The leaderboard of all trials and metrics, for the page."""
    return dataclasses.replace(tables.leaderboard(result), name="trials", title="All trials on tune")


def described(result: SweepResult) -> dict[str, str]:
    """What the report's head says: where its numbers come from."""
    manifest, view = result.manifest, View.of(result)
    libraries = ", ".join(f"{name} {version}" for name, version in sorted(manifest["libraries"].items()))
    shown = f"{view.split}, evaluation {view.evaluation}" if view.evaluation else f"{view.split} (nothing held out yet)"
    return {
        "benchmark": f"{manifest['dataset']}, {len(result.queries)} tune queries",
        "locked trials on": shown,
        "winner": str(result.lock["winner"]["name"]),
        "objective": str(manifest["objective"]),
        **foreseen(result),
        "trials": str(len(result.trials)),
        "data sha256": str(manifest["data_sha256"]),
        "lock sha256": str(result.lock["sha256"]),
        "code": str(manifest["code"]),
        "libraries": libraries,
    }


def _write(path: Path, text: str) -> Path:
    write_text(path, text)
    return path


def _forget(folder: Path, kept: Sequence[Path]) -> None:
    """Remove what an earlier report left, at the top and in folders of sweeps, and folders that are empty then."""
    patterns = (*OWN, *(f"{name}*.*" for name in names("experiment")))
    for kind, below, pattern in itertools.product(("tables", "figures"), ("", "*/"), patterns):
        for path in sorted(folder.glob(f"{kind}/{below}{pattern}")):
            if path not in kept:
                path.unlink()
    for path in [*folder.glob("tables/*/"), *folder.glob("figures/*/")]:
        if not any(path.iterdir()):
            path.rmdir()
