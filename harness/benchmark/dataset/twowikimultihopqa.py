"""2WikiMultiHopQA. The hops are the titles of ``supporting_facts`` in the order of their first
appearance.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from harness.benchmark.source.facts import Facts, gold_passages
from harness.benchmark.source.prepared_files import need_file
from harness.benchmark.source.records import Record, Records, read_lines
from harness.benchmark.source.upstream import CorpusRecords, rows_of
from harness.core.errors import HarnessError

EVIDENCE = ("fact", "relation", "entity")


@dataclass(frozen=True)
class TwoWikiMultiHopQA(Facts):
    """2WikiMultiHopQA's questions with their contexts.

    Compositional and inference questions are chains. Comparisons have no order (see the card).
    """

    def query(self, record: Record, passages: CorpusRecords) -> Record:
        """Return the query of a record (see Published)."""
        return {
            **self.fields(record, gold_passages(record, passages)),
            "decomposition": _steps(record),
            "order_source": "supporting_facts",
        }

    def complete(self, folder: Path, queries: Records) -> Records:
        """Add upstream's types and evidence triples from ``evidences.jsonl``: ``id, type,
        evidences``. Queries that all have a ``decomposition`` need no such file.
        """
        if all(query.get("decomposition") for query in queries.values):
            return queries
        path = need_file(folder, "evidences")
        upstream = {record["id"]: record for record in read_lines(path).values}
        missing = [query["id"] for query in queries.values if query["id"] not in upstream]
        if missing:
            raise HarnessError(
                f"{path}: query {missing[0]} is missing ({len(missing)} are); get the file again"
            )
        completed = []
        for query in queries.values:
            record = upstream[query["id"]]
            more = {
                "type": record["type"],
                "type_source": "upstream",
                "decomposition": _steps(record),
            }
            completed.append({**query, **more})
        return queries.with_values(completed)


def _steps(record: Record) -> list[dict[str, str]]:
    rows = rows_of({"evidences": [], **record}, "evidences", EVIDENCE)
    return [
        {"subject": row["fact"], "relation": row["relation"], "object": row["entity"]}
        for row in rows
    ]
