"""How much of a split's gold each list of a sweep knows."""

from __future__ import annotations

from typing import Any

from harness.evaluation.coverage import Coverage
from harness.evaluation.gold import Gold
from harness.sweep.trial.prepared import Prepared


def coverage(prepared: Prepared, split: str) -> dict[str, dict[str, Any]]:
    """By list, the counts and the warnings of ``harness.evaluation.coverage.Coverage`` over ``tune`` or ``test``."""
    members = prepared.benchmark.members(split)
    judged = Gold.of(prepared.benchmark).take(members.tolist())
    return {name: Coverage.of(run.take(members), judged).to_dict() for name, run in prepared.runs.items()}
