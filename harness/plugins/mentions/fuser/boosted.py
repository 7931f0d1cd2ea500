"""Fusion learned from judged queries: boosted trees over features of lists (Friedman et
al. 2000).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from harness.core.arrays import Int32Array
from harness.core.configuration.extras import need
from harness.core.errors import HarnessError, one_of
from harness.fusion.fuser import Calibrated
from harness.fusion.fuser.shares import total
from harness.fusion.learning import LEARNED, learned_value
from harness.plugins.mentions.forest import add_leaves, as_rows, check_growth, check_trees, is_list
from harness.plugins.mentions.fuser.features import (
    READS,
    TARGETS,
    check_features,
    check_lists,
    feature_values,
    wanted_documents,
)

TIE = 1e-9
"""Weight of the sum of the rank features, so that documents of the same leaves keep their order."""
STEEPEST = 4.0
"""Largest log-odds that one leaf adds before ``rate``, as LogitBoost bounds its steps."""


@dataclass(frozen=True)
class Boosted:
    """score(d) = rate x sum over trees of leaf(x(d)) + 1e-9 x sum over lists of rank(d).

    x has the features of all lists as float32. LogitBoost: tree m is a weighted least-squares fit
    to (y - p) / (p (1 - p)) with weights p (1 - p), p the probability by the trees before, so a
    leaf is a Newton step of the log loss (bounded by 4). Leaves are monotone in each feature: a
    better place in a list never counts against a document.

    Args:
        trees: number of trees, >= 1.
        depth: of each tree, 1 to 6.
        rate: in (0, 1].
        least: documents of a leaf, >= 1.
        target: see ``Learned``.
        features: see ``Learned``.
        forest: ``lists`` and ``trees``, each with a row per node: [column, threshold, left, right,
            value]. None: learned on the folds of tune that are not scored, and locked.
    """

    trees: int = 60
    depth: int = 3
    rate: float = 0.1
    least: int = 20
    target: str = "supporting"
    features: Sequence[str] = field(default_factory=lambda: ["rank", "score", "minmax"], hash=False)
    forest: Mapping[str, Any] | None = field(default=None, hash=False, metadata=LEARNED)
    unit = False

    def __post_init__(self) -> None:
        check_growth("fuser", self)
        one_of("fuser.target", self.target, TARGETS)
        check_features(self.features)
        if self.forest is not None:
            forest: Any = self.forest if isinstance(self.forest, Mapping) else {}
            names = forest.get("lists")
            if not is_list(names) or not all(isinstance(name, str) for name in names):
                raise HarnessError(
                    f"fuser.forest.lists = {str(names)[:60]!r}, expected names of lists"
                )
            columns = len(names) * len(self.features)
            check_trees("fuser.forest.trees", forest.get("trees"), columns)

    @property
    def reads(self) -> frozenset[str]:
        """The inputs of the features, and ranks."""
        return frozenset({"ranks", *(READS[feature] for feature in self.features)})

    def fit(self, pool: Calibrated, gold: Int32Array) -> Boosted:
        """Return the fuser with the trees of these queries. ``gold`` is int32[Q, H], padded with
        -1.
        """
        regressor = need("sklearn.tree", "fuser=boosted", "mentions").DecisionTreeRegressor
        labels = wanted_documents(pool, gold, self.target, "boosted")
        names = sorted(pool.names)
        rows = self._rows(pool, names)[pool.pool.docs >= 0].cpu().numpy()
        odds, trees = np.full(len(labels), np.log(labels.mean() / (1 - labels.mean()))), []
        for _ in range(self.trees):
            chance = 1 / (1 + np.exp(-odds))
            weight = np.maximum(chance * (1 - chance), 1e-6)
            tree = regressor(
                max_depth=self.depth,
                min_samples_leaf=self.least,
                monotonic_cst=[1] * rows.shape[1],
                random_state=0,
            ).fit(rows, (labels - chance) / weight, sample_weight=weight)
            nodes = tree.tree_
            values = np.clip(nodes.value[:, 0, 0], -STEEPEST, STEEPEST)
            odds = odds + self.rate * values[tree.apply(rows)]
            links = nodes.children_left, nodes.children_right
            trees.append(as_rows(nodes.feature, nodes.threshold, *links, values))
        return replace(self, forest={"lists": names, "trees": trees})

    def __call__(self, pool: Calibrated) -> Tensor:
        """Return float64[Q, U], the fused scores."""
        forest = learned_value("fuser=boosted", "forest", self.forest)
        names = list(forest["lists"])
        check_lists("fuser.forest", names, pool.names)
        rows = self._rows(pool, names)
        trees = []
        for tree in forest["trees"]:
            slowed = [[*node[:4], self.rate * node[4]] for node in tree]
            trees.append(slowed)
        scores = torch.from_numpy(add_leaves(rows.cpu().numpy(), trees)).to(rows.device)
        ranks = [feature_values(pool, name, ["rank"])[0] for name in pool.names]
        return scores.add_(total(ranks), alpha=TIE)

    def _rows(self, pool: Calibrated, names: Sequence[str]) -> Tensor:
        """Return float32[Q, U, F], the features of every list; a missing list holds no document."""
        nothing = torch.zeros(pool.pool.shape, device=pool.pool.docs.device)
        parts: list[Tensor] = []
        for name in names:
            if name in pool.names:
                parts += feature_values(pool, name, self.features)
            else:
                parts += [nothing] * len(self.features)
        return torch.stack([part.float() for part in parts], dim=-1)
