"""The contents of a run file before document ids become numbers, and the checks on them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import ArrayLike, NDArray

from harness.core.arrays import Float64Array, Int32Array, Int64Array, arrow, find, to_numpy
from harness.core.errors import HarnessError, described
from harness.core.table import counted

log = logging.getLogger(__name__)
SCHEMA = pa.schema(
    {
        "query_id": pa.string(),
        "doc_id": pa.string(),
        "rank": pa.int64(),
        "score": pa.float64(),
    }.items()
)
"""The schema of entries as a table."""

PADDING = 3.4e38
"""FAISS gives document -1 a score or a distance beyond this if it found too few documents."""
MANY = 3
"""The smallest number of documents of a list whose order is worth a note."""
ORDERS = 1e4
"""The number of orders of all lists above which rising scores are no accident."""


@dataclass(frozen=True, eq=False)
class Entries:
    """N entries (query, document, score) of one file, in the file's order.

    Attributes:
        queries: dictionary<int32, string>[N], the ids. A query of the dictionary without an entry
            has an empty list.
        docs: dictionary<int32, string>[N], the ids.
        scores: float64[N].
        ranks: int64[N]; None if the file has none.
        place: returns the place of an entry for messages: ``run.trec:17``.
        notes: what the reader left out, joined or doubts, a sentence each.
        ordered: whether each list is expected with its best document first, as in a table.
    """

    queries: pa.DictionaryArray
    docs: pa.DictionaryArray
    scores: Float64Array
    ranks: Int64Array | None = None
    place: Callable[[int], str] = field(default=lambda entry: f"entry {entry + 1}")
    notes: Sequence[str] = ()
    ordered: bool = False

    def at(self, entry: int) -> str:
        """Return the place and the query of an entry, for messages."""
        return f"{self.place(entry)}: query {self.queries[entry]}"

    @property
    def source(self) -> str:
        """The place of all entries, for messages."""
        return self.place(0).rpartition(":")[0]

    def to_table(self) -> pa.Table:
        """Return a table with one row for each entry: ``query_id, doc_id, rank, score``."""
        columns = [self.queries, self.docs, self.ranks, self.scores]
        typed = zip(columns, SCHEMA.types, strict=True)
        return pa.table([pa.array(column).cast(kind) for column, kind in typed], SCHEMA)

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Return ``{query id: {document id: score}}``, including queries without entries.

        No document may occur twice in a list.
        """
        names = self.queries.dictionary.to_pylist()
        lists: dict[str, dict[str, float]] = {query: {} for query in names}
        columns = (self.queries.to_pylist(), self.docs.to_pylist(), self.scores.tolist())
        for query, doc, score in zip(*columns, strict=True):
            lists[query][doc] = score
        return lists


def log_notes(notes: Sequence[str]) -> list[str]:
    """Return the notes of a reader without repetition, and log them as warnings."""
    distinct = list(dict.fromkeys(notes))
    for note in distinct:
        log.warning("%s", note)
    return distinct


def id_of(place: str, value: object) -> str:
    """Return an id as text. Raise HarnessError, which names the place, unless it is a text or a
    whole number.
    """
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Integral) and not isinstance(value, bool):
        return str(int(value))
    raise HarnessError(f"{place}: expected a text or a whole number, got {value!r:.60}")


def number_of(place: str, value: object) -> float:
    """Return a number. Raise HarnessError, which names the place, for another type or a number
    beyond float64.
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        mend = "; write a decimal point" if isinstance(value, str) and "," in value else ""
        raise HarnessError(f"{place}: expected a number, got {value!r:.60}{mend}")
    try:
        return float(value)
    except OverflowError as error:
        raise HarnessError(
            f"{place}: a number that does not fit 64 bits; scale them down"
        ) from error


def number(columns: Sequence[pa.DictionaryArray]) -> tuple[pa.StringArray, list[Int32Array]]:
    """Return the distinct ids of all columns, ascending (bytewise), and for each column int32[N],
    the place of each id.
    """
    ids = pc.unique(pa.concat_arrays([column.dictionary for column in columns]))
    ids = ids.take(pc.array_sort_indices(ids))
    places = [find(column.dictionary, ids) for column in columns]
    return ids, [
        place[to_numpy(column.indices)] for place, column in zip(places, columns, strict=True)
    ]


def check_named(entries: Entries) -> None:
    """Raise HarnessError at the first query or document whose id is empty."""
    for what, ids in (("query", entries.queries), ("document", entries.docs)):
        (empty,) = find(arrow([""]), ids.dictionary)
        if empty >= 0:
            places = np.flatnonzero(to_numpy(ids.indices) == empty).tolist()
            place = entries.place(places[0]) if places else entries.source
            raise HarnessError(f"{place}: the id of a {what} is empty; give it one")


def check_finite(entries: Entries) -> None:
    """Raise HarnessError at the first score that is not finite."""
    bad = np.flatnonzero(~np.isfinite(entries.scores))
    if bad.size:
        entry = int(bad[0])
        raise HarnessError(
            f"{entries.at(entry)}: the score of document {entries.docs[entry]} must be a finite "
            f"number, got {entries.scores[entry]}"
        )


def check_rising(entries: Entries) -> list[str]:
    """Return a note if the scores of each list are 1, 2, 3 ... in the file's order, as ranks are,
    or rise otherwise, as distances do, and random scores would hardly do so. Ranks that differ are
    checked by check_ranks instead.

    Raises:
        HarnessError: these are lists with their best document first, and too many for an accident.
    """
    if entries.ranks is not None and (entries.ranks != entries.ranks[:1]).any():
        return []
    rows = to_numpy(entries.queries.indices)
    order = np.argsort(rows, kind="stable")
    starts = np.searchsorted(rows[order], rows[order])
    places = np.arange(1, len(rows) + 1) - starts
    scores = entries.scores[order]
    sure = np.log(places).sum() >= np.log(ORDERS)  # of the product of n! over all lists
    if not sure and not (entries.ordered and places.max(initial=0) >= MANY):
        return []
    within, message = places[1:] > 1, ""
    if (scores == places).all():
        sure = True
        message = (
            "are 1, 2, 3 ..., the lowest first; if they are ranks call that column rank, or "
            "columns={rank: NAME}"
        )
    elif not (scores[1:] < scores[:-1])[within].any() and (
        (scores[1:] > scores[:-1])[within].mean() > 0.5
    ):
        message = (
            "rise, so that its last document would be the best; if a lower one is better, as a "
            "distance is, write it negated"
        )
    if not message:
        return []
    message = f"{entries.place(0)}: the scores of each list {message}"
    if entries.ordered and sure:
        raise HarnessError(f"{message}; if they are scores write the best first")
    return [f"{message}; if they are scores all is well"]


def without_padding(entries: Entries) -> Entries:
    """Return the entries without those that FAISS fills short lists with, which are counted in a
    note.
    """
    (padding,) = find(arrow(["-1"]), entries.docs.dictionary)
    padded = to_numpy(entries.docs.indices) == padding
    padded &= np.abs(entries.scores) >= PADDING
    if not padded.any():
        return entries
    rest = np.flatnonzero(~padded)
    place = entries.place(int(np.flatnonzero(padded)[0]))
    ranks = None if entries.ranks is None else entries.ranks[rest]
    return replace(
        entries,
        queries=entries.queries.take(arrow(rest)),
        docs=entries.docs.take(arrow(rest)).cast(pa.string()).dictionary_encode(),
        scores=entries.scores[rest],
        ranks=ranks,
        place=lambda entry: entries.place(int(rest[entry])),
        notes=[
            *entries.notes,
            f"{place}: left out {counted(int(padded.sum()), 'entry')} of FAISS's padding "
            "(document -1)",
        ],
    )


def several_systems(place: str, systems: Iterable[object]) -> list[str]:
    """Return a note if the entries of a file belong to several systems."""
    names = [str(name) for name in systems if name is not None]
    if len(names) < 2:
        return []
    shown = ", ".join(names[:3] + ["..."] * (len(names) > 3))
    return [
        f"{place}: entries of {len(names)} systems ({shown}) are read as one; if these are "
        "several runs, write a file for each"
    ]


def check_ranks(entries: Entries, ranks: Int64Array) -> list[str]:
    """Raise HarnessError if a document has a better rank than one with a greater score.

    Returns:
        A note if the whole file has one score and different ranks, which then order nothing.
    """
    scores, rows = entries.scores, to_numpy(entries.queries.indices)
    message = (
        f"{entries.source}: all scores are {scores[0]:g} and the ranks differ; "
        "equal scores are ordered by document id, as in trec_eval, and NOT by rank: if the ranks "
        "are meant, write scores that fall with them"
    )
    notes = [message] if (scores == scores[0]).all() and (ranks != ranks[0]).any() else []
    in_order = (scores[1:] <= scores[:-1]) & (ranks[1:] >= ranks[:-1])
    in_order &= rows[1:] == rows[:-1]
    if (in_order | (rows[1:] > rows[:-1])).all():
        return notes
    pair = _first_contradiction(rows, scores, ranks)
    if pair is not None:
        better, worse = pair
        by_rank = np.lexsort((ranks, rows))
        same_query = np.diff(rows[by_rank]) == 0
        mend = "number the ranks by descending score"
        if not (same_query & (np.diff(scores[by_rank]) < 0)).any():
            mend = "if a lower score is better, as for distances, negate the scores"
        raise HarnessError(
            f"{entries.at(worse)}, document {entries.docs[worse]}: rank {ranks[worse]} contradicts "
            f"the score {float(scores[worse])!r}: document {entries.docs[better]} has the greater "
            f"score {float(scores[better])!r} and rank {ranks[better]}; {mend}"
        )
    return notes


def check_once(entries: Entries) -> None:
    """Raise HarnessError at the first document that occurs twice in a list."""
    rows, docs = (to_numpy(ids.indices) for ids in (entries.queries, entries.docs))
    pairs = np.sort(rows.astype(np.int64) * len(entries.docs.dictionary) + docs)
    if not (pairs[1:] == pairs[:-1]).any():
        return
    order = np.lexsort((docs, rows))
    twice = (np.diff(rows[order]) == 0) & (np.diff(docs[order]) == 0)
    again, first = min(zip(order[1:][twice].tolist(), order[:-1][twice].tolist(), strict=True))
    raise HarnessError(
        f"{entries.at(again)} holds document {entries.docs[again]} twice, first at "
        f"{entries.place(first)}; keep one of its entries"
    )


def find_order(rows: Int64Array, docs: Int32Array, scores: Float64Array) -> NDArray[np.intp] | None:
    """Return int[N], the order that sorts entries by query, score (descending) and document, or
    None if they are sorted.

    Only unsorted lists are sorted.

    Args:
        rows: int64[N], the query of each entry, ascending or not.
        docs: int32[N].
        scores: float64[N].
    """
    same = rows[1:] == rows[:-1]
    if (rows[1:] < rows[:-1]).any():
        return np.lexsort((docs, -scores, rows))
    rising, equal = scores[1:] > scores[:-1], scores[1:] == scores[:-1]
    wrong = same & (rising | (equal & (docs[1:] < docs[:-1])))
    if not wrong.any():
        return None
    unsorted = np.zeros(int(rows[-1]) + 1, dtype=bool)
    unsorted[rows[1:][wrong]] = True
    entries = np.flatnonzero(unsorted[rows])
    order = np.arange(len(rows))
    order[entries] = entries[np.lexsort((docs[entries], -scores[entries], rows[entries]))]
    return order


def strings(name: str, ids: Sequence[str] | pa.StringArray) -> pa.StringArray:
    """Return string[n] in one piece. Raise HarnessError, which begins with ``name``, unless the ids
    are ordered texts.
    """
    if isinstance(ids, pa.ChunkedArray):
        ids = ids.combine_chunks()
    if isinstance(ids, pa.Array):
        if ids.type == pa.string() and not ids.null_count:
            return ids
        ids = ids.to_pylist()
    ordered = not isinstance(ids, (str, bytes, set, frozenset)) and hasattr(ids, "__iter__")
    held: list[Any] = list(ids) if ordered else [ids]
    wrong = [text for text in held if not isinstance(text, str)]
    if wrong or not ordered:
        raise HarnessError(
            f"{name}: expected texts in their order, got {described([*wrong, ids][0])}"
        )
    return arrow(held)


def _first_contradiction(
    rows: Int64Array, scores: Float64Array, ranks: Int64Array
) -> tuple[int, int] | None:
    """Return two entries of one query, the one with the greater score and the worse rank first;
    None if no rank contradicts a score.
    """
    order = np.lexsort((ranks, -scores, rows))
    same_query = np.diff(rows[order]) == 0
    wrong = np.flatnonzero(same_query & (np.diff(ranks[order]) < 0))
    return (int(order[wrong[0]]), int(order[wrong[0] + 1])) if wrong.size else None


def numbers(name: str, values: ArrayLike, kind: type[np.number[Any]]) -> NDArray[Any]:
    """Return float[n] or int[n], numbers of this kind.

    Raises:
        HarnessError: another type, such as truth values, fractions for whole numbers, or whole
            numbers that do not fit.
    """
    whole = issubclass(kind, np.integer)
    expected = (
        f"{name}: expected a one-dimensional list of {'whole numbers' if whole else 'numbers'}"
    )
    try:
        array = np.asarray(values)
    except ValueError as error:  # lists of different lengths
        raise HarnessError(f"{expected}, got {described(values)}") from error
    if array.ndim != 1 or (array.size and array.dtype.kind not in ("iu" if whole else "iuf")):
        raise HarnessError(f"{expected}, got {described(values)}")
    converted = array.astype(kind, copy=False)
    if whole and (too_large := array[converted != array]).size:
        raise HarnessError(f"{expected}, got {too_large[0]}, which is too large")
    return converted
