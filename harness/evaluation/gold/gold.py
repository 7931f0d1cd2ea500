"""Gold: the supporting passages of questions."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
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
from harness.benchmark.source.assembly import with_chain
from harness.benchmark.source.judgements import judgement_files
from harness.benchmark.source.records import Chain, check_chain
from harness.benchmark.split import clusters
from harness.core.arrays import BoolArray, Float64Array, Int32Array, Int64Array, arrow, find
from harness.core.configuration.conf_files import names
from harness.core.errors import HarnessError, described, one_of, texts_of, whole_number
from harness.core.table import counted
from harness.evaluation.gold import goldfile
from harness.run import Run
from harness.run import frame as frames
from harness.run.frame import Frame
from harness.run.mapping import Listed, entries_of, mapping_of

if TYPE_CHECKING:
    import pandas as pd

FIELDS = ("id", "supporting_ids", "hops", "type")
Judgements = str | Path | Mapping[Any, Any] | Any
"""The types that ``Gold.read`` takes."""
LARGEST = 2**31
"""Relevance must be below this number."""


@dataclass(frozen=True, eq=False, repr=False)
class Gold:
    """Q questions and their supporting passages.

    Attributes:
        query_ids: ids of the questions.
        supporting: document ids of each question, in hop order if ``ordered`` (the last is the last
            hop).
        hops, types: of each question; None if unknown.
        ordered: whether the hop order is known, of all questions or bool[Q].
        source: the file, for messages.
        corpus: string[D], the ids of all documents, if a benchmark has them.
        part: ``tune``, ``test`` or ``all`` (``part_name``).
        whole: the gold of all splits, if this is one split.
        given: the split that each question's own field names; None for a question without one.
        splitting: the rule of ``parts``.
        grades: relevance of each judged document of each question; those of at least ``rel``
            support it.
        rel: the smallest supporting relevance.
        nothing: judgements of the questions that were left out because no document supports them.
        notes: what the reader left out, a sentence each.
        texts: the questions; None if they are unknown.
    """

    query_ids: list[str]
    supporting: list[list[str]]
    hops: Sequence[int | None]
    types: Sequence[str | None]
    ordered: bool | BoolArray
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
    texts: Sequence[str | None] | None = None

    def __post_init__(self) -> None:
        """Check that questions and their fields fit; raise HarnessError otherwise."""
        if fault := self._fault():
            raise HarnessError(f"Gold: {fault}")

    def _fault(self) -> str | None:
        ids = texts_of("Gold: query_ids", self.query_ids)
        if isinstance(self.query_ids, str) or np.size(self.ordered) not in (1, len(ids)):
            return "expected a list of query ids, and ordered of each or of all"
        for name in ("supporting", "hops", "types", "given", "grades", "texts"):
            values = getattr(self, name)
            if values is not None and len(values) != len(ids):
                return f"{name}: expected {len(ids)}, one for each query, got {len(values)}"
        seen: set[str] = set()
        for query, docs in zip(ids, self.supporting, strict=True):
            if query in seen:
                return f"query {query} is given twice; keep one"
            seen.add(query)
            if not isinstance(docs, (list, tuple)) or len(set(docs)) < len(docs):
                shown = described(docs)
                return f"query {query}: expected a list of documents, each once, got {shown}"
            texts_of(f"Gold: query {query}", docs)
        return None

    @classmethod
    def of(cls, benchmark: Benchmark) -> Gold:
        """Return the gold of a benchmark.

        Args:
            benchmark: passages and questions with their supporting passages.

        Returns:
            The supporting passages of all its questions, in hop order if it is known.
        """
        ids, supporting, hops, types = (list(benchmark.queries[name][:]) for name in FIELDS)
        facts = (benchmark.ordered, benchmark.name, benchmark.doc_ids)
        return cls(ids, supporting, hops, types, *facts, given=benchmark.given)

    @classmethod
    def read(
        cls,
        source: Judgements,
        lenient: bool = False,
        chain: Chain | None = None,
        rel: int | None = None,
        keep_empty: bool = False,
    ) -> Gold:
        """Read gold from a file, a benchmark, or an object.

        Args:
            source: a file (see ``harness.evaluation.gold.goldfile``), a folder of prepared files, a
                benchmark or its name, a data frame, ``{query id: {document id: relevance}}``, or
                qrels of ranx.
            lenient: skip comment lines and trailing fields of TREC qrels.
            chain: which questions have a known hop order: ``all``, ``none`` or ``{field:
                [values]}``; None: all without ``"ordered": false``.
            rel: smallest relevance with which a document supports its question; None: 1, or the
                value with which a ``Gold`` was read.
            keep_empty: keep questions that no document supports, as trec_eval does; otherwise they
                are moved to ``nothing``.

        Returns:
            The gold of the questions of the file.

        Raises:
            HarnessError: the file is missing or malformed; names file, line and value.
        """
        if rel is None:
            rel = source.rel if isinstance(source, Gold) else 1
        if isinstance(source, Gold):
            return source._judged_by(rel, keep_empty)
        whole_number("rel", rel, 1)
        if chain is not None:
            check_chain("dataset.chain", chain)
        if isinstance(source, (str, Path)):
            place = Path(source)
            prepared = place.is_dir() and not judgement_files(place)
            if not prepared and (place.exists() or str(source) not in names("dataset")):
                judged = goldfile.read(place, lenient, chain)
                return cls._judged(judged, str(source), rel, keep_empty)
            source = load(str(source))
        if isinstance(source, Benchmark):
            if rel != 1:
                raise _no_grades(rel, source.name)
            if chain is not None:
                source = with_chain(source, chain)
            return cls.of(source)
        return cls._listed(source, rel, keep_empty)

    @classmethod
    def _listed(cls, source: Judgements, rel: int, keep_empty: bool) -> Gold:
        """Return the gold of an object with judgements."""
        if frames.is_frame(source):
            return cls.from_frame(source, rel=rel, keep_empty=keep_empty)
        if isinstance(source, Run):
            raise HarnessError(f"the run comes first, then the gold; got {described(source)}")
        if isinstance(source, Mapping) or hasattr(source, "to_dict"):
            lists = source if isinstance(source, Mapping) else mapping_of("Gold.read", source)
            return cls.from_dict(lists, rel, keep_empty=keep_empty)
        raise HarnessError(
            "expected gold: a file, the name of a benchmark, a data frame, {query id: {document "
            f"id: relevance}} or qrels of ranx; got {described(source)}"
        )

    @classmethod
    def _judged(cls, content: goldfile.Judged, source: str, rel: int, keep_empty: bool) -> Gold:
        """Return the gold in the content of a file."""
        if content.grades is None and rel != 1:
            raise _no_grades(rel, source)
        supporting = content.supporting
        if content.grades is not None:
            supporting = []
            for query, judged in zip(content.query_ids, content.grades, strict=True):
                _check_grades(f"{source}: query {query}", judged)
                supporting.append([doc for doc, grade in judged.items() if grade >= rel])
        whole = cls(**{**vars(content), "supporting": supporting}, source=source, rel=rel)
        with_gold = [place for place, passages in enumerate(supporting) if passages]
        if not with_gold:
            raise HarnessError(
                f"{source}: no document has a relevance of at least {rel}, so there is nothing "
                "to find"
            )
        if keep_empty:
            return whole
        grades = content.grades or [{}] * len(whole)
        empty = [place for place, passages in enumerate(supporting) if not passages]
        nothing = {whole.query_ids[place]: grades[place] for place in empty}
        return replace(whole.take(with_gold), nothing=nothing) if nothing else whole

    def _judged_by(self, rel: int, keep_empty: bool) -> Gold:
        """Return the questions for another ``rel``, or with those that no document supports."""
        whole_number("rel", rel, 1)
        if rel == self.rel and not (keep_empty and self.nothing):
            return self
        if self.grades is None or self.given is not None or self.whole is not None:
            raise HarnessError(
                f"{self.source}: this gold cannot be judged by rel={rel}; read its file again: "
                f"Gold.read(FILE, rel={rel}, keep_empty={keep_empty})"
            )
        grades = {**dict(zip(self.query_ids, self.grades, strict=True)), **self.nothing}
        every = {query: dict(judged) for query, judged in grades.items()}
        return self._judged(goldfile.graded(every, self.notes), self.source, rel, keep_empty)

    @cached_property
    def has_last_hop(self) -> BoolArray:
        """bool[Q]: whether the hop order is known, so that there is a last hop."""
        return np.broadcast_to(self.ordered, len(self))

    @classmethod
    def from_dict(
        cls, qrels: Listed, rel: int = 1, ordered: bool = False, keep_empty: bool = False
    ) -> Gold:
        """Return the gold of qrels of pytrec_eval or ranx, or of lists of supporting documents.

        Args:
            qrels: ``{query id: {document id: relevance}}``, pairs ``[(document id, relevance),
                ...]``, or ids alone, which have relevance 1. Ids are texts; whole numbers become
                texts.
            rel: smallest relevance with which a document supports its question; questions without
                one are left out.
            ordered: whether the supporting documents are in hop order, the last hop last.
            keep_empty: see ``read``.

        Returns:
            The gold of the questions that have a supporting document.

        Raises:
            HarnessError: an id or a relevance has another type, or a list has a document twice.
        """
        whole_number("rel", rel, 1)
        if ordered and isinstance(qrels, Mapping):
            for key, docs in qrels.items():
                if isinstance(docs, (set, frozenset)):
                    raise HarnessError(
                        f"Gold.from_dict: query {key}: a set has no order; give a list"
                    )
        judged = goldfile.judgements(entries_of("Gold.from_dict", qrels, goldfile.JUDGEMENTS))
        gold = cls._judged(judged, "the qrels", rel, keep_empty)
        return replace(gold, ordered=True, grades=None) if ordered else gold

    @classmethod
    def from_frame(
        cls,
        frame: Frame,
        columns: Mapping[str, str] | None = None,
        rel: int = 1,
        keep_empty: bool = False,
    ) -> Gold:
        """Return the gold of a data frame with a row for each judgement; no hop order is known.

        Args:
            frame: of pandas, polars or Arrow, with PyTerrier's ``qid, docno, label``, BEIR's
                ``query-id, corpus-id, score``, or other usual names.
            columns: other names of the columns, or of some: ``{"query": "topic", "doc": "pid",
                "relevance": "grade"}``.
            rel: see ``from_dict``.
            keep_empty: see ``read``.

        Returns:
            The gold of the questions that have a supporting document.

        Raises:
            HarnessError: a column is missing or a value has another type; names the row.
        """
        whole_number("rel", rel, 1)
        judged = goldfile.judgements(frames.entries_of(frame, goldfile.JUDGEMENTS.named(columns)))
        return cls._judged(judged, frames.FRAME, rel, keep_empty)

    def to_dict(self) -> dict[str, dict[str, int]]:
        """Return ``{query id: {document id: relevance}}``, the qrels of pytrec_eval and
        ``ranx.Qrels``.
        """
        qrels = {}
        grades = self.grades or [dict.fromkeys(docs, 1) for docs in self.supporting]
        for query, judged in zip(self.query_ids, grades, strict=True):
            qrels[query] = {doc: int(grade) for doc, grade in judged.items()}
        return qrels

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each judgement: ``query_id, doc_id, relevance``, in the gold's order."""
        import pandas as pd

        rows = [
            (query, doc, grade)
            for query, judged in self.to_dict().items()
            for doc, grade in judged.items()
        ]
        return pd.DataFrame(rows, columns=list(goldfile.JUDGEMENTS.columns))

    def __len__(self) -> int:
        """Return the number of questions."""
        return len(self.query_ids)

    def __repr__(self) -> str:
        """Return ``Gold(588 queries, 1314 supporting passages, hop order known of 588;
        queries.jsonl)``.
        """
        part = "" if self.part == "all" else f" of {self.part}"
        passages = counted(sum(map(len, self.supporting)), "supporting passage")
        known = f"hop order known of {self.has_last_hop.sum()}"
        return f"Gold({counted(len(self), 'query')}{part}, {passages}, {known}; {self.source})"

    def split(self, name: str, splitting: Splitting = "md5") -> Gold:
        """Return the questions of one split; warn if their own field ``split`` is not used.

        Args:
            name: ``tune``, ``test`` or ``all``.
            splitting: ``md5`` of each id; ``disjoint``: questions that share gold passages stay on
                one side; ``given``: their field ``split`` (see ``harness.benchmark.split``).

        Returns:
            The gold of these questions.

        Raises:
            HarnessError: no question is in that split.
        """
        one_of("split", name, SPLITS)
        chosen = read_splitting("splitting", splitting)
        say_unused(chosen, self.given or (), self.source, "splitting")
        whole = replace(self, splitting=chosen)
        if name == "all":
            return whole
        questions = whole.take(np.flatnonzero(whole.parts == name).tolist())
        if not len(questions):
            raise HarnessError(f"{self.source}: none of its {len(self)} queries is in split={name}")
        return replace(questions, part=part_name(name, chosen), whole=whole)

    @cached_property
    def parts(self) -> NDArray[np.str_]:
        """``tune`` or ``test`` for each question of a whole gold."""
        read = None if self.given is None else lambda: self.given or ()
        return split_queries(
            self.splitting, self.query_ids, self.source, "splitting", read, self._gold
        )

    def take(self, places: Sequence[int]) -> Gold:
        """Return some of the questions.

        Args:
            places: their indices, in the wanted order.

        Returns:
            The gold of these questions.
        """
        values: dict[str, Any] = {}
        for name in ("query_ids", "supporting", "hops", "types", "given", "grades", "texts"):
            if (column := getattr(self, name)) is not None:
                values[name] = [column[place] for place in places]
        if not isinstance(self.ordered, bool):
            values["ordered"] = self.ordered[list(places)]
        return replace(self, **values)

    @cached_property
    def documents(self) -> pa.StringArray:
        """The ids of all supporting passages without repetition."""
        return arrow(itertools.chain.from_iterable(self.supporting)).unique()

    def clusters(self) -> Int64Array:
        """Return int64[Q]; questions with the same number are linked by shared gold passages."""
        return clusters(self._gold())

    def _gold(self) -> Int32Array:
        """Return int32[Q, H], the passages' indices among all supporting passages, sorted by id."""
        return self.numbers(self.documents.take(pc.array_sort_indices(self.documents)))

    def numbers(self, doc_ids: pa.StringArray) -> Int32Array:
        """Return the passages' indices in ``doc_ids``.

        Args:
            doc_ids: string[D].

        Returns:
            int32[Q, H], D for a passage that is not there. Padded with -1, and with UNORDERED at
            the end if the hop order is unknown.
        """
        lengths = np.array([len(passages) for passages in self.supporting], dtype=np.int64)
        flat = arrow(itertools.chain.from_iterable(self.supporting))
        places = find(flat, doc_ids, absent=len(doc_ids))
        gold = np.full((len(self), int(lengths.max(initial=0))), -1, dtype=np.int32)
        gold[np.arange(gold.shape[1]) < lengths[:, None]] = places
        if self.has_last_hop.all():
            return gold
        return np.column_stack([gold, np.where(self.has_last_hop, -1, UNORDERED).astype(np.int32)])

    @cached_property
    def graded(self) -> bool:
        """Whether judgements have a relevance other than 0 and 1."""
        grades = itertools.chain.from_iterable(judged.values() for judged in self.grades or ())
        return not {0, 1}.issuperset(grades)

    def judged(self, doc_ids: pa.StringArray) -> tuple[Int32Array, Float64Array] | None:
        """Return the indices of all judged documents and their relevance.

        Args:
            doc_ids: ids of the D ranked documents, in the order of their numbers.

        Returns:
            int32[Q, J], D for a document that is not there, padded with -1; and float64[Q, J], the
            relevance, 0 or less if a document is not relevant. None without judgements.
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
        """Return how judgements are read if that is not obvious, otherwise ""."""
        remarks = []
        empty = sum(not passages for passages in self.supporting)
        if self.graded or self.rel != 1:
            remarks.append(f"relevant from {self.rel} on")
        if self.graded:
            remarks.append("ndcg with graded gains")
        if empty:
            remarks.append(f"{counted(empty, 'query')} with nothing relevant: 0, as trec_eval")
        if left_out := len(self.nothing):
            text = "with nothing relevant left out (ties=trec: 0, as trec_eval)"
            remarks.append(f"{counted(left_out, 'query')} {text}")
        return "; ".join(remarks)


T = TypeVar("T")


def refuse_gold(run: T) -> T:
    """Return the run, or raise HarnessError if it is gold, which ranx' functions take first."""
    if isinstance(run, (Gold, Benchmark)) or type(run).__name__ == "Qrels":
        raise HarnessError(
            f"the run comes first, then the gold: expected a run, got {described(run)}"
        )
    return run


def _check_grades(place: str, judged: Mapping[str, float]) -> None:
    """Raise HarnessError if a grade of a query is not a whole number."""
    for doc, grade in judged.items():
        if not (isinstance(grade, Real) and abs(grade) < LARGEST and grade == int(grade)):
            raise HarnessError(
                f"{place}, document {doc}: relevance must be a whole number, got {grade!r:.40}"
            )


def _no_grades(rel: int, source: str) -> HarnessError:
    return HarnessError(
        f"rel={rel} is a relevance of judgements, and {source} has none; leave it out"
    )


def part_name(split: str, splitting: Splitting) -> str:
    """Return the split's name, with the rule if it is not MD5: ``test (disjoint)``, ``test
    (given)``.
    """
    if splitting == "md5" or split == "all":
        return split
    return f"{split} ({splitting_name(splitting)})"


def short_source(source: str) -> str:
    """Return a benchmark's name, or a file's folder and name, for tables."""
    return "/".join(PurePath(source).parts[-2:])
