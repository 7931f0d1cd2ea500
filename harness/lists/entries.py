"""What a file of ranked lists holds, before its documents are numbered, and the runs that it becomes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from harness.errors import HarnessError
from harness.lists.number import number
from harness.run import Run


class Place(Protocol):
    """Where an entry stands, for messages: ``run.trec:17``."""

    def __call__(self, entry: int) -> str:
        """The place of entry number ``entry``."""
        ...


@dataclass(frozen=True, eq=False)
class Entries:
    """N entries (query, document, score) of one file, in the file's order.

    queries: string[Q], each once.    rows: int[N], the query of each entry.    docs: string[N], document ids.
    scores: float64[N].    ranks: int[N], where the file gives them; None says nothing.    place: for messages.
    """

    queries: pa.StringArray
    rows: NDArray[np.signedinteger]
    docs: pa.ChunkedArray
    scores: NDArray[np.float64]
    ranks: NDArray[np.signedinteger] | None = None
    place: Place = field(default=lambda entry: f"entry {entry + 1}")


def runs_of(files: Mapping[str, Entries]) -> dict[str, Run]:
    """The runs of some files, over the same queries and the same documents (ids ascending).

    Queries come in the order of the first file, then those that only later ones hold; a list that lacks a query has an
    empty list there. Raises HarnessError for a score that is not finite and for a document twice in a list.
    """
    for found in files.values():
        check_finite(found)
    doc_ids, numbers = number([found.docs for found in files.values()])
    queries = pc.unique(pa.concat_arrays([found.queries for found in files.values()]))
    runs = {}
    for (name, found), docs in zip(files.items(), numbers, strict=True):
        places = pc.index_in(found.queries, value_set=queries).to_numpy(zero_copy_only=False)
        try:
            runs[name] = Run.of(queries, doc_ids, places[found.rows], docs, found.scores)
        except HarnessError:
            _check_once(found, docs)
            raise
    return runs


def check_finite(found: Entries) -> None:
    """Raise at the first score that is not finite."""
    bad = np.flatnonzero(~np.isfinite(found.scores))
    if bad.size:
        entry = int(bad[0])
        raise HarnessError(
            f"{found.place(entry)}: the score of document {found.docs[entry]} must be a finite number, "
            f"got {found.scores[entry]}"
        )


def check_ranks(found: Entries, ranks: NDArray[np.signedinteger]) -> None:
    """Raise where a document has a better rank than one with a greater score. ranks: int[N], as the file gives them."""
    rows, scores = found.rows, found.scores
    ordered = (rows[1:] > rows[:-1]) | (
        (rows[1:] == rows[:-1]) & (scores[1:] <= scores[:-1]) & (ranks[1:] >= ranks[:-1])
    )
    if ordered.all():
        return
    order = np.lexsort((ranks, -scores, rows))
    wrong = (rows[order][1:] == rows[order][:-1]) & (ranks[order][1:] < ranks[order][:-1])
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        better, worse = int(order[at]), int(order[at + 1])
        raise HarnessError(
            f"{found.place(worse)}: query {found.queries[int(rows[worse])]}, document {found.docs[worse]}: "
            f"rank {ranks[worse]} contradicts the score {float(scores[worse])!r}: document {found.docs[better]} has "
            f"the greater score {float(scores[better])!r} and rank {ranks[better]}; number the ranks by descending "
            "score"
        )


def _check_once(found: Entries, docs: NDArray[np.int32]) -> None:
    order = np.lexsort((docs, found.rows))
    rows, numbers = found.rows[order], docs[order]
    twice = np.flatnonzero((rows[1:] == rows[:-1]) & (numbers[1:] == numbers[:-1]))
    if twice.size:
        pair = int(order[twice].min())
        again = int(order[1:][twice[order[twice] == pair]][0])
        raise HarnessError(
            f"{found.place(again)}: query {found.queries[int(found.rows[again])]} holds document {found.docs[again]} "
            "twice; keep one of its entries"
        )
