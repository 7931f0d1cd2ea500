"""The files of `harness report`: tables and figures of each sweep, joint tables, and report.pdf.

The folders of sweeps keep their names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from harness.core.escape import file_name, tex
from harness.core.files import write_text
from harness.core.table import Source, Table, counted, table_text, typeset
from harness.report.console.conclusions import explanations, in_short
from harness.report.console.forecast import forecast_table
from harness.report.display import Display
from harness.report.experiment import build_experiment, joint_figures
from harness.report.figure import (
    Picture,
    alpha,
    list_scores,
    outcomes,
)
from harness.report.pdf.compile import SECONDS, compile_pdf, fill
from harness.report.table.main import by_hops, main
from harness.report.table.study import study_tables
from harness.report.table.sweep_tables import best_list, build_tables
from harness.sweep.folder import caption
from harness.sweep.folder.caption import part_names
from harness.sweep.folder.result import SweepResult, by_kind
from harness.sweep.sweep_comparison import settings_table
from harness.work.progress import over

FIGURES = (outcomes, alpha, list_scores)
OWNER = "% Of sweep {}.\n"
"""The first line of a sweep's details.tex."""
DETAIL = "\\par\\noindent{\\footnotesize\\textbf{%s}: %s\\par}\n"
"""A line of details.tex."""
HASH = re.compile("[0-9a-f]{64}")
OF_PAPER = ("main", "by_hops")
"""Tables in a sweep's folder itself; all others are in more/."""


@dataclass(frozen=True)
class Section:
    """The part of a report on one sweep, or on several together.

    Attributes:
        title: its heading.
        folder: its folder in tables/ and figures/; empty for several sweeps.
        label: the prefix of its labels in LaTeX, without a hash.
        lead: the sentences below the first table.
        details: further facts on the numbers, by topic.
        tables, pictures: the first ones are on its first page.
        further: the tables for the author.
    """

    title: str
    folder: str
    label: str
    lead: Sequence[str]
    details: Mapping[str, str]
    tables: Sequence[Table]
    pictures: Sequence[Picture]
    further: Sequence[Table] = ()

    @property
    def every(self) -> list[Table]:
        """All tables."""
        return [*self.tables, *self.further]

    def path(self, table: Table) -> str:
        """Return the path of a table's files in tables/, without their ending."""
        names = OF_PAPER if self.folder else ("main",)
        name = table.name if table.name in names else f"more/{table.name}"
        return f"{self.folder}/{name}" if self.folder else name


def section(
    result: SweepResult,
    display: Display,
    folder: str = "",
    label: str = "",
    pictures: Sequence[Picture] = (),
) -> Section:
    """Return all tables and figures of a sweep, with ``pictures`` as further figures."""
    tables, drawn = build_experiment(result)
    of_sweep = [picture for module in FIGURES for picture in module.pictures(result)]
    return Section(
        _title(result, display),
        folder,
        label,
        in_short(result)[1:4],
        details(result),
        [*main([result], display), by_hops(result.locked, display), *tables, *best_list(result)],
        [*of_sweep[:1], *drawn, *of_sweep[1:], *pictures],
        [
            *explanations(result, result.locked),
            *forecast_table(result),
            *build_tables(result),
        ],
    )


def _title(result: SweepResult, display: Display) -> str:
    """Return the heading of a sweep: its lists, or the experiment and the typed overrides."""
    name = display.dataset.get(result.locked.dataset, result.locked.dataset)
    if "lists" not in result.given and result.kind != "sweep":
        return f"{name}, {result.kind}"
    lists = ", ".join(display.list.get(single, single) for single in result.manifest["single"])
    return f"{name}: fusion of {lists}"


def write(results: Mapping[str, SweepResult], runs: Path, out: Path, display: Display) -> list[str]:
    """Write the report.

    Nothing of other sweeps changes: each has a folder, named by benchmark, encoders and objective.
    The same results give the same bytes.

    Args:
        results: the sweeps, by their titles.
        runs: the folder of the sweeps.
        out: the folder of the report.
        display: names in papers.

    Returns:
        Lines on what was written.
    """
    every = list(results.values())
    sections: list[Section] = []
    for result in over("tables", every):
        sections.append(section(result, display, *_folder(result, out, sections)))
    together = _together(every, display)
    study = Section("The study", "", "", [], {}, study_tables(every, runs), [])
    paths = [path for part in [together, *sections, study] for path in _write(part, out, display)]
    title = next(iter(results)) if len(results) == 1 else counted(len(results), "sweep")
    joint = together if len(results) > 1 else None
    document = fill(
        "report.tex.j2",
        title=title,
        together=joint,
        sections=sections,
        study=study,
        display=display,
    )
    paths.append(write_text(out / "report.tex", document))
    lines: dict[Path, list[str]] = {}
    for path in paths:
        lines.setdefault(path.parent, []).append(path.name)
    pdf = compile_pdf(out, SECONDS * len(results))
    return [*(f"{folder}: {', '.join(sorted(names))}" for folder, names in lines.items()), pdf]


def _folder(result: SweepResult, out: Path, others: Sequence[Section]) -> tuple[str, str]:
    """Return the folder of a sweep and the label of its tables.

    If another sweep has the folder, the start of the lock's hash is added to its name.
    """
    models = part_names(result.manifest.get("lists") or {}, "encoder")
    encoders = [name.rpartition("/")[2].lower() for name in models]
    parts = [str(result.manifest["dataset"]), *encoders, str(result.manifest["objective"])]
    name = file_name("-".join(parts))
    details, owner = out / "tables" / name / "details.tex", OWNER.format(result.folder.name)
    taken = details.is_file() and not details.read_text("utf-8").startswith(owner)
    if taken or name in [section.folder for section in others]:
        return f"{name}-{result.lock['sha256'][:6]}", name
    return name, name


def _together(results: Sequence[SweepResult], display: Display) -> Section:
    """Return the tables and figures of all sweeps at once."""
    tables = main(results, display)
    for name in dict.fromkeys(str(result.manifest["dataset"]) for result in results):
        of_data = [result for result in results if result.manifest["dataset"] == name]
        if len(of_data) > 1:
            tables.append(replace(settings_table(of_data), name=f"settings_{file_name(name)}"))
    pictures = [picture for group in by_kind(results).values() for picture in joint_figures(group)]
    return Section("All sweeps", "", "", [], {}, tables, pictures)


def _write(part: Section, out: Path, display: Display) -> list[Path]:
    """Write the files of a section, and remove files of tables and figures that it
    no longer has.
    """
    tables, figures = out / "tables" / part.folder, out / "figures" / part.folder
    paths: list[Path] = []
    by_name: dict[str, list[Table]] = {}
    for table in part.every:
        by_name.setdefault(part.path(table), []).append(table)
    for name, grouped in by_name.items():
        texts = []
        for number, table in enumerate(grouped):
            label = "-".join(filter(None, [part.label, f"{table.name}{number or ''}"]))
            plain = replace(table, source=Source(table.source.extent))
            texts.append(typeset(plain, label, display.text, display.cell))
        paths.append(write_text(out / "tables" / f"{name}.tex", "".join(texts)))
        paths.append(write_text(out / "tables" / f"{name}.csv", "".join(t.csv() for t in grouped)))
    for picture in over("figures", list(part.pictures)):
        paths += picture.save(figures, display.label)
    if part.folder:
        for path in [*(tables / "more").glob("*"), *figures.glob("*")]:
            if path not in paths:
                path.unlink()
        lines = [OWNER.format(part.details["sweep"])]
        for topic, text in part.details.items():
            lines.append(DETAIL % (tex(topic), HASH.sub(_divided, table_text(display.text(text)))))
        paths.append(write_text(tables / "details.tex", "".join(lines)))
    return paths


def _divided(match: re.Match[str]) -> str:
    """Return a hash that LaTeX may divide between lines."""
    return "\\allowbreak{}".join(re.findall(".{8}", match[0]))


def details(result: SweepResult) -> dict[str, str]:
    """Return the origin of a sweep's numbers and further facts on them, by topic."""
    manifest, view = result.manifest, result.locked
    tune = counted(len(result.queries), "tune question")
    shown = f"evaluation {view.evaluation}" if view.evaluation else "nothing held out yet"
    return {
        "sweep": result.folder.name,
        "benchmark": ", ".join([str(manifest["dataset"]), *result.size, tune]),
        "locked trials on": f"{view.split} ({shown})",
        "winner": view.winner_title,
        "numbers": " ".join(caption.source(view).notes),
        "trials": str(len(result.trials)),
        "data sha256": str(manifest["data_sha256"]),
        "lock sha256": str(result.lock["sha256"]),
        "code": str(manifest["code"]),
        "libraries": result.libraries,
    }
