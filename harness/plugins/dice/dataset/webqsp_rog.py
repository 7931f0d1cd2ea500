"""WebQSP with its Freebase subgraphs, as RoG publishes it."""

from __future__ import annotations

from dataclasses import dataclass

from harness.benchmark.source.records import Record
from harness.plugins.dice.dataset.rog import Rog


@dataclass(frozen=True)
class WebQSP(Rog):
    """4,737 questions without categories (the Dice-Sorensen hybrid's Table 1 has none)."""

    def kind(self, record: Record) -> str | None:
        """Return None: WebQSP does not class its questions."""
        return None
