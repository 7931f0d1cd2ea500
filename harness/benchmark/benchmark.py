"""A benchmark: a corpus, its queries, their gold passages in hop order, and the tune/test split."""

from __future__ import annotations

import dataclasses
import json
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, starmap
from typing import TYPE_CHECKING, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from harness.benchmark.split import (
    MEANING,
    Splitting,
    cluster_names,
    folds,
    read_splitting,
    say_unused,
    split_queries,
    splitting_name,
)
from harness.core.arrays import BoolArray, Int32Array, Int64Array, arrow
from harness.core.errors import HarnessError, one_of
from harness.core.identity import texts_sha256
from harness.core.table import counted

if TYPE_CHECKING:
    from datasets import Dataset

UNORDERED = -2
"""The last entry of a query's gold, after its padding with -1, if the order of its hops is
unknown.
"""
OWN_DOCUMENT = ("keep", "drop")
"""What happens to the document with the id of a question in that question's list."""
BLOCK = 4096
"""Number of passages whose texts are made at once."""


@dataclass(frozen=True, eq=False, repr=False)
class Passages(Sequence[str]):
    """The D passages of a corpus: title, line break, text, or the text alone if there is no title.

    Each passage is made when it is used, from columns in a file.
    """

    titles: pa.ChunkedArray
    texts: pa.ChunkedArray

    @property
    def heads(self) -> Int32Array:
        """int32[D], the number of characters of each title and its line break."""
        lengths: Int32Array = pc.fill_null(pc.utf8_length(self.titles), 0).to_numpy()
        return lengths + np.int32(1) * (lengths > 0)

    def __len__(self) -> int:
        """Return the number of passages."""
        return len(self.texts)

    def __iter__(self) -> Iterator[str]:
        """Yield all passages in order."""
        for first in range(0, len(self), BLOCK):
            yield from self[first : first + BLOCK]

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        """Return the passage of a place, or the passages of several places."""
        if not isinstance(place, slice):
            return passage_text(self.titles[place].as_py(), self.texts[place].as_py())
        start, stop, step = place.indices(len(self))
        if step != 1:
            return [self[number] for number in range(start, stop, step)]
        columns = (
            column.slice(start, max(0, stop - start)).to_numpy()
            for column in (self.titles, self.texts)
        )
        return list(starmap(passage_text, zip(*columns, strict=True)))


def passage_text(title: str | None, text: str) -> str:
    """Return the text of a passage that encoders read: title, line break, text."""
    return f"{title}\n{text}" if title else text


@dataclass(frozen=True, eq=False, repr=False)
class Benchmark:
    """D passages and Q queries with their gold.

    Attributes:
        name: its name.
        corpus: table of ``id, title, text``, ascending by id. A passage's number is its place.
        queries: table of ``id, question, answers, supporting_ids, hops, type, extra`` (further
            fields as JSON).
        gold: int32[Q, H], passage numbers in hop order, padded with -1; the last one that is not -1
            is the last hop. If the order is unknown, the padding ends with -2 (UNORDERED), and
            there is no last hop.
        chain: bool[Q], whether the gold is a chain, so that it has a last hop in the strict sense.
        sha256: hash of the content of corpus, queries, chain and triples. It names the data in
            every artifact, lock and table.
        triples: if the passages are entities of a knowledge graph, its T distinct triples: a table
            of ``subject`` (passage number), ``relation`` (in words), ``object`` (passage number).
        splitting: ``md5`` splits by query; ``disjoint`` keeps queries that share gold passages,
            directly or through others, on one side; ``given`` is their field ``split`` (see
            ``harness.benchmark.split``).
        left_out: number of ``passages``, ``judgements`` and ``queries`` of the source that were
            left out.
        origin: the file and its hash, or the data set of the Hub with its revision; empty if
            unknown.
        own_document: whether a list may ``keep`` the document with the id of its question, or has
            to ``drop`` it, as BEIR does.
        ids_only: whether passages and questions have no texts (``harness.sweep.dataset.own_runs``).
    """

    name: str
    corpus: Dataset
    queries: Dataset
    gold: Int32Array
    chain: BoolArray
    sha256: str
    triples: pa.Table | None = None
    splitting: Splitting = "md5"
    left_out: Mapping[str, int] = field(default_factory=dict)
    origin: Mapping[str, str] = field(default_factory=dict)
    ids_only: bool = False
    own_document: str = "keep"

    def __post_init__(self) -> None:
        one_of("own_document", self.own_document, OWN_DOCUMENT)
        read_splitting("split", self.splitting)

    def __repr__(self) -> str:
        """Return ``Benchmark(sample: 2,000 passages, 600 queries, sha256 d02a81a6c781)``."""
        return (
            f"Benchmark({self.name}: {counted(len(self.corpus), 'passage')}, "
            f"{counted(len(self.queries), 'query')}, "
            f"sha256 {self.sha256[:12]})"
        )

    def with_order(self, known: BoolArray) -> Benchmark:
        """Return the benchmark with a known hop order for these queries (bool[Q]) alone."""
        gold = self.gold if self.ordered.all() else self.gold[:, :-1]
        if not known.all():
            padding = np.where(known, -1, UNORDERED).astype(np.int32)
            gold = np.column_stack([gold, padding])
        return dataclasses.replace(self, gold=gold)

    def asked(self, questions: Mapping[str, str]) -> Benchmark:
        """Return the same passages with other questions, by id, whose gold is unknown."""
        from datasets import Dataset

        ids, texts, count = list(questions), list(questions.values()), len(questions)
        unknown: dict[str, object] = {"answers": [], "supporting_ids": [], "extra": "{}"}
        unknown |= {"hops": None, "type": None}
        rows: dict[str, Sequence[object]] = {"id": ids, "question": texts}
        rows |= {name: [value] * count for name, value in unknown.items()}
        return dataclasses.replace(
            self,
            queries=Dataset.from_dict(
                {name: rows[name] for name in self.queries.column_names},
                features=self.queries.features,
            ),
            gold=np.full((count, 1), -1, dtype=np.int32),
            chain=np.zeros(count, dtype=np.bool_),
            sha256=texts_sha256([self.sha256, *ids, *texts]),
            splitting="md5",
        )

    def question_keys(self, members: Int64Array) -> list[tuple[str, ...]]:
        """Return the keys by which a question is known in any benchmark, 16 hex digits each.

        They are the hash of its text (where there is text), in lower case with runs of white space
        as one, and the hash of its id with its sorted gold ids.

        Args:
            members: numbers of the questions.
        """
        texts, gold = self.queries["question"][:], self.gold[members]
        keys = []
        for place, name, passages in zip(members, self.ids(members), gold, strict=True):
            gold_ids = sorted(self.doc_ids.take(arrow(passages[passages >= 0])).to_pylist())
            text = " ".join(unicodedata.normalize("NFKC", texts[place]).casefold().split())
            parts = [["text", text]] if text else []
            hashes = (texts_sha256(part)[:16] for part in [*parts, ["gold", name, *gold_ids]])
            keys.append(tuple(hashes))
        return keys

    @cached_property
    def corpus_sha256(self) -> str:
        """The hash of passages, their ids and the triples. It does not depend on the questions."""
        heads = map(str, self.passages.heads.tolist())
        triples = [] if self.triples is None else [json.dumps(self.triples.to_pydict())]
        return texts_sha256(chain(self.doc_ids.to_pylist(), heads, self.passages, triples))

    @property
    def ordered(self) -> BoolArray:
        """bool[Q], whether the hop order is known, so that there is a last hop."""
        return np.asarray(self.gold[:, -1] != UNORDERED)

    @cached_property
    def doc_ids(self) -> pa.StringArray:
        """string[D], ascending."""
        return arrow(self.corpus["id"][:])

    @cached_property
    def query_ids(self) -> pa.StringArray:
        """string[Q]."""
        return arrow(self.queries["id"][:])

    def split_by(self, splitting: Splitting, knob: str = "split") -> Benchmark:
        """Return the benchmark with another splitting. Warn if its questions have a split that it
        ignores.
        """
        rule = read_splitting(knob, splitting)
        say_unused(rule, self.given, self.name, knob)
        return dataclasses.replace(self, splitting=rule)

    @cached_property
    def given(self) -> list[str | None]:
        """The field ``split`` of each query, or None."""
        if "extra" not in self.queries.column_names:
            return [None] * len(self.queries)
        extra = (json.loads(text) if '"split"' in text else {} for text in self.queries["extra"][:])
        return [None if fields.get("split") is None else str(fields["split"]) for fields in extra]

    @cached_property
    def split(self) -> NDArray[np.str_]:
        """The split of each query, ``tune`` or ``test``."""
        return split_queries(
            self.splitting,
            self.query_ids.to_pylist(),
            self.name,
            "split",
            lambda: self.given,
            lambda: self.gold,
        )

    @property
    def split_facts(self) -> dict[str, str]:
        """The name of the ``splitting`` and, for a given one, ``split_sha256`` over the ids of tune
        and of test.
        """
        name = splitting_name(self.splitting)
        if name != "given":
            return {"splitting": name}
        ids = zip(self.split.tolist(), self.query_ids.to_pylist(), strict=True)
        return {"splitting": name, "split_sha256": texts_sha256(sorted(map(" ".join, ids)))}

    @cached_property
    def folds(self) -> Int64Array:
        """int64[Q], the fold of each tune question, -1 for test. Tune questions that share gold are
        in one fold.
        """
        tune, fold_of = self.members("tune"), np.full(len(self.split), -1)
        fold_of[tune] = folds(cluster_names(self.query_ids.take(tune).to_pylist(), self.gold[tune]))
        return fold_of

    def members(self, split: str) -> Int64Array:
        """Return the numbers of the queries of ``tune``, ``test`` or ``all``."""
        return (
            np.arange(len(self.queries)) if split == "all" else np.flatnonzero(self.split == split)
        )

    def need_members(self, split: str) -> Int64Array:
        """Return ``members``. Raise HarnessError if there are none."""
        if len(members := self.members(split)):
            return members
        mend = f"split={self.splitting} needs more than {len(self.split)}"
        if splitting_name(self.splitting) == "given":
            names = " or ".join(name for name, meaning in MEANING.items() if meaning == split)
            mend = f"all {len(self.split)} are given as {self.split[0]}; add some of split {names}"
        raise HarnessError(f"{self.name}: no query falls into {split}; {mend}")

    def ids(self, members: Int64Array) -> list[str]:
        """Return the ids of these queries."""
        names: list[str] = self.query_ids.take(arrow(members)).to_pylist()
        return names

    @cached_property
    def passages(self) -> Passages:
        """The texts that encoders and BM25 read: title, line break, text of each passage."""
        table: pa.Table = self.corpus.select_columns(["title", "text"]).with_format("arrow")[:]
        return Passages(table["title"], table["text"])

    @cached_property
    def questions(self) -> list[str]:
        """The questions, in query order."""
        return list(self.queries["question"][:])

    @cached_property
    def marks(self) -> dict[str, BoolArray]:
        """bool[Q] by name: the further fields of ``queries`` that are true or false for every
        query.
        """
        extra = [json.loads(value) for value in self.queries["extra"][:]]
        marks = {}
        for name in sorted(extra[0]):
            values = [other.get(name) for other in extra]
            if all(isinstance(value, bool) for value in values):
                marks[name] = np.array(values, dtype=np.bool_)
        return marks
