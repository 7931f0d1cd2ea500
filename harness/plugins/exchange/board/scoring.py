"""A submission's lists held against the benchmark: what is refused, and what is said of those that pass."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from harness.benchmark import Benchmark
from harness.core.errors import HarnessError
from harness.core.input import opened
from harness.evaluation.evaluate import ranks_of
from harness.evaluation.gold import Gold
from harness.evaluation.metric import ABSENT, Metric, average
from harness.plugins.exchange.board.submission import Submission, read_submission
from harness.run import Run
from harness.run.io import read
from harness.run.matching import difference, documents, examples, queries

SHORT = 10
"""A list of fewer passages is said to be short."""
EXACT = 0.001
"""How far a claimed share may be from what the lists give: rounding."""
PERFECT = 0.99
"""The share of lists that begin with the answers from which on that is said."""
LINE = 256
"""Bytes of a line of a run file beside its two ids: numbers and a tag."""


@dataclass(frozen=True, eq=False)
class Scored:
    """A submission with the gold ranks int32[Q, H] that its lists give, over all queries of ``gold``.

    lengths: int64[Q], how many passages each list holds.    order: SHA-256 of which passage stands where.
    """

    submission: Submission
    gold: Gold
    ranks: NDArray[np.int32]
    lengths: NDArray[np.int64]
    order: str

    def on(self, split: str) -> NDArray[np.int32]:
        """int32[n, H]: the ranks of the queries of a split."""
        return self.ranks if split == "all" else self.ranks[self.gold.parts == split]

    @cached_property
    def answered(self) -> int:
        """How many queries have a list."""
        return int((self.lengths > 0).sum())

    @cached_property
    def gold_alone(self) -> int:
        """How many lists hold supporting passages and nothing else."""
        held = ((self.ranks > 0) & (self.ranks < ABSENT)).sum(axis=1)
        return int(((self.lengths > 0) & (held == self.lengths)).sum())

    @cached_property
    def gold_first(self) -> int:
        """How many lists begin with all supporting passages."""
        return int((self.ranks.max(axis=1) == (self.ranks > 0).sum(axis=1)).sum())

    @cached_property
    def notes(self) -> list[str]:
        """What a reader should know of these lists, a line each."""
        asked, answered = len(self.lengths), self.answered
        short = int(((self.lengths > 0) & (self.lengths < SHORT)).sum())
        said = (
            (answered < asked, f"{asked - answered} of {asked} questions have no list, and count as not found"),
            (short, f"{short} of {answered} lists hold fewer than {SHORT} passages"),
            (self.gold_alone, f"{self.gold_alone} of {answered} lists hold nothing but supporting passages"),
            (
                self.gold_first >= PERFECT * answered,
                f"{self.gold_first} of {answered} lists begin with all supporting passages: made from the answers?",
            ),
        )
        return [text for true, text in said if true]


def score(submission: Submission, gold: Gold, depth: int, split: str) -> Scored:
    """The gold ranks of a submission's lists.

    gold: of all the benchmark's queries.    depth: passages of a list, at most.    split: that claims are of.
    Raises HarnessError for lists that are too many, too long or damaged, for ids that the benchmark does not have, for
    lists of supporting passages alone, and for claims that the lists do not give.
    """
    assert gold.corpus is not None
    asked = pa.array(gold.query_ids, pa.string())
    _check_size(submission.run, asked, gold.corpus, depth)
    found = read(submission.run)
    for what, ids, known in (("question", queries(found), asked), ("passage", documents(found), gold.corpus)):
        strange = ids.filter(pc.invert(pc.is_in(ids, value_set=known)))
        if len(strange):
            why = difference(strange, known)
            raise HarnessError(
                f"{submission.run}: {len(strange)} of {len(ids)} {what} ids are not of {gold.source}: "
                f"{examples(strange)}{f'; {why}' if why else ''}; use the benchmark's own ids"
            )
    run = found.aligned(asked, gold.corpus)
    lengths = run.lengths()
    if (longest := int(lengths.max())) > depth:
        query = gold.query_ids[int(lengths.argmax())]
        raise HarnessError(f"{submission.run}: question {query} has {longest} passages, at most {depth}; cut the lists")
    scored = Scored(submission, gold, ranks_of(run, gold), lengths, _order(run))
    _check_gold_alone(scored)
    _check_claims(scored, split)
    return scored


def review(folder: Path, benchmark: Benchmark, depth: int) -> list[str]:
    """What is said of the lists of a complete submission. Raises HarnessError for what a board would refuse."""
    return score(read_submission(folder), Gold.of(benchmark), depth, "test").notes


def _check_size(path: Path, asked: pa.StringArray, passages: pa.StringArray, depth: int) -> None:
    """Raise where the file unpacks to more than lists of all queries at this depth can have."""
    ids = sum(int(pc.max(pc.binary_length(ids)).as_py() or 0) for ids in (asked, passages))
    most, size = (ids + LINE) * len(asked) * depth, 0
    with opened(path) as stream:
        while part := stream.read(1 << 20):
            size += len(part)
            if size > most:
                raise HarnessError(
                    f"{path}: unpacks to more than {most} bytes, the most that {len(asked)} lists of {depth} can have"
                )


def _order(run: Run) -> str:
    return hashlib.sha256(run.indptr.tobytes() + run.docs.tobytes()).hexdigest()


def _check_gold_alone(scored: Scored) -> None:
    if 2 * scored.gold_alone > scored.answered:
        raise HarnessError(
            f"{scored.submission.run}: {scored.gold_alone} of {scored.answered} lists hold nothing but supporting "
            "passages: made or cut by the answers; submit the lists as the system ranks them"
        )


def _check_claims(scored: Scored, split: str) -> None:
    for name, claimed in scored.submission.card.claims.items():
        found = float(average(Metric.parse(name)(scored.on(split))))
        if not abs(found - claimed) <= EXACT:
            raise HarnessError(
                f"{scored.submission.folder}: card.yaml claims {name} {claimed:.4f} on {split}, its lists give "
                f"{found:.4f}; claim what the lists give, or nothing"
            )
