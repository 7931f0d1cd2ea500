"""Scoring a grid on tune: the trials in the order of the rule, and the axes that were extended on the way."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.sweep.folder.rows import Row
from harness.sweep.judge import choice
from harness.sweep.judge.edge import Edge, extend, find_edges
from harness.sweep.judge.trial_table import rows
from harness.sweep.trial import Trial
from harness.sweep.trial.prepared import Prepared


@dataclass(frozen=True)
class Leaderboard:
    """The trials of a grid, scored on tune.

    prepared: with the grid as it was extended.    trials: by hash.    rows, ranks int32[T, Q, H]: in the order of the
    rule.    edges: where a best trial lies at the edge of the grid.    extended: the edges that were gone beyond.
    seconds: of scoring, without judging.
    """

    prepared: Prepared
    trials: Mapping[str, Trial]
    rows: list[Row]
    ranks: NDArray[np.int32]
    edges: list[Edge]
    extended: tuple[Edge, ...] = ()
    seconds: float = 0.0

    @property
    def facts(self) -> dict[str, Any]:
        """For the lock: ``edges``; with grid.extend also ``extended``."""
        told = {"edges": [asdict(edge) for edge in self.edges]}
        if self.prepared.plan.extend_rounds:
            told["extended"] = [asdict(edge) for edge in self.extended]
        return told


def score_tune(prepared: Prepared, trials: Sequence[Trial]) -> Leaderboard:
    """Score the trials; with grid.extend, then those of the axes that go on, at most ``extend_rounds`` times.

    All that were scored are one leaderboard: corrections and the forecast count every one of them.
    """
    known = dict(zip(prepared.hashes(trials), trials, strict=True))
    started = time.perf_counter()
    ranks = prepared.ranks(trials, "tune")
    seconds = time.perf_counter() - started
    board = _order(prepared, known, ranks)
    for _ in range(prepared.plan.extend_rounds):
        if not board.edges:
            break
        wider = replace(prepared, plan=extend(board.prepared.plan, board.edges))
        every = wider.plan.trials()
        new = {key: trial for key, trial in zip(wider.hashes(every), every, strict=True) if key not in known}
        known |= new
        started = time.perf_counter()
        ranks = np.concatenate([ranks, wider.ranks(list(new.values()), "tune")])
        seconds += time.perf_counter() - started
        board = replace(_order(wider, known, ranks), extended=(*board.extended, *board.edges))
    return replace(board, seconds=seconds)


def rescore(prepared: Prepared) -> Leaderboard:
    """The leaderboard of a finished sweep, whose grid is already as wide as it was made."""
    trials = prepared.plan.trials()
    return _order(prepared, dict(zip(prepared.hashes(trials), trials, strict=True)), prepared.ranks(trials, "tune"))


def _order(prepared: Prepared, known: Mapping[str, Trial], ranks: NDArray[np.int32]) -> Leaderboard:
    """ranks: int32[T, Q, H], in the order of ``known``."""
    plan, objective = prepared.plan, prepared.plan.config.objective
    scored = rows(prepared, known, ranks, "tune")
    places = choice.order(scored, objective)
    ordered = [scored[place] for place in places]
    longest = {name: int(run.lengths().max(initial=0)) for name, run in prepared.runs.items()}
    edges = find_edges(plan.grid, ordered, objective, list(known.values()), longest)
    return Leaderboard(prepared, dict(known), ordered, ranks[places], edges)
