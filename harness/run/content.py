"""What an entry of a file is, whatever its form: of ranked lists, or (harness.evaluation.gold) of
judgements.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from harness.core.errors import keys_of
from harness.run.trec import RUN, Line

QUERY = ("query_id", "qid", "q_id", "query", "topic", "query-id")
DOC = ("doc_id", "docno", "docid", "doc", "pid", "passage_id", "corpus-id", "_id")
"""Our names of the columns of ids, and those of other tools (PyTerrier, ranx, ir_measures, BEIR).
"""
SYSTEM = ("tag", "run_id", "run_tag", "run_name", "run", "system")
"""Names of a column that says which system an entry is of."""


@dataclass(frozen=True)
class Content:
    """A query, a document and a number, and what each form of file calls them.

    columns: by our name of each column those that it may have, the first one first.    line: of
    TREC.    json: the form
    of JSON, for messages.    alone: the number of a document that has none, by its place in a list
    from 0.
    judged: whether of a tool's answer the gold passages are read, and not what it found.
    ranks: the names that a column of ranks may have, beside the number or in its place.
    systems: those that a column of systems may have; read to see whether there are several.
    """

    columns: Mapping[str, Sequence[str]]
    line: Line
    json: str
    alone: Callable[[int], float]
    judged: bool = False
    ranks: Sequence[str] = ()
    systems: Sequence[str] = ()

    @property
    def typed(self) -> dict[str, str]:
        """The keys of ``columns={query: ..., doc: ..., score: ...}``, and our name of each."""
        ranked = {"rank": "rank"} if self.ranks else {}
        return {name.removesuffix("_id"): name for name in self.columns} | ranked

    @property
    def ids(self) -> tuple[Sequence[str], Sequence[str]]:
        """The names that a query's and a document's column may have."""
        query, doc, _ = self.columns.values()
        return query, doc

    def named(self, columns: Mapping[str, str] | None) -> Content:
        """The same where some columns are called as given, ``{"doc": "pid"}``. Raises HarnessError
        for another key.
        """
        keys_of("columns", columns, self.typed)
        given = {self.typed[key]: (str(name),) for key, name in (columns or {}).items()}
        ranks = given.pop("rank", self.ranks)
        return replace(self, columns={**self.columns, **given}, ranks=ranks)

    def schema(self, chosen: Sequence[str]) -> pa.Schema:
        """How Arrow reads the columns of a query, a document, numbers and a system."""
        texts = (*chosen[:2], *self.systems)
        return pa.schema(
            [(name, pa.string() if name in texts else pa.float64()) for name in chosen]
        )

    def has_columns(self, found: Sequence[str]) -> bool:
        """Whether a file whose columns are these has one of the names of each."""
        return all(any(name in found for name in others) for others in self.columns.values())


LISTS = Content(
    {"query_id": QUERY, "doc_id": DOC, "score": ("score", "similarity")},
    RUN,
    '{"query id": {"document id": score}}',
    lambda place: 1 / (place + 1),
    ranks=("rank",),
    systems=SYSTEM,
)
