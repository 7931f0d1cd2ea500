"""Multi-hop retrieval harness: does fusing dense and graph evidence find more last hops, and would
it again?

The names that a notebook needs are here; each is documented where it is defined.

    import harness
    runs = harness.read_all({"dense": "d.trec.gz", "graph": "g.json"})
    gold = harness.Gold.read("queries.jsonl")
    fused = harness.fuse(runs, "boltzmann", "pit", 20, alpha=0.7)
    harness.compare(fused, runs["dense"], gold, "last_hop@5")
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

from harness.core.concepts import ROOMS, Concept

if TYPE_CHECKING:
    from harness.benchmark import load as load
    from harness.benchmark import md5_split as md5_split
    from harness.core.errors import HarnessError as HarnessError
    from harness.evaluation.gold import Gold as Gold
    from harness.evaluation.metric import Metric as Metric
    from harness.evaluation.run_comparison import compare as compare
    from harness.evaluation.run_evaluation import evaluate as evaluate
    from harness.fusion.fuse import fuse as fuse
    from harness.report.notebook import sweep_result as sweep_result
    from harness.run import Run as Run
    from harness.run.io import read as read
    from harness.run.io import read_all as read_all
    from harness.run.io import write as write
    from harness.sweep.protocol import run_heldout as run_heldout
    from harness.sweep.protocol import run_sweep as run_sweep
    from harness.sweep.winner.winner import Winner as Winner

MODULES = {
    "Gold": "evaluation.gold",
    "HarnessError": "core.errors",
    "Metric": "evaluation.metric",
    "Run": "run",
    "Winner": "sweep.winner.winner",
    "compare": "evaluation.run_comparison",
    "evaluate": "evaluation.run_evaluation",
    "fuse": "fusion.fuse",
    "load": "benchmark",
    "md5_split": "benchmark",
    "read": "run.io",
    "read_all": "run.io",
    "run_heldout": "sweep.protocol",
    "run_sweep": "sweep.protocol",
    "sweep_result": "report.notebook",
    "write": "run.io",
}
"""The module of each name."""

__all__ = list(MODULES)


for _concept in ROOMS:
    sys.modules[f"harness.{_concept}"] = globals()[_concept] = Concept(f"harness.{_concept}")


def __getattr__(name: str) -> Any:
    """Return a name of ``MODULES`` or of a plug-in's ``python/``, imported at its first use.

    ``import harness`` alone loads neither torch nor pandas.
    """
    if name in MODULES:
        try:
            return getattr(importlib.import_module(f"harness.{MODULES[name]}"), name)
        except ImportError as error:
            from harness.core.configuration.extras import missing_library

            if (message := missing_library(error, f"harness.{name}")) is None:
                raise
            raise message from None
    if name.startswith("_"):
        raise AttributeError(f"module 'harness' has no attribute {name!r}")
    from harness.core.configuration import extensions

    if name in extensions.modules("python"):
        return getattr(extensions.load("python", name, f"harness.{name}"), name)
    if lacking := extensions.missing_plugin(f"python/{name}"):
        raise AttributeError(f"harness.{name} {lacking}")
    raise AttributeError(f"module 'harness' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the names for tab completion."""
    from harness.core.configuration import extensions

    return sorted({*globals(), *MODULES, *extensions.modules("python")})
