"""CQA-12k: single questions of CSQA over Wikidata, in six categories, with subgraphs in the RoG
form.
"""

from __future__ import annotations

from dataclasses import dataclass

from harness.benchmark.source.records import Record
from harness.core.errors import one_of
from harness.plugins.dice.dataset.rog import Rog

CATEGORIES = (
    "Simple Question (Direct)",
    "Logical Reasoning",
    "Quantitative Reasoning (All)",
    "Quantitative Reasoning (Count)",
    "Comparative Reasoning (All)",
    "Comparative Reasoning (Count)",
)


@dataclass(frozen=True)
class CQA12k(Rog):
    """A record's ``category``, one of six (Dice-Sorensen hybrid, section 5.1), is the question's
    type.
    """

    def kind(self, record: Record) -> str | None:
        """Return the category."""
        one_of("category", record.get("category"), CATEGORIES)
        return str(record["category"])
