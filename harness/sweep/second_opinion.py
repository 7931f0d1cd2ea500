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

from harness.core.arrays import load_array
from harness.core.errors import HarnessError

WHOLE, DRAWS = 2**31 - 2, 9_999
"""The depth of a whole list, and the number of sign flips if not all are counted."""


def second_opinion(folder: Path) -> Iterator[str]:
    """Compute the numbers of a sweep's folder again; yield a line on each split.

    Raises:
        HarnessError: a number differs; the error names the row and both values.
    """
    objective = json.loads((folder / "winner.lock.json").read_text())["objective"]
    if objective.partition("@")[0] not in METRICS:
        yield f"numbers    not computed by statsmodels and SciPy, which do not have {objective}"
        return
    for split, prefix in (("tune", ""), ("test", "heldout_")):
        if (folder / f"{prefix}ranks.npy").exists():
            opinion = _Opinion(folder, split, prefix)
            opinion.check_lists()
            opinion.check_scores()
            opinion.check_comparisons()
            yield f"{split:<10} {opinion.checked:,} numbers are those of statsmodels and SciPy"


class _Opinion:
    """The stored numbers of one split, and how many of them were found to be right."""

    def __init__(self, folder: Path, split: str, prefix: str) -> None:
        self.folder, self.split, self.checked = folder, split, 0
        self.lock = json.loads((folder / "winner.lock.json").read_text())
        self.rows = _records(folder / "trials.parquet")
        if prefix:
            self.rows = json.loads((folder / "heldout.json").read_text())
        self.compared = _records(folder / f"{prefix}comparisons.parquet")
        self.ranks = load_array(folder / f"{prefix}ranks.npy")
        self.place = {row["trial"]: place for place, row in enumerate(self.rows)}
        values = metric_values(self.lock["objective"], self.ranks)
        is_counted = ~np.isnan(values[0])
        labels = pd.read_parquet(folder / f"{prefix}queries.parquet")["cluster"].to_numpy()[
            is_counted
        ]
        self.scores, self.labels = values[:, is_counted], np.unique(labels, return_inverse=True)[1]

    def same(self, row: str, what: str, stored: Any, value: Any, within: float = 1e-9) -> None:
        """Count a number that is right; raise HarnessError for another one."""
        self.checked += 1
        are_numbers = stored is not None and value is not None
        if stored is not value and not (
            are_numbers and math.isclose(stored, value, rel_tol=1e-7, abs_tol=within)
        ):
            raise HarnessError(
                f"{self.folder}: on {self.split} {row} has {what} {stored}; statsmodels and SciPy "
                f"give {value}: its tables are wrong, sweep again"
            )

    def check_lists(self) -> None:
        """Check that the locked lists are whole, and on tune that the best one is the first."""
        whole = {
            row["parameters"]["fuser.list"]: row["trial"]
            for row in self.rows
            if row["family"] == "single" and row["parameters"].get("pool.cap") is None
        }
        for name, key in self.lock["lists"].items():
            self.same(f"list {name}", "as its whole list", int(key == whole.get(name)), 1)
        if self.split == "tune":
            scores = {name: self.scores[self.place[key]] for name, key in whole.items()}
            base, rows = scores[self.lock["reference"]], self.rows
            ordered = sorted(
                (-round(float(list_scores.mean()), 12), int((list_scores < base).sum()), name)
                for name, list_scores in scores.items()
                if rows[self.place[whole[name]]].get("practical") is not False
            )
            best = self.lock["best_single"]
            place = 1 + [name for _, _, name in ordered].index(best)
            self.same(f"best list {best}", "as place", 1, place)

    def check_scores(self) -> None:
        """Check the metrics of each trial, and Wilson's interval of the objective."""
        from statsmodels.stats.proportion import proportion_confint

        for metric in [key for key in self.rows[0] if key.partition("@")[0] in METRICS]:
            means = np.nanmean(metric_values(metric, self.ranks), axis=1)
            for row, mean in zip(self.rows, means.tolist(), strict=True):
                self.same(row["name"], metric, row[metric], mean)
        for row, scores in zip(self.rows, self.scores, strict=True):
            for low, stored in enumerate(row.get("wilson") or ()):
                end = proportion_confint(scores.sum(), len(scores), method="wilson")[low]
                self.same(row["name"], "Wilson's bound", stored, float(end))

    def check_comparisons(self) -> None:
        """Check W, L, difference and p of each comparison, and the corrected p of each family."""
        shared = int(self.labels.max(initial=-1)) + 1 < len(self.labels)
        families: dict[str, list[Any]] = {}
        for row in self.compared:
            row["title"] = f"{row['name']} against {row['against']}"
            single = self.lock["lists"][row["against"]]
            pair = [self.place[row["trial"]], self.place[single]]
            apart = self.scores[pair[0]] - self.scores[pair[1]]
            self.same(row["title"], "wins", row["wins"], int((apart > 0).sum()))
            self.same(row["title"], "losses", row["losses"], int((apart < 0).sum()))
            self.same(row["title"], "difference", row["difference"], float(apart.mean()))
            self.same(row["title"], "p", row["p"], *paired_p(apart))
            if row["p_cluster"] is not None:
                sums = np.bincount(self.labels, apart)
                self.same(row["title"], "p by cluster", row["p_cluster"], *flipped_p(sums))
            row["raw"] = row["p_cluster" if shared else "p"]
            depth = int(self.lock["objective"].partition("@")[2] or WHOLE)
            row["alike"] = np.array_equal(*np.minimum(self.ranks[pair], depth + 1))
            winner = self.split == "test" and row["trial"] == self.lock["winner"]["trial"]
            on_test = "winner" if winner else "exploratory"
            family = row["against"] if self.split == "tune" else on_test
            families.setdefault(family, []).append(row)
        times = max((row.get("evaluation") or 1) for row in self.rows) ** 2
        for family, members in families.items():
            rule = _sequence if family == "winner" and self.split == "test" else _holm
            for row, p in zip(members, rule(members, times), strict=True):
                self.same(f"{row['title']} of {len(members)}", "p_holm", row["p_holm"], p)


def _records(path: Path) -> list[Any]:
    """Return the rows of a table; null is None, JSON is parsed, an interval is a pair."""
    frame = pd.read_parquet(path)
    rows: list[Any] = frame.astype(object).where(frame.notna(), None).to_dict("records")
    for row in rows:
        row["parameters"] = json.loads(row.get("parameters") or "{}")
        if row.get("wilson_low") is not None:
            row["wilson"] = [row["wilson_low"], row["wilson_high"]]
    return rows


def _holm(members: list[Any], times: int) -> list[Any]:
    from statsmodels.stats.multitest import multipletests

    tested = [row["raw"] for row in members if row["raw"] is not None]
    p_holm = multipletests(tested, method="holm")[1] if tested else []
    corrected = iter(p_holm)
    return [
        None if row["raw"] is None else min(1.0, times * float(next(corrected))) for row in members
    ]


def _sequence(members: list[Any], times: int) -> list[Any]:
    """Return the p of the winner's tests; a list that it ranks as is no test."""
    corrected, go_on = [], True
    for row in members:
        p = row["raw"] if row["alike"] else None
        if not row["alike"] and go_on and row["raw"] is not None:
            p = min(1.0, times * row["raw"])
        corrected.append(p)
        if not row["alike"]:
            go_on = p is not None and p <= 0.05 and row["difference"] > 0
    return corrected


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
    kind = "samples"
    test = permutation_test((units,), np.mean, permutation_type=kind, n_resamples=draws, rng=draw)
    p = float(test.pvalue)
    spread = math.sqrt(max(p * (2 - p), 1 / DRAWS) / DRAWS)  # p is twice the share of a side
    return p, 1e-9 if len(units) <= 13 else 5 * spread + 2 / DRAWS


def metric_values(metric: str, ranks: Any) -> Any:
    """Return float64[T, Q] of gold ranks [T, Q, H]: 1 or more; -1 pads, a last -2: no hop order."""
    name, _, depth = metric.partition("@")
    hits = (ranks > 0) & (ranks <= min(int(depth or WHOLE), WHOLE))
    return METRICS[name](ranks, hits, (ranks > 0).sum(-1)).astype(float)


def _last_hop(ranks: Any, hits: Any, count: Any) -> Any:
    last = np.take_along_axis(hits, np.maximum(count - 1, 0)[..., None], -1)[..., 0]
    return np.where(ranks[..., -1] == -2, np.nan, last)


METRICS: dict[str, Any] = {
    "last_hop": _last_hop,
    "full_sup": lambda ranks, hits, count: (hits.sum(-1) == count) & (count > 0),
    "recall": lambda ranks, hits, count: hits.sum(-1) / np.maximum(count, 1),
    "success": lambda ranks, hits, count: hits.any(-1),
    "mrr": lambda ranks, hits, count: (hits / np.where(ranks > 0, ranks, 1)).max(-1),
}
