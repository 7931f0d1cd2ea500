"""The scores of a system's items by one metric, checked."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from harness.core.errors import HarnessError, nearest
from harness.evaluation.metric.measure import FINITE, GREATEST, Values
from harness.plugins.items.score.score_file import NAMES, ScoreRow, read_rows

EQUAL = 1e-9
"""Scores that differ by no more than this, relative to the scale, are equal: rounding makes 0.1 +
0.2 and 0.3 differ.
"""
SINGLE = 2.0**-23
"""``EQUAL`` for files of 32-bit numbers, whose rounding error is up to half of this."""
TRUTH = {"true": 1.0, "false": 0.0}


@dataclass(frozen=True, eq=False)
class Scores:
    """The scores of n items, ascending, in r repeats of a system (seeds, draws of a model).

    Args:
        source: the file.
        metric: name of the metric.
        items: ids of the items.
        values: float64[n, r]; NaN if one is missing.
        clusters: of each item, or None.
        places: file and line of each item.
        lacks: for each item without a score, a sentence that says in which repeat and file.
    """

    source: str
    metric: str
    items: Sequence[str]
    values: Values
    clusters: Sequence[str | None] | None
    places: Sequence[str]
    lacks: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, source: str, metric: str, rows: Sequence[ScoreRow]) -> Scores:
        """Return the scores in the rows of a file.

        Raises:
            HarnessError: an item has two scores or clusters, or a score is not a finite number.
        """
        first: dict[str, ScoreRow] = {}
        scored: dict[tuple[str, str], ScoreRow] = {}
        for row in rows:
            above = first.setdefault(row.item, row)
            if above.cluster != row.cluster:
                raise HarnessError(
                    f"{row.place}: item {row.item} is in cluster {row.cluster} here and in "
                    f"{above.cluster} above; an item has one"
                )
            if metric in row.scores and scored.setdefault((row.item, row.run), row) is not row:
                raise HarnessError(
                    f"{row.place}: item {row.item} has a score at "
                    f"{scored[row.item, row.run].place} already; keep one, or name the column of "
                    "repeats: columns={run: ...}; ranked lists need gold=queries.jsonl"
                )
        numbers = {key: _number(row, metric) for key, row in scored.items()}
        items, runs = sorted(first), sorted({run for _, run in scored})
        cells = list(itertools.product(items, runs))
        values = np.array([numbers.get(cell, math.nan) for cell in cells])
        lacks: dict[str, str] = {}
        for item, run in itertools.compress(cells, np.isnan(values)):
            place = scored.get((item, run), first[item]).place
            which = f" of run {run}" if len(runs) > 1 else ""
            lacks.setdefault(item, f"{place}: item {item} has no {metric}{which}")
        values = values.reshape(len(items), len(runs))
        places = [first[item].place for item in items]
        clusters = [first[item].cluster for item in items]
        if not any(clusters):
            return cls(source, metric, items, values, None, places, lacks)
        if None in clusters:
            row = first[items[clusters.index(None)]]
            raise HarnessError(
                f"{row.place}: item {row.item} has no cluster; give each one, or none"
            )
        return cls(source, metric, items, values, clusters, places, lacks)

    @classmethod
    def from_dict(cls, scores: Mapping[str, float], source: str, metric: str) -> Scores:
        """Return the scores of ``{item: score}``."""
        if not scores:
            raise HarnessError(f"{source}: there are no scores")
        rows = [
            ScoreRow(f"{source}: {item}", str(item), "", None, {metric: value})
            for item, value in scores.items()
        ]
        return cls.of(source, metric, rows)

    @classmethod
    def joined(cls, several: Sequence[Scores]) -> Scores:
        """Return the scores of several files of one system as repeats. They have the same items."""
        first = next((scores for scores in several if scores.clusters is not None), several[0])
        values = np.concatenate([scores.values for scores in several], axis=1)
        return replace(first, source=", ".join(scores.source for scores in several), values=values)

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row of each item."""
        return {item: row for row, item in enumerate(self.items)}

    @property
    def zero_one(self) -> bool:
        """Whether every score is 0 or 1."""
        return bool(np.isin(self.values, (0, 1)).all())

    @property
    def single(self) -> bool:
        """Whether each score is a 32-bit number."""
        with np.errstate(over="ignore"):
            return bool((self.values.astype(np.float32) == self.values).all())


def tied(several: Sequence[Scores]) -> list[Scores]:
    """Return the scores of systems with the same items, without differences that are rounding.

    Scores of an item that are equal but for rounding (``EQUAL``, relative to the greatest score)
    become the first of them.
    """
    values = np.concatenate([scores.values for scores in several], axis=1)
    scale = float(np.abs(values).max(initial=0.0))
    mixed = len({scores.single for scores in several}) > 1
    order = np.argsort(values, axis=1, kind="stable")
    ascending = np.take_along_axis(values, order, axis=1)
    steps = np.diff(ascending, axis=1) > (SINGLE if mixed else EQUAL) * scale
    group = np.zeros(values.shape, dtype=np.int64)
    np.put_along_axis(group, order[:, 1:], steps.cumsum(axis=1), axis=1)
    first = (group[:, :, None] == group[:, None, :]).argmax(axis=2)
    equal = np.take_along_axis(values, first, axis=1)
    ends = np.cumsum([scores.values.shape[1] for scores in several])[:-1]
    return [
        replace(scores, values=columns)
        for scores, columns in zip(several, np.split(equal, ends, axis=1), strict=True)
    ]


def read_scores(
    path: str | Path, metrics: Sequence[str] | None = None, columns: Mapping[str, str] | None = None
) -> dict[str, Scores]:
    """Return the scores in a file by metric (see ``harness.plugins.items.score.score_file``).

    Args:
        path: the file.
        metrics: the wanted metrics; None: the column named score, value or as ``columns`` says,
            otherwise the only one.
        columns: names of a table's columns, such as ``{"item": "uid", "score": "f1", "cluster":
            "passage", "run": "seed"}``.

    Raises:
        HarnessError: there are several metrics, or not the wanted ones.
    """
    rows = read_rows(Path(path), columns, metrics)
    scores = [score for row in rows for score in row.scores.items()]
    names = dict.fromkeys(name for name, _ in scores)
    numbers = {name for name, value in scores if _float(value) is not None}
    numeric = [name for name in names if name in numbers]
    if not metrics and columns and "score" in columns:
        metrics = [columns["score"]]
    metrics = metrics or _only_metric(path, names, numeric)
    _check_there(path, metrics, names, numeric)
    return {metric: Scores.of(str(path), metric, rows) for metric in metrics}


def _only_metric(path: str | Path, names: Iterable[str], numeric: Sequence[str]) -> Sequence[str]:
    """Return the metric of a usual name, otherwise the only one; empty if there is none."""
    usual = [name for name in NAMES["score"] if name in names]
    if usual or len(numeric) < 2:
        return usual[:1] or numeric
    mend = f"choose with metric={numeric[0]} or columns={{score: {numeric[0]}}}"
    raise HarnessError(f"{path}: expected one metric, found {', '.join(numeric)}; {mend}")


def _check_there(
    path: str | Path, wanted: Sequence[str], names: Iterable[str], numeric: Sequence[str]
) -> None:
    """Raise HarnessError if no metric is wanted, or one that a file does not have."""
    if not wanted:
        raise HarnessError(
            f"{path}: expected a metric, a column of numbers; found {', '.join(names) or 'none'}"
        )
    for name in wanted:
        if name not in names:
            known = f"{nearest(name, numeric)}; found {', '.join(numeric) or 'none'}"
            raise HarnessError(f"{path}: metric {name} is not there{known}")


def _number(row: ScoreRow, metric: str) -> float:
    """Return the score; NaN if there is none."""
    value = row.scores[metric]
    if value is None or str(value).strip().lower() in ("", "nan", "null", "none"):
        return math.nan
    number = _float(value)
    if number is None or abs(number) > GREATEST:
        raise HarnessError(
            f"{row.place}: item {row.item}: {metric} must be {FINITE} got {value!r:.60}; score "
            "the item (right is 1, wrong is 0), or leave it empty and give missing=drop or "
            "missing=zero"
        )
    return number


def _float(value: Any) -> float | None:
    if isinstance(value, str):
        value = TRUTH.get(value.lower(), value)
    try:
        return float(value)
    except OverflowError:
        return math.inf
    except (ValueError, TypeError):
        return None
