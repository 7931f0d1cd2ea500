"""What a sweep becomes in a tracker: flat, typed parameters, metrics and tags; ids follow from the content."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harness.identity import digest
from harness.sweep.result import LOCK, SweepResult

if TYPE_CHECKING:
    import pandas as pd

COUNTED = (
    *("wins", "losses", "p", "p_holm", "p_bh", "p_max", "wins_best", "losses_best", "p_best", "p_best_max"),
    *("odds_ratio", "difference", "difference_low", "difference_high", "p_equivalent", "as_expected", "seconds"),
)
FORESEEN = {
    "expected": {"score": "expected_on_test", "low": "expected_low", "high": "expected_high", "bias": "winners_curse"},
    "power": {"smallest": "smallest_detectable", "power": "power_on_test", "power_corrected": "power_corrected",
              "queries": "queries_for_power_80", "queries_corrected": "queries_for_power_80_corrected"},
}  # fmt: skip
"""Metrics of a sweep's own run: what its lock foretells of the held-out evaluation."""
KEPT_WHOLE = 6000  # characters of a parameter or tag that MLflow stores


@dataclass(frozen=True)
class Entry:
    """One MLflow run to be. ``parent`` is the id of the entry that it stands below."""

    id: str
    name: str
    parent: str | None
    params: Mapping[str, str]
    metrics: Mapping[str, float]
    tags: Mapping[str, str]


@dataclass(frozen=True)
class Group:
    """Entries that are logged together, the parent first. ``name`` is where they belong, ``content`` what they say.

    The same name with another content takes the place of what was logged before.
    """

    name: str
    content: str
    dataset: str
    data_sha256: str
    split: str
    entries: Sequence[Entry]


def sweep(result: SweepResult, experiment: str) -> Group:
    """The group of a sweep: its parent carries the winner's metrics, its children are the trials on tune."""
    rows = records(result.trials)
    best: Mapping[str, Any] = rows[0] if rows else {}
    tags = {"sweep": result.folder.name, "kind": "sweep", "objective": str(result.manifest["objective"])}
    if (result.folder / LOCK).is_file():
        best = result.lock["winner"]
        tags["lock"] = str(result.lock["sha256"])
    tags["winner"] = str(best.get("name", ""))
    return _group(result, experiment, result.folder.name, f"sweep {result.folder.name}", None, rows, best, tags)


def heldout(result: SweepResult, experiment: str) -> Group:
    """The group of a held-out evaluation; it stands below the sweep."""
    rows = [dict(row) for row in result.heldout or ()]
    winner = result.lock["winner"]["trial"]
    best = next((row for row in rows if row["trial"] == winner), {})
    evaluation = max((int(row["evaluation"]) for row in rows), default=1)
    name = f"{result.folder.name}/test/{evaluation}"
    tags = {"sweep": result.folder.name, "kind": "heldout", "evaluation": str(evaluation)}
    tags["winner"] = str(best.get("name", ""))
    above = sweep(result, experiment).entries[0].id
    return _group(result, experiment, name, f"held-out, evaluation {evaluation}", above, rows, best, tags)


def _group(
    result: SweepResult,
    experiment: str,
    name: str,
    title: str,
    above: str | None,
    rows: Sequence[Mapping[str, Any]],
    best: Mapping[str, Any],
    tags: Mapping[str, str],
) -> Group:
    wanted = metric_columns(result)
    split = str(rows[0]["split"]) if rows else str(result.manifest["split"])
    logged = [(row, parameters(row), metrics(row, wanted)) for row in rows]
    content = digest([experiment, name, [[row["trial"], params, _plain(scores)] for row, params, scores in logged]])
    common = {
        "dataset": str(result.manifest["dataset"]),
        "data_sha256": str(result.manifest["data_sha256"]),
        "split": split,
        "code": str(result.manifest["code"]),
        "config_hash": digest(_plain(result.config)),
    }
    top = Entry(
        id=digest([content, "parent"])[:32],
        name=title,
        parent=above,
        params={"trials": str(len(rows)), "n": str(rows[0]["n"] if rows else 0)},
        metrics={**metrics(best, wanted), **_foreseen(result)},
        tags={**common, **tags},
    )
    children = [
        Entry(
            id=digest([content, row["trial"]])[:32],
            name=str(row["name"])[:250],
            parent=top.id,
            params=params,
            metrics=scores,
            tags={**common, "kind": "trial", "sweep": tags["sweep"], **_trial_tags(row)},
        )
        for row, params, scores in logged
    ]
    return Group(name, content, common["dataset"], common["data_sha256"], split, [top, *children])


def metric_columns(result: SweepResult) -> list[str]:
    """The metrics of a sweep, in the order of its configuration."""
    named = [str(metric) for metric in (*(result.config.get("metrics") or ()), result.manifest["objective"])]
    return [metric for metric in dict.fromkeys(named) if metric in result.trials.columns]


def metric_name(metric: str) -> str:
    """A metric's name as MLflow accepts it: ``last_hop@5`` is ``last_hop_at_5``."""
    return metric.replace("@", "_at_")


def metrics(row: Mapping[str, Any], wanted: Iterable[str]) -> dict[str, float]:
    """A row's metrics and counts; what is null (dense against itself) is left out."""
    found: dict[str, float] = {}
    for key in (*wanted, *COUNTED):
        value = row.get(key)
        if isinstance(value, (int, float)) and not math.isnan(value):
            found[metric_name(key)] = float(value)
    if row.get("wilson") is not None:
        found["wilson_low"], found["wilson_high"] = (float(bound) for bound in row["wilson"])
    return found


def parameters(row: Mapping[str, Any]) -> dict[str, str]:
    """A row's flat knobs as text: numbers as they are typed, ``null`` and ``true`` as in a config."""
    knobs: Mapping[str, Any] = loaded(row["parameters"])
    texts = {key: value if isinstance(value, str) else json.dumps(value) for key, value in knobs.items()}
    return {key: text[:KEPT_WHOLE] for key, text in texts.items()}


def rerun(row: Mapping[str, Any]) -> str:
    """The command that runs a row's trial alone."""
    return f"harness sweep {shlex.join(loaded(row['overrides']))}"


def records(trials: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table of trials."""
    return [{str(key): value for key, value in row.items()} for row in trials.to_dict("records")]


def loaded(value: Any) -> Any:
    """A row's ``parameters`` or ``overrides``: JSON text in ``trials.parquet``, plain in JSON files."""
    return json.loads(value) if isinstance(value, str) else value


def _foreseen(result: SweepResult) -> dict[str, float]:
    lock = result.lock if (result.folder / LOCK).is_file() else {}
    told = {key: lock.get(key) or {} for key in FORESEEN}
    values = {name: told[key].get(field) for key, names in FORESEEN.items() for field, name in names.items()}
    return {name: float(value) for name, value in values.items() if value is not None}


def _trial_tags(row: Mapping[str, Any]) -> dict[str, str]:
    tags = {"trial": str(row["trial"]), "family": str(row["family"])}
    if row.get("overrides"):
        tags["mlflow.note.content"] = f"```\n{rerun(row)}\n```"[:KEPT_WHOLE]
    return tags


def _plain(value: Any) -> Any:
    """The value without whole floats' ambiguity or foreign types, so that it has an identity."""
    return json.loads(json.dumps(value, default=str))
