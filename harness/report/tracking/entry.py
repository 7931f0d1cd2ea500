"""What a finished sweep becomes in a tracker: one run for the sweep, below it a run for each of its
trials.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from harness.core.escape import markdown, markdown_code
from harness.core.identity import digest
from harness.core.table import counted
from harness.report.figure import Picture, alpha, frontier
from harness.report.table.tables import counts_graph_wins
from harness.report.tracking.page import Page
from harness.report.tracking.parameters import metric_name, numbers, pipeline, shortened, text
from harness.sweep.folder import ENTRY, LOCK, Row, SweepResult, View, rerun

NOTE = "mlflow.note.content"
LONGEST_NOTE = 4900  # characters of a tag that every MLflow keeps whole, less the marks around
SHOWN = ("strategy", "fuser", "normalizer", "temperature", "pool.cap", "fuser.alpha")
"""Parameters that each trial has and that the page of a sweep shows, in this order; of the others
those that its trials differ in.
"""
ABSENT = "-"
"""The value of such a parameter that a strategy does not have: MLflow's parallel coordinates draw
only runs that have all of them.
"""
SETUP = ("dataset", "encoder", "extractor", "graph")
"""Parameters of the pipeline that each trial has, so that trials of two sweeps can be compared."""
GRAPH = ("graph_win", "graph_loss")
JUDGED = ("p", "p_holm", "wilson_low", "wilson_high")
"""What the page shows after the first metrics and the questions won and lost."""
COUNTS = {"wins", "losses", *GRAPH}
COMPARED = ("difference", "low", "high", "p", "p_cluster", "p_holm")
"""Columns of a row's comparison with the reference that become metrics."""
P_DIGITS, DIGITS = 6, 4
"""Decimals of a p and of other numbers, so that MLflow's columns show them without an exponent. The
exact values are in trials.parquet.
"""
FILES = {
    "tune": ("trials.parquet", "comparisons.parquet", "config.yaml", "manifest.json", LOCK),
    "test": ("heldout.json", "heldout_comparisons.parquet", ENTRY, LOCK),
}
"""Of a sweep's folder, what is attached to the run of each split; the first is written last."""
FORM = 6
"""Another number where runs say more than those of an earlier release, which they then replace."""


@dataclass(frozen=True)
class Entry:
    """One MLflow run to be. place: its rank in the leaderboard; 0 is the sweep's own run."""

    id: str
    name: str
    params: Mapping[str, str]
    metrics: Mapping[str, float]
    tags: Mapping[str, str]
    place: int = 0


@dataclass(frozen=True)
class Group:
    """A run, the runs below it, the page that shows them, and what is attached to the run.

    name: where they belong; content: a hash of what they say. The same name with another content
    takes the place of
    what was exported before.    ended, seconds: when it was computed (seconds since the epoch), and
    for how long.
    children: those that a reader looks for first, first.    files: by their name in the artifacts.
    pictures: drawn into the artifacts.
    """

    name: str
    content: str
    dataset: str
    data_sha256: str
    split: str
    ended: float
    top: Entry
    children: Sequence[Entry]
    page: Page
    files: Mapping[str, Path]
    seconds: float = 0.0
    pictures: Sequence[Picture] = ()


def sweep_group(result: SweepResult, top: int | None, experiment: str) -> Group:
    """The sweep on tune: its own run carries the winner's parameters and metrics and what the lock
    expects of test.

    top: how many of the best trials become runs; None for all.
    experiment: the id of the one that it is written to, which links in its description need.
    """
    view, lock = result.whole, result.lock
    shown = range(len(view.rows))[:top]
    expected = dict(numbers("", {"expected": lock.get("expected"), "power": lock.get("power")}))
    share = f"{len(shown)} of {counted(len(view.rows), 'trial')}"
    tags = {"kind": "sweep", "lock": str(lock["sha256"]), "runs": share}
    taken = [{"seconds": result.manifest.get("seconds")}, result.manifest.get("cost") or {}]
    cost = dict(pair for one in taken for pair in numbers("", one))
    metrics = {"trials": float(len(view.rows)), **expected}
    found = _group(result, view, "tune", shown, tags, metrics, cost)
    note = _note(view, share, found.page, experiment)
    pictures = [*frontier.pictures(result), *alpha.pictures(result)]
    return replace(
        found,
        top=replace(found.top, tags={**found.top.tags, NOTE: note}),
        seconds=float(result.manifest.get("seconds") or 0),
        pictures=pictures,
    )


def heldout_group(result: SweepResult, view: View) -> Group:
    """The held-out evaluation: ``view`` of the locked trials on test."""
    tags = {"kind": "heldout", "evaluation": str(view.evaluation)}
    return _group(result, view, f"test {view.evaluation}", range(len(view.rows)), tags, {}, {})


def _group(
    result: SweepResult,
    view: View,
    part: str,
    shown: Sequence[int],
    tags: Mapping[str, str],
    metrics: Mapping[str, float],
    cost: Mapping[str, float],
) -> Group:
    """part: ``tune``, or ``test`` and which evaluation.    shown: places of rows, in the order in
    which they are
    written.    cost: metrics that each run of a sweep measures anew, no part of the content.
    """
    rows, folder = view.rows, result.folder
    absent = dict.fromkeys(SHOWN, ABSENT)
    every = [{**absent, **knobs(row), "strategy": row["name"]} for row in rows]
    varied = {key for own in every for key in own if len({str(one.get(key)) for one in every}) > 1}
    base = {**pipeline(result.config, result.manifest), "split": view.split, "n": str(view.n)}
    setup = _setup(base)
    common = {
        "sweep": folder.name,
        "dataset": view.dataset,
        "data_sha256": view.data_sha256,
        "split": view.split,
        "objective": view.objective,
        "code": str(result.manifest["code"]),
    }
    names, first = _run_names(view, setup.get("encoder", "")), _looked_for(view)
    metric_names = _metric_names(result, view)
    measured = [scores(row, metric_names) for row in rows]
    wanted = {*varied, *SHOWN}
    children = [
        _trial_entry(
            view, place, names, {**setup, **_only(every[place], wanted)}, measured[place], common
        )
        for place in sorted(shown, key=lambda place: (place not in first, place))
    ]
    name = folder.name if part == "tune" else f"{folder.name}/{part.replace(' ', '/')}"
    said = list(zip(names, every, measured, strict=True))
    content = digest([FORM, name, base, common, said, dict(metrics)])
    best = view.winner_place
    top = Entry(
        id=digest([content, "top"])[:32],
        name=f"{part} {folder.name.rpartition('-')[2][:6]} {result.title}"[:250],
        params=shortened({**base, **every[best], "trials": str(len(rows))}),
        metrics={**measured[best], **metrics, **cost},
        tags={**common, "winner": view.winner_name, "winner_trial": view.winner, **tags},
    )
    files = FILES[view.split]
    return Group(
        name=name,
        content=content,
        dataset=view.dataset,
        data_sha256=view.data_sha256,
        split=view.split,
        ended=(folder / files[0]).stat().st_mtime,
        top=top,
        children=children,
        page=_page(folder.name, view, varied, measured),
        files={name: path for name in files if (path := folder / name).is_file()},
    )


def _only(params: Mapping[str, str], keys: Collection[str]) -> dict[str, str]:
    return {key: value for key, value in params.items() if key in keys}


def _setup(base: Mapping[str, str]) -> dict[str, str]:
    """The parameters that say what the lists of a sweep were made with, and on which split."""
    lists = sorted(key for key in base if key.startswith("lists.") and key.count(".") == 1)
    made = {key.removeprefix("lists."): base[key] for key in lists}
    named = (name if name == kind else f"{name}: {kind}" for name, kind in made.items())
    found = {**_only(base, {*SETUP, "split"}), "retriever": ", ".join(named)}
    return {key: value for key, value in found.items() if value}


def _run_names(view: View, encoder: str) -> list[str]:
    """What the run of each trial is called: its rank, its strategy, the encoder, its settings.

    A column of MLflow cuts a long name off at its end, so what tells trials apart comes first.
    """
    of_test = "test " if view.split == "test" else ""
    names = []
    for place, row in enumerate(view.rows):
        winner = place == view.winner_place
        strategy, _, settings = (view.winner_name if winner else row["name"]).partition(" ")
        parts = [f"{of_test}{place + 1}", strategy, encoder, settings]
        names.append(" ".join(part for part in parts if part)[:250])
    return names


def _trial_entry(
    view: View,
    place: int,
    names: Sequence[str],
    params: Mapping[str, str],
    metrics: Mapping[str, float],
    common: Mapping[str, str],
) -> Entry:
    """common: the tags that all runs of the view have."""
    row, original = view.rows[place], view.originals[place]
    tags = {
        **common,
        "kind": "trial",
        "trial": row["trial"],
        "family": row["family"],
        NOTE: markdown_code(rerun(row)[:LONGEST_NOTE]),
        **({"same_as": names[original]} if original != place else {}),
    }
    return Entry(row["trial"], names[place], shortened(params), metrics, tags, place + 1)


def _looked_for(view: View) -> set[int]:
    """The places of the winner, the best of each fuser, every list, and what nothing was chosen
    for.
    """
    best: dict[str, int] = {}
    for place, row in enumerate(view.rows):
        best.setdefault(row["family"], place)
    untuned = {place for place, row in enumerate(view.rows) if row.get("untuned")}
    return {view.winner_place, *best.values(), *view.singles.values(), *untuned}


def _page(
    sweep: str, view: View, varied: Collection[str], measured: Sequence[Mapping[str, float]]
) -> Page:
    """Columns: what a trial is, the objective and full_sup at its depth, questions won and lost
    (GraphWin and GraphLoss if these are the same), p, Holm's p, and Wilson's interval.
    """
    known = {key for own in measured for key in own}
    counts = GRAPH if known.issuperset(GRAPH) else ("wins", "losses")
    order = [*view.usual_metrics[:2], *counts, *JUDGED]
    columns = [metric_name(name) for name in order if metric_name(name) in known]
    axes = [key for key in SHOWN[1:] if key in varied]
    return Page(sweep, view.split, view.objective, SHOWN, columns, axes, len(view.rows))


def _metric_names(result: SweepResult, view: View) -> list[str]:
    """The columns of a row that become metrics: one name for one number.

    Wins and losses are left out if GraphWin and GraphLoss are the same counts. The objective is
    first, because MLflow's page that compares runs opens on the metric that was logged first.
    """
    same = counts_graph_wins(view) and all(name in row for row in view.rows for name in GRAPH)
    counts = GRAPH if same else ("wins", "losses", *GRAPH)
    metrics = sorted(result.metrics, key=lambda name: name != view.objective)
    return [*metrics, *counts, *COMPARED, "wilson", "wilson_low", "wilson_high"]


def knobs(row: Row) -> dict[str, str]:
    """A row's own knobs as text: numbers as they are typed, ``null`` and ``true`` as in a
    config.
    """
    return {str(key): text(value) for key, value in row["parameters"].items()}


def scores(row: Row, names: Sequence[str]) -> dict[str, float]:
    """Return the named numbers of a row as metrics; null ones are left out.

    Wilson's interval becomes ``wilson_low`` and ``wilson_high``.
    """
    values: Mapping[str, object] = row
    found = numbers("", {name: values.get(name) for name in names})
    return {name: _rounded(name, value) for name, value in found}


def _rounded(name: str, value: float) -> float:
    if name in COUNTS:
        return value
    return round(value, P_DIGITS if name.startswith("p") and name in COMPARED else DIGITS)


def _note(view: View, share: str, page: Page, experiment: str) -> str:
    copies, best = sum(view.copies), view.disguise.removeprefix(", ") or view.winner_name
    table, charts = page.address(experiment), page.charts_address(experiment)
    lines = [
        f"Winner on tune: {markdown(best)}",
        "",
        f"[All trials as a table]({table}), best first; [as charts]({charts}). {share} are runs "
        "below this one.",
    ]
    if copies:
        lines.append(
            f"{copies} have the same gold ranks as an earlier one, which their tag `same_as` names."
        )
    return "\n".join(lines)
