"""What each list costs: its index once a corpus, its milliseconds a question, beside what it finds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.core.table import Column, Table
from harness.sweep.folder import View

EXPLAINED = (
    "Index: what was made on the list's way (texts read, names found, vectors, graph), once a corpus, parts that lists "
    "share counted for each; a question: the list itself and the question's vector, all questions together, divided by "
    "their number; BM25's index is made with its list. Wall time of the machine that made them, shared with whatever "
    "else it did"
)


def cost(view: View) -> list[Table]:
    """The single lists by milliseconds a question; empty where the sweep did not note what its lists need.

    view: every trial on tune, whose manifest has ``cost.lists`` (see harness.sweep.trial.cost).
    """
    known = needed(view)
    if not known:
        return []
    found = {name: view.score(view.rows[place]) for name, place in view.singles.items()}
    columns = [
        Column("list", "text"), Column(f"{view.objective} %"), Column("index seconds", "value"),
        Column("index MiB", "value"), Column("ms a question", "value"),
    ]  # fmt: skip
    order = sorted(known, key=lambda name: known[name]["query_ms"])
    rows = [
        [name, found.get(name), *(known[name][key] for key in ("index_seconds", "index_mb", "query_ms"))]
        for name in order
    ]
    notes = [f"{EXPLAINED}; {_spent(view.manifest.get('cost') or {})}."]
    return [Table("cost", "Cost of each list", columns, rows, view.source, notes)]


def needed(view: View) -> Mapping[str, Mapping[str, float]]:
    """``index_seconds``, ``index_mb`` and ``query_ms`` by list, as the sweep noted them."""
    found: Mapping[str, Mapping[str, float]] = (view.manifest.get("cost") or {}).get("lists") or {}
    return found


def _spent(cost: Mapping[str, Any]) -> str:
    """Memory, and a language model's answers and tokens."""
    said = f"peak memory of the sweep's process {cost.get('peak_memory_mb', '?')} MiB"
    if asked := cost.get("model"):
        tokens = asked["tokens"]
        said += f"; {asked['answers']} answers of a language model, {tokens['prompt']} + {tokens['completion']} tokens"
    return said
