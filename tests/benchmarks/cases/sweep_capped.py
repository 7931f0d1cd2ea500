"""The same grid size over pools that are capped, as published sweeps have them."""

from __future__ import annotations

from tests.benchmarks.cases.sweep import compared
from tests.benchmarks.measure import Case
from tests.benchmarks.trials import CAPPED


def case(quick: bool) -> Case:
    return compared(1000 if not quick else 60, 2000 if not quick else 200, CAPPED, (10, 20, 30, 40, 50), 1000, quick)
