"""The cost of each list: its index, its milliseconds for a question, and its score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.core.artifact import Facts
from harness.core.table import Column, Table
from harness.sweep.folder import View, caption, lists_read

EXPLAINED = (
    "Index: the time to make a list's artifacts (texts read, names found, vectors, graph), once "
    "for a corpus; shared artifacts are counted for each list. Together: the time of the list and "
    "of the questions' vectors, all questions at once, divided by their number; BM25's index is "
    "made with its list. Mean, p50 and p95: of up to 32 questions that were answered alone, one "
    "after another, with the mean time of a question's vector; a dash if a list was not timed so. "
    "Times are wall times of the machine that made them, which may have had other work"
)
BUDGET = (
    "A budget buys the last row whose p95 is within it: the best trial on tune of all whose lists "
    "take no longer in sum. A fusion's p95 is the sum of its lists' p95: an upper bound if they "
    "run at the same time. Fusion itself takes well below a millisecond and is left out; so are "
    "trials with a reranker, whose time is not recorded, and lists without a p95."
)
COSTS = {
    key: Column(title, "measured", name=key)
    for key, title in (
        ("index_seconds", "index seconds"),
        ("index_mb", "index MiB"),
        ("query_ms", "ms together"),
        ("alone_mean_ms", "mean ms"),
        ("alone_p50_ms", "p50 ms"),
        ("alone_p95_ms", "p95 ms"),
    )
}
"""The columns of a list's costs, by key of a list in the manifest."""


def cost(view: View) -> list[Table]:
    """Return the single lists by milliseconds for a question, and the best trial for each budget.

    Args:
        view: every trial on tune, whose manifest has ``cost.lists``.

    Returns:
        The tables; empty if the sweep recorded no costs.
    """
    known, facts, source = needed(view), view.manifest.get("cost") or {}, caption.source(view)
    if not known:
        return []
    objective = Column(f"{view.objective} %")
    rows: list[list[Any]] = []
    for name, one in sorted(known.items(), key=lambda item: item[1]["query_ms"]):
        place = view.singles.get(name)
        score = None if place is None else view.score(view.rows[place])
        rows.append([name, score, *map(one.get, COSTS)])
    spent = f"peak memory of the sweep's process {facts.get('peak_memory_mb', '?')} MiB"
    columns = [Column("list", "text"), objective, *COSTS.values()]
    title, notes = f"What each list costs on {view.half}", [f"{EXPLAINED}; {spent}."]
    tables = [Table("cost", title, columns, rows, source, notes)]
    if budget := _budget(view, known):
        columns = [
            COSTS["alone_p95_ms"],
            Column("strategy", "text"),
            Column("lists", "text"),
            objective,
        ]
        title = f"What a budget of time buys on {view.half}"
        tables.append(Table("cost_budget", title, columns, budget, source, [BUDGET]))
    return tables


def needed(view: View) -> Mapping[str, Facts]:
    """Return the costs of each list by name; empty if the sweep recorded none."""
    return (view.manifest.get("cost") or {}).get("lists") or {}


def _budget(view: View, known: Mapping[str, Facts]) -> list[list[Any]]:
    """Return the trials that no other trial beats in the same time, the cheapest first."""
    p95 = {name: one["alone_p95_ms"] for name, one in known.items() if "alone_p95_ms" in one}
    points: dict[tuple[float, float], list[Any]] = {}
    for row in view.rows:
        lists = lists_read(row)
        if lists and p95.keys() >= {*lists} and row["parameters"].get("reranker") in (None, "none"):
            took, score = sum(p95[name] for name in lists), view.score(row)
            points.setdefault((took, score), [took, row["name"], ", ".join(lists), score])
    return [points[point] for point in frontier(list(points))]


def frontier(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the (cost, gain) pairs that no other pair matches at lower or beats at equal cost."""
    edge: list[tuple[float, float]] = []
    for cost, gain in sorted(set(points), key=lambda point: (point[0], -point[1])):
        if not edge or gain > edge[-1][1]:
            edge.append((cost, gain))
    return edge
