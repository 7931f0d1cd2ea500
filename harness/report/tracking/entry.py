"""The runs of a finished sweep in a tracker: one for the sweep, and below it one for each trial."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from harness.core.escape import markdown, markdown_code
from harness.core.identity import digest, varied_keys
from harness.core.table import counted, p_value
from harness.report.table.trials import counts_graph_wins, tracked_names
from harness.report.tracking.page import TrackerPage
from harness.report.tracking.parameters import numbers, pipeline, shortened, text
from harness.sweep.folder.files import ENTRY, read_entry
from harness.sweep.folder.judged_trial import NUMBERS, JudgedTrial
from harness.sweep.folder.lock import LOCK
from harness.sweep.folder.result import SweepResult
from harness.sweep.folder.view import View

NOTE = "mlflow.note.content"
WIDTH = 76
LONGEST_NOTE = 4800  # characters of a tag that every MLflow keeps whole, less the marks around
SHOWN = (
    "strategy",
    "fuser",
    "normalizer",
    "temperature",
    "pool.lists",
    "pool.cap",
    "fuser.alpha",
)
"""Parameters that each trial has, with the settings in which trials differ. They are also the axes
of the chart.
"""
P_TEXTS = {"p": "p_text", "p_holm": "p_holm_text"}
"""The parameters with a p as in tables, by the name of its metric."""
ABSENT = "-"
"""The value of such a parameter that a strategy lacks: MLflow's parallel coordinates only draw runs
that have all of them.
"""
SETUP = ("dataset", "encoder", "extractor", "graph", "split")
"""Parameters of the pipeline that each trial has, so that trials of two sweeps can be compared."""
GRAPH = ("graph_win", "graph_loss")
FILES = {
    "tune": ("trials.parquet", "comparisons.parquet", "config.yaml", "manifest.json", LOCK),
    "test": ("heldout.json", "heldout_comparisons.parquet", ENTRY, LOCK),
}
"""The attached files of a sweep's folder, by split; the first is written last."""
FORM = 11
"""The version of the runs' content; a new one replaces the runs of an earlier release."""


@dataclass(frozen=True)
class TrackedRun:
    """One run of a tracker; place: its rank in the leaderboard, 0 for the sweep's own run."""

    id: str
    name: str
    params: Mapping[str, str]
    metrics: Mapping[str, float]
    tags: Mapping[str, str]
    place: int = 0


@dataclass(frozen=True)
class RunGroup:
    """A run, the runs below it, the page that shows them, and the attached files.

    Args:
        name: name of the group.
        content: hash of the content. The same name with another content replaces the earlier
            export.
        began: begin of the computation, in seconds since the epoch.
        ended: its end; None if only one time is known.
        children: the best first.
        files: copied into the artifacts of the run.
    """

    name: str
    content: str
    dataset: str
    data_sha256: str
    split: str
    began: float
    ended: float | None
    top: TrackedRun
    children: Sequence[TrackedRun]
    page: TrackerPage
    files: Sequence[Path]


def run_group(result: SweepResult, view: View, experiment: str) -> RunGroup:
    """Return the runs of a view, below one with the winner's parameters and metrics.

    Args:
        result: the sweep.
        view: all trials on tune, or the locked trials on test.
        experiment: the id of the experiment, for links in the description.
    """
    held_out, folder = view.split == "test", result.folder
    base = {**pipeline(result.config, result.manifest), "split": view.split, "n": str(view.n)}
    setup = _setup(base)
    tags = {
        "sweep": folder.name,
        "dataset": view.dataset,
        "data_sha256": view.data_sha256,
        "split": view.split,
        "objective": view.objective,
        "code": str(result.manifest["code"]),
    }
    params = _params(result, view)
    varied = varied_keys(params)
    measured = _metrics(result, view)
    names = [_name(view, place, setup.get("encoder")) for place in range(len(view.rows))]
    page = _page(folder.name, view, measured, [key for key in SHOWN[1:] if key in varied])
    children = [
        TrackedRun(
            row.trial,
            names[place],
            shortened({**setup, **_chosen(params[place], (*P_TEXTS.values(), *varied, *SHOWN))}),
            measured[place],
            {
                **tags,
                "kind": "trial",
                "trial": row.trial,
                "family": row.family,
                **_ties(view, row),
                NOTE: f"About this run: {_about(view, row)}\n\n{markdown_code(_typed(row))}",
            },
            place + 1,
        )
        for place, row in enumerate(view.rows)
    ]
    group_tags = {"kind": "heldout", "evaluation": str(view.evaluation)}
    facts: dict[str, float] = {}
    spent: dict[str, float] = {}
    if not held_out:
        note = _note(view, page.address(experiment))
        group_tags = {"kind": "sweep", "lock": str(result.lock["sha256"]), NOTE: note}
        ahead = {key: result.lock.get(key) for key in ("expected", "power")}
        facts = {"trials": float(len(view.rows)), **dict(numbers("", ahead))}
        spent |= numbers("", {"seconds": result.manifest.get("seconds")})
        spent |= numbers("", result.manifest.get("cost") or {})
    part = f"test {view.evaluation}" if held_out else "tune"
    name = f"{folder.name}/test/{view.evaluation}" if held_out else folder.name
    runs = list(zip(names, params, measured, strict=True))
    content = digest([FORM, name, base, tags, runs, facts])
    best = view.winner_place
    winner = {"winner": view.winner_title, "winner_trial": view.winner}
    group_run = TrackedRun(
        digest([content, "top"])[:32],
        f"{part} {folder.name.rpartition('-')[2][:6]} {result.title}"[:250],
        shortened({**base, **params[best], "trials": str(len(view.rows))}),
        {**measured[best], **facts, **spent},
        {**tags, **winner, **group_tags},
    )
    files = [folder / name for name in FILES[view.split]]
    return RunGroup(
        name,
        content,
        view.dataset,
        view.data_sha256,
        view.split,
        *_times(result, held_out),
        group_run,
        children,
        page,
        [path for path in files if path.is_file()],
    )


def _times(result: SweepResult, held_out: bool) -> tuple[float, float | None]:
    """Return begin and end of a computation; no end if its duration is not stored.

    The time of an evaluation is that of its line in the ledger.
    """
    stored = read_entry(result.folder, result.lock) if held_out else result.manifest
    time = (stored or {}).get("time")
    if time is None:  # of an earlier release
        return (result.folder / FILES["test" if held_out else "tune"][0]).stat().st_mtime, None
    ended = datetime.fromisoformat(time).timestamp()
    seconds = None if held_out else result.manifest["seconds"]
    return (ended, None) if seconds is None else (ended - seconds, ended)


def _params(result: SweepResult, view: View) -> list[dict[str, str]]:
    """Return the parameters of each row: every knob of the sweep's trials, and p as text.

    Lists are ``graph+bm25``, as in the name of the strategy; MLflow cuts off longer texts.
    """
    knobs = dict.fromkeys(key for row in result.whole.rows for key in row.parameters)
    absent = dict.fromkeys((*SHOWN, *knobs), ABSENT)
    params = []
    for row in view.rows:
        lists = "+".join(row.lists) or ABSENT
        texts = {name: p_value(row.record[p]) for p, name in P_TEXTS.items()}
        names = {"pool.lists": lists, "strategy": row.name}
        params.append(absent | parameters_of(row) | names | texts)
    return params


def _ties(view: View, row: JudgedTrial) -> dict[str, str]:
    """Return the tags ``equals``, the name of the trial that a row equals, and ``tied``."""
    tied = str(row.tied).lower()
    if row.equals is None:
        return {"equals": ABSENT, "tied": tied}
    place = view.place(row.equals)
    name = row.equals if place is None else view.rows[place].name
    return {"equals": str(name), "tied": tied}


def _setup(base: Mapping[str, str]) -> dict[str, str]:
    """Return the parameters of the lists and the split that each trial has."""
    setup = {key: base[key] for key in SETUP if base.get(key)}
    lists = []
    for key, kind in sorted(base.items()):
        if key.startswith("lists.") and key.count(".") == 1:
            name = key.removeprefix("lists.")
            if name != kind:
                name += f": {kind}"
            lists.append(name)
    return {**setup, "retriever": ", ".join(lists)}


def _note(view: View, table: str) -> str:
    """Return the description of the sweep's own run; table: the address of its page."""
    return (
        f"Winner on tune: {markdown(view.winner_title)}\n\n"
        f"[All trials as a table]({table}), best first; "
        f"[as charts]({table}&compareRunsMode=CHART). "
        f"{counted(len(view.rows), 'trial')} are runs below this one."
    )


def _chosen(params: Mapping[str, str], keys: Sequence[str]) -> dict[str, str]:
    return {key: params[key] for key in keys if key in params}


def _metrics(result: SweepResult, view: View) -> list[dict[str, float]]:
    """Return the metrics of each row: the columns of trials for trackers, and bounds of intervals.

    Wins and losses are left out if GraphWin and GraphLoss are the same counts. The objective is
    first, because MLflow's page that compares runs opens on the metric that was logged first.
    """
    known = any(row.graph_win is not None for row in view.rows)
    same = counts_graph_wins(view) and known
    tracked = tracked_names(result, view)
    if same:
        tracked = [*(name for name in tracked if name not in ("wins", "losses")), *GRAPH]
    names = dict.fromkeys([*tracked, *NUMBERS, "wilson", "wilson_low", "wilson_high"])
    return [scores(row, [*names]) for row in view.rows]


def _name(view: View, place: int, encoder: str | None) -> str:
    """Return the name of a row's run: its rank, strategy, encoder, and settings.

    MLflow cuts off the end of a long name, so the parts that distinguish trials come first.
    """
    full = view.winner_title if place == view.winner_place else view.rows[place].name
    strategy, _, settings = full.partition(" ")
    rank = f"{'test ' if view.split == 'test' else ''}{place + 1}"
    return " ".join(part for part in (rank, strategy, encoder, settings) if part)[:250]


def _page(
    sweep: str, view: View, measured: Sequence[Mapping[str, float]], axes: Sequence[str]
) -> TrackerPage:
    """Return the page: the objective, p, Holm's p, Wilson, which are seen without scrolling in a
    window of 1,500 pixels next to MLflow's assistant; full_sup, won and lost, the settings that
    differ.

    Won and lost are GraphWin and GraphLoss if these are the same.
    """
    known = {key for metrics in measured for key in metrics}
    counts = GRAPH if known.issuperset(GRAPH) else ("wins", "losses")
    first, *others = view.usual_metrics[:2]
    order = [first, "wilson_low", "wilson_high", *others, *counts]
    columns = [name for name in order if name in known]
    texts = [*P_TEXTS.values()]
    return TrackerPage(sweep, view.split, view.objective, texts, columns, axes, len(view.rows))


def parameters_of(row: JudgedTrial) -> dict[str, str]:
    """Return a row's own parameters as text: numbers as they are typed, ``null`` and ``true`` as in
    a config.
    """
    return {str(key): text(value) for key, value in row.parameters.items()}


def scores(row: JudgedTrial, names: Sequence[str]) -> dict[str, float]:
    """Return the named numbers of a row as metrics, exactly; null ones are left out.

    Wilson's interval becomes ``wilson_low`` and ``wilson_high``.
    """
    return dict(numbers("", {name: row.record.get(name) for name in names}))


def _about(view: View, row: JudgedTrial) -> str:
    """Return what a trial's run is, for its page."""
    if view.split == "tune":
        return markdown(f"{row.name}, scored on {view.half}. It is run again by")
    done = f"{row.name}, evaluation {view.evaluation} of {view.half}"
    return markdown(f"{done}. Its settings are run again, on tune, by")


def _typed(row: JudgedTrial) -> str:
    """Return the command of a trial in lines of up to ``WIDTH`` characters, as a shell reads it."""
    first, *words = (shlex.quote(word) for word in shlex.split(row.rerun))
    lines = [first]
    for word in words:
        if len(lines[-1]) + len(word) < WIDTH:
            lines[-1] += f" {word}"
        else:
            lines.append(f"  {word}")
    return " \\\n".join(lines)[:LONGEST_NOTE]
