"""The report of a sweep: ``tables/*.tex``, ``figures/*.{pdf,png}``, ``report.tex``, ``report.pdf``, ``index.html``."""

from __future__ import annotations

import base64
import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.configuration import names
from harness.files import write_text
from harness.report import experiment, tables
from harness.report.compile import compile_pdf
from harness.report.figure import Picture, alpha, ceiling, flow, frontier, outcomes
from harness.report.foresight import foreseen
from harness.report.table import Table
from harness.report.template import fill
from harness.report.view import View
from harness.sweep.result import SweepResult

OWN = (
    *(
        f"tables/{name}.tex"
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
        f"figures/{name}.p??"
        for name in ("outcomes_*", "alpha", "frontier", "ceiling*", "flow", "distributions", "calibration")
    ),
)
"""What a report may write, beside what has an experiment's name: what an earlier report left of these is removed."""


@dataclass(frozen=True)
class Built:
    """What was written, and one line about the PDF (its path, or why there is none)."""

    files: Sequence[Path]
    pdf: str


def build(result: SweepResult, folder: Path, more: Iterable[Picture] = ()) -> Built:
    """Write the report into ``folder``; the same results give the same bytes.

    more: further figures, such as ``distributions``, which need the lists themselves. Tables and figures that an
    earlier report left and this one does not have are removed.
    """
    made_tables = [*tables.every(result), *experiment.tables(result)]
    drawers = (outcomes, alpha, frontier, ceiling, flow)
    drawn = [picture for drawer in drawers for picture in drawer.pictures(result)]
    pictures = [*drawn, *experiment.pictures(result), *more]
    facts = described(result)
    title = f"Sweep {result.folder.name}"

    files = [_write(folder / "tables" / f"{t.name}.tex", fill("table.tex.j2", table=t)) for t in made_tables]
    images = {}
    for picture in pictures:
        pdf, png = picture.save(folder / "figures")
        files += [pdf, png]
        images[picture.name] = base64.b64encode(png.read_bytes()).decode()
    everything = [*(full(result) if table.name == "leaderboard" else table for table in made_tables)]
    page = fill("index.html.j2", title=title, facts=facts, tables=everything, pictures=pictures, images=images)
    document = fill("report.tex.j2", title=title, facts=facts, tables=made_tables, pictures=pictures)
    files += [_write(folder / "index.html", page), _write(folder / "report.tex", document)]
    _forget(folder, files)
    return Built(files, compile_pdf(folder))


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
    experiments = [f"{kind}/{name}*.*" for kind in ("tables", "figures") for name in names("experiment")]
    for pattern in (*OWN, *experiments):
        for path in sorted(folder.glob(pattern)):
            if path not in kept:
                path.unlink()
