"""A page of MLflow that shows a sweep: its columns, sort order and charts.

MLflow stores a shared page as a tag of the experiment, and opens it by the tag's key in the
address. The fields are those of MLflow's pages (``persistUIState`` and ``searchFacets`` in its
sources).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.core.identity import digest
from harness.report.tracking.parameters import key_name

SHARED = "mlflow.sharedViewState."
NAME, CREATED = "attributes.`Run Name`", "runDateAndNestInfo"
LOADED = 100
"""Number of runs that MLflow loads at once and shows in charts."""
LETTER, EDGES, LEAST = 7.0, 20, 88
"""Width of a column in pixels: for each letter of its head, for margins, and the minimum."""


@dataclass(frozen=True)
class TrackerPage:
    """The trials of a sweep on a split, best first by its objective.

    Attributes:
        params, metrics: columns; the parameters stand after the first metric and before the
            others.
        knobs: the last columns, and the axes of the chart that compares trials.
        trials: number of trials.
    """

    sweep: str
    split: str
    objective: str
    params: Sequence[str]
    metrics: Sequence[str]
    knobs: Sequence[str]
    trials: int

    @property
    def key(self) -> str:
        """The page's part of its address."""
        return digest([self.sweep, self.split])[:12]

    @property
    def tag(self) -> str:
        """The name of the experiment's tag."""
        return f"{SHARED}{self.key}"

    @property
    def query(self) -> str:
        """The search that finds the trials, each of several equal ones once."""
        name = f'"{self.sweep}"' if "'" in self.sweep else f"'{self.sweep}'"
        return (
            f"tags.sweep = {name} and tags.kind = 'trial' and tags.split = '{self.split}' "
            "and tags.equals = '-'"
        )

    def address(self, experiment: str) -> str:
        """Return the part of the address after that of the server."""
        return f"#/experiments/{experiment}/runs?viewStateShareKey={self.key}"

    @property
    def _score(self) -> str:
        return key_name(self.objective)

    @property
    def _charted(self) -> str:
        """Return which trials the charts show: MLflow reads the first hundred of a table."""
        shown = min(LOADED, self.trials)
        return f"the best {shown} of {self.trials} trials" if shown < self.trials else "all trials"

    def state(self) -> str:
        """The value of the tag."""
        scores = [f"metrics.`{key_name(name)}`" for name in self.metrics]
        params = [f"params.`{key_name(name)}`" for name in self.params]
        knobs = [f"params.`{key_name(name)}`" for name in self.knobs]
        columns = [*scores[:1], *params, *scores[1:], *knobs]
        letters = {column: len(column.partition(".")[2][1:-1]) for column in columns}
        widths = {
            column: max(LEAST, round(LETTER * count + EDGES)) for column, count in letters.items()
        }
        state = {
            "searchFilter": self.query,
            "orderByKey": f"metrics.`{self._score}`",
            "orderByAsc": False,
            "startTime": "ALL",
            "lifecycleFilter": "Active",
            "modelVersionFilter": "All Runs",
            "datasetsFilter": [],
            "selectedColumns": columns,
            "columnOrder": [NAME, CREATED, *columns],
            "columnWidths": {NAME: 200, CREATED: 50, **widths},
            "runsHiddenMode": "SHOW_ALL",
            "hideEmptyCharts": True,
            "compareRunCharts": list(self._charts()),
            "compareRunSections": [
                _section("knobs", f"Settings of {self._charted}", columns=1),
                _section("scores", f"Scores of {self._charted}", columns=2),
                _section("metrics", "Model metrics", isGenerated=True, display=False),
            ],
        }
        return json.dumps(state, separators=(",", ":"))

    def _charts(self) -> list[dict[str, object]]:
        """Return three charts: settings by objective, won against lost, and the
        first two shares.
        """
        parallel = {
            "selectedParams": [*map(key_name, self.knobs)],
            "selectedMetrics": [self._score],
            "showAllRuns": True,
        }
        known = "graph_win" in self.metrics
        won, lost = ("graph_win", "graph_loss") if known else ("wins", "losses")
        shares = [key_name(name) for name in self.metrics if "@" in name]
        second = [(shares[1], self._score)] if len(shares) > 1 else []
        pairs = [(lost, won), *second]
        return [
            _card("parallel", "knobs", "PARALLEL", parallel),
            *(
                _card(
                    f"{x}-{y}",
                    "scores",
                    "SCATTER",
                    {"xaxis": _axis(x), "yaxis": _axis(y), "runsCountToCompare": 1000},
                )
                for x, y in pairs
            ),
        ]


def _card(name: str, section: str, kind: str, more: Mapping[str, object]) -> dict[str, object]:
    return {
        "uuid": name,
        "metricSectionId": section,
        "type": kind,
        "deleted": False,
        "isGenerated": False,
        **more,
    }


def _axis(metric: str) -> dict[str, str]:
    return {"key": metric, "type": "METRIC"}


def _section(name: str, title: str, **more: Any) -> dict[str, object]:
    plain = {"display": True, "isReordered": False, "deleted": False, "isGenerated": False}
    return {"uuid": name, "name": title, **plain, **more}
