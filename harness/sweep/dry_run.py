"""The plan of a sweep before it starts: its trials, what is stored, and what would be built."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from harness.benchmark import Benchmark
from harness.core.errors import HarnessError
from harness.core.table import Column, Table, counted
from harness.retriever import retrieve
from harness.sweep.folder.list_scores import Settings
from harness.sweep.trial.override import values
from harness.sweep.trial.plan import Plan
from harness.sweep.trial.prepared import open_benchmark, open_lists
from harness.work.store import NotStored, Store


def blocks(plan: Plan) -> Table:
    """Return a row for each block of the grid: axes, points, and trials that no block above has."""
    plan.trials()  # with all that can be wrong with them
    seen: set[str] = set()
    points: dict[str, int] = {}
    new: dict[str, int] = {}
    for block, trial in plan.grid.trials_by_block:
        points[block] = points.get(block, 0) + 1
        new[block] = new.get(block, 0) + (repr(trial.identity) not in seen)
        seen.add(repr(trial.identity))
    used: dict[str, dict[str, None]] = {}
    for block, point in plan.grid.points({}):
        used.setdefault(block, {}).update(dict.fromkeys(point))
    axes = {block: _axes(plan.grid.blocks[block], knobs) for block, knobs in used.items()}
    rows = [[block, axes.get(block, "-"), points[block], new[block]] for block in points]
    columns = [
        Column("block", "text"),
        Column("axes", "text"),
        Column("points", "count"),
        Column("trials", "count"),
    ]
    return Table("blocks", counted(len(seen), "trial"), columns, rows)


def stages(plan: Plan) -> Table:
    """Return a row for each list: whether its run is stored, otherwise the model requests to build
    it.
    """
    store = Store(Path(plan.config.paths.runs), builds=False)
    retrievers, _ = open_lists(plan)
    columns = [Column("list", "text"), Column("state", "text"), Column("asked", "text")]
    try:
        _, data = open_benchmark(plan, store)
    except NotStored:
        rows = [
            [name, "the benchmark is not prepared yet: try again after `harness prepare`", ""]
            for name in retrievers
        ]
        return Table("stages", "lists", columns, rows)
    if data.ids_only:
        rows = [[name, "read from its file", ""] for name in retrievers]
        return Table("stages", f"lists with the gold of {data.name}", columns, rows)
    rows = []
    for name, retriever in retrievers.items():
        try:
            retrieve(retriever, data, store)
            rows.append([name, "stored", ""])
        except NotStored:
            rows.append([name, "to build", "; ".join(_asked(retriever, data))])
    return Table(
        "stages", f"lists of {data.name}: {counted(len(data.doc_ids), 'passage')}", columns, rows
    )


def _axes(axes: Settings, knobs: Iterable[str]) -> str:
    """Return the axes of a block's points: the number of values, or the only one."""
    varied = {knob: values(axes[knob]) for knob in knobs}
    return ", ".join(
        f"{knob} ({len(axis)})" if len(axis) > 1 else f"{knob}={axis[0]}"
        for knob, axis in varied.items()
    )


def _asked(retriever: Any, data: Benchmark) -> list[str]:
    """Return the largest number of requests to each model behind a server, and models that are
    missing.

    Stored answers are not requested again.
    """
    parts = list(_parts(retriever))
    calls = [part.asked(data.passages, data.questions) for part in parts if hasattr(part, "asked")]
    return calls + absent_models(parts)


def absent_models(parts: Iterable[Any]) -> list[str]:
    """Return a line for each part of a strategy whose model is not available
    (``check_reachable``).
    """
    lines: dict[str, None] = {}
    for part in parts:
        try:
            if hasattr(part, "check_reachable"):
                part.check_reachable()
        except HarnessError as error:
            lines[str(error)] = None
    return list(lines)


def _parts(value: Any) -> Iterator[Any]:
    """Yield a strategy and its parts, except those of a strategy that describes
    its own requests.
    """
    yield value
    if dataclasses.is_dataclass(value) and not (isinstance(value, type) or hasattr(value, "asked")):
        for field in dataclasses.fields(value):
            yield from _parts(getattr(value, field.name))
