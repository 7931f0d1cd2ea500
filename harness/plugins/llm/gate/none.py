"""No gate: every fact is kept. What an ablation compares with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from harness.plugins.llm.gate import Candidates, Kept
from harness.work.store import Store


@dataclass(frozen=True)
class Open:
    """Keeps every candidate."""

    def decide(
        self, questions: Sequence[str], candidates: Candidates, folder: Path, store: Store
    ) -> Kept:
        """Return the decisions. See ``harness.plugins.llm.gate.FactGate``."""
        return np.ones(sum(map(len, candidates)), dtype=np.bool_), {}
