"""What lists lose on twins, worked by hand on the example sweep."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from harness.core.errors import HarnessError
from harness.evaluation.metric import Metric
from harness.plugins.twins.figure import losses
from harness.sweep.folder.result import SweepResult
from harness.sweep.judge.selection import find_trials


@pytest.fixture
def result(example: ModuleType, tmp_path: Path) -> SweepResult:
    return example.of_experiment(example.write(tmp_path / "s1"))


def test_losses_are_those_of_a_twins_single_lists_against_its_benchmark(
    result: SweepResult, example: ModuleType, tmp_path: Path
) -> None:
    """The twin loses 2 of tune's 8 questions, and both found ones of test's 6; test is judged where both have it."""
    twin = example.of_experiment(example.write(tmp_path / "twin"))
    rows = [{"label": "vectors", "where": {"fuser": "single", "fuser.list": "dense"}},
            {"label": "mixture", "where": {"fuser": "boltzmann"}}]  # fmt: skip
    described = {"tables": [{"name": "t", "metrics": ["last_hop@5"], "rows": rows}]}
    (place,) = find_trials(rows[:1], [row["parameters"] for row in result.whole.rows])
    assert place is not None
    metric = Metric.parse("last_hop@5")
    found = np.flatnonzero(metric(result.whole.ranks[place]))[:2]
    ranks = result.whole.ranks.copy()
    ranks[place, found] = 99
    made = {"whole": dataclasses.replace(twin.whole, ranks=ranks),
            "config": {"experiment": described, "dataset": {"of": "sample", "kind": "shuffled"}}}  # fmt: skip
    vars(twin).update(made)
    vars(result).update(config={"experiment": described, "dataset": {}})
    of_test = result.test
    assert of_test is not None
    (dense,) = find_trials(rows[:1], [row["parameters"] for row in of_test.rows])
    lost = of_test.ranks.copy()
    lost[dense] = 99
    vars(twin).update(test=dataclasses.replace(of_test, ranks=lost))
    comparison = losses.find_losses([result, twin], rows[:1], metric)["sample"]["shuffled"]["vectors"]
    assert (comparison.wins, comparison.losses, comparison.n) == (0, 2, 6)
    vars(twin).update(test=None)
    comparison = losses.find_losses([result, twin], rows[:1], metric)["sample"]["shuffled"]["vectors"]
    assert (comparison.wins, comparison.losses, comparison.n) == (0, 2, 8)
    assert comparison.difference == -0.25
    picture = losses.build_joint([result, twin], {"name": "f", "table": "t"})
    assert "on tune: sample (n = 8)." in picture.caption
    assert [path.name for path in picture.save(tmp_path)] == ["f_joint.pdf", "f_joint.png"]
    with pytest.raises(HarnessError, match="a twin of sample, which no sweep here is of; sweep it and name both"):
        losses.build_joint([twin, twin], {"name": "f", "table": "t"})
