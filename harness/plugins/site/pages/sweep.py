"""One sweep's files: its questions by split, and its own page with tables, charts and figures."""

from __future__ import annotations

import dataclasses
import functools
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from omegaconf import DictConfig

from harness.benchmark import Benchmark
from harness.core.concepts import PACKAGE
from harness.core.escape import file_name
from harness.core.files import whole
from harness.core.identity import code_version, digest, texts_sha256
from harness.core.table import Table
from harness.evaluation.conclusion import select_texts
from harness.plugins.site.pages.chart import charts
from harness.plugins.site.pages.chunk import Chunks, Content, table
from harness.plugins.site.pages.leaderboard import SweepEntry
from harness.plugins.site.pages.overview import families, views
from harness.plugins.site.pages.questions import Split
from harness.plugins.site.pages.sources import open_sources
from harness.report.console import SHORT, conclusions, sentences
from harness.report.display import Display
from harness.report.experiment import build_experiment
from harness.report.figure import Page, Picture, brought_pictures, list_scores
from harness.report.pdf import details
from harness.report.table import build_tables, heldout, leaderboard
from harness.sweep.folder import SweepResult, View, read_entry


def write_sweep(
    one: SweepEntry,
    config: DictConfig,
    chunks: Chunks,
    known: dict[str, Benchmark],
    display: Display,
) -> None:
    """Write the files of a sweep, unless those that are there are of the same folder, data, code
    and settings.

    known: benchmarks that are loaded, by hash; it is added to.    display: with the names of its
    trials.
    """
    result, key = one.result, one.key
    material = open_sources(result, config, known)
    pictures = brought_pictures(Path(config.paths.runs), str(result.manifest["dataset"]))
    missing = material if isinstance(material, str) else material.why
    evaluation = _evaluation(result) if result.test else ""
    captions = [one.caption for one in pictures]
    settings = [config.traces, _pages(), dataclasses.asdict(display)]
    made = digest([result.lock["sha256"], evaluation, missing, *settings, *captions])
    if chunks.is_made(key, made):
        return
    for view in views(result):
        Split(key, view, material, display).write(chunks, config.traces)
    if not isinstance(material, str):
        material.write_passages(chunks, key)
    tables, drawn = build_experiment(result)
    images = list(_draw([*drawn, *list_scores.pictures(result), *pictures], chunks, key, display))
    page = {
        "title": display.text(one.title),
        **_outcome(result, display),
        **_prose(result, display),
        **_tables(result, tables, display),
        "charts": [_named(chart, display) for chart in charts(result)],
        "pictures": images,
    }
    chunks.put(f"{key}/sweep", page)
    chunks.note_made(key, made)


def _outcome(result: SweepResult, display: Display) -> Content:
    """What was swept, and which trials were chosen."""
    whole_view, view = result.whole, result.locked
    return {
        "folder": result.folder.name,
        "dataset": view.dataset,
        "objective": display.text(view.objective),
        "families": families({row["family"] for row in whole_view.rows}, display),
        "reference": view.reference,
        "best": view.best_single,
        "winner": view.rows[view.best_place]["trial"],
        "verdict": display.text(" ".join(select_texts(sentences(result, view), "verdict"))),
        "heldout": [
            [view.rows[place]["trial"], _repeats(view, place)] for place in view.best_first
        ],
        "copies": [place for place in range(len(whole_view.rows)) if _repeats(whole_view, place)],
    }


def _prose(result: SweepResult, display: Display) -> Content:
    """Conclusions, facts, and what each split's numbers are of."""
    words, facts = conclusions(result), details(result)
    return {
        "lead": [display.text(line) for line in words.pop(SHORT).splitlines()],
        "words": {name: display.text(text) for name, text in words.items()},
        "facts": {
            name: display.text(text) for name, text in facts.items() if name not in (SHORT, *words)
        },
        "splits": [
            {"name": each.split, "n": each.n, "caption": display.text(each.source.text)}
            for each in views(result)
        ],
    }


def _tables(result: SweepResult, of_experiment: Sequence[Table], display: Display) -> Content:
    """All trials on tune, and every other table."""
    columns = ("leaderboard", "best_list", "metrics")  # of the two tables of trials
    others = [each for each in build_tables(result) if each.name not in columns]
    shown = [*of_experiment, *([heldout(result)] if result.test else []), *others]
    return {
        "trials": table(
            dataclasses.replace(leaderboard(result), title="All trials on tune"), display
        ),
        "tables": [table(each, display) for each in shown],
    }


def _repeats(view: View, place: int) -> bool:
    """Whether a row has the gold ranks of one before it, or of the winner, and is not what is shown
    as the winner.
    """
    return place != view.best_place and (view.copies[place] or view.is_winner(place))


def _named(value: Any, display: Display) -> Any:
    """A chart with displayed names in all of its texts."""
    if isinstance(value, dict):
        return {key: _named(item, display) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_named(item, display) for item in value]
    return display.cell(value) if isinstance(value, str) else value


@functools.cache
def _pages() -> str:
    """A hash of the code: that of numbers, which leaves reports out, and that of reports."""
    folders = (Path(__file__).parents[1], PACKAGE / "report")
    sources = sorted(path for folder in folders for path in folder.rglob("*.py"))
    return f"{code_version()} {texts_sha256(path.read_text(encoding='utf-8') for path in sources)}"


def _evaluation(result: SweepResult) -> str:
    """The hash of the ledger's line that the held-out files belong to; in an older folder that of
    its lock.
    """
    entry = read_entry(result.folder, result.lock)
    return (entry and entry["sha256"]) or result.lock["sha256"]


def _draw(
    pictures: Iterable[Picture], chunks: Chunks, key: str, display: Display
) -> Iterable[Mapping[str, object]]:
    """The figures that are no charts, as images."""
    page = Page(rename=display.label)
    with tempfile.TemporaryDirectory() as place:
        for picture in pictures:
            (image,) = picture.save(Path(place), page, [".png"])
            name = f"{key}/{file_name(picture.name)}.png"
            with whole(chunks.folder / name) as partial:
                shutil.copyfile(image, partial)
            chunks.keep(name)
            yield {
                "file": f"data/{name}",
                "title": display.text(picture.title),
                "caption": display.text(picture.caption),
            }
