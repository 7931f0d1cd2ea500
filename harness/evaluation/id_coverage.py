"""The ids that runs, gold and corpus share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from omegaconf import OmegaConf

from harness.benchmark import OWN_DOCUMENT
from harness.core.arrays import arrow
from harness.core.errors import HarnessError, one_of
from harness.core.table import counted
from harness.evaluation.gold import Gold
from harness.evaluation.metric import Metric
from harness.evaluation.metric.gold_ranks import Range, describe_ranges
from harness.run import Run
from harness.run.entries import log_notes
from harness.run.matching import (
    documents,
    known,
    queries,
    resembling,
    share_nothing,
    without,
)

if TYPE_CHECKING:
    from omegaconf import DictConfig

MANY_OWN = 0.1
"""Share of lists that begin with the document of their question's id above which a note says it.
"""
HALF = 0.5
"""Share below which a warning is given."""


@dataclass(frozen=True)
class Coverage:
    """The part of the gold that a run covers.

    Attributes:
        queries: number of judged questions.
        answered: judged questions for which the run lists a document.
        empty: questions with an empty list in the run.
        unknown: questions of the run that the gold does not have.
        gold_documents: distinct supporting documents.
        found: supporting documents in any list of the run.
        run_documents: distinct documents of the run.
        in_corpus: documents of the run that the benchmark has; None without a benchmark.
        longest: number of documents in the longest list.
        alike: a line for each pattern in which ids of one side resemble ids of the other.
        read: notes of the readers of run and gold (see ``Run.notes``).
    """

    queries: int
    answered: int
    empty: int
    unknown: int
    gold_documents: int
    found: int
    run_documents: int
    in_corpus: int | None = None
    longest: int = field(default=0, compare=False)
    alike: Sequence[str] = field(default=(), compare=False)
    read: Sequence[str] = field(default=(), compare=False)

    @classmethod
    def of(cls, run: Run, gold: Gold) -> Coverage:
        """Return the coverage of a run; a question is unknown if no split of the gold has it."""
        answered, held = queries(run), documents(run)
        whole = gold.whole or gold
        judged, every = arrow(gold.query_ids), arrow([*whole.query_ids, *whole.nothing])
        lacking = [
            ("gold questions have no list", without(judged, answered), without(answered, every)),
            (
                "gold documents are in no list",
                without(gold.documents, held),
                without(held, gold.documents),
            ),
        ]
        in_corpus = None
        if gold.corpus is not None:
            in_corpus, outside = known(held, gold.corpus), without(held, gold.corpus)
            lacking.append(("of its documents are not in the corpus", outside, gold.corpus))
        return cls(
            queries=len(gold),
            answered=known(answered, judged),
            empty=len(run) - len(answered),
            unknown=len(answered) - known(answered, every),
            gold_documents=len(gold.documents),
            found=known(gold.documents, held),
            run_documents=len(held),
            in_corpus=in_corpus,
            longest=int(run.lengths().max(initial=0)),
            alike=[
                f"{len(missing)} {what}; of these {line}"
                for what, missing, others in lacking
                for line in resembling(missing, others)
            ],
            read=[*run.notes, *gold.notes],
        )

    def to_dict(self) -> dict[str, object]:
        """Return the fields and ``warnings``."""
        fields = asdict(self)
        del fields["read"]
        return {**fields, "warnings": self.warnings()}

    @property
    def missing(self) -> int:
        """Number of judged questions for which the run has no document."""
        return self.queries - self.answered

    @property
    def few(self) -> bool:
        """Whether the run answers fewer than half of the judged questions."""
        return self.answered < HALF * self.queries

    def warnings(self) -> list[str]:
        """Return a line for each share below a half."""
        return [
            f"{part} of {of} {what}"
            for part, of, what in (
                (self.answered, self.queries, "questions have a list"),
                (self.found, self.gold_documents, "gold documents are in its lists"),
                (self.in_corpus, self.run_documents, "documents of the run are in the corpus"),
            )
            if part is not None and part < HALF * of
        ]

    def lacking(self, name: str) -> list[str]:
        """Return sentences on the questions that a run lacks and on shares below a half."""
        sentences = [f"{name}: only {line}." for line in self.warnings()]
        if not self.missing or self.few:
            return sentences
        count = f"{self.missing} of {counted(self.queries, 'question')}"
        return [f"{name} has no list for {count}; these count as not found.", *sentences]

    def notes(self, name: str, metrics: Iterable[Metric], tied: Mapping[str, Range]) -> list[str]:
        """Return all sentences on what may distort the scores of a run.

        Args:
            name: the name of the run.
            metrics: the metrics that it is scored by.
            tied: lowest and highest score that another order of ties could give (see
                ``tie_ranges``).
        """
        deeper = [str(metric) for metric in metrics if (metric.k or 0) > self.longest]
        conditions = {
            f"{name} has {counted(self.unknown, 'list')} of questions that the gold does not know; "
            "these are not scored": self.unknown,
            f"{name}: {self.empty} of its lists are empty": self.empty,
            **{f"{name}: {line}": 1 for line in self.alike},
            f"{name}: no list has more than {counted(self.longest, 'document')}, so "
            f"{', '.join(deeper)} cannot look further": deeper,
            describe_ranges(name, tied): tied,
        }
        sentences = [f"{text}." for text, holds in conditions.items() if text and holds]
        return [*self.read, *self.lacking(name), *sentences]


def check_known(runs: Mapping[str, Run], gold: Gold) -> None:
    """Check that each run answers questions of the gold and shares its documents.

    A run without any gold document passes if it shares documents with the corpus, or with a run
    that passes: it found nothing, under the same ids.

    Args:
        runs: by source.
        gold: the gold.

    Raises:
        HarnessError: a run shares no question or no document.
    """
    query_ids = arrow(gold.query_ids)
    name = gold.source if gold.part == "all" else f"{gold.source} (split {gold.part})"
    for source, run in runs.items():
        if not known(queries(run), query_ids):
            raise share_nothing("query", (source, queries(run)), (name, query_ids))
    held = {source: documents(run) for source, run in runs.items()}
    supporting = (gold.whole or gold).documents
    reached = supporting if gold.corpus is None else gold.corpus
    while linked := [source for source, ids in held.items() if known(ids, reached)]:
        reached = pa.concat_arrays([reached, *(held.pop(source) for source in linked)])
    for source, ids in held.items():
        raise share_nothing("document", (source, ids), (gold.source, supporting))


def read_gold(config: DictConfig) -> Gold:
    """Read the gold by the keys gold, lenient, dataset.chain, rel, ties, split and splitting."""
    one_of("ties", config.ties, ("house", "trec"))
    rule: Any = OmegaConf.to_container(config.dataset)
    read = Gold.read(
        str(config.gold),
        config.lenient,
        rule["chain"],
        config.rel,
        keep_empty=config.ties == "trec",
    )
    return read.split(config.split, config.splitting)


def apply_own_document(runs: Mapping[str, Run], rule: str) -> dict[str, Run]:
    """Return the runs, by name, without the documents with the ids of their questions if the rule
    is ``drop``. With ``keep`` a note is logged if many lists begin with it.
    """
    one_of("own_document", rule, OWN_DOCUMENT)
    checked = {}
    for name, run in runs.items():
        documents, starts = run.own_documents, run.indptr[:-1][run.lengths() > 0]
        number, first, note = int(documents.sum()), int(documents[starts].sum()), ""
        if rule == "drop" and number:
            note = f"{name}: left out the document with the id of its question in {number:,} lists"
        elif first > MANY_OWN * len(starts):
            note = (
                f"{name}: {first:,} of {counted(len(starts), 'list')} begin with the document with "
                "the id of their question; own_document=drop leaves it out, as BEIR does"
            )
        if rule == "drop":
            run = run.without_own_documents()
        checked[name] = run.changed(notes=[*run.notes, *log_notes([note])]) if note else run
    return checked


def check_whole(coverages: Mapping[str, Coverage], gold: Gold) -> None:
    """Check that runs, by name, have exactly the questions of the gold.

    Raises:
        HarnessError: a run lacks questions or has others.
    """
    for name, coverage in coverages.items():
        if coverage.missing or coverage.unknown:
            raise HarnessError(
                f"{name}: lacks {coverage.missing} of {coverage.queries} gold questions, has "
                f"{coverage.unknown} that {gold.source} does not have; give a run of exactly these "
                "questions; strict=false compares others, but not with gate="
            )
