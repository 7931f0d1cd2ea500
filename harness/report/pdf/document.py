"""The report of a sweep: ``tables/*.tex``, ``figures/*.{pdf,png}``, ``report.tex``,
``report.pdf``.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.core.escape import file_name
from harness.core.files import write_text
from harness.core.table import TWO_COLUMNS, Table, counted, typeset
from harness.report.console.conclusions import SHORT, conclusions
from harness.report.display import Display
from harness.report.experiment import build_experiment, joint_figures
from harness.report.figure import (
    Page,
    Picture,
    alpha,
    ceiling,
    frontier,
    knobs,
    list_scores,
    outcomes,
)
from harness.report.pdf.latex import SECONDS, compile_pdf, fill
from harness.report.table.replication import replications
from harness.report.table.tables import build_tables
from harness.sweep.folder import SweepResult, by_kind
from harness.work.progress import over

FIGURES = (outcomes, knobs, alpha, frontier, ceiling, list_scores)
MOST = 12
"""Columns of a table of the document: the other metrics of one that has more are a table in the
appendix.
"""
FIRST = 3
"""Metrics that stay."""
AS_TYPED = Display()
"""Names as conf/ has them."""


@dataclass(frozen=True)
class Built:
    """What was written, and a line about each PDF (its path, or why there is none); of a paper also
    why its results are several tables.
    """

    files: Sequence[Path]
    pdf: str


@dataclass(frozen=True)
class Section:
    """What a report shows of one sweep."""

    title: str
    sweep: str
    facts: Mapping[str, str]
    tables: Sequence[Table]
    pictures: Sequence[Picture]

    @property
    def sheets(self) -> list[Table]:
        """The tables of the document: the first one, then what was taken from it, then the
        others.
        """
        return [sheet for table in self.tables for sheet in _sheets(table)]

    @property
    def lead(self) -> list[str]:
        """The facts that stand before the tables; the others stand behind the figures."""
        return [name for name in (SHORT,) if name in self.facts]

    @property
    def notes(self) -> list[str]:
        """What holds for all tables, each sentence once."""
        return list(dict.fromkeys(note for table in self.tables for note in table.source.notes))

    def label(self, name: str) -> str:
        """Of a table or a figure in LaTeX: no two sweeps share one."""
        return f"{file_name(self.sweep)}-{name.rpartition('/')[2]}"

    def apart(self, name: str) -> Section:
        """The same below a folder and a label of that name, so that several sweeps stand in one
        report.
        """
        return dataclasses.replace(
            self,
            tables=[
                dataclasses.replace(table, name=f"{name}/{table.name}") for table in self.tables
            ],
            pictures=[
                dataclasses.replace(picture, name=f"{name}/{picture.name}")
                for picture in self.pictures
            ],
        )


def _sheets(table: Table) -> list[Table]:
    """The table; of one that is too wide the first metrics, and the others with raw p as a second
    table.
    """
    titles = table.titles
    metrics = [place for place, column in enumerate(table.columns) if column.kind == "share"]
    moved = metrics[FIRST:] + [
        place for place, title in enumerate(titles) if title == "p" and "Holm p" in titles
    ]
    if len(titles) <= MOST or not moved:
        return [table]
    kept = table.take([place for place in range(len(titles)) if place not in moved])
    others = table.take([*table.keys, *moved])
    extent = dataclasses.replace(table.source, notes=())
    name, title = f"{table.name}_metrics", f"{table.title}, the other metrics"
    return [kept, dataclasses.replace(others, name=name, title=title, notes=(), source=extent)]


def section(result: SweepResult, more: Iterable[Picture] = ()) -> Section:
    """Every table and figure of a sweep.    more: further figures, such as a benchmark's
    calibration.
    """
    tables, pictures = build_experiment(result)
    drawn = [picture for module in FIGURES for picture in module.pictures(result)]
    return Section(
        f"Sweep {result.folder.name}",
        result.folder.name,
        sweep_facts(result),
        [*tables, *build_tables(result)],
        [*pictures, *drawn, *more],
    )


def joint(results: Iterable[SweepResult]) -> dict[str, Section]:
    """What shows several benchmarks at once: an experiment's joint figures, and whether winners
    hold on all.
    """
    results = list(results)
    sections = {
        kind: Section(
            kind, kind, {"sweeps": ", ".join(one.folder.name for one in ones)}, [], pictures
        )
        for kind, ones in by_kind(results).items()
        if (pictures := joint_figures(ones))
    }
    for kind, table in replications(results).items():
        alone = Section(kind, kind, {}, [], [])
        sections[kind] = dataclasses.replace(sections.get(kind, alone), tables=[table])
    return sections


def write(sections: Mapping[str, Section], folder: Path, display: Display = AS_TYPED) -> Built:
    """Write the files of a report. Tables and figures that an earlier one left and this one does
    not have go.

    sections: by their titles; of several, each one's tables and figures lie in folders of that
    name. The same results give the same bytes.
    """
    shown = list(sections.values())
    if len(shown) > 1:
        shown = [
            dataclasses.replace(one, title=name).apart(file_name(name))
            for name, one in sections.items()
        ]
    files: list[Path] = []
    for one in shown:
        files += [
            write_text(folder / "tables" / f"{table.name}.csv", table.csv()) for table in one.tables
        ]
        for sheet in one.sheets:
            text = typeset(sheet, TWO_COLUMNS, one.label(sheet.name), display.text, display.cell)
            files.append(write_text(folder / "tables" / f"{sheet.name}.tex", text))
    for picture in over("figures", [picture for one in shown for picture in one.pictures]):
        files += picture.save(folder / "figures", Page(rename=display.label))
    title = shown[0].title if len(shown) == 1 else f"{len(sections)} sweeps"
    document = fill("report.tex.j2", title=title, sections=shown, display=display)
    _remove_old(folder, files)
    files.append(write_text(folder / "report.tex", document))
    return Built(files, compile_pdf(folder, SECONDS * len(sections)))


def sweep_facts(result: SweepResult) -> dict[str, str]:
    """What the report's head says: where its numbers come from."""
    manifest, view = result.manifest, result.locked
    libraries = ", ".join(
        f"{name} {version}" for name, version in sorted(manifest["libraries"].items())
    )
    shown = (
        f"{view.split}, evaluation {view.evaluation}"
        if view.evaluation
        else f"{view.split} (nothing held out yet)"
    )
    sizes = manifest.get("counts")
    counts = (
        [counted(sizes["passages"], "passage"), counted(sizes["queries"], "question")]
        if sizes
        else []
    )
    tune = counted(len(result.queries), "tune question")
    return {
        "benchmark": ", ".join([str(manifest["dataset"]), *counts, tune]),
        "locked trials on": shown,
        "winner": result.locked.winner_title,
        "objective": str(manifest["objective"]),
        **conclusions(result),
        "trials": str(len(result.trials)),
        "data sha256": str(manifest["data_sha256"]),
        "lock sha256": str(result.lock["sha256"]),
        "code": str(manifest["code"]),
        "libraries": libraries,
    }


def _remove_old(folder: Path, kept: Sequence[Path]) -> None:
    """Remove the tables and figures that the earlier report.tex names, and folders that are empty
    then.
    """
    earlier = folder / "report.tex"
    text = earlier.read_text(encoding="utf-8") if earlier.is_file() else ""
    for name in re.findall(r"\\(?:input|includegraphics)\{((?:tables|figures)/[\w/-]+)\.", text):
        for path in folder.glob(f"{name}.*"):
            if path not in kept:
                path.unlink()
    for path in [*folder.glob("tables/*/"), *folder.glob("figures/*/")]:
        if not any(path.iterdir()):
            path.rmdir()
