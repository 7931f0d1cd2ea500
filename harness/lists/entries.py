"""What a file of ranked lists holds, before its documents are numbered, and the runs that it becomes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from harness.errors import HarnessError
from harness.lists.number import number
from harness.run import Run


@dataclass(frozen=True, eq=False)
class Entries:
    """N entries (query, document, score) of one file, in the file's order.

    queries: string[Q], each once, in order of first appearance.    rows: int[N], the query of each entry.
    docs: string[N], document ids.    scores: float64[N].
    place: where an entry stands, for messages: ``run.trec:17``.
    """

    queries: pa.StringArray
    rows: NDArray[np.signedinteger]
    docs: pa.ChunkedArray
    scores: NDArray[np.float64]
    place: Callable[[int], str]


def runs_of(files: Mapping[str, Entries]) -> dict[str, Run]:
    """The runs of some files, over the same queries and the same documents (ids ascending).

    Queries come in the order of the first file, then those that only later ones hold; a list that lacks a query has an
    empty list there. Raises HarnessError for a score that is not finite and for a document twice in a list.
    """
    for found in files.values():
        _check_finite(found)
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


def _check_finite(found: Entries) -> None:
    bad = np.flatnonzero(~np.isfinite(found.scores))
    if bad.size:
        entry = int(bad[0])
        raise HarnessError(
            f"{found.place(entry)}: the score of document {found.docs[entry]} must be a finite number, "
            f"got {found.scores[entry]}"
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
