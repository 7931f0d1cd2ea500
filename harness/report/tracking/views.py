"""What a person sees first in MLflow: links to prepared views of a sweep, and the experiment's description.

MLflow keeps a shared view as an experiment tag ``mlflow.sharedViewState.<key>``; ``viewStateShareKey=<key>`` in a link
opens it. MLflow 3.15 keeps an object with a name and the state as text there, MLflow 3.13 the state itself: the
value written here is both.
"""

from __future__ import annotations

import json
import urllib.parse
from collections.abc import Mapping, Sequence
from typing import Any

from harness.core.escape import file_name, markdown
from harness.core.identity import digest
from harness.report.tracking.entry import Group
from harness.report.tracking.parameters import metric_name
from harness.sweep.folder import SweepResult

TAG = "mlflow.sharedViewState."
AXES = ("fuser.alpha", "pool.cap", "normalizer")
"""The axes of the parallel coordinates, where the trials vary in them."""
COLUMNS = 6
"""The most parameters that a view shows as columns."""
DEFAULTS: dict[str, Any] = {
    **{"searchFilter": "", "orderByKey": "attributes.start_time", "orderByAsc": False, "startTime": "ALL"},
    **{"lifecycleFilter": "Active", "datasetsFilter": [], "modelVersionFilter": "All Runs"},
    **{"runsExpanded": {}, "runsPinned": [], "runsHidden": [], "runsVisibilityMap": {}, "groupsExpanded": {}},
    **{"runsHiddenMode": "FIRST_10_RUNS", "viewMaximized": False, "runListHidden": False, "groupBy": None},
    **{"isAccordionReordered": False, "useGroupedValuesInCharts": True, "hideEmptyCharts": True},
    **{"autoRefreshEnabled": False, "columnOrder": [], "columnWidths": {}},
}
"""The rest of a view's state, which servers before 3.15 do not fill in."""
WIDTHS = {"metrics.`p_holm`": 180}
"""Pixels of columns that would not show a number's exponent."""
OWN = "Sweeps of the multi-hop retrieval harness"
"""What a description of ours begins with."""
DESCRIPTION = """{newest}

{site}- [All sweeps]({overview}): a run for each sweep with its winner's numbers, its trials and held-out runs below \
it (+). `harness track` brings this copy of the folders up to date.
- Metrics are named as everywhere else with `_at_` for `@`, which MLflow does not allow: `last_hop@5` is \
`metrics.last_hop_at_5`. A search for `metrics.last_hop@5` finds nothing or is refused.
- To find trials: `tags.kind = 'trial' and tags.split = 'tune' and metrics.losses = 0 and params.encoder = 'minilm'`.
- `wins` and `losses` are against the reference list, `wins_best` and `losses_best` against the best single list; \
`difference_low` and `difference_high` bound the difference to it, `wilson_low` and `wilson_high` the objective.
"""


def page(experiment: str, key: str, charts: bool = False) -> str:
    """The address of a view below MLflow's root."""
    mode = "&compareRunsMode=CHART" if charts else ""
    return f"#/experiments/{experiment}/runs?viewStateShareKey={urllib.parse.quote(key)}{mode}"


def key(folder: str, view: str = "leaderboard") -> str:
    """The key of a sweep's view, ``leaderboard`` or ``heldout``, in letters that MLflow takes."""
    name = file_name(folder)
    return f"{name if name == folder else f'{name[:60]}-{digest(folder)[:8]}'}.{view}"


def sweep_views(result: SweepResult, group: Group) -> dict[str, str]:
    """Experiment tags that hold the views of a sweep: its trials and, after `harness heldout`, those on test."""
    name, objective = result.folder.name, str(result.manifest["objective"])
    varied = _varied(group)
    state = {
        **{"orderByKey": f"metrics.`{metric_name(objective)}`", "orderByAsc": False},
        **_columns(result, varied),
        **_charts(objective, [axis for axis in AXES if axis in varied] or varied[:4]),
    }
    mine = f"tags.sweep = {_quoted(name)} and tags.kind = 'trial' and tags.split = "
    found = {"leaderboard": (f"best {group.top.tags['runs']}, {name}", f"{mine}'tune'")}
    if result.test:
        found["heldout"] = (f"held-out, {name}", f"{mine}'test'")
    return {
        TAG + key(name, view): _value(title, {"searchFilter": query, **state}) for view, (title, query) in found.items()
    }


def overview(objective: str) -> dict[str, str]:
    """The view of all sweeps, newest first, with what is below them."""
    shown = [f"metrics.`{metric_name(objective)}`", *(f"metrics.`{name}`" for name in ("wins", "losses", "trials"))]
    shown += [f"params.`{name}`" for name in ("dataset", "encoder", "fuser")]
    return {TAG + "sweeps": _value("all sweeps", {"selectedColumns": shown, "columnOrder": shown})}


def description(experiment: str, newest: Sequence[Mapping[str, str]], site: str) -> str:
    """The experiment's description. newest: the tags of the sweeps' own runs, with ``run`` and ``report`` (or "").

    site: the address that the site of `harness report` is served at; empty where it is not.
    """
    lines: list[str] = []
    for tags in newest:
        name = tags["sweep"]
        own = key(name)
        line = f"[{markdown(name)}]({page(experiment, own)}) (best {markdown(tags.get('runs', ''))})"
        line += f", [charts]({page(experiment, own, charts=True)})"
        if site:
            line += f", [questions]({site}/#/sweep/{file_name(name)})"
        if tags.get("report"):
            line += f", [report](#/experiments/{experiment}/runs/{tags['run']}/artifacts)"
        lines.append(f"- {line}" if lines else f"{OWN}. Newest: {line}\n")
    served = f"- [The site]({site}/): every sweep down to its questions (while `harness ui` runs).\n" if site else ""
    return DESCRIPTION.format(newest="\n".join(lines), overview=page(experiment, "sweeps"), site=served)


def _value(name: str, state: Mapping[str, Any]) -> str:
    whole = {**DEFAULTS, **state}
    return json.dumps({"name": name, "createdAt": 0, "updatedAt": 0, "state": json.dumps(whole), **whole})


def _columns(result: SweepResult, varied: Sequence[str]) -> dict[str, Any]:
    objective = str(result.manifest["objective"])
    recall = f"recall@{objective.partition('@')[2]}"
    metrics = dict.fromkeys([objective, *({recall} & {*result.metrics}), "wins", "losses", "p_holm"])
    shown = [f"metrics.`{metric_name(metric)}`" for metric in metrics]
    shown += [f"params.`{name}`" for name in varied[:COLUMNS]]
    return {"selectedColumns": shown, "columnOrder": shown, "columnWidths": WIDTHS}


def _varied(group: Group) -> list[str]:
    """The parameters in which the exported trials differ."""
    seen: dict[str, set[str | None]] = {}
    names = dict.fromkeys(key for entry in group.children for key in entry.params)
    for name in names:
        seen[name] = {entry.params.get(name) for entry in group.children}
    return [name for name, values in seen.items() if len(values) > 1]


def _charts(objective: str, axes: Sequence[str]) -> dict[str, Any]:
    """Bars of the objective and of recall at its k, wins by losses, and parallel coordinates of what varies."""
    metric, recall = metric_name(objective), metric_name(f"recall@{objective.partition('@')[2]}")
    shapes: dict[str, dict[str, Any]] = {
        "objective": {"type": "BAR", "metricKey": metric, "dataAccessKey": metric},
        "recall": {"type": "BAR", "metricKey": recall, "dataAccessKey": recall},
        "wins": {"type": "SCATTER"}
        | {axis: {"key": name, "type": "METRIC"} for axis, name in (("xaxis", "losses"), ("yaxis", "wins"))},
        "parallel": {
            **{"type": "PARALLEL", "showAllRuns": True},
            **{"selectedParams": list(axes), "selectedMetrics": [metric]},
        },
    }
    common = {"deleted": False, "isGenerated": False, "runsCountToCompare": 100}
    sections = {"Best 20 trials": 3, "Parallel coordinates": 1}
    return {
        "compareRunCharts": [
            {"uuid": name, "metricSectionId": [*sections][name == "parallel"], **common, **shape}
            for name, shape in shapes.items()
        ],
        "compareRunSections": [
            {"uuid": name, "name": name, "display": True, "isReordered": False, "columns": columns, "cardHeight": 330}
            for name, columns in sections.items()
        ],
        "runsHiddenMode": "FIRST_20_RUNS",
    }


def _quoted(name: str) -> str:
    return f'"{name}"' if "'" in name else f"'{name}'"
