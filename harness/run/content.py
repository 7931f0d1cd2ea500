"""The content of a file's entries in any form: ranked lists, or judgements
(harness.evaluation.gold).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from harness.core.errors import keys_of
from harness.run.trec import RUN, Line

QUERY = ("query_id", "qid", "q_id", "query", "topic", "query-id")
DOC = ("doc_id", "docno", "docid", "doc", "pid", "passage_id", "corpus-id", "_id")
"""Names of the columns of ids, ours and those of other tools (PyTerrier, ranx, ir_measures,
BEIR).
"""
SYSTEM = ("tag", "run_id", "run_tag", "run_name", "run", "system", "model", "method", "retriever")
"""Names of a column with the system of an entry."""


def plain(name: str) -> str:
    """Return the name of a column without case and outer blanks, by which columns are found."""
    return name.strip().casefold()


@dataclass(frozen=True)
class Content:
    """A query, a document and a number, with their names in each form of file.

    Attributes:
        columns: by our name of each column, the names that it may have, ours first.
        line: the form of a TREC line.
        json: the form of JSON, for messages.
        alone: the number of a document without one, by its place in a list from 0.
        judged: whether these are judgements, whose lists need no order.
        ranks: the names of a column of ranks, next to the number or instead of it.
        systems: the names of a column of systems, which is read only to count them.
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
        """Return the content with other names of columns, ``{"doc": "pid"}``. Raise HarnessError
        for an unknown key.
        """
        keys_of("columns", columns, self.typed)
        renamed = {self.typed[key]: (plain(str(name)),) for key, name in (columns or {}).items()}
        ranks = renamed.pop("rank", self.ranks)
        return replace(self, columns={**self.columns, **renamed}, ranks=ranks)

    def schema(self, chosen: Sequence[str]) -> pa.Schema:
        """Return the schema by which Arrow reads the columns of a query, a document, numbers and a
        system.
        """
        texts = {*map(plain, chosen[:2]), *self.systems}
        return pa.schema(
            [(name, pa.string() if plain(name) in texts else pa.float64()) for name in chosen]
        )

    def has_columns(self, columns: Sequence[str]) -> bool:
        """Return whether these columns include a name of each column."""
        names = {*map(plain, columns)}
        return all(names.intersection(others) for others in self.columns.values())


LISTS = Content(
    {"query_id": QUERY, "doc_id": DOC, "score": ("score", "similarity", "distance", "dist")},
    RUN,
    '{"query id": {"document id": score}}',
    lambda place: 1 / (place + 1),
    ranks=("rank",),
    systems=SYSTEM,
)
