"""The runs of a finished sweep in a tracker: one for the sweep, and below it one for each trial."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from harness.core.escape import markdown, markdown_code
from harness.core.identity import digest
from harness.core.table import counted
from harness.report.table.trials import counts_graph_wins, tracked_names
from harness.report.tracking.page import TrackerPage
from harness.report.tracking.parameters import metric_name, numbers, pipeline, shortened, text
from harness.sweep.folder import ENTRY, LOCK, NUMBERS, Row, SweepResult, View, rerun

NOTE = "mlflow.note.content"
LONGEST_NOTE = 4900  # characters of a tag that every MLflow keeps whole, less the marks around
SHOWN = ("strategy", "fuser", "normalizer", "temperature", "pool.cap", "fuser.alpha")
"""Parameters of each trial on the page of a sweep, in this order; others are shown if trials
differ.
"""
ABSENT = "-"
"""The value of such a parameter that a strategy lacks: MLflow's parallel coordinates only draw runs
that have all of them.
"""
SETUP = ("dataset", "encoder", "extractor", "graph")
"""Parameters of the pipeline that each trial has, so that trials of two sweeps can be compared."""
GRAPH = ("graph_win", "graph_loss")
JUDGED = ("p", "p_holm", "wilson_low", "wilson_high")
"""The columns of the page after the first metrics and the questions won and lost."""
COUNTS = {"wins", "losses", *GRAPH}
P_DIGITS, DIGITS = 6, 4
"""Decimals of a p and of other numbers, so that MLflow's columns show them without an exponent. The
exact values are in trials.parquet.
"""
FILES = {
    "tune": ("trials.parquet", "comparisons.parquet", "config.yaml", "manifest.json", LOCK),
    "test": ("heldout.json", "heldout_comparisons.parquet", ENTRY, LOCK),
}
"""The attached files of a sweep's folder, by split; the first is written last."""
FORM = 6
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
        ended: time of the computation, in seconds since the epoch.
        seconds: its duration.
        children: the most wanted first.
        files: copied into the artifacts of the run.
    """

    name: str
    content: str
    dataset: str
    data_sha256: str
    split: str
    ended: float
    top: TrackedRun
    children: Sequence[TrackedRun]
    page: TrackerPage
    files: Sequence[Path]
    seconds: float = 0.0


def sweep_group(result: SweepResult, top: int | None, experiment: str) -> RunGroup:
    """Return the sweep on tune; its own run has the winner's parameters and metrics, and the
    forecast.

    Args:
        result: the sweep.
        top: number of the best trials that become runs; None for all.
        experiment: the id of the experiment, for links in the description.
    """
    view, lock = result.whole, result.lock
    export = _Export(result, view, "tune")
    shown = range(len(view.rows))[:top]
    expected = dict(numbers("", {"expected": lock.get("expected"), "power": lock.get("power")}))
    share = f"{len(shown)} of {counted(len(view.rows), 'trial')}"
    taken = [{"seconds": result.manifest.get("seconds")}, result.manifest.get("cost") or {}]
    return export.group(
        shown,
        tags={
            "kind": "sweep",
            "lock": str(lock["sha256"]),
            "runs": share,
            NOTE: _note(view, share, export.page, experiment),
        },
        metrics={"trials": float(len(view.rows)), **expected},
        cost=dict(pair for one in taken for pair in numbers("", one)),
        seconds=float(result.manifest.get("seconds") or 0),
    )


def heldout_group(result: SweepResult, view: View) -> RunGroup:
    """Return the held-out evaluation: ``view`` of the locked trials on test."""
    tags = {"kind": "heldout", "evaluation": str(view.evaluation)}
    export = _Export(result, view, f"test {view.evaluation}")
    return export.group(range(len(view.rows)), tags, {}, {})


@dataclass(frozen=True)
class _Export:
    """The rows of a view as runs; part: ``tune``, or ``test`` with the number of the evaluation."""

    result: SweepResult
    view: View
    part: str

    @cached_property
    def params(self) -> list[dict[str, str]]:
        """The parameters of each row."""
        absent = dict.fromkeys(SHOWN, ABSENT)
        return [{**absent, **parameters_of(row), "strategy": row["name"]} for row in self.view.rows]

    @cached_property
    def varied(self) -> set[str]:
        """The parameters in which rows differ."""
        known = {key for own in self.params for key in own}
        return {key for key in known if len({str(own.get(key)) for own in self.params}) > 1}

    @cached_property
    def base(self) -> dict[str, str]:
        """The parameters of the sweep's pipeline."""
        result, view = self.result, self.view
        own = {"split": view.split, "n": str(view.n)}
        return {**pipeline(result.config, result.manifest), **own}

    @cached_property
    def setup(self) -> dict[str, str]:
        """The parameters of the lists and the split."""
        lists = sorted(key for key in self.base if key.startswith("lists.") and key.count(".") == 1)
        made = {key.removeprefix("lists."): self.base[key] for key in lists}
        named = (name if name == kind else f"{name}: {kind}" for name, kind in made.items())
        found = {key: self.base.get(key) for key in (*SETUP, "split")}
        found["retriever"] = ", ".join(named)
        return {key: value for key, value in found.items() if value}

    @cached_property
    def metrics(self) -> list[dict[str, float]]:
        """The metrics of each row.

        They are the columns of trials for trackers, and the bounds of intervals; one name for one
        number. Wins and losses are left out if GraphWin and GraphLoss are the same counts. The
        objective is first, because MLflow's page that compares runs opens on the metric that was
        logged first.
        """
        view = self.view
        same = counts_graph_wins(view) and all(name in row for row in view.rows for name in GRAPH)
        left_out = ("wins", "losses") if same else ()
        tracked = [name for name in tracked_names(self.result, view) if name not in left_out]
        further = (*GRAPH, *NUMBERS, "wilson", "wilson_low", "wilson_high")
        names = list(dict.fromkeys([*tracked, *further]))
        return [scores(row, names) for row in view.rows]

    @cached_property
    def names(self) -> list[str]:
        """The name of each row's run: its rank, strategy, encoder, and settings.

        MLflow cuts off the end of a long name, so the parts that distinguish trials come first.
        """
        view, names = self.view, []
        for place, row in enumerate(view.rows):
            full = view.winner_name if place == view.winner_place else row["name"]
            strategy, _, settings = full.partition(" ")
            rank = f"{'test ' if view.split == 'test' else ''}{place + 1}"
            parts = [rank, strategy, self.setup.get("encoder"), settings]
            names.append(" ".join(part for part in parts if part)[:250])
        return names

    @cached_property
    def tags(self) -> dict[str, str]:
        """The tags of every run."""
        view = self.view
        return {
            "sweep": self.result.folder.name,
            "dataset": view.dataset,
            "data_sha256": view.data_sha256,
            "split": view.split,
            "objective": view.objective,
            "code": str(self.result.manifest["code"]),
        }

    @property
    def page(self) -> TrackerPage:
        """The page: trials, the objective and full_sup at its depth, won and lost, p, Holm's p,
        Wilson.

        Won and lost are GraphWin and GraphLoss if these are the same.
        """
        view = self.view
        known = {key for own in self.metrics for key in own}
        counts = GRAPH if known.issuperset(GRAPH) else ("wins", "losses")
        order = map(metric_name, [*view.usual_metrics[:2], *counts, *JUDGED])
        columns = [name for name in order if name in known]
        axes = [key for key in SHOWN[1:] if key in self.varied]
        sweep, rows = self.result.folder.name, len(view.rows)
        return TrackerPage(sweep, view.split, view.objective, SHOWN, columns, axes, rows)

    @cached_property
    def first(self) -> set[int]:
        """Indices of the winner, the best of each fuser, every list, and the untuned trials."""
        view = self.view
        best: dict[str, int] = {}
        for place, row in enumerate(view.rows):
            best.setdefault(row["family"], place)
        untuned = {place for place, row in enumerate(view.rows) if row.get("untuned")}
        return {view.winner_place, *best.values(), *view.singles.values(), *untuned}

    def child(self, place: int) -> TrackedRun:
        """Return the run of the row with that index."""
        row, original = self.view.rows[place], self.view.originals[place]
        wanted = {*self.varied, *SHOWN}
        own = {key: value for key, value in self.params[place].items() if key in wanted}
        tags = {
            **self.tags,
            "kind": "trial",
            "trial": row["trial"],
            "family": row["family"],
            NOTE: markdown_code(rerun(row)[:LONGEST_NOTE]),
        }
        if original != place:
            tags["same_as"] = self.names[original]
        params, metrics = shortened({**self.setup, **own}), self.metrics[place]
        return TrackedRun(row["trial"], self.names[place], params, metrics, tags, place + 1)

    def group(
        self,
        shown: Sequence[int],
        tags: Mapping[str, str],
        metrics: Mapping[str, float],
        cost: Mapping[str, float],
        seconds: float = 0.0,
    ) -> RunGroup:
        """Return the runs of some rows below one run with these tags and metrics.

        Args:
            shown: indices of rows.
            tags: tags of the group's run.
            metrics: its metrics.
            cost: metrics that each run of a sweep measures again, not part of the content.
            seconds: see ``RunGroup``.
        """
        view, folder, part = self.view, self.result.folder, self.part
        name = folder.name if part == "tune" else f"{folder.name}/{part.replace(' ', '/')}"
        said = list(zip(self.names, self.params, self.metrics, strict=True))
        content = digest([FORM, name, self.base, self.tags, said, dict(metrics)])
        best = view.winner_place
        own = {**self.base, **self.params[best], "trials": str(len(view.rows))}
        top = TrackedRun(
            id=digest([content, "top"])[:32],
            name=f"{part} {folder.name.rpartition('-')[2][:6]} {self.result.title}"[:250],
            params=shortened(own),
            metrics={**self.metrics[best], **metrics, **cost},
            tags={
                **self.tags,
                "winner": view.winner_name,
                "winner_trial": view.winner,
                **tags,
            },
        )
        order = sorted(shown, key=lambda place: (place not in self.first, place))
        files = [folder / name for name in FILES[view.split]]
        return RunGroup(
            name=name,
            content=content,
            dataset=view.dataset,
            data_sha256=view.data_sha256,
            split=view.split,
            ended=files[0].stat().st_mtime,
            top=top,
            children=[self.child(place) for place in order],
            page=self.page,
            files=[path for path in files if path.is_file()],
            seconds=seconds,
        )


def parameters_of(row: Row) -> dict[str, str]:
    """Return a row's own parameters as text: numbers as they are typed, ``null`` and ``true`` as in
    a config.
    """
    return {str(key): text(value) for key, value in row["parameters"].items()}


def scores(row: Row, names: Sequence[str]) -> dict[str, float]:
    """Return the named numbers of a row as metrics; null ones are left out.

    Wilson's interval becomes ``wilson_low`` and ``wilson_high``.
    """
    values: Mapping[str, object] = row
    found = numbers("", {name: values.get(name) for name in names})
    rounded = {}
    for name, value in found:
        digits = P_DIGITS if name.startswith("p") and name in NUMBERS else DIGITS
        rounded[name] = value if name in COUNTS else round(value, digits)
    return rounded


def _note(view: View, share: str, page: TrackerPage, experiment: str) -> str:
    copies, best = sum(view.copies), view.disguise.removeprefix(", ") or view.winner_name
    table = page.address(experiment)
    charts = f"{table}&compareRunsMode=CHART"
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
