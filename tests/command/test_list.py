"""`harness list CONCEPT`: what can be chosen, in words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from harness.core.configuration.conf_files import names
from harness.evaluation.metric.measure import MEASURES
from tests.process import harness


def test_metrics_with_the_counts_of_every_trial(tmp_path: Path) -> None:
    rows = harness("list", "metric", cwd=tmp_path, check=True).stdout.splitlines()[2:]
    named = {row.split()[0].removesuffix("@k") for row in rows}
    assert {*MEASURES, "graph_win", "graph_loss"} <= named
    (win,) = [row for row in rows if row.startswith("graph_win")]
    assert "GraphWin" in win
    assert "dense" in win


@pytest.mark.plugin("phasegraph")
def test_every_name_of_a_concept_and_what_it_is(tmp_path: Path) -> None:
    for concept in ("fuser", "normalizer", "experiment"):
        lines = harness("list", concept, cwd=tmp_path, check=True).stdout.splitlines()[2:]
        rows = [" ".join(part.split()) for part in re.split(r"\n(?! )", "\n".join(lines))]
        assert [row.split()[0] for row in rows] == names(concept)
        assert all(len(row.split()) > 2 for row in rows), concept
        assert concept != "experiment" or all(row.endswith((".", "?")) for row in rows), (
            "a sentence that goes on"
        )


def test_a_concept_that_is_not_there(tmp_path: Path) -> None:
    done = harness("list", "fusr", cwd=tmp_path)
    assert done.returncode == 2
    assert "concept=fusr is not known (did you mean fuser?); known: " in done.stderr
