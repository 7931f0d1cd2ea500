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
from harness.report.tracking.entry import Group
from harness.report.tracking.parameters import metric_name
from harness.sweep.folder.result import SweepResult

TAG = "mlflow.sharedViewState."
AXES = ("fuser.alpha", "pool.cap", "normalizer")
"""The axes of the parallel coordinates, where the trials vary in them."""
COLUMNS = 6
"""The most metrics, and the most parameters, that a view shows as columns."""
DEFAULTS: dict[str, Any] = {
    **{"searchFilter": "", "orderByKey": "attributes.start_time", "orderByAsc": False, "startTime": "ALL"},
    **{"lifecycleFilter": "Active", "datasetsFilter": [], "modelVersionFilter": "All Runs"},
    **{"runsExpanded": {}, "runsPinned": [], "runsHidden": [], "runsVisibilityMap": {}, "groupsExpanded": {}},
    **{"runsHiddenMode": "FIRST_10_RUNS", "viewMaximized": False, "runListHidden": False, "groupBy": None},
    **{"isAccordionReordered": False, "useGroupedValuesInCharts": True, "hideEmptyCharts": True},
    **{"autoRefreshEnabled": False, "columnOrder": [], "columnWidths": {}},
}
"""The rest of a view's state, which servers before 3.15 do not fill in."""
DESCRIPTION = """Sweeps of the multi-hop retrieval harness; `harness track` brings this copy of them up to date.

{newest}

{site}- [All sweeps]({overview}): a run for each sweep with its winner's numbers, its trials and held-out runs below \
it (+).
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


def keys(result: SweepResult) -> dict[str, str]:
    """The keys of a sweep's views: leaderboard, parallel coordinates and, after `harness heldout`, held-out."""
    names = ["leaderboard", "parallel", *(["heldout"] if result.test else [])]
    return {name: f"{result.folder.name}.{name}" for name in names}


def sweep_views(result: SweepResult, group: Group) -> dict[str, str]:
    """Experiment tags that hold the views of a sweep."""
    objective = str(result.manifest["objective"])
    mine = f"tags.sweep = {_quoted(result.folder.name)}"
    columns = _columns(result, _varied(group))
    axes = [axis for axis in AXES if axis in _varied(group)] or _varied(group)[:4]
    order = {"orderByKey": f"metrics.`{metric_name(objective)}`", "orderByAsc": False}
    states: dict[str, dict[str, Any]] = {
        "leaderboard": {"searchFilter": f"{mine} and tags.split = 'tune'", **order, **columns},
        "parallel": {
            "searchFilter": f"{mine} and tags.kind = 'trial' and tags.split = 'tune'",
            **order,
            **columns,
            **_parallel(objective, axes),
        },
        "heldout": {"searchFilter": f"{mine} and tags.split = 'test'", **order, **columns},
    }
    titles = {"leaderboard": "leaderboard", "parallel": "parallel coordinates", "heldout": "held-out"}
    own = keys(result)
    return {TAG + key: _value(f"{titles[name]} {result.folder.name}", states[name]) for name, key in own.items()}


def overview(objective: str) -> dict[str, str]:
    """The view of all sweeps, newest first, with what is below them."""
    shown = [f"metrics.`{metric_name(objective)}`", *(f"metrics.`{name}`" for name in ("wins", "losses", "trials"))]
    shown += [f"params.`{name}`" for name in ("dataset", "encoder", "fuser")]
    return {TAG + "sweeps": _value("all sweeps", {"selectedColumns": shown, "columnOrder": shown})}


def description(experiment: str, newest: Sequence[Mapping[str, str]], site: str) -> str:
    """The experiment's description. newest: the tags of the sweeps' own runs, with ``run`` and ``report`` (or "").

    site: the address that the site of `harness report` is served at; empty where it is not.
    """
    lines = ["**Newest sweeps**", ""]
    for tags in newest:
        name = tags["sweep"]
        own = {view: page(experiment, f"{name}.{view}", view == "parallel") for view in ("leaderboard", "parallel")}
        line = f"- {markdown(tags['dataset'])}: [{markdown(name)}]({own['leaderboard']})"
        line += f", [parallel coordinates]({own['parallel']})"
        if site:
            line += f", [questions]({site}/#/sweep/{file_name(name)})"
        if tags.get("report"):
            line += f", [report](#/experiments/{experiment}/runs/{tags['run']}/artifacts)"
        lines.append(line)
    served = f"- [The site]({site}/): every sweep down to its questions (while `harness ui` runs).\n" if site else ""
    return DESCRIPTION.format(newest="\n".join(lines), overview=page(experiment, "sweeps"), site=served)


def _value(name: str, state: Mapping[str, Any]) -> str:
    whole = {**DEFAULTS, **state}
    return json.dumps({"name": name, "createdAt": 0, "updatedAt": 0, "state": json.dumps(whole), **whole})


def _columns(result: SweepResult, varied: Sequence[str]) -> dict[str, Any]:
    objective = str(result.manifest["objective"])
    metrics = dict.fromkeys([objective, "wins", "losses", "p_holm", *result.metrics])
    shown = [f"metrics.`{metric_name(metric)}`" for metric in list(metrics)[:COLUMNS]]
    shown += [f"params.`{name}`" for name in varied[:COLUMNS]]
    return {"selectedColumns": shown, "columnOrder": shown}


def _varied(group: Group) -> list[str]:
    """The parameters in which the exported trials differ."""
    seen: dict[str, set[str | None]] = {}
    names = dict.fromkeys(key for entry in group.children for key in entry.params)
    for name in names:
        seen[name] = {entry.params.get(name) for entry in group.children}
    return [name for name, values in seen.items() if len(values) > 1]


def _parallel(objective: str, axes: Sequence[str]) -> dict[str, Any]:
    chart = {
        "uuid": "parallel",
        "type": "PARALLEL",
        "metricSectionId": "harness",
        "deleted": False,
        "isGenerated": False,
        "showAllRuns": True,
        "selectedParams": list(axes),
        "selectedMetrics": [metric_name(objective)],
    }
    section = {
        "uuid": "harness",
        "name": "Parallel coordinates",
        "display": True,
        "isReordered": False,
        "columns": 1,
        "cardHeight": 450,
    }
    return {"compareRunCharts": [chart], "compareRunSections": [section], "runsHiddenMode": "SHOW_ALL"}


def _quoted(name: str) -> str:
    return f'"{name}"' if "'" in name else f"'{name}'"
