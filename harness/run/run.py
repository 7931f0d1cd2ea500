"""A run: the ranked lists of one system, as arrays over the whole benchmark (the TREC word).

Every list is sorted by score descending, then by document ascending. A document's number is the
place of its id in the sorted ids.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import ArrayLike, NDArray

from harness.core.arrays import (
    BoolArray,
    Float64Array,
    Int32Array,
    Int64Array,
    arrow,
    find,
    load_array,
    to_numpy,
    write_array,
)
from harness.core.errors import HarnessError, path_of, whole_number
from harness.core.identity import texts_sha256
from harness.core.table import counted
from harness.run.content import LISTS
from harness.run.entries import (
    PADDING,
    Entries,
    check_finite,
    check_named,
    check_once,
    check_ranks,
    check_rising,
    find_order,
    log_notes,
    number,
    numbers,
    strings,
    without_padding,
)
from harness.run.mapping import Listed, entries_of, mapping_of

if TYPE_CHECKING:
    import pandas as pd

    from harness.run.frame import Frame


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """The ranked lists of Q queries over D documents.

    Numbers and texts of other types are converted. ``Run.of`` sorts unsorted entries.

    Attributes:
        query_ids: string[Q].
        doc_ids: string[D], ascending. A document's number is its place here.
        indptr: int64[Q + 1]; the list of query q is ``docs[indptr[q]:indptr[q + 1]]``.
        docs: int32[N], document numbers, sorted by score descending, then by number ascending; none
            twice in a list.
        scores: float64[N], finite.
        notes: what its reader or its fusion left out, joined or doubts, a sentence each.

    Raises:
        HarnessError: a value cannot be converted or breaks a rule above.
    """

    ARRAYS: ClassVar[Mapping[str, type[np.number[Any]]]] = {
        "indptr": np.int64,
        "docs": np.int32,
        "scores": np.float64,
    }

    query_ids: pa.StringArray
    doc_ids: pa.StringArray
    indptr: Int64Array
    docs: Int32Array
    scores: Float64Array
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
        rows = to_numpy(entries.queries.indices)
        order = find_order(rows, self.docs, self.scores)
        if order is not None:
            entry = int(np.flatnonzero(order != np.arange(count))[0])
            raise HarnessError(
                f"query {entries.queries[entry]}: document {entries.docs[entry]} is before a "
                "better one; expected scores descending, equal ones by document ascending: Run.of "
                "sorts them"
            )

    def content_sha256(self) -> str:
        """Return the SHA-256 of the lists: ids and scores, whatever the form and the order of the
        queries in a file. A query without documents counts as one that is absent.
        """
        places = np.flatnonzero(self.lengths())
        names = self.query_ids.take(pa.array(places))
        lists = self.take(places[to_numpy(pc.array_sort_indices(names))])
        used, docs = np.unique(lists.docs, return_inverse=True)
        ids = (*lists.query_ids.to_pylist(), "", *lists.doc_ids.take(pa.array(used)).to_pylist())
        whole = hashlib.sha256(texts_sha256(ids).encode())
        for array in (lists.indptr, docs.astype(np.int32), lists.scores):
            whole.update(np.ascontiguousarray(array).tobytes())
        return whole.hexdigest()

    def changed(self, **values: Any) -> Run:
        """Return the run with other notes, or with arrays that are known to be in order.

        Args:
            values: fields of the run.

        Returns:
            The changed run.
        """
        run: Run = object.__new__(type(self))
        run.__dict__.update({**vars(self), **values})
        return run

    @classmethod
    def of(
        cls,
        query_ids: Sequence[str] | pa.StringArray,
        doc_ids: Sequence[str] | pa.StringArray,
        query: ArrayLike,
        doc: ArrayLike,
        score: ArrayLike,
    ) -> Run:
        """Return the run of entries in any order.

        Args:
            query_ids: string[Q].
            doc_ids: string[D], ascending.
            query: int[N], the number of each entry's query.
            doc: int[N], the number of each entry's document.
            score: float[N], finite.

        Returns:
            The lists of the Q queries.

        Raises:
            HarnessError: a number without a query or document, a score that is not finite, or a
                document twice in a list.
        """
        queries, documents = strings("query_ids", query_ids), strings("doc_ids", doc_ids)
        rows = numbers("Run.of: query", query, np.int64)
        places = numbers("Run.of: doc", doc, np.int64)
        # -0.0 becomes 0.0: they are one score
        values = numbers("Run.of: score", score, np.float64) + 0.0
        if not len(rows) == len(places) == len(values):
            raise HarnessError(
                f"Run.of: expected as many queries as documents and scores, got {len(rows)}, "
                f"{len(places)} and {len(values)}"
            )
        padded, notes = (places == -1) & (np.abs(values) >= PADDING), []
        if padded.any():
            notes = [f"Run.of: left out {counted(int(padded.sum()), 'entry')} of FAISS's padding"]
            rows, places, values = rows[~padded], places[~padded], values[~padded]
        _check_range("Run.of", "query", rows, len(queries))
        _check_range("Run.of", "document", places, len(documents))
        documents_of = places.astype(np.int32)
        order = find_order(rows, documents_of, values)
        if order is not None:
            rows, documents_of, values = rows[order], documents_of[order], values[order]
        indptr = np.searchsorted(rows, np.arange(len(queries) + 1), side="left").astype(np.int64)
        return cls(queries, documents, indptr, documents_of, values, log_notes(notes))

    @classmethod
    def from_dict(cls, lists: Listed) -> Run:
        """Return the run of mappings.

        Args:
            lists: ``{query id: {document id: score}}``, pairs ``[(document id, score), ...]``
                instead of the inner mapping, or ids alone, best first, whose score is 1 / rank.
                Queries keep the order of the mapping. Ids are texts; whole numbers become texts.

        Returns:
            The lists of these queries.

        Raises:
            HarnessError: an id of another type, a score that is no finite number, or a document
                twice in a list.
        """
        return runs_of({"": entries_of("Run.from_dict", lists, LISTS)})[""]

    @classmethod
    def from_ranx(cls, run: Any) -> Run:
        """Return the run of a ``ranx.Run``.

        Args:
            run: a run of ranx, or another object with ``to_dict()``.

        Returns:
            Its lists.

        Raises:
            HarnessError: it has no ``to_dict``, or that returns no scores.
        """
        return cls.from_dict(mapping_of("Run.from_ranx", run))

    @classmethod
    def from_frame(cls, frame: Frame, columns: Mapping[str, str] | None = None) -> Run:
        """Return the run of a data frame with one row for each entry.

        Args:
            frame: of pandas, polars or Arrow, with PyTerrier's ``qid, docno, score``, ranx's
                ``q_id, doc_id, score`` or other usual names (see ``harness.run.frame``).
            columns: other names: ``{"query": "topic", "doc": "pid", "score": "similarity"}``, or
                some of these.

        Returns:
            Its lists.

        Raises:
            HarnessError: a column is missing or has another type; names the row.
        """
        from harness.run import frame as frames

        return runs_of({"": frames.entries_of(frame, LISTS.named(columns))})[""]

    def to_frame(self) -> pd.DataFrame:
        """Return a data frame with one row for each entry: ``query_id, doc_id, rank`` (from 1),
        ``score``; best document first.
        """
        frame: pd.DataFrame = self.ranked().to_table().to_pandas()
        return frame

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Return ``{query id: {document id: score}}``, best document first."""
        return self.entries().to_dict()

    @classmethod
    def from_trec(cls, path: str | Path) -> Run:
        """Read a TREC run file (``qid Q0 docid rank score tag``) with the checks of
        ``harness.run.trec``.

        Args:
            path: the file, plain or packed.

        Returns:
            The lists of the queries in the file.

        Raises:
            HarnessError: a line has another form; names file, line and value.
        """
        from harness.run.form import TREC

        return runs_of({"": TREC.entries(path_of("path", path))})[""]

    def to_trec(self, path: str | Path, tag: str = "harness") -> None:
        """Write a TREC run file, best document first. Reading it gives identical scores.

        Args:
            path: the file; packed if its ending says so.
            tag: the name of the system in the last column.

        Raises:
            HarnessError: an id or the tag is empty or holds white space.
        """
        from harness.run.form import TREC, trec_lines

        TREC.check_text("tag", arrow([tag]))
        replace(TREC, write=trec_lines(tag).write).save(self.ranked(), path_of("path", path))

    def entries(self) -> Entries:
        """Return the lists as entries of a file."""
        rows = np.repeat(np.arange(len(self), dtype=np.int32), self.lengths())
        return Entries(
            pa.DictionaryArray.from_arrays(arrow(rows), self.query_ids),
            pa.DictionaryArray.from_arrays(arrow(self.docs), self.doc_ids),
            self.scores,
        )

    def ranked(self) -> Entries:
        """Return the lists as entries with ranks from 1."""
        entries, starts = self.entries(), self.indptr[:-1]
        ranks = np.arange(1, len(entries.scores) + 1) - starts[to_numpy(entries.queries.indices)]
        return replace(entries, ranks=ranks)

    def __len__(self) -> int:
        """Return the number of queries."""
        return len(self.query_ids)

    def __repr__(self) -> str:
        """Return ``Run(1,000 queries, 200,000 documents in lists of 200 to 200, 3 lists
        empty)``.
        """
        lengths = self.lengths()
        span = f" in lists of {lengths.min()} to {lengths.max()}" if len(lengths) else ""
        empty = f"{counted(len(self) - self.answered, 'list')} empty"
        return (
            f"Run({counted(len(self), 'query')}, {counted(len(self.docs), 'document')}{span}, "
            f"{empty})"
        )

    def equals(self, other: Run) -> bool:
        """Return whether another run has the same lists.

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

    def same_order(self, other: Run) -> bool:
        """Return whether another run has the same documents in the same order, whatever the scores.

        Args:
            other: a run.

        Returns:
            Whether it does. The order of the queries does not count.
        """
        ours, theirs = (run.changed(scores=np.zeros(len(run.docs))) for run in (self, other))
        return ours.content_sha256() == theirs.content_sha256()

    def lengths(self) -> Int64Array:
        """Return int64[Q], the number of documents of each list."""
        return np.diff(self.indptr)

    @property
    def answered(self) -> int:
        """The number of queries whose list is not empty."""
        return int((self.lengths() > 0).sum())

    def take(self, queries: NDArray[Any]) -> Run:
        """Return the run of some queries.

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
        return self._part(self.query_ids.take(arrow(places)), places, self.lengths()[places])

    def top(self, depth: int | None) -> Run:
        """Return the run with each list cut to its best documents.

        Args:
            depth: number of documents; None cuts nothing.

        Returns:
            The cut lists.
        """
        if depth is not None:
            whole_number("depth", depth, 0)
        if depth is None or depth >= self.lengths().max(initial=0):
            return self
        return self._part(self.query_ids, np.arange(len(self)), np.minimum(self.lengths(), depth))

    @property
    def own_documents(self) -> BoolArray:
        """bool[N], whether an entry is the document with the id of its question."""
        places = find(self.query_ids, self.doc_ids)
        return np.asarray(np.repeat(places, self.lengths()) == self.docs)

    def without_own_documents(self) -> Run:
        """Return the lists without the document with the id of their question, as BEIR scores
        them.
        """
        others = ~self.own_documents
        indptr = np.concatenate([[0], np.cumsum(others)]).astype(np.int64)[self.indptr]
        return self.changed(indptr=indptr, docs=self.docs[others], scores=self.scores[others])

    def _part(self, query_ids: pa.StringArray, places: Int64Array, lengths: Int64Array) -> Run:
        """Return the first documents of some lists, as many as ``lengths`` says."""
        indptr, starts = _bounds(lengths), self.indptr[places]
        first = int(starts[0]) if len(starts) else 0
        entries: slice | Int64Array = slice(first, first + int(indptr[-1]))
        if (starts[1:] != starts[:-1] + lengths[:-1]).any():  # otherwise nothing is copied
            entries = np.repeat(starts - indptr[:-1], lengths) + np.arange(indptr[-1])
        docs, scores = self.docs[entries], self.scores[entries]
        return self.changed(query_ids=query_ids, indptr=indptr, docs=docs, scores=scores)

    def aligned(self, query_ids: pa.StringArray, doc_ids: pa.StringArray) -> Run:
        """Return the lists for other queries and documents.

        Args:
            query_ids: string[q]. A query that this run lacks gets an empty list; one that is not
                among them is left out.
            doc_ids: string[d], ascending, a superset of the run's documents.

        Returns:
            The lists of ``query_ids``, in their order.
        """
        if self.query_ids.equals(query_ids) and self.doc_ids.equals(doc_ids):
            return self
        renumbered = find(self.doc_ids, doc_ids)  # ascending, so lists keep their order
        if (renumbered < 0).any():
            missing = self.doc_ids.filter(arrow(renumbered < 0))
            raise HarnessError(
                f"document {missing[0]} and {len(missing) - 1} others are not in the corpus"
            )
        places = find(query_ids, self.query_ids)
        is_held = places >= 0
        taken = self.take(places[is_held].astype(np.int64))
        lengths = np.zeros(len(query_ids), dtype=np.int64)
        lengths[is_held] = taken.lengths()
        ids = {"query_ids": query_ids, "doc_ids": doc_ids}
        return taken.changed(**ids, indptr=_bounds(lengths), docs=renumbered[taken.docs])

    def save(self, folder: Path) -> None:
        """Write the arrays of an artifact. The ids are the benchmark's and are not written.

        Args:
            folder: the folder for ``indptr``, ``docs`` and ``scores``.
        """
        for name in self.ARRAYS:
            write_array(folder / f"{name}.npy", getattr(self, name))

    @classmethod
    def load(cls, folder: Path, query_ids: pa.StringArray, doc_ids: pa.StringArray) -> Run:
        """Read the files of ``save``.

        Args:
            folder: the folder of the arrays.
            query_ids: string[Q], the benchmark's.
            doc_ids: string[D], the benchmark's.

        Returns:
            The run.

        Raises:
            HarnessError: it is no run of these queries and documents.
        """
        indptr, docs, scores = (load_array(folder / f"{name}.npy") for name in cls.ARRAYS)
        return cls(query_ids, doc_ids, indptr, docs, scores)


def _bounds(lengths: Int64Array) -> Int64Array:
    """Return ``indptr`` of lists of these lengths."""
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _check_range(place: str, what: str, numbers: NDArray[Any], size: int) -> None:
    """Raise HarnessError at the first number that is not in [0, size)."""
    wrong = numbers[(numbers < 0) | (numbers >= size)]
    if len(wrong):
        raise HarnessError(
            f"{place}: there is no {what} {wrong[0]}; expected numbers from 0 to {size - 1}"
        )


def _check_ids(queries: pa.StringArray, documents: pa.StringArray) -> None:
    """Raise HarnessError if a query is repeated, or if documents are not ascending."""
    if len(pc.unique(queries)) < len(queries):
        twice = Counter(queries.to_pylist()).most_common(1)[0][0]
        raise HarnessError(f"query_ids: {twice} is repeated; expected each once")
    rising = pc.less(documents[:-1], documents[1:])
    if len(documents) > 1 and not pc.all(rising).as_py():
        wrong = pc.index(rising, False).as_py()
        raise HarnessError(
            f"doc_ids: {documents[wrong]} is before {documents[wrong + 1]}; expected ids in "
            "ascending order, each once"
        )


def runs_of(files: Mapping[str, Entries]) -> dict[str, Run]:
    """Return the runs of files over the same queries and the same documents (ids ascending).

    Queries are in the order of the first file, followed by those that only later files have. A file
    without a query has an empty list for it.

    Raises:
        HarnessError: a score is not finite, a document occurs twice in a list, a rank
            contradicts a score, or the scores of ordered lists rise.
    """
    files = {name: without_padding(entries) for name, entries in files.items()}
    doc_ids, places = number([entries.docs for entries in files.values()])
    queries = pc.unique(
        pa.concat_arrays([entries.queries.dictionary for entries in files.values()])
    )
    runs = {}
    for (name, entries), docs in zip(files.items(), places, strict=True):
        rows = find(entries.queries.dictionary, queries)[to_numpy(entries.queries.indices)]
        check_named(entries)
        check_finite(entries)
        ranked = [] if entries.ranks is None else check_ranks(entries, entries.ranks)
        notes = log_notes([*entries.notes, *ranked, *check_rising(entries)])
        try:
            run = Run.of(queries, doc_ids, rows, docs, entries.scores)
        except HarnessError:
            check_once(entries)
            raise
        runs[name] = run.changed(notes=notes)
    return runs
