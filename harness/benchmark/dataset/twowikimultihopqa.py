"""2WikiMultiHopQA: the hops are the titles of ``supporting_facts`` in the order of their first
appearance.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from harness.benchmark.source.prepared import prepared_file
from harness.benchmark.source.published import Published
from harness.benchmark.source.records import Record, Records, read_lines
from harness.benchmark.source.upstream import Passages, gold_passages, query_of
from harness.core.errors import HarnessError


@dataclass(frozen=True)
class TwoWikiMultiHopQA(Published):
    """Compositional and inference questions are chains; comparisons stand side by side (see the
    card).
    """

    def query(self, record: Record, passages: Passages) -> Record:
        """See Published."""
        return {
            **query_of(record, gold_passages(record, passages)),
            "decomposition": _steps(record.get("evidences", [])),
            "order_source": "supporting_facts",
        }

    def complete(self, folder: Path, queries: Records) -> Records:
        """Types and evidence triples as upstream has them, from ``evidences.jsonl``:
        ``id, type, evidences``.
        """
        path = prepared_file(folder, "evidences")
        if path is None:
            raise HarnessError(
                f"{folder}: evidences.jsonl (or .jsonl.gz) is missing beside {queries.path}; get "
                "it too"
            )
        upstream = {record["id"]: record for record in read_lines(path).values}
        missing = [query["id"] for query in queries.values if query["id"] not in upstream]
        if missing:
            raise HarnessError(
                f"{path}: query {missing[0]} is missing ({len(missing)} are); get the file again"
            )
        return queries.with_values(
            [_completed(query, upstream[query["id"]]) for query in queries.values]
        )


def _completed(query: Record, upstream: Record) -> Record:
    steps = _steps(upstream["evidences"])
    return {**query, "type": upstream["type"], "type_source": "upstream", "decomposition": steps}


def _steps(evidences: Iterable[tuple[str, str, str]]) -> list[dict[str, str]]:
    return [{"subject": s, "relation": r, "object": o} for s, r, o in evidences]
