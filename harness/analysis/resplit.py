"""Real outcomes split anew: whether the forecast was right on the other half, and whether the choice stays the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from harness.benchmark import md5_split
from harness.benchmark.cluster import clusters, smallest_ids
from harness.evaluation.statistic import expected
from harness.sweep.folder import Row, View
from harness.sweep.judge import order

RESAMPLES = 1000
"""Resamples of each forecast: enough for an interval's ends, a fifth of what a sweep takes."""


@dataclass(frozen=True)
class Coverage:
    """How often the forecast's 95% interval holds the winner's score on the other half.

    split: ``random`` (each query by a coin) or ``cluster`` (whole clusters by a coin, so the other half is new).
    inside: of ``splits``.    n: mean test queries.    half_width: of the interval, mean.
    bias: mean forecast less mean score.
    """

    benchmark: str
    split: str
    splits: int
    n: float
    inside: int
    half_width: float
    bias: float


def check_forecasts(
    name: str,
    scores: NDArray[np.float64],
    losses: NDArray[np.bool_],
    gold: NDArray[np.int32],
    splits: int,
    seed: int = 0,
) -> list[Coverage]:
    """Coverage for random and cluster re-splits.

    scores, losses: [T, Q] as ``expected`` takes them, over all queries of a benchmark. gold: int32[Q, H].
    """
    draw, whole = np.random.Generator(np.random.PCG64(seed)), clusters(gold)
    found = []
    for split in ("random", "cluster"):
        groups = whole if split == "cluster" else np.arange(len(gold))
        seen = []
        for number in range(splits):
            tune = (draw.random(int(groups.max()) + 1) < 0.5)[groups]
            if tune.all() or not tune.any():
                continue
            net, lost = scores[:, tune].sum(axis=1), losses[:, tune].sum(axis=1)
            score = float(scores[np.lexsort((lost, -net))[0], ~tune].mean())
            labels, fresh = clusters(gold[tune]), np.bincount(clusters(gold[~tune]))
            told = expected(
                scores[:, tune], losses[:, tune], int((~tune).sum()), RESAMPLES,
                seed=number, labels=labels, fresh=fresh,
            )  # fmt: skip
            seen.append((told.low <= score <= told.high, (told.high - told.low) / 2, told.score - score, told.n))
        held, half, bias, n = (float(np.mean(column)) for column in zip(*seen, strict=True))
        found.append(Coverage(name, split, len(seen), n, round(held * len(seen)), half, bias))
    return found


@dataclass(frozen=True)
class Choices:
    """What the rule of the protocol chooses on halves of tune, and what that is worth on the other halves.

    names: of each half's winner, the same for two that no question of tune tells apart.    same: in how many halves it
    is the winner of all of tune.    over_best: its mean difference, on the other half, from the best list of its half;
    over_reference: from the reference; empty where there is none.
    """

    names: Sequence[str]
    same: int
    over_best: Sequence[float]
    over_reference: Sequence[float]

    @property
    def splits(self) -> int:
        """How many splits had questions on either side."""
        return len(self.names)


def choose_again(view: View, splits: int) -> Choices:
    """The choice under ``splits`` other splits of tune: the MD5 of "<number> <id>" splits as that of the id does.

    view: every trial on tune. Under split=disjoint a cluster's smallest tune id stands for all of its questions. Ranks
    are those of the sweep: what learns is not fitted again on a half, but was scored out of fold.
    """
    ids = view.queries["id"].astype(str).tolist()
    if view.splitting == "disjoint":
        ids = smallest_ids(ids, view.clusters)
    reference, kinds = view.singles.get(view.reference), [values.tobytes() for values in view.scores]
    fused = set(view.fused)
    chosen, over_best, over_reference = [], [], []
    for number in range(1, splits + 1):
        half = np.array([md5_split(f"{number} {name}") == "tune" for name in ids])
        if half.all() or not half.any():
            continue
        places = _rule(view, half, reference)
        single = [place for place in places if place not in fused]
        winner = next((place for place in places if place in fused), places[0])
        means = view.scores[:, ~half].mean(axis=1)
        chosen.append(kinds.index(kinds[winner]))
        over_best += [float(means[winner] - means[place]) for place in single[:1]]
        over_reference += [] if reference is None else [float(means[winner] - means[reference])]
    same = chosen.count(kinds.index(kinds[view.winner_place]))
    return Choices([str(view.rows[place]["name"]) for place in chosen], same, over_best, over_reference)


def _rule(view: View, half: NDArray[np.bool_], reference: int | None) -> list[int]:
    """The places of all trials by the rule of the protocol on these questions, bool[Q]."""
    scores = view.scores[:, half]
    means = scores.mean(axis=1).tolist()
    losses = [0] * len(scores) if reference is None else (scores < scores[reference]).sum(axis=1).tolist()
    rows = [
        {**row, view.objective: mean, "losses": lost} for row, mean, lost in zip(view.rows, means, losses, strict=True)
    ]
    return order(cast("list[Row]", rows), view.objective)
