"""Multi-hop retrieval harness: does fusing dense and graph evidence find more last hops, and would it again?

The names that a notebook needs are here; each is documented where it is defined.

    import harness
    runs = harness.read_all({"dense": "d.trec.gz", "graph": "g.json"})
    gold = harness.Gold.read("queries.jsonl")
    fused = harness.fuse(runs, "boltzmann", "pit", 20)
    harness.compare(fused, runs["dense"], gold, "last_hop@5")
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from harness.benchmark import load as load
    from harness.benchmark import md5_split as md5_split
    from harness.errors import HarnessError as HarnessError
    from harness.evaluation import compare as compare
    from harness.evaluation import evaluate as evaluate
    from harness.fuser import fuse as fuse
    from harness.gold import Gold as Gold
    from harness.lists import read as read
    from harness.lists import read_all as read_all
    from harness.lists import write as write
    from harness.metric import Metric as Metric
    from harness.run import Run as Run

HOMES = {
    "Gold": "gold",
    "HarnessError": "errors",
    "Metric": "metric",
    "Run": "run",
    "compare": "evaluation",
    "evaluate": "evaluation",
    "fuse": "fuser",
    "load": "benchmark",
    "md5_split": "benchmark",
    "read": "lists",
    "read_all": "lists",
    "write": "lists",
}
"""Where each name is defined."""

__all__ = [
    "Gold",
    "HarnessError",
    "Metric",
    "Run",
    "compare",
    "evaluate",
    "fuse",
    "load",
    "md5_split",
    "read",
    "read_all",
    "write",
]


def __getattr__(name: str) -> Any:
    """A name of ``HOMES``, imported when it is first used: ``import harness`` alone loads neither torch nor pandas."""
    if name in HOMES:
        return getattr(importlib.import_module(f"harness.{HOMES[name]}"), name)
    raise AttributeError(f"module 'harness' has no attribute {name!r}")


def __dir__() -> list[str]:
    """What tab completion shows."""
    return sorted({*globals(), *HOMES})
