"""A run: one system's ranked lists, as arrays over the whole benchmark (the TREC word).

Every list is in the one order of the house: score descending, then document ascending, where a
document's number is the place of its id in the sorted ids.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import ArrayLike, NDArray

from harness.core import escape
from harness.core.arrays import read_array, write_array
from harness.core.errors import HarnessError, path_of, whole_number
from harness.core.files import REBUILD
from harness.core.table import Column, Table, counted
from harness.run.content import LISTS
from harness.run.entries import (
    PADDING,
    Entries,
    check_finite,
    check_named,
    check_once,
    check_ranks,
    find_order,
    large_scores,
    number,
    numbers,
    said,
    strings,
    without_padding,
)
from harness.run.mapping import Listed, entries_of, mapping_of

if TYPE_CHECKING:
    import pandas as pd

    from harness.run.frame import Frame


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """Ranked lists of Q queries.

    query_ids: string[Q].    doc_ids: string[D], ascending; a document's number is its place here.
    indptr: int64[Q + 1]; query q's list is ``docs[indptr[q]:indptr[q + 1]]`` (int32 document
    numbers) with ``scores`` (float64, finite), sorted by score descending, then document ascending;
    no document twice in a list.    notes: what its reader, or what fused it, passed over, joined or
    doubts, a sentence each.

    What is given as numbers or texts of another kind is made so; HarnessError where it cannot, or
    where it is not as it says here (``Run.of`` brings entries into order).
    """

    ARRAYS: ClassVar[Mapping[str, type[np.number[Any]]]] = {
        "indptr": np.int64,
        "docs": np.int32,
        "scores": np.float64,
    }

    query_ids: pa.StringArray
    doc_ids: pa.StringArray
    indptr: NDArray[np.int64]
    docs: NDArray[np.int32]
    scores: NDArray[np.float64]
    notes: Sequence[str] = ()

    def __post_init__(self) -> None:
        for name in ("query_ids", "doc_ids"):
            object.__setattr__(self, name, strings(name, getattr(self, name)))
        for name, kind in self.ARRAYS.items():
            object.__setattr__(self, name, numbers(name, getattr(self, name), kind))
        _check_ids(self.query_ids, self.doc_ids)
        count, bounds = len(self.docs), self.indptr
        whole = len(bounds) == len(self) + 1 and (bounds[0], bounds[-1]) == (0, count)
        if not whole or (np.diff(bounds) < 0).any() or len(self.scores) != count:
            raise HarnessError(
                f"indptr: expected {len(self) + 1} numbers that rise from 0 to {count}, and as "
                f"many scores, got {len(bounds)}, {bounds[:5].tolist()} ..., and "
                f"{len(self.scores)} scores"
            )
        _check_range("docs", "document", self.docs, len(self.doc_ids))
        entries = self.entries()
        check_finite(entries)
        check_once(entries)
        rows = entries.queries.indices.to_numpy()
        order = find_order(rows, self.docs, self.scores)
        if order is not None:
            entry = int(np.flatnonzero(order != np.arange(count))[0])
            raise HarnessError(
                f"query {entries.queries[entry]}: document {entries.docs[entry]} stands before a "
                "better one; expected scores descending, equal ones by document ascending: Run.of "
                "sorts them"
            )

    def changed(self, **values: Any) -> Run:
        """The same with other notes, or with arrays in the order that they were checked to have.

        Args:
            values: fields of the run.

        Returns:
            The changed run.
        """
        found: Run = object.__new__(type(self))
        found.__dict__.update({**vars(self), **values})
        return found

    @classmethod
    def of(
        cls,
        query_ids: Sequence[str] | pa.StringArray,
        doc_ids: Sequence[str] | pa.StringArray,
        query: ArrayLike,
        doc: ArrayLike,
        score: ArrayLike,
    ) -> Run:
        """The run of entries in any order; sorts them into the one order.

        Args:
            query_ids: string[Q].
            doc_ids: string[D], ascending.
            query: int[N], the number of each entry's query.
            doc: int[N], the number of each entry's document.
            score: float[N], finite.

        Returns:
            The lists of the Q queries.

        Raises:
            HarnessError: a number of no query or document, a score that is not finite, or a
                document twice in a list.
        """
        queries, documents = strings("query_ids", query_ids), strings("doc_ids", doc_ids)
        rows, found = (
            numbers(f"Run.of: {name}", each, np.int64)
            for name, each in (("query", query), ("doc", doc))
        )
        # -0.0 becomes 0.0: they are one score
        values = numbers("Run.of: score", score, np.float64) + 0.0
        if not len(rows) == len(found) == len(values):
            raise HarnessError(
                f"Run.of: expected as many queries as documents and scores, got {len(rows)}, "
                f"{len(found)} and {len(values)}"
            )
        padded = (found == -1) & (np.abs(values) >= PADDING)
        notes = [f"Run.of: left out {counted(int(padded.sum()), 'entry')} of FAISS's padding"]
        if padded.any():
            rows, found, values = rows[~padded], found[~padded], values[~padded]
        _check_range("Run.of", "query", rows, len(queries))
        _check_range("Run.of", "document", found, len(documents))
        documents_of = found.astype(np.int32)
        order = find_order(rows, documents_of, values)
        if order is not None:
            rows, documents_of, values = rows[order], documents_of[order], values[order]
        indptr = np.searchsorted(rows, np.arange(len(queries) + 1), side="left").astype(np.int64)
        notes = said(notes if padded.any() else [])
        return cls(queries, documents, indptr, documents_of, values, notes)

    @classmethod
    def from_dict(cls, lists: Listed) -> Run:
        """The run of mappings.

        Args:
            lists: ``{query id: {document id: score}}``; queries keep the mapping's order. Pairs
                ``[(document id,
                score), ...]`` do, too, and ids alone, best first, whose score is 1 / rank. Ids are
                texts; whole numbers become texts.

        Returns:
            The lists of these queries.

        Raises:
            HarnessError: an id is neither, a score is no finite number, or a document stands twice
                in a list.
        """
        return runs_of({"": entries_of("Run.from_dict", lists, LISTS)})[""]

    @classmethod
    def from_ranx(cls, run: Any) -> Run:
        """The run of a ``ranx.Run``.

        Args:
            run: of ranx, or anything that has its ``to_dict()``.

        Returns:
            Its lists.

        Raises:
            HarnessError: it has no ``to_dict``, or that gives no scores.
        """
        return cls.from_dict(mapping_of("Run.from_ranx", run))

    @classmethod
    def from_frame(cls, frame: Frame, columns: Mapping[str, str] | None = None) -> Run:
        """The run of a data frame, a row an entry.

        Args:
            frame: of pandas, polars or Arrow, with PyTerrier's ``qid, docno, score``, ranx's
                ``q_id, doc_id, score`` or
                other usual names (see ``harness.run.frame``).
            columns: what they are called otherwise:
                ``{"query": "topic", "doc": "pid", "score": "similarity"}``, or
                some of these.

        Returns:
            Its lists.

        Raises:
            HarnessError: a column is missing, or holds something else; names the row.
        """
        from harness.run import frame as frames

        return runs_of({"": frames.entries_of(frame, LISTS.named(columns))})[""]

    def to_frame(self) -> pd.DataFrame:
        """A row an entry: ``query_id, doc_id, rank`` (from 1), ``score``; best document first."""
        frame: pd.DataFrame = self.ranked().to_table().to_pandas()
        return frame

    def to_dict(self) -> dict[str, dict[str, float]]:
        """``{query id: {document id: score}}``, best document first."""
        names = self.doc_ids.to_pylist()
        bounds = self.indptr.tolist()
        return {
            query: {
                names[d]: s
                for d, s in zip(self.docs[a:b].tolist(), self.scores[a:b].tolist(), strict=True)
            }
            for query, a, b in zip(self.query_ids.to_pylist(), bounds[:-1], bounds[1:], strict=True)
        }

    @classmethod
    def from_trec(cls, path: str | Path) -> Run:
        """Read a TREC run file (``qid Q0 docid rank score tag``), checked as ``harness.run.trec``
        says.

        Args:
            path: of the file, plain or packed.

        Returns:
            The lists of the queries that the file names.

        Raises:
            HarnessError: a line is not of that form; names file, line and value.
        """
        from harness.run.form import TREC

        return runs_of({"": TREC.entries(path_of("path", path))})[""]

    def to_trec(self, path: str | Path, tag: str = "harness") -> None:
        """Write a TREC run file, best document first; scores round-trip to the bit.

        Args:
            path: of the file; packed where its ending says so.
            tag: the name of the system in the last column.

        Raises:
            HarnessError: an id or the tag is empty or holds white space.
        """
        from harness.run.form import TREC, trec_lines

        TREC.check_text("tag", pa.array([tag]))
        replace(TREC, write=trec_lines(tag).write).save(self.ranked(), path_of("path", path))

    def entries(self) -> Entries:
        """The lists as a file would hold them."""
        rows = np.repeat(np.arange(len(self), dtype=np.int32), self.lengths())
        return Entries(
            pa.DictionaryArray.from_arrays(pa.array(rows), self.query_ids),
            pa.DictionaryArray.from_arrays(pa.array(self.docs), self.doc_ids),
            self.scores,
        )

    def ranked(self) -> Entries:
        """The same with ranks, from 1."""
        entries, starts = self.entries(), self.indptr[:-1]
        ranks = np.arange(1, len(entries.scores) + 1) - starts[entries.queries.indices.to_numpy()]
        return replace(entries, ranks=ranks)

    def __len__(self) -> int:
        """Number of queries."""
        return len(self.query_ids)

    def __repr__(self) -> str:
        """``Run(1,000 queries, 200,000 documents in lists of 200 to 200, 3 lists empty)``."""
        lengths = self.lengths()
        span = f" in lists of {lengths.min()} to {lengths.max()}" if len(lengths) else ""
        empty = f"{counted(len(self) - self.answered, 'list')} empty"
        return (
            f"Run({counted(len(self), 'query')}, {counted(len(self.docs), 'document')}{span}, "
            f"{empty})"
        )

    def _repr_html_(self) -> str:
        """The numbers, and the best documents of the first lists."""
        return f"<p>{escape.html(repr(self))}</p>\n{self._head().html()}"

    def _head(self) -> Table:
        shown = self.take(np.arange(min(len(self), 5))).top(3).to_dict()
        rows = [
            [query, place, *entry]
            for query, docs in shown.items()
            for place, entry in enumerate(docs.items(), 1)
        ]
        columns = [
            Column("query", "text"),
            Column("rank", "count"),
            Column("document", "text"),
            Column("score", "value"),
        ]
        return Table("run", "best documents of the first queries", columns, rows)

    def equals(self, other: Run) -> bool:
        """Whether another run has the same lists.

        Args:
            other: a run.

        Returns:
            Whether queries, documents, order and scores are the same.
        """
        ids = self.query_ids.equals(other.query_ids) and self.doc_ids.equals(other.doc_ids)
        return self is other or (
            ids
            and all(
                np.array_equal(getattr(self, name), getattr(other, name)) for name in self.ARRAYS
            )
        )

    def lengths(self) -> NDArray[np.int64]:
        """int64[Q]: how many documents each list holds."""
        return np.diff(self.indptr)

    @property
    def answered(self) -> int:
        """How many queries have a list that is not empty."""
        return int((self.lengths() > 0).sum())

    def take(self, queries: NDArray[Any]) -> Run:
        """The run of some queries.

        Args:
            queries: int[q], their numbers, or bool[Q].

        Returns:
            Their lists, in that order.
        """
        asked = np.asarray(queries)
        if asked.dtype == bool and len(asked) == len(self):
            asked = np.flatnonzero(asked)
        places = numbers("queries", asked, np.int64)
        _check_range("queries", "query", places, len(self))
        lengths = self.lengths()[places]
        indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        if len(places) and (np.diff(places) == 1).all():
            first, last = int(places[0]), int(places[-1]) + 1
            part = slice(self.indptr[first], self.indptr[last])
            ids = self.query_ids.slice(first, last - first)
            return self.changed(
                query_ids=ids,
                indptr=indptr,
                docs=self.docs[part],
                scores=self.scores[part],
            )
        entries = np.repeat(self.indptr[places] - indptr[:-1], lengths) + np.arange(indptr[-1])
        ids = self.query_ids.take(pa.array(places))
        values = {"docs": self.docs[entries], "scores": self.scores[entries]}
        return self.changed(query_ids=ids, indptr=indptr, **values)

    def top(self, depth: int | None) -> Run:
        """The run with each list cut to its best documents.

        Args:
            depth: how many; None cuts nothing.

        Returns:
            The cut lists.
        """
        if depth is not None:
            whole_number("depth", depth, 0)
        if depth is None or depth >= self.lengths().max(initial=0):
            return self
        lengths = np.minimum(self.lengths(), depth)
        indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        entries = np.repeat(self.indptr[:-1] - indptr[:-1], lengths) + np.arange(indptr[-1])
        values = {"docs": self.docs[entries], "scores": self.scores[entries]}
        return self.changed(indptr=indptr, **values)

    def aligned(self, query_ids: pa.StringArray, doc_ids: pa.StringArray) -> Run:
        """The same lists for other queries and documents.

        Args:
            query_ids: string[q]. A query that this run does not hold gets an empty list; one that
                is not here is left
                out.
            doc_ids: string[d], ascending, a superset of the run's documents.

        Returns:
            The lists of ``query_ids``, in their order.
        """
        if self.query_ids.equals(query_ids) and self.doc_ids.equals(doc_ids):
            return self
        numbers = pc.index_in(self.doc_ids, value_set=doc_ids)
        if numbers.null_count:
            missing = self.doc_ids.filter(pc.is_null(numbers))
            raise HarnessError(
                f"document {missing[0]} and {len(missing) - 1} others are not in the corpus"
            )
        renumbered = numbers.to_numpy(zero_copy_only=False).astype(
            np.int32
        )  # ascending, so lists keep their order
        places = pc.index_in(query_ids, value_set=self.query_ids)
        found = ~np.asarray(pc.is_null(places))
        taken = self.take(np.asarray(places.filter(pa.array(found)), dtype=np.int64))
        lengths = np.zeros(len(query_ids), dtype=np.int64)
        lengths[found] = taken.lengths()
        indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        ids = {"query_ids": query_ids, "doc_ids": doc_ids}
        return taken.changed(**ids, indptr=indptr, docs=renumbered[taken.docs])

    def save(self, folder: Path) -> None:
        """Write the arrays of an artifact; ids are the benchmark's and are not written again.

        Args:
            folder: where ``indptr``, ``docs`` and ``scores`` are written.
        """
        for name in self.ARRAYS:
            write_array(folder / f"{name}.npy", getattr(self, name))

    @classmethod
    def load(cls, folder: Path, query_ids: pa.StringArray, doc_ids: pa.StringArray) -> Run:
        """Read what ``save`` wrote.

        Args:
            folder: where the arrays are.
            query_ids: string[Q], the benchmark's.
            doc_ids: string[D], the benchmark's.

        Returns:
            The run.

        Raises:
            HarnessError: it is no run of these queries and documents.
        """
        indptr, docs, scores = (
            read_array(folder / f"{name}.npy", kind, (None,)) for name, kind in cls.ARRAYS.items()
        )
        try:
            return cls(query_ids, doc_ids, indptr, docs, scores)
        except HarnessError as error:
            raise HarnessError(f"{folder}: {error}; {REBUILD}") from error


def _check_range(place: str, what: str, given: NDArray[Any], size: int) -> None:
    """Raise at the first number of no query or document, of which there are ``size``."""
    if len(given) and not 0 <= given.min() <= given.max() < size:
        wrong = given[(given < 0) | (given >= size)][0]
        raise HarnessError(
            f"{place}: there is no {what} {wrong}; expected numbers from 0 to {size - 1}"
        )


def _check_ids(queries: pa.StringArray, documents: pa.StringArray) -> None:
    """Raise where a query stands twice, or documents are not ascending, each once."""
    if len(queries) > 1 and len(pc.unique(queries)) < len(queries):
        counts = pc.value_counts(queries)
        twice = counts.field("values").filter(pc.greater(counts.field("counts"), 1))[0]
        raise HarnessError(f"query_ids: {twice} stands there twice; expected each once")
    rising = pc.less(documents[:-1], documents[1:])
    if len(documents) > 1 and (wrong := pc.index(rising, False).as_py()) >= 0:
        raise HarnessError(
            f"doc_ids: {documents[wrong]} stands before {documents[wrong + 1]}; expected ids in "
            "ascending order, each once"
        )


def runs_of(files: Mapping[str, Entries]) -> dict[str, Run]:
    """The runs of some files, over the same queries and the same documents (ids ascending).

    Queries come in the order of the first file, then those that only later ones hold; a list that
    lacks a query has an empty list there. Raises HarnessError for a score that is not finite, for a
    document twice in a list, and for a rank that contradicts a score.
    """
    files = {name: without_padding(found) for name, found in files.items()}
    doc_ids, places = number([found.docs for found in files.values()])
    queries = pc.unique(pa.concat_arrays([found.queries.dictionary for found in files.values()]))
    runs = {}
    for (name, found), docs in zip(files.items(), places, strict=True):
        rows = pc.index_in(found.queries.dictionary, value_set=queries).to_numpy()[
            found.queries.indices.to_numpy()
        ]
        check_named(found)
        check_finite(found)
        ranked = [] if found.ranks is None else check_ranks(found, found.ranks)
        notes = said([*found.notes, *large_scores(found), *ranked])
        try:
            run = Run.of(queries, doc_ids, rows, docs, found.scores)
        except HarnessError:
            check_once(found)
            raise
        runs[name] = run.changed(notes=notes)
    return runs
