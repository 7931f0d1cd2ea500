"""Scoring a grid on tune: the trials in the order of the rule, and where they lie at its edge."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from harness.sweep.folder.rows import Row
from harness.sweep.judge import choice
from harness.sweep.judge.edge import Edge, find_edges
from harness.sweep.judge.trial_table import rows
from harness.sweep.trial import Trial
from harness.sweep.trial.prepared import Prepared


@dataclass(frozen=True)
class Leaderboard:
    """The trials of a grid, scored on tune.

    trials: by hash.    rows, ranks int32[T, Q, H]: in the order of the rule.
    edges: where a best trial lies at the edge of the grid.    seconds: of scoring, without judging.
    """

    prepared: Prepared
    trials: Mapping[str, Trial]
    rows: list[Row]
    ranks: NDArray[np.int32]
    edges: list[Edge]
    seconds: float


def score_tune(prepared: Prepared, trials: Sequence[Trial]) -> Leaderboard:
    """Score the trials, and order and judge them."""
    started = time.perf_counter()
    ranks = prepared.ranks(trials, "tune")
    seconds = time.perf_counter() - started
    known = dict(zip(prepared.hashes(trials), trials, strict=True))
    plan, objective = prepared.plan, prepared.plan.config.objective
    scored = rows(prepared, known, ranks, "tune")
    places = choice.order(scored, objective)
    ordered = [scored[place] for place in places]
    longest = {name: int(run.lengths().max(initial=0)) for name, run in prepared.runs.items()}
    edges = find_edges(plan.grid, ordered, objective, list(trials), longest)
    return Leaderboard(prepared, known, ordered, ranks[places], edges, seconds)
