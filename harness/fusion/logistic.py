"""Logistic regression with a ridge, by Newton's method; the same bits whatever the thread count."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.float64]
TOLERANCE = 1e-10
"""The greatest change of a coefficient, relative to 1 + its size, at which the iteration ends."""
STEPS = 100
"""Where it ends at the latest; ten steps are usual."""


def logistic(columns: Sequence[Column], labels: NDArray[np.bool_], penalty: float) -> Column:
    """float64[1 + P]: intercept and coefficients of P columns float64[N] that minimise the penalised log loss.

    sum of ln(1 + exp(z_i)) - y_i z_i over the rows + penalty / 2 x sum of the squared coefficients, the intercept's
    left out; z = intercept + columns x coefficients. labels: bool[N], both kinds there. penalty: > 0.
    """
    design = [np.ones(len(labels)), *columns]
    ridge = np.array([0.0, *(penalty for _ in columns)])
    share = float(labels.mean())
    found = np.zeros(len(design))
    found[0] = np.log(share / (1 - share))
    loss = _loss(design, labels, ridge, found)
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-_linear(design, found)))
        slope = np.array([_sum(column * (chance - labels)) for column in design]) + ridge * found
        weight = chance * (1 - chance)
        curve = np.diag(ridge)
        for row, one in enumerate(design):
            weighted = one * weight
            for place in range(row + 1):
                curve[row, place] += _sum(weighted * design[place])
                curve[place, row] = curve[row, place]
        step, length = np.linalg.solve(curve, slope), 1.0
        while (after := _loss(design, labels, ridge, found - length * step)) > loss and length > TOLERANCE:
            length /= 2
        found, loss = found - length * step, after
        if (np.abs(length * step) <= TOLERANCE * (1 + np.abs(found))).all():
            break
    return found


def _linear(design: Sequence[Column], coefficients: Column) -> Column:
    total = np.zeros(len(design[0]))
    for column, coefficient in zip(design, coefficients, strict=True):
        total += coefficient * column
    return total


def _loss(design: Sequence[Column], labels: NDArray[np.bool_], ridge: Column, coefficients: Column) -> float:
    linear = _linear(design, coefficients)
    losses = np.maximum(linear, 0) + np.log1p(np.exp(-np.abs(linear))) - labels * linear
    return _sum(losses) + _sum(ridge * coefficients * coefficients) / 2


def _sum(values: Column) -> float:
    """Strictly from left to right: neither threads nor vector widths change a bit."""
    return float(np.cumsum(values)[-1])
