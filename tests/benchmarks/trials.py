"""The trials of the sweep benchmarks, through the same grid that a configuration goes through."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.core.configuration.conf_files import defaults
from harness.sweep.trial.grid import Grid
from harness.sweep.trial.trial import Trial

SHARES = [round(0.1 * step, 1) for step in range(1, 10)]
FREE: dict[str, dict[str, Any]] = {
    "ranks": {"fuser": ["rrf"], "fuser.k": list(range(1, 45))},
    "counts": {
        "fuser": ["combsum", "combmnz"],
        "normalizer": ["pit", "minmax", "max", "zscore", "tmm", "rank"],
    },
    "values": {
        "fuser": ["linear"],
        "normalizer": ["pit", "minmax", "max", "tmm", "rank"],
        "fuser.alpha": SHARES,
        "fuser.beta": [0, 0.1, 0.25, 0.5, 1],
    },
    "weights": {
        "fuser": ["boltzmann"],
        "normalizer": ["pit", "minmax", "max"],
        "temperature": ["auto"],
        "fuser.alpha": SHARES,
        "fuser.beta": [0, 0.1, 0.25, 0.5, 1],
    },
    "temperatures": {
        "fuser": ["boltzmann"],
        "normalizer": ["pit", "minmax", "max"],
        "temperature": ["fixed"],
        "temperature.T": [0.3, 0.6, 1.0],
        "fuser.alpha": SHARES,
        "fuser.beta": [0, 0.25, 0.5],
    },
    "others": {"fuser": ["log_linear", "power_mean", "quantum", "tsallis", "dice"]},
}
CAPPED: dict[str, dict[str, Any]] = {
    "ranks": {
        "fuser": ["rrf"],
        "fuser.k": [5, 10, 20, 40, 80, 160],
        "pool.cap": [10, 20, 30, 40, 50],
    },
    "values": {
        "fuser": ["linear"],
        "normalizer": ["pit", "minmax", "max"],
        "fuser.alpha": SHARES,
        "fuser.beta": [0, 0.5],
        "pool.cap": [10, 20, 30, 40, 50],
    },
    "weights": {
        "fuser": ["boltzmann"],
        "normalizer": ["pit", "minmax"],
        "temperature": ["auto"],
        "fuser.alpha": SHARES,
        "fuser.beta": [0, 0.25, 0.5, 1],
        "pool.cap": [10, 20, 30, 40, 50],
    },
    "others": {"fuser": ["log_linear", "quantum"], "pool.cap": [10, 20]},
}
STRATEGIES = {"fuser": "boltzmann", "normalizer": "pit", "temperature": "auto", "reranker": "none"}


def trials(axes: Mapping[str, Any]) -> list[Trial]:
    """All trials of a grid, the baselines (dense, graph, RRF) first."""
    config = {
        **{group: defaults(group, name) for group, name in STRATEGIES.items()},
        "pool": {"lists": ["dense", "graph"], "cap": None, "capped": ["graph"]},
        "lists": ["dense", "graph"],
        "grid": dict(axes),
    }
    return Grid(config).trials()
