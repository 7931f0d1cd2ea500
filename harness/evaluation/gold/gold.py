"""Gold: the supporting passages of queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from numbers import Real
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from harness.benchmark import (
    SPLITS,
    UNORDERED,
    Benchmark,
    Splitting,
    load,
    read_splitting,
    say_unused,
    split_queries,
    splitting_name,
)
from harness.benchmark.cluster import clusters
from harness.benchmark.source import Chain, check_chain, judgement_files, with_chain
from harness.core import escape
from harness.core.configuration import names
from harness.core.errors import HarnessError, described, one_of, texts_of, whole_number
from harness.core.table import Column, Table, counted
from harness.evaluation.gold import goldfile
from harness.run import Run
from harness.run import frame as frames
from harness.run.frame import Frame
from harness.run.mapping import Listed, entries_of, mapping_of

if TYPE_CHECKING:
    import pandas as pd

FIELDS = ("id", "supporting_ids", "hops", "type")
Judgements = str | Path | Mapping[Any, Any] | Any
"""What ``Gold.read`` takes."""
LARGEST = 2**31
"""A relevance is below it."""


@dataclass(frozen=True, eq=False, repr=False)
class Gold:
    """Q queries and their supporting passages.

    supporting: document ids of each query, in hop order where ``ordered`` (the last one is the last
    hop): of all, or bool[Q].
    hops, types: of each query, None where unknown.    source: the file, for messages.
    corpus: string[D], the ids of all documents, where a benchmark tells them.
    part: ``tune``, ``test`` or ``all`` (``part_name``).    whole: the gold of all splits, where
    this is that of one.
    given: the queries' own splits, None for one without.    splitting: what ``parts`` goes by.
    grades: of judgements, the relevance of each judged document of each query; supporting are those
    from ``rel`` on.
    nothing: the queries that were left out, since nothing supports them, and their judgements.
    notes: what the reader left out, a sentence each.
    """

    query_ids: list[str]
    supporting: list[list[str]]
    hops: Sequence[int | None]
    types: Sequence[str | None]
    ordered: bool | NDArray[np.bool_]
    source: str
    corpus: pa.StringArray | None = None
    part: str = "all"
    whole: Gold | None = None
    given: Sequence[str | None] | None = None
    splitting: Splitting = "md5"
    grades: Sequence[Mapping[str, float]] | None = None
    rel: int = 1
    nothing: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    notes: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Raise HarnessError where queries and what is known of them do not fit."""
        ids, each = texts_of("Gold: query_ids", self.query_ids), self.supporting
        if isinstance(self.query_ids, str) or np.size(self.ordered) not in (1, len(ids)):
            raise HarnessError("Gold: expected a list of query ids, and ordered of each or of all")
        if len(set(ids)) < len(ids):
            twice = next(name for place, name in enumerate(ids) if name in ids[:place])
            raise HarnessError(f"Gold: query {twice} stands there twice; keep one")
        for name in ("supporting", "hops", "types", "given", "grades"):
            found = getattr(self, name)
            if found is not None and len(found) != len(ids):
                raise HarnessError(
                    f"Gold: {name}: expected {len(ids)}, one for each query, got {len(found)}"
                )
        for query, docs in zip(ids, each, strict=True):
            if not isinstance(docs, (list, tuple)) or len(set(docs)) < len(docs):
                raise HarnessError(
                    f"Gold: query {query}: expected a list of documents, each once, got "
                    f"{described(docs)}"
                )
            texts_of(f"Gold: query {query}", docs)

    @classmethod
    def of(cls, benchmark: Benchmark) -> Gold:
        """The gold of a benchmark.

        Args:
            benchmark: passages and questions with their supporting passages.

        Returns:
            The supporting passages of all its questions, in hop order where that is known.
        """
        ids, supporting, hops, types = (list(benchmark.queries[name][:]) for name in FIELDS)
        source, given = benchmark.name, benchmark.given
        return cls(
            ids, supporting, hops, types, benchmark.ordered, source, benchmark.doc_ids, given=given
        )

    @classmethod
    def read(
        cls,
        source: Judgements,
        lenient: bool = False,
        chain: Chain | None = None,
        rel: int | None = None,
        keep_empty: bool = False,
    ) -> Gold:
        """The gold in a file, of a benchmark, or of what Python holds.

        Args:
            source: a file (see ``harness.evaluation.gold.goldfile``), a folder of prepared files, a
                benchmark or its
                name, a data frame, ``{query id: {document id: relevance}}``, or qrels of ranx.
            lenient: pass over comment lines and trailing fields of TREC qrels.
            chain: of which queries the hop order is known: ``all``, ``none`` or
                ``{field: [values]}``; None: as the
                benchmark says, and all of a queries.jsonl.
            rel: of judgements, the relevance from which on a document supports its query; None: 1,
                or that by which a ``Gold`` was read.
            keep_empty: keep queries that nothing supports, as trec_eval does; else they are left
                out, in ``nothing``.

        Returns:
            The gold of the queries of the file.

        Raises:
            HarnessError: the file is not there, or not as its form is; names file, line and value.
        """
        if isinstance(source, Gold):
            return source._judged_by(source.rel if rel is None else rel, keep_empty)
        rel = 1 if rel is None else rel
        whole_number("rel", rel, 1)
        if chain is not None:
            check_chain("dataset.chain", chain)
        if not isinstance(source, (str, Path)):
            return cls._held(source, rel, keep_empty)
        place = Path(source)
        if (place.is_dir() and not judgement_files(place)) or (
            not place.exists() and str(source) in names("dataset")
        ):
            if rel != 1:
                raise _no_grades(rel, str(source))
            benchmark = load(source)
            return cls.of(benchmark if chain is None else with_chain(benchmark, chain))
        return cls._judged(goldfile.read(place, lenient, chain), str(source), rel, keep_empty)

    @classmethod
    def _held(cls, source: Judgements, rel: int, keep_empty: bool) -> Gold:
        """The gold of what is no file."""
        if isinstance(source, Benchmark):
            if rel != 1:
                raise _no_grades(rel, source.name)
            return cls.of(source)
        if frames.is_frame(source):
            return cls.from_frame(source, rel=rel, keep_empty=keep_empty)
        if isinstance(source, Run):
            raise HarnessError(
                f"the run comes first, then the gold; got {described(source)} as gold"
            )
        if isinstance(source, Mapping):
            return cls.from_dict(source, rel, keep_empty=keep_empty)
        if hasattr(source, "to_dict"):
            return cls.from_dict(mapping_of("Gold.read", source), rel, keep_empty=keep_empty)
        raise HarnessError(
            "expected gold: a file, the name of a benchmark, a data frame, {query id: {document "
            "id: relevance}} or "
            f"qrels of ranx; got {described(source)}"
        )

    @classmethod
    def _judged(cls, found: goldfile.Judged, source: str, rel: int, keep_empty: bool) -> Gold:
        """The gold in what a file says."""
        if found.grades is None and rel != 1:
            raise _no_grades(rel, source)
        supporting, grades = found.supporting, found.grades
        if grades is not None:
            _check_grades(source, found.query_ids, grades)
            supporting = [
                [doc for doc, grade in judged.items() if grade >= rel] for judged in grades
            ]
        kept = [place for place, passages in enumerate(supporting) if passages]
        if not kept:
            raise HarnessError(
                f"{source}: no document has a relevance of at least {rel}, so there is nothing "
                "to find"
            )
        values = {field.name: getattr(found, field.name) for field in fields(found)}
        whole = cls(**{**values, "supporting": supporting}, source=source, rel=rel)
        if keep_empty or len(kept) == len(whole):
            return whole
        judged = zip(whole.query_ids, grades or [{}] * len(whole), supporting, strict=True)
        left_out = {query: own for query, own, passages in judged if not passages}
        ordered = found.ordered if isinstance(found.ordered, bool) else found.ordered[kept]
        return replace(whole.take(kept), nothing=left_out, ordered=ordered)

    def _judged_by(self, rel: int, keep_empty: bool) -> Gold:
        """The same queries by another relevance, or with those that nothing supports."""
        whole_number("rel", rel, 1)
        if rel == self.rel and not (keep_empty and self.nothing):
            return self
        if self.grades is None and rel != self.rel:
            raise _no_grades(rel, self.source)
        if self.grades is None or self.given is not None or self.whole is not None:
            raise HarnessError(
                f"{self.source}: this gold was read with rel={self.rel} and without "
                f"{counted(len(self.nothing), 'query')} that nothing supports; read it again: "
                f"Gold.read(FILE, rel={rel}, keep_empty={keep_empty})"
            )
        grades = dict(zip(self.query_ids, map(dict, self.grades), strict=True))
        every = grades | {query: dict(own) for query, own in self.nothing.items()}
        return self._judged(goldfile.graded(every, self.notes), self.source, rel, keep_empty)

    @cached_property
    def has_last_hop(self) -> NDArray[np.bool_]:
        """bool[Q]: whether the hop order is known, so that there is a last hop."""
        return np.broadcast_to(self.ordered, len(self))

    @classmethod
    def from_dict(
        cls, qrels: Listed, rel: int = 1, ordered: bool = False, keep_empty: bool = False
    ) -> Gold:
        """The gold of the qrels of pytrec_eval and ranx, or of lists of supporting documents.

        Args:
            qrels: ``{query id: {document id: relevance}}``, pairs
                ``[(document id, relevance), ...]``, or ids alone,
                whose relevance is 1. Ids are texts; whole numbers become texts.
            rel: the relevance from which on a document supports its query; a query without any is
                left out.
            ordered: whether the supporting documents stand in hop order, so that the last one is
                the last hop.
            keep_empty: as of ``read``.

        Returns:
            The gold of the queries that have a supporting document.

        Raises:
            HarnessError: an id or a relevance is something else, or a document stands twice in a
                list.
        """
        whole_number("rel", rel, 1)
        lists = qrels.items() if ordered and isinstance(qrels, Mapping) else ()
        unordered = (key for key, one in lists if isinstance(one, (set, frozenset)))
        if (key := next(unordered, None)) is not None:
            raise HarnessError(f"Gold.from_dict: query {key}: a set has no order; give a list")
        judged = goldfile.judgements(entries_of("Gold.from_dict", qrels, goldfile.JUDGEMENTS))
        found = cls._judged(judged, "the qrels", rel, keep_empty)
        return replace(found, ordered=True, grades=None) if ordered else found

    @classmethod
    def from_frame(
        cls,
        frame: Frame,
        columns: Mapping[str, str] | None = None,
        rel: int = 1,
        keep_empty: bool = False,
    ) -> Gold:
        """The gold of a data frame, a row a judgement; there is no hop order.

        Args:
            frame: of pandas, polars or Arrow, with PyTerrier's ``qid, docno, label``, BEIR's
                ``query-id, corpus-id,
                score``, or other usual names.
            columns: what they are called otherwise:
                ``{"query": "topic", "doc": "pid", "relevance": "grade"}``, or some
                of these.
            rel: as of ``from_dict``.
            keep_empty: as of ``read``.

        Returns:
            The gold of the queries that have a supporting document.

        Raises:
            HarnessError: a column is missing, or holds something else; names the row.
        """
        whole_number("rel", rel, 1)
        judged = goldfile.judgements(frames.entries_of(frame, goldfile.JUDGEMENTS.named(columns)))
        return cls._judged(judged, frames.FRAME, rel, keep_empty)

    @classmethod
    def from_ranx(cls, qrels: Any, rel: int = 1) -> Gold:
        """The gold of ``ranx.Qrels``; there is no hop order.

        Args:
            qrels: of ranx, or anything that has its ``to_dict()``.
            rel: as of ``from_dict``.

        Returns:
            The gold of the queries that have a supporting document.

        Raises:
            HarnessError: it has no ``to_dict``, or that gives no judgements.
        """
        return cls.from_dict(mapping_of("Gold.from_ranx", qrels), rel)

    def to_dict(self) -> dict[str, dict[str, int]]:
        """``{query id: {document id: relevance}}``, the qrels of pytrec_eval; ``ranx.Qrels`` takes
        them too.
        """
        if self.grades is not None:
            each = zip(self.query_ids, self.grades, strict=True)
            return {
                query: {doc: int(grade) for doc, grade in judged.items()} for query, judged in each
            }
        return {
            query: dict.fromkeys(docs, 1)
            for query, docs in zip(self.query_ids, self.supporting, strict=True)
        }

    def relevant(self) -> dict[str, list[str]]:
        """The documents of each query that are judged relevant at all, whatever ``rel`` asks."""
        judged = zip(self.query_ids, self.grades or self.supporting, strict=True)
        return {
            query: [doc for doc, grade in own.items() if grade > 0]
            if isinstance(own, Mapping)
            else list(own)
            for query, own in judged
        }

    def to_frame(self) -> pd.DataFrame:
        """A row a judgement: ``query_id, doc_id, relevance``, of each query in the gold's order."""
        import pandas as pd

        rows = [
            (query, doc, grade)
            for query, judged in self.to_dict().items()
            for doc, grade in judged.items()
        ]
        return pd.DataFrame(rows, columns=list(goldfile.JUDGEMENTS.columns))

    def __len__(self) -> int:
        """Number of queries."""
        return len(self.query_ids)

    def __repr__(self) -> str:
        """``Gold(588 queries, 1314 supporting passages, hop order known of 588;
        queries.jsonl)``.
        """
        passages, known = sum(map(len, self.supporting)), int(self.has_last_hop.sum())
        part = "" if self.part == "all" else f" of {self.part}"
        counts = f"{counted(len(self), 'query')}{part}, {counted(passages, 'supporting passage')}"
        return f"Gold({counts}, hop order known of {known}; {self.source})"

    def _repr_html_(self) -> str:
        """The numbers, and the first queries."""
        shown = self.take(range(min(len(self), 5)))
        rows = [
            list(row) for row in zip(shown.query_ids, map(", ".join, shown.supporting), strict=True)
        ]
        table = Table(
            "gold",
            "the first queries",
            [Column("query", "text"), Column("supporting", "text")],
            rows,
        )
        return f"<p>{escape.html(repr(self))}</p>\n{table.html()}"

    def split(self, name: str, splitting: Splitting = "md5") -> Gold:
        """The queries of one split; a warning says where they carry one of their own that is not
        used.

        Args:
            name: ``tune``, ``test`` or ``all``.
            splitting: ``md5`` of each id; ``disjoint``: queries that share gold passages stay on
                one side; ``given``:
                their field ``split`` (see ``harness.benchmark.split``).

        Returns:
            The gold of these queries.

        Raises:
            HarnessError: no query is in that split.
        """
        one_of("split", name, SPLITS)
        chosen = read_splitting("splitting", splitting)
        say_unused(chosen, self.given or (), self.source, "splitting")
        whole = replace(self, splitting=chosen)
        if name == "all":
            return whole
        found = whole.take(np.flatnonzero(whole.parts == name).tolist())
        if not len(found):
            raise HarnessError(f"{self.source}: none of its {len(self)} queries is in split={name}")
        return replace(found, part=part_name(name, chosen), whole=whole)

    @cached_property
    def parts(self) -> NDArray[np.str_]:
        """``tune`` or ``test`` of each query of a whole gold."""
        given = self.given
        read = None if given is None else lambda: given
        return split_queries(
            self.splitting, self.query_ids, self.source, "splitting", read, self._gold
        )

    def take(self, places: Sequence[int]) -> Gold:
        """Some of the queries.

        Args:
            places: their numbers, in the order that is wanted.

        Returns:
            The gold of these queries.
        """
        return replace(
            self,
            query_ids=[self.query_ids[place] for place in places],
            supporting=[self.supporting[place] for place in places],
            hops=[self.hops[place] for place in places],
            types=[self.types[place] for place in places],
            ordered=self.has_last_hop[places],
            given=None if self.given is None else [self.given[place] for place in places],
            grades=None if self.grades is None else [self.grades[place] for place in places],
        )

    @cached_property
    def documents(self) -> pa.StringArray:
        """The ids of all supporting passages, each once."""
        return pa.array(
            [passage for passages in self.supporting for passage in passages], pa.string()
        ).unique()

    def clusters(self) -> NDArray[np.int64]:
        """int64[Q]: queries with the same number are linked by shared gold passages."""
        return clusters(self._gold())

    def _gold(self) -> NDArray[np.int32]:
        """int32[Q, H]: the passages' numbers among those that support any query, ascending
        by id.
        """
        return self.numbers(self.documents.take(pc.array_sort_indices(self.documents)))

    def numbers(self, doc_ids: pa.StringArray) -> NDArray[np.int32]:
        """The passages' numbers in ``doc_ids``.

        Args:
            doc_ids: string[D].

        Returns:
            int32[Q, H], D for a passage that is not there. Padded with -1, and UNORDERED at the end
            where the hop order is unknown.
        """
        lengths = np.array([len(passages) for passages in self.supporting], dtype=np.int64)
        flat = pa.array(
            [passage for passages in self.supporting for passage in passages], pa.string()
        )
        found = pc.fill_null(pc.index_in(flat, value_set=doc_ids), len(doc_ids)).to_numpy()
        gold = np.full((len(self), int(lengths.max(initial=0))), -1, dtype=np.int32)
        gold[np.arange(gold.shape[1]) < lengths[:, None]] = found
        if self.has_last_hop.all():
            return gold
        return np.column_stack([gold, np.where(self.has_last_hop, -1, UNORDERED).astype(np.int32)])

    @cached_property
    def graded(self) -> bool:
        """Whether judgements have another relevance than 0 and 1."""
        return any(grade not in (0, 1) for judged in self.grades or () for grade in judged.values())

    def judged(
        self, doc_ids: pa.StringArray
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]] | None:
        """The numbers of all judged documents, relevant or not, and their relevance.

        Args:
            doc_ids: Ids of the D documents that are ranked, in the order of their numbers.

        Returns:
            int32[Q, J], D for a document that is not there, padded with -1; and float64[Q, J], the
            relevance, at most 0 where a document is not relevant. None where there are no
            judgements.
        """
        if self.grades is None:
            return None
        every = replace(self, supporting=[list(judged) for judged in self.grades], ordered=True)
        numbers = every.numbers(doc_ids)
        grades = np.zeros(numbers.shape)
        for row, judged in enumerate(self.grades):
            grades[row, : len(judged)] = list(judged.values())
        return numbers, grades

    def describe(self) -> str:
        """How judgements are read, where that could be another way; empty where nothing is to be
        said.
        """
        said = []
        empty = sum(not passages for passages in self.supporting)
        if self.graded or self.rel != 1:
            said.append(f"relevant from {self.rel} on")
        if self.graded:
            said.append("ndcg with graded gains")
        if empty:
            said.append(f"{counted(empty, 'query')} with nothing relevant: 0, as trec_eval")
        if self.nothing:
            left_out = counted(len(self.nothing), "query")
            said.append(f"{left_out} with nothing relevant left out (ties=trec: 0, as trec_eval)")
        return "; ".join(said)


T = TypeVar("T")


def refuse_gold(run: T) -> T:
    """What was given as the run. Raises HarnessError where it is gold, as first argument of ranx'
    functions.
    """
    if isinstance(run, (Gold, Benchmark)) or type(run).__name__ == "Qrels":
        raise HarnessError(
            f"the run comes first, then the gold: expected a run, got {described(run)}"
        )
    return run


def _no_grades(rel: int, source: str) -> HarnessError:
    return HarnessError(
        f"rel={rel} is a relevance of judgements, and {source} has none; leave it out"
    )


def part_name(split: str, splitting: Splitting) -> str:
    """``test``, or ``test (disjoint)``, ``test (given)`` where not MD5 says which; ``all`` is the
    same either way.
    """
    return (
        split if splitting == "md5" or split == "all" else f"{split} ({splitting_name(splitting)})"
    )


def short_source(source: str) -> str:
    """A benchmark's name, or a file by its folder and name: what tables say that gold is of."""
    return "/".join(PurePath(source).parts[-2:])


def _check_grades(
    source: str, query_ids: Sequence[str], grades: Sequence[Mapping[str, float]]
) -> None:
    """Raise HarnessError for a relevance that is no whole number: as in TREC's form, so in all
    others.
    """
    for query, judged in zip(query_ids, grades, strict=True):
        for doc, grade in judged.items():
            if not (isinstance(grade, Real) and abs(grade) < LARGEST and grade == int(grade)):
                raise HarnessError(
                    f"{source}: query {query}, document {doc}: relevance must be a whole number, "
                    f"got {grade!r:.40}"
                )
