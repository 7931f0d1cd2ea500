"""What a finished sweep becomes in a tracker: one run for the sweep, below it a run for each of its best trials."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.core.escape import markdown, markdown_code
from harness.core.identity import digest
from harness.report.tracking.parameters import metric_name, numbers, pipeline, shortened, text
from harness.sweep.folder import ENTRY, LOCK, Row, SweepResult, View, rerun

NOTE = "mlflow.note.content"
TABLE = "trials.json"
LONGEST_NOTE = 4900  # characters of a tag that every MLflow keeps whole, less the marks around
NAMED = {"trial", "name", "family", "overrides", "parameters", "dataset", "split", "roles", "untuned", "n"}
"""Columns of a row that are no metrics."""
HEADLINE = (
    *("wins", "losses", "p_holm_cluster", "difference", "difference_cluster_low", "difference_cluster_high"),
    *("wins_best", "losses_best", "p_best_holm_cluster", "wilson_cluster_low", "wilson_cluster_high", "p", "p_holm"),
)
"""What follows the objective and recall among the metrics of a run; metrics at other k come last."""


@dataclass(frozen=True)
class Entry:
    """One MLflow run to be."""

    id: str
    name: str
    params: Mapping[str, str]
    metrics: Mapping[str, float]
    tags: Mapping[str, str]


@dataclass(frozen=True)
class Group:
    """A run, the runs below it, and what is attached to it.

    name: where they belong; content: a hash of what they say. The same name with another content takes the place of
    what was exported before.    ended, seconds: when it was computed (seconds since the epoch), and for how long.
    files: by their name in the artifacts.    texts: small artifacts that no file holds, by name.
    """

    name: str
    content: str
    dataset: str
    data_sha256: str
    split: str
    ended: float
    seconds: float
    top: Entry
    children: Sequence[Entry]
    files: Mapping[str, Path]
    texts: Mapping[str, str]


def sweep(result: SweepResult, top: int | None, most: int | None) -> Group:
    """The sweep on tune: its own run carries the winner's parameters and metrics and what the lock expects of test.

    top: how many of the best trials become runs; None for all. A trial that ranks every gold passage as one before it
    is no run, unless it is the winner. The table of all trials is an artifact.    most: metrics of a run; None for all.
    """
    view, lock = result.whole, result.lock
    best = lock["winner"]
    different = [n for n, copy in enumerate(view.copies) if not copy or n == view.winner_place]
    shown = different[:top]
    expected = dict(numbers("", {"expected": lock.get("expected"), "power": lock.get("power")}))
    share = f"{len(shown)} of {len(view.rows)} trials"
    note = _note(view, share, len(view.rows) - len(different), len(shown) < len(different))
    tags = {"kind": "sweep", "lock": str(lock["sha256"]), "runs": share, NOTE: note}
    taken = [{"seconds": result.manifest.get("seconds")}, result.manifest.get("cost") or {}]
    cost = dict(pair for one in taken for pair in numbers("", one))
    metrics = {"trials": float(len(view.rows)), **expected}
    return _group(result, view, result.folder.name, result.folder.name, shown, best, tags, metrics, cost, most)


def heldout(result: SweepResult, view: View, most: int | None) -> Group:
    """The held-out evaluation: ``view`` of the locked trials on test."""
    name = f"{result.folder.name}/test/{view.evaluation}"
    tags = {"kind": "heldout", "evaluation": str(view.evaluation)}
    best, title = view.rows[view.winner_place], f"held-out, evaluation {view.evaluation}"
    return _group(result, view, name, title, range(len(view.rows)), best, tags, {}, {}, most)


def _group(
    result: SweepResult,
    view: View,
    name: str,
    title: str,
    shown: Sequence[int],
    best: Row,
    tags: Mapping[str, str],
    metrics: Mapping[str, float],
    cost: Mapping[str, float],
    most: int | None,
) -> Group:
    """shown: places of rows.    cost: metrics that each run of a sweep measures anew, no part of the content."""
    rows, test = view.rows, view.split == "test"
    base = {**pipeline(result.config, result.manifest), "split": view.split, "n": str(view.n)}
    common = {
        "sweep": result.folder.name,
        "dataset": view.dataset,
        "data_sha256": view.data_sha256,
        "split": view.split,
        "objective": view.objective,
        "code": str(result.manifest["code"]),
    }
    named = headline(rows, view.objective)[:most]
    content = digest(
        [name, base, common, [[row["trial"], knobs(row), scores(row)] for row in rows], dict(metrics), named]
    )
    own = {**base, **knobs(best), "trials": str(len(rows))}
    first = Entry(
        id=digest([content, "top"])[:32],
        name=title,
        params=shortened(own),
        metrics={**_of(named, best), **metrics, **cost},
        tags={**common, "winner": view.winner_name, "winner_trial": view.winner, **tags},
    )
    children = [
        Entry(
            id=digest([content, rows[place]["trial"]])[:32],
            name=f"{place + 1} {view.winner_name if place == view.winner_place else rows[place]['name']}"[:250],
            params=shortened({**base, **knobs(rows[place])}),
            metrics=_of(named, rows[place]),
            tags={**common, "kind": "trial", **_trial_tags(rows[place])},
        )
        for place in shown
    ]
    texts = {} if test else {TABLE: _table(rows)}
    names = ("heldout.json", ENTRY, LOCK) if test else ("trials.parquet", "config.yaml", "manifest.json", LOCK)
    files = {name: path for name in names if (path := result.folder / name).is_file()}
    ended = (result.folder / names[0]).stat().st_mtime
    seconds = 0.0 if test else float(result.manifest.get("seconds") or 0)
    return Group(
        name, content, view.dataset, view.data_sha256, view.split, ended, seconds, first, children, files, texts
    )


def trials_query(sweep: str) -> str:
    """The search of MLflow that finds a sweep's trials on tune."""
    name = f'"{sweep}"' if "'" in sweep else f"'{sweep}'"
    return f"tags.sweep = {name} and tags.kind = 'trial' and tags.split = 'tune'"


def knobs(row: Row) -> dict[str, str]:
    """A row's own knobs as text: numbers as they are typed, ``null`` and ``true`` as in a config."""
    return {str(key): text(value) for key, value in row["parameters"].items()}


def scores(row: Row) -> dict[str, float]:
    """A row's metrics, counts, p-values and bounds; what is null (dense against itself) is left out."""
    return dict(numbers("", {key: value for key, value in row.items() if key not in NAMED}))


def headline(rows: Sequence[Row], objective: str) -> list[str]:
    """The names of all metrics, those that matter most first: the objective, recall at its k, W, L, the rest."""
    known = dict.fromkeys(name for row in rows for name in scores(row))
    first = [metric_name(name) for name in (objective, f"recall@{objective.partition('@')[2]}", *HEADLINE)]
    return [*(name for name in first if name in known), *(name for name in known if name not in first)]


def _of(names: Sequence[str], row: Row) -> dict[str, float]:
    """The metrics of a row, in the order of ``names``; null is left out."""
    found = scores(row)
    return {name: found[name] for name in names if name in found}


def _table(rows: Iterable[Row]) -> str:
    """All trials as a table that MLflow shows (the file that ``mlflow.log_table`` would write)."""
    flat = [{"trial": row["trial"], "name": row["name"], **knobs(row), **scores(row)} for row in rows]
    columns = list(dict.fromkeys(key for row in flat for key in row))
    return json.dumps({"columns": columns, "data": [[row.get(key) for key in columns] for row in flat]})


def _note(view: View, share: str, copies: int, more: bool) -> str:
    lines = [f"Winner on tune: {markdown(view.disguise.removeprefix(', ') or view.winner_name)}", ""]
    lines.append(f"The best {share} are runs below this one; all, with every metric, are in the artifact `{TABLE}`.")
    if copies:
        lines.append(f"{copies} trials have the gold ranks of one before them and are left out.")
    if more:
        lines += ["", "A run for each: `harness track tracking.top=null sweep=DIR`, with this sweep's folder."]
    return "\n".join(lines)


def _trial_tags(row: Row) -> dict[str, str]:
    note = markdown_code(rerun(row)[:LONGEST_NOTE])
    return {"trial": row["trial"], "family": row["family"], NOTE: note}
