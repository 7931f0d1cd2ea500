"""One sweep's files: its questions by split, and its page with tables and figures."""

from __future__ import annotations

import dataclasses
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from omegaconf import DictConfig

from harness.benchmark import Benchmark
from harness.core.escape import file_name
from harness.core.files import whole
from harness.evaluation.statement import select_texts
from harness.plugins.site.pages.chunk import Chunks, Content, table
from harness.plugins.site.pages.overview import SweepEntry, families, views
from harness.plugins.site.pages.questions import Split
from harness.plugins.site.pages.sources import open_sources
from harness.report.console.conclusions import in_short, sentences
from harness.report.display import Display
from harness.report.figure import Picture
from harness.report.pdf.document import section
from harness.report.table.trials import heldout, leaderboard
from harness.sweep.folder import caption
from harness.sweep.folder.result import SweepResult
from harness.sweep.folder.view import View

OF_TRIALS = ("main", "by_hops", "leaderboard", "best_list", "metrics")
"""Tables of the report whose columns are in the site's tables of trials."""


def write_sweep(
    entry: SweepEntry,
    config: DictConfig,
    chunks: Chunks,
    known: dict[str, Benchmark],
    display: Display,
) -> None:
    """Write the files of a sweep.

    Args:
        entry: the sweep.
        config: the configuration.
        chunks: the data folder.
        known: loaded benchmarks by hash; it is extended.
        display: with the names of its trials.
    """
    result, key = entry.result, entry.key
    material = open_sources(result, config, known)
    for view in views(result):
        Split(key, view, material, display).write(chunks, config.traces)
    if not isinstance(material, str):
        material.write_passages(chunks, key)
    report = section(result, display)
    trials = dataclasses.replace(leaderboard(result), title="All trials on tune")
    tables = [heldout(result)] if result.test else []
    tables += [part for part in report.every if part.name not in OF_TRIALS]
    page = {
        "title": display.text(result.title),
        **_outcome(result, display),
        **_prose(result, report.details, display),
        "trials": table(trials, display),
        "tables": [table(part, display) for part in tables],
        "pictures": list(_draw(report.pictures, chunks, key, display)),
    }
    chunks.put(f"{key}/sweep", page)


def _outcome(result: SweepResult, display: Display) -> Content:
    """Return what was swept, and the trials that were chosen."""
    whole_view, view = result.whole, result.locked
    return {
        "folder": result.folder.name,
        "dataset": view.dataset,
        "objective": display.text(view.objective),
        "families": families({row.family for row in whole_view.rows}, display),
        "reference": view.reference,
        "best": view.best_single,
        "winner": view.winner,
        "verdict": display.text(" ".join(select_texts(sentences(result, view), "verdict"))),
        "heldout": [[view.rows[place].trial, _repeats(view, place)] for place in view.best_first],
        "copies": [place for place in range(len(whole_view.rows)) if _repeats(whole_view, place)],
    }


def _prose(result: SweepResult, facts: Mapping[str, str], display: Display) -> Content:
    """Return conclusions, facts, and the questions of each split's numbers."""
    return {
        "lead": [display.text(line) for line in in_short(result)],
        "facts": {name: display.text(text) for name, text in facts.items()},
        "splits": [
            {"name": view.split, "n": view.n, "caption": display.text(caption.source(view).text)}
            for view in views(result)
        ],
    }


def _repeats(view: View, place: int) -> bool:
    """Return whether a row has the gold ranks of an earlier one or of the winner, and is not the
    winner.
    """
    return place != view.best_place and view.repeats[place]


def _draw(
    pictures: Iterable[Picture], chunks: Chunks, key: str, display: Display
) -> Iterable[Mapping[str, object]]:
    """Save figures as images, and yield file, title and caption of each."""
    with tempfile.TemporaryDirectory() as place:
        for picture in pictures:
            (image,) = picture.save(Path(place), display.label, ["png"])
            name = f"{key}/{file_name(picture.name)}.png"
            with whole(chunks.folder / name) as partial:
                shutil.copyfile(image, partial)
            chunks.keep(name)
            yield {
                "file": f"data/{name}",
                "title": display.text(picture.title),
                "caption": display.text(picture.caption),
            }
