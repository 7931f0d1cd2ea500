"""A second opinion on a sweep: its numbers from the gold ranks by statsmodels and SciPy.

This module shares no code with ``harness.evaluation`` and ``harness.sweep.judge``. It reads the
rules of the protocol anew, so that a fault of those rooms is no fault of this one.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from harness.core.errors import HarnessError

DRAWS = 9_999
"""Number of sign flips if not all are counted."""
METRICS: dict[str, Any] = {
    "last_hop": lambda ranks, k, count: np.where(
        ranks[..., -1] == -2,
        np.nan,
        np.take_along_axis(_hits(ranks, k), np.maximum(count - 1, 0)[..., None], -1)[..., 0],
    ),
    "full_sup": lambda ranks, k, count: (_hits(ranks, k).sum(-1) == count) & (count > 0),
    "recall": lambda ranks, k, count: _hits(ranks, k).sum(-1) / np.maximum(count, 1),
    "success": lambda ranks, k, count: _hits(ranks, k).any(-1),
    "mrr": lambda ranks, k, count: (_hits(ranks, k) / np.where(ranks > 0, ranks, 1)).max(-1),
}
"""Metrics of gold ranks [..., H]: 1 or more, -1 pads, a last -2 means an unknown hop order."""


def _hits(ranks: Any, k: int) -> Any:
    return (ranks > 0) & (ranks <= min(k, 2**31 - 2))


def second_opinion(folder: Path) -> Iterator[str]:
    """Compute the stored numbers again; yield a line on each split.

    Args:
        folder: the sweep's.

    Raises:
        HarnessError: a number differs; the error names the file, the row and both values.
    """
    for split in ("tune", "test"):
        if (folder / f"{'' if split == 'tune' else 'heldout_'}ranks.npy").exists():
            opinion = _Opinion(folder, split)
            opinion.check_lists()
            opinion.check_scores()
            opinion.check_comparisons()
            yield f"{split:<10} {opinion.checked:,} numbers are those of statsmodels and SciPy"


class _Opinion:
    """The stored numbers of one split, and how many of them were found to be right."""

    def __init__(self, folder: Path, split: str) -> None:
        prefix = "" if split == "tune" else "heldout_"
        self.folder, self.split, self.checked = folder, split, 0
        self.lock = json.loads((folder / "winner.lock.json").read_text())
        trials = pd.read_parquet(folder / "trials.parquet")
        trials["parameters"] = trials["parameters"].map(json.loads)
        trials["wilson"] = trials[["wilson_low", "wilson_high"]].to_numpy(float).tolist()
        tune = trials.astype(object).where(trials.notna(), None).to_dict("records")
        self.rows: list[Any] = tune
        if prefix:
            self.rows = json.loads((folder / "heldout.json").read_text())
        frame = pd.read_parquet(folder / f"{prefix}comparisons.parquet")
        self.compared = frame.astype(object).where(frame.notna(), None).to_dict("records")
        self.ranks = np.load(folder / f"{prefix}ranks.npy")
        self.place = {row["trial"]: place for place, row in enumerate(self.rows)}
        values = self.values(self.lock["objective"])
        known = ~np.isnan(values[0])
        labels = pd.read_parquet(folder / f"{prefix}queries.parquet")["cluster"].to_numpy()[known]
        self.scores, self.labels = values[:, known], np.unique(labels, return_inverse=True)[1]
        self.shared = int(self.labels.max(initial=-1)) + 1 < len(labels)

    def values(self, metric: str) -> Any:
        """Return float64[T, Q], a metric of each trial on each question."""
        name, _, depth = metric.partition("@")
        count = (self.ranks > 0).sum(-1)
        return METRICS[name](self.ranks, int(depth or 2**31 - 2), count).astype(float)

    def same(self, row: str, what: str, stored: Any, value: Any, within: float = 1e-9) -> None:
        """Count a number that is right; raise HarnessError for another one."""
        if (stored is None) != (value is None) or (
            stored is not None and not math.isclose(stored, value, rel_tol=1e-7, abs_tol=within)
        ):
            raise HarnessError(
                f"{self.folder}: on {self.split} {row} has {what} {stored}; statsmodels and SciPy "
                f"give {value}: its tables are wrong, sweep again"
            )
        self.checked += 1

    def check_lists(self) -> None:
        """Check that the lists of the lock are whole, and that the best one is the first."""
        whole = {
            row["parameters"]["fuser.list"]: row["trial"]
            for row in self.rows
            if row["family"] == "single" and row["parameters"].get("pool.cap") is None
        }
        for name, key in self.lock["lists"].items():
            self.same(f"list {name}", "as its whole list trial", int(key == whole.get(name)), 1)
        if self.split == "test":
            return
        base = self.scores[self.place[whole[self.lock["reference"]]]]
        places = {name: self.place[key] for name, key in whole.items()}
        ordered = sorted(
            (-round(float(self.scores[at].mean()), 12), int((self.scores[at] < base).sum()), name)
            for name, at in places.items()
            if self.rows[at].get("practical") is not False
        )
        best = self.lock["best_single"]
        self.same(f"best list {best}", "as place", 1 + [one[2] for one in ordered].index(best), 1)

    def check_scores(self) -> None:
        """Check the metrics of each trial, and Wilson's interval of the objective."""
        from statsmodels.stats.proportion import proportion_confint

        for metric in [key for key in self.rows[0] if key.partition("@")[0] in METRICS]:
            for row, mean in zip(self.rows, np.nanmean(self.values(metric), axis=1), strict=True):
                self.same(row["name"], metric, row[metric], float(mean))
        for row, own in zip(self.rows, self.scores, strict=True):
            if row.get("wilson") and not math.isnan(row["wilson"][0]):
                ends = proportion_confint(own.sum(), len(own), method="wilson")
                for stored, end in zip(row["wilson"], ends, strict=True):
                    self.same(row["name"], "Wilson's bound", stored, float(end))

    def check_comparisons(self) -> None:
        """Check W, L, difference and p of each comparison, and the corrected p of each family."""
        families: dict[str, list[Any]] = {}
        for one in self.compared:
            about = f"{one['name']} against {one['against']}"
            base = self.scores[self.place[self.lock["lists"][one["against"]]]]
            apart = self.scores[self.place[one["trial"]]] - base
            self.same(about, "wins", one["wins"], int((apart > 0).sum()))
            self.same(about, "losses", one["losses"], int((apart < 0).sum()))
            self.same(about, "difference", one["difference"], float(apart.mean()))
            self.same(about, "p", one["p"], *paired_p(apart))
            if one["p_cluster"] is not None:
                sums = np.bincount(self.labels, apart)
                self.same(about, "p by cluster", one["p_cluster"], *flipped_p(sums))
            winner = one["trial"] == self.lock["winner"]["trial"]
            on_test = "the winner" if winner else "exploratory"
            family = one["against"] if self.split == "tune" else on_test
            families.setdefault(family, []).append(one)
        times = max((row.get("evaluation") or 1) for row in self.rows) ** 2
        for family, members in families.items():
            raw = [one["p_cluster" if self.shared else "p"] for one in members]
            rule = self._sequence if family == "the winner" and self.split == "test" else _holm
            for one, p in zip(members, rule(members, raw, times), strict=True):
                about = f"{one['name']} against {one['against']}"
                self.same(f"{about} ({len(members)} in {family})", "p_holm", one["p_holm"], p)

    def _sequence(self, members: list[Any], raw: list[Any], times: int) -> list[Any]:
        """Return the p of the winner's tests: each follows one that found the winner better."""
        found, go_on = [], True
        depth = int(self.lock["objective"].partition("@")[2] or 2**31 - 2)
        top = np.minimum(self.ranks, depth + 1)
        for one, p in zip(members, raw, strict=True):
            at = [self.place[key] for key in (one["trial"], self.lock["lists"][one["against"]])]
            if np.array_equal(*top[at]):  # it ranks as that list does: no test
                found.append(p)
                continue
            found.append(min(1.0, times * p) if go_on and p is not None else None)
            go_on = found[-1] is not None and found[-1] <= 0.05 and one["difference"] > 0
        return found


def _holm(members: list[Any], raw: list[Any], times: int) -> list[Any]:
    from statsmodels.stats.multitest import multipletests

    tested = [p for p in raw if p is not None]
    corrected = iter(multipletests(tested, method="holm")[1] if tested else [])
    return [None if p is None else min(1.0, times * float(next(corrected))) for p in raw]


def paired_p(apart: Any) -> tuple[float, float]:
    """Return p of paired differences, and how far another computation may be from it."""
    from statsmodels.stats.contingency_tables import mcnemar

    if not np.isin(apart, (-1, 0, 1)).all():
        return flipped_p(apart)
    table = [[0, int((apart > 0).sum())], [int((apart < 0).sum()), 0]]
    return float(mcnemar(table, exact=True).pvalue) if apart.any() else 1.0, 1e-9


def flipped_p(units: Any) -> tuple[float, float]:
    """Return p of the mean under sign flips, and five standard errors of it if flips are drawn."""
    from scipy.stats import permutation_test

    units = units[np.abs(units) > 1e-12]
    if len(units) < 2:
        return 1.0, 1e-9
    draws, draw = (np.inf if len(units) <= 13 else DRAWS), np.random.default_rng(0)
    test = permutation_test(
        (units,), np.mean, permutation_type="samples", n_resamples=draws, rng=draw
    )
    p = float(test.pvalue)
    spread = math.sqrt(max(p * (1 - p), 1 / DRAWS) / DRAWS)
    return p, 1e-9 if len(units) <= 13 else 5 * spread + 2 / DRAWS
