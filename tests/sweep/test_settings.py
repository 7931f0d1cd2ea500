"""A table of settings of a metric of which less is better."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from harness.sweep.settings import _with_first


def test_less_wins_where_less_is_better() -> None:
    """The second is 1 less on 12 questions: p = 2 / 2^12. The third has other questions."""

    def view(first: int) -> Any:
        ids = [f"q{number}" for number in range(first, first + 12)]
        metric = SimpleNamespace(binary=False, higher_is_better=False)
        return SimpleNamespace(
            metric=metric, margin=0.02, clusters=np.arange(12), queries={"id": ids}, evaluation=0
        )

    values = [np.full(12, 3.0), np.full(12, 2.0), np.full(12, 1.0)]
    found = _with_first([view(0), view(0), view(1)], values)
    assert list(found) == [1]
    assert (found[1].wins, found[1].losses, found[1].finding) == (12, 0, "better")
    assert found[1].decided.p == 2 / 2**12
