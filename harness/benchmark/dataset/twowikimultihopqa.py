"""2WikiMultiHopQA: the hops are the titles of ``supporting_facts`` in the order of their first appearance."""

from __future__ import annotations

from dataclasses import dataclass

from harness.benchmark.dataset.published import Published
from harness.benchmark.dataset.records import Record
from harness.benchmark.dataset.supporting_facts import gold_passages, query_of
from harness.benchmark.dataset.upstream import Passages


@dataclass(frozen=True)
class TwoWikiMultiHopQA(Published):
    """Compositional and inference questions are chains; comparisons stand side by side (see the card)."""

    def query(self, record: Record, passages: Passages) -> Record:
        """See Published."""
        steps = [{"subject": s, "relation": r, "object": o} for s, r, o in record.get("evidences", [])]
        return {
            **query_of(record, gold_passages(record, passages)),
            "decomposition": steps,
            "order_source": "supporting_facts",
        }
