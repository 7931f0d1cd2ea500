"""Fusion learned from judged queries: logistic regression over features of lists.

It uses Newton's method with a ridge; the result does not depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from torch import Tensor

from harness.core.arrays import BoolArray, Float64Array, Int32Array
from harness.core.errors import HarnessError, bounded, one_of
from harness.core.identity import LATER
from harness.fusion.fuser import Calibrated
from harness.fusion.fuser.shares import total
from harness.fusion.learning import LEARNED, learned_value
from harness.plugins.mentions.forest import is_finite
from harness.plugins.mentions.fuser.features import (
    READS,
    TARGETS,
    check_features,
    check_lists,
    feature_values,
    wanted_documents,
)

Column = Float64Array
TOLERANCE = 1e-10
"""Largest change of a coefficient, relative to 1 + its size, at which the iteration ends."""
STEPS = 100
"""Largest number of steps; ten are usual."""


@dataclass(frozen=True)
class Learned:
    """score(d) = sum_l (w_l x_l(d) + v_l [d in l]), the log-odds up to a constant, for any number
    of lists.

    Args:
        penalty: > 0, the ridge: w and v minimise the log loss summed over all documents of all
            queries' pools, plus penalty / 2 times their squares (C = 1 / penalty in scikit-learn).
            For the ridge, a ``score`` is in units of its standard deviation over the documents of
            its list.
        target: documents to be found: ``supporting`` passages or the ``last_hop``.
        features: names of ``FEATURES`` that make x_l(d): ``value``, ``score``, ``minmax``,
            ``rank``.
        coefficients: [w, v] by list name, with one w per feature. None: a sweep learns them on the
            folds of tune that it does not score, and ``winner.lock.json`` has those of all of tune.
            A list whose score counts against a document has w < 0.
    """

    penalty: float = 1.0
    target: str = "supporting"
    features: Sequence[str] = field(default_factory=lambda: ["value"], hash=False, metadata=LATER)
    coefficients: Mapping[str, Sequence[float]] | None = field(
        default=None, hash=False, metadata=LEARNED
    )
    unit = False
    version = 2  # 2: the weight of being held is added in float64

    def __post_init__(self) -> None:
        bounded("fuser.penalty", self.penalty, 0, open_low=True)
        one_of("fuser.target", self.target, TARGETS)
        check_features(self.features)
        check_numbers("fuser.coefficients", self.coefficients)
        form = f"[{'w, ' * len(self.features)}v], of {', '.join(self.features)} and presence"
        for name, weights in (self.coefficients or {}).items():
            if len(weights) != len(self.features) + 1:
                raise HarnessError(f"fuser.coefficients.{name} must be {form}, got {weights!r}")

    @property
    def reads(self) -> frozenset[str]:
        """The inputs of the features."""
        return frozenset(READS[feature] for feature in self.features)

    def fit(self, pool: Calibrated, gold: Int32Array) -> Learned:
        """Return the fuser with the coefficients of these queries. ``gold`` is int32[Q, H], padded
        with -1.
        """
        labels = wanted_documents(pool, gold, self.target, "learned")
        there, names = pool.pool.docs >= 0, sorted(pool.names)
        columns, units = [], []
        for name in names:
            held = pool[name].present[there].double().cpu().numpy()
            features = feature_values(pool, name, self.features)
            for feature, values in zip(self.features, features, strict=True):
                column = values[there].double().cpu().numpy()
                unit = _deviation(column[held > 0]) if feature == "score" else 1.0
                units.append(unit)
                columns.append(column / unit)
            columns.append(held)
            units.append(1.0)
        flat = logistic(columns, labels, self.penalty)[1:] / np.array(units)
        rows = flat.reshape(len(names), len(self.features) + 1).tolist()
        return replace(self, coefficients=dict(zip(names, rows, strict=True)))

    def __call__(self, pool: Calibrated) -> Tensor:
        """Return float64[Q, U], the fused scores."""
        give = "fuser.coefficients={list: [w, v]}"
        coefficients = learned_value("fuser=learned", "coefficients", self.coefficients, give)
        check_lists("fuser.coefficients", coefficients, pool.names)
        return total([self._summand(pool, name, coefficients[name]) for name in pool.names])

    def _summand(self, pool: Calibrated, name: str, weights: Sequence[float]) -> Tensor:
        parts = zip(feature_values(pool, name, self.features), weights, strict=False)
        first, *others = [values * weight for values, weight in parts]
        for part in others:
            first = first + part
        return first + pool[name].present.double() * weights[-1]


def _deviation(values: Float64Array) -> float:
    """Return the standard deviation, summed from left to right; 1 if it is 0."""
    if not len(values):
        return 1.0
    mean = np.cumsum(values)[-1] / len(values)
    spread = float(np.sqrt(np.cumsum((values - mean) ** 2)[-1] / len(values)))
    return spread or 1.0


def logistic(columns: Sequence[Column], labels: BoolArray, penalty: float) -> Column:
    """Return float64[1 + P], intercept and coefficients that minimise the penalised log loss.

    The loss is the sum over rows of ln(1 + exp(z_i)) - y_i z_i, plus penalty / 2 x the sum of the
    squared coefficients without the intercept; z = intercept + columns x coefficients.

    Args:
        columns: P columns float64[N].
        labels: bool[N], with both values.
        penalty: > 0.
    """
    design = np.stack([np.ones(len(labels)), *columns])
    ridge = np.array([0.0, *(penalty for _ in columns)])
    share = float(labels.mean())
    coefficients = np.zeros(len(design))
    coefficients[0] = np.log(share / (1 - share))
    loss = _loss(design, labels, ridge, coefficients)
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-_linear(design, coefficients)))
        slope = _sums(design * (chance - labels)) + ridge * coefficients
        weight = chance * (1 - chance)
        curve = np.diag(ridge)
        for row, column in enumerate(design):
            curve[row, : row + 1] += _sums(column * weight * design[: row + 1])
            curve[: row + 1, row] = curve[row, : row + 1]
        step, length = np.linalg.solve(curve, slope), 1.0
        while (
            after := _loss(design, labels, ridge, coefficients - length * step)
        ) > loss and length > TOLERANCE:
            length /= 2
        coefficients, loss = coefficients - length * step, after
        if (np.abs(length * step) <= TOLERANCE * (1 + np.abs(coefficients))).all():
            break
    return coefficients


def _linear(design: Float64Array, coefficients: Column) -> Column:
    """Return float64[N], summed in the order of the coefficients."""
    return np.asarray(np.cumsum(coefficients[:, None] * design, axis=0)[-1])


def _loss(design: Float64Array, labels: BoolArray, ridge: Column, coefficients: Column) -> float:
    linear = _linear(design, coefficients)
    losses = np.maximum(linear, 0) + np.log1p(np.exp(-np.abs(linear))) - labels * linear
    return float(_sums(losses) + _sums(ridge * coefficients * coefficients) / 2)


def _sums(values: Float64Array) -> Float64Array:
    """Return the sums over the last axis from left to right, so that neither threads nor vector
    widths change the result.
    """
    return np.asarray(np.cumsum(values, axis=-1)[..., -1])


def check_numbers(knob: str, value: Any) -> None:
    """Check that a knob is null or finite numbers by list name; raise HarnessError otherwise."""
    if value is None:
        return
    if not isinstance(value, Mapping):
        raise HarnessError(
            f"{knob} = {str(value)[:60]!r}, expected numbers by the name of a list, or null"
        )
    for name, numbers in value.items():
        if not isinstance(numbers, Sequence) or not all(map(is_finite, numbers)):
            raise HarnessError(f"{knob}.{name} = {str(numbers)[:60]!r}, expected finite numbers")
