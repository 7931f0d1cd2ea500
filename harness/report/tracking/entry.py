"""What a finished sweep becomes in a tracker: one run for the sweep, below it a run for each of its best trials."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.core.escape import markdown, markdown_code
from harness.core.identity import digest
from harness.report.tracking.parameters import numbers, pipeline, shortened, text
from harness.sweep.folder.integrity import ENTRY
from harness.sweep.folder.result import LOCK, SweepResult
from harness.sweep.folder.rows import rerun
from harness.sweep.folder.view import View

NOTE = "mlflow.note.content"
TABLE = "trials.json"
LONGEST_NOTE = 4900  # characters of a tag that every MLflow keeps whole, less the marks around
NAMED = {"trial", "name", "family", "overrides", "parameters", "dataset", "split", "roles", "untuned", "n"}
"""Columns of a row that are no metrics."""


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


def sweep(result: SweepResult, top: int | None) -> Group:
    """The sweep on tune: its own run carries the winner's parameters and metrics and what the lock expects of test.

    top: how many of the best trials become runs; None for all. The table of all is an artifact.
    """
    view, lock = result.whole, result.lock
    rows, best = view.rows, lock["winner"]
    shown = rows if top is None else rows[:top]
    expected = numbers("", {"expected": lock.get("expected"), "power": lock.get("power")})
    tags = {"kind": "sweep", "lock": str(lock["sha256"]), NOTE: _note(result, best, len(shown), len(rows))}
    metrics = {**dict(numbers("", {"trials": len(rows)})), **dict(expected)}
    taken = [{"seconds": result.manifest.get("seconds")}, result.manifest.get("cost") or {}]
    cost = dict(pair for one in taken for pair in numbers("", one))
    return _group(result, view, result.folder.name, f"sweep {result.folder.name}", shown, best, tags, metrics, cost)


def heldout(result: SweepResult, view: View) -> Group:
    """The held-out evaluation: ``view`` of the locked trials on test."""
    name = f"{result.folder.name}/test/{view.evaluation}"
    tags = {"kind": "heldout", "evaluation": str(view.evaluation)}
    best = view.rows[view.winner_place]
    return _group(result, view, name, f"held-out, evaluation {view.evaluation}", view.rows, best, tags, {}, {})


def _group(
    result: SweepResult,
    view: View,
    name: str,
    title: str,
    shown: Sequence[Mapping[str, Any]],
    best: Mapping[str, Any],
    tags: Mapping[str, str],
    metrics: Mapping[str, float],
    cost: Mapping[str, float],
) -> Group:
    """cost: metrics that each run of a sweep measures anew, so they are no part of the content."""
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
    content = digest([name, base, common, [[row["trial"], knobs(row), scores(row)] for row in rows], dict(metrics)])
    own = {**base, **knobs(best), "trials": str(len(rows))}
    first = Entry(
        id=digest([content, "top"])[:32],
        name=title,
        params=shortened(own),
        metrics={**scores(best), **metrics, **cost},
        tags={**common, "winner": str(best.get("name", "")), **tags},
    )
    children = [
        Entry(
            id=digest([content, row["trial"]])[:32],
            name=str(row["name"])[:250],
            params=shortened({**base, **knobs(row)}),
            metrics=scores(row),
            tags={**common, "kind": "trial", **_trial_tags(row)},
        )
        for row in shown
    ]
    long = {key: value for key, value in own.items() if first.params[key] != value}
    texts = {} if test else {TABLE: _table(rows)}
    if long:
        texts["parameters.json"] = json.dumps(long, indent=1)
    names = ("heldout.json", ENTRY, LOCK) if test else ("trials.parquet", "config.yaml", "manifest.json", LOCK)
    files = {name: path for name in names if (path := result.folder / name).is_file()}
    ended = (result.folder / names[0]).stat().st_mtime
    seconds = 0.0 if test else float(result.manifest.get("seconds") or 0)
    return Group(
        name, content, view.dataset, view.data_sha256, view.split, ended, seconds, first, children, files, texts
    )


def knobs(row: Mapping[str, Any]) -> dict[str, str]:
    """A row's own knobs as text: numbers as they are typed, ``null`` and ``true`` as in a config."""
    return {str(key): text(value) for key, value in (row.get("parameters") or {}).items()}


def scores(row: Mapping[str, Any]) -> dict[str, float]:
    """A row's metrics, counts, p-values and bounds; what is null (dense against itself) is left out."""
    return dict(numbers("", {key: value for key, value in row.items() if key not in NAMED}))


def _table(rows: Iterable[Mapping[str, Any]]) -> str:
    """All trials as a table that MLflow shows (the file that ``mlflow.log_table`` would write)."""
    flat = [{"trial": row["trial"], "name": row["name"], **knobs(row), **scores(row)} for row in rows]
    columns = list(dict.fromkeys(key for row in flat for key in row))
    return json.dumps({"columns": columns, "data": [[row.get(key) for key in columns] for row in flat]})


def _note(result: SweepResult, best: Mapping[str, Any], shown: int, count: int) -> str:
    lines = [f"Winner on tune: {markdown(best.get('name', 'none'))}", ""]
    lines.append(
        f"The best {shown} of {count} trials are runs below this one; all {count} are in the artifact `{TABLE}`."
    )
    if shown < count:
        lines += ["", "A run for every trial: `harness track tracking.top=null sweep=DIR`, with this sweep's folder."]
    return "\n".join(lines)


def _trial_tags(row: Mapping[str, Any]) -> dict[str, str]:
    tags = {"trial": str(row["trial"]), "family": str(row["family"])}
    if row.get("overrides"):
        tags[NOTE] = markdown_code(rerun(row)[:LONGEST_NOTE])
    return tags
