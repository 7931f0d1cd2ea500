"""The choice repeated under other splits of tune."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from harness.benchmark import md5_split
from harness.benchmark.cluster import smallest_ids
from harness.core.arrays import BoolArray
from harness.sweep.folder.rows import Row
from harness.sweep.folder.view import View
from harness.sweep.judge.choice import order


@dataclass(frozen=True)
class Choices:
    """The choices on halves of tune, and their gains on the other halves.

    Attributes:
        names: each half's winner; two that no question of tune distinguishes have one name.
        same: number of halves whose winner is that of all of tune.
        over_best: its mean difference, on the other half, from the best list of its half.
        over_reference: the same from the reference; empty if there is none.
    """

    names: Sequence[str]
    same: int
    over_best: Sequence[float]
    over_reference: Sequence[float]

    @property
    def splits(self) -> int:
        """Number of splits with questions on both sides."""
        return len(self.names)


def choose_again(view: View, splits: int) -> Choices:
    """Repeat the choice under other splits of tune, by the MD5 of "<number> <id>".

    Under split=disjoint a cluster's smallest tune id decides for all its questions. Ranks are those
    of the sweep: trials that learn were scored with cross-validation and are not fitted again on a
    half.

    Args:
        view: every trial on tune.
        splits: number of splits.
    """
    ids = view.queries["id"].astype(str).tolist()
    if view.splitting == "disjoint":
        ids = smallest_ids(ids, view.clusters)
    reference, kinds = (
        view.singles.get(view.reference),
        [values.tobytes() for values in view.scores],
    )
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
    return Choices(
        [str(view.rows[place]["name"]) for place in chosen], same, over_best, over_reference
    )


def _rule(view: View, half: BoolArray, reference: int | None) -> list[int]:
    """Return the indices of all trials by the rule of the protocol on these questions, bool[Q]."""
    scores = view.scores[:, half]
    means = scores.mean(axis=1).tolist()
    losses = (
        [0] * len(scores)
        if reference is None
        else (scores < scores[reference]).sum(axis=1).tolist()
    )
    rows = [
        {**row, view.objective: mean, "losses": lost}
        for row, mean, lost in zip(view.rows, means, losses, strict=True)
    ]
    return order(cast("list[Row]", rows), view.objective)
