"""What runs, gold and corpus know of each other: a score of runs that speak of other ids says
nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from omegaconf import OmegaConf

from harness.core.errors import HarnessError, one_of
from harness.core.table import counted
from harness.evaluation.gold import Gold
from harness.evaluation.metric import Metric
from harness.evaluation.metric.tie import Range, describe_ranges
from harness.run import Run
from harness.run.matching import documents, known, queries, resembling, share_nothing

if TYPE_CHECKING:
    from omegaconf import DictConfig

HALF = 0.5
"""Below this share of what is asked for it is said."""


@dataclass(frozen=True)
class Coverage:
    """How much of the gold a run knows.

    queries: how many are judged.    answered: for how many of them the run lists a document.
    empty: queries that the run names with an empty list.    unknown: queries it answers that the
    gold does not know.
    gold_documents: distinct supporting documents.    found: how many of them stand in some list of
    the run.
    run_documents: distinct documents of the run.    in_corpus: how many of them the benchmark has;
    None without one.
    longest: how many documents its longest list has.    alike: what ids that one side lacks
    resemble, a line each.    read: what the readers of run and gold said (see ``Run.notes``).
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
        """The coverage of a run. Unknown is a query that the gold of no split has."""
        answered, held = queries(run), documents(run)
        whole = gold.whole or gold
        judged, every = (
            pa.array(ids, pa.string())
            for ids in (gold.query_ids, [*whole.query_ids, *whole.nothing])
        )
        lacking = [
            ("gold questions have no list", _without(judged, answered), _without(answered, every)),
            (
                "gold documents are in no list",
                _without(gold.documents, held),
                _without(held, gold.documents),
            ),
        ]
        if gold.corpus is not None:
            strange = _without(held, gold.corpus)
            lacking.append(("of its documents are not in the corpus", strange, gold.corpus))
        return cls(
            queries=len(gold),
            answered=known(answered, judged),
            empty=len(run) - len(answered),
            unknown=len(answered) - known(answered, every),
            gold_documents=len(gold.documents),
            found=known(gold.documents, held),
            run_documents=len(held),
            in_corpus=None if gold.corpus is None else known(held, gold.corpus),
            longest=int(run.lengths().max(initial=0)),
            alike=[
                f"{len(missing)} {what}; of these {line}"
                for what, missing, others in lacking
                for line in resembling(missing, others)
            ],
            read=[*run.notes, *gold.notes],
        )

    def to_dict(self) -> dict[str, object]:
        """The fields, and ``warnings``."""
        found = {name: value for name, value in asdict(self).items() if name != "read"}
        return {**found, "warnings": self.warnings()}

    @property
    def missing(self) -> int:
        """How many judged queries the run has no document for."""
        return self.queries - self.answered

    @property
    def few(self) -> bool:
        """Whether fewer than half of the judged queries have a document, which is a warning."""
        return self.answered < HALF * self.queries

    def warnings(self) -> list[str]:
        """A line for each share that is below a half."""
        return [
            f"{part} of {of} {what}"
            for part, of, what in (
                (self.answered, self.queries, "questions have a list"),
                (self.found, self.gold_documents, "gold documents stand in any list"),
                (self.in_corpus, self.run_documents, "documents of the run are in the corpus"),
            )
            if part is not None and part < HALF * of
        ]

    def lacking(self, name: str) -> list[str]:
        """Sentences on the queries that a run of this name lacks, and on shares below a half."""
        lacking = (
            f"{name} has no list for {self.missing} of {counted(self.queries, 'question')}; these "
            "count as not found."
        )
        told = self.missing and not self.few
        return [lacking] * bool(told) + [f"{name}: only {line}." for line in self.warnings()]

    def notes(self, name: str, metrics: Iterable[Metric], tied: Mapping[str, Range]) -> list[str]:
        """What may make the scores of a run mean something else, a sentence each: everything that
        the command line and Python say of it.

        name: the run's.    metrics: that it is scored by.    tied: what another order of equal
        scores could make of each (see ``tie_ranges``).
        """
        deeper = [str(metric) for metric in metrics if (metric.k or 0) > self.longest]
        said = {
            f"{name} has {counted(self.unknown, 'list')} of questions that the gold does not know; "
            "these are not scored": self.unknown,
            f"{name}: {self.empty} of its lists are empty": self.empty,
            **{f"{name}: {line}": 1 for line in self.alike},
            f"{name}: no list has more than {counted(self.longest, 'document')}, so "
            f"{', '.join(deeper)} looks no further": deeper,
            describe_ranges(name, tied): tied,
        }
        told = [f"{text}." for text, holds in said.items() if text and holds]
        return [*self.read, *self.lacking(name), *told]


def _without(ids: pa.StringArray, others: pa.StringArray) -> pa.StringArray:
    return ids.filter(pc.invert(pc.is_in(ids, value_set=others)))


def check_known(runs: Mapping[str, Run], gold: Gold) -> None:
    """Raise HarnessError where a run answers no query of the gold, or speaks of other documents
    than it.

    runs: by source. A run that holds no gold document passes when it shares documents with the
    corpus or with a run that does: it found nothing, under the same ids.
    """
    asked = pa.array(gold.query_ids, pa.string())
    name = gold.source if gold.part == "all" else f"{gold.source} (split {gold.part})"
    for source, run in runs.items():
        if not known(queries(run), asked):
            raise share_nothing("query", (source, queries(run)), (name, asked))
    held = {source: documents(run) for source, run in runs.items()}
    supporting = (gold.whole or gold).documents
    reached = supporting if gold.corpus is None else gold.corpus
    while linked := [source for source, ids in held.items() if known(ids, reached)]:
        reached = pa.concat_arrays([reached, *(held.pop(source) for source in linked)])
    for source, ids in held.items():
        raise share_nothing("document", (source, ids), (gold.source, supporting))


def read_gold(config: DictConfig) -> Gold:
    """The gold of the keys gold, lenient, dataset.chain, rel, ties, split and splitting."""
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


def check_whole(coverages: Mapping[str, Coverage], gold: Gold) -> None:
    """Raise HarnessError where a run, by its name, has other queries than the gold."""
    for name, found in coverages.items():
        if found.missing or found.unknown:
            raise HarnessError(
                f"{name}: lacks {found.missing} of {found.queries} gold questions, holds "
                f"{found.unknown} that {gold.source} does not know; give a run of exactly these "
                "questions, or strict=false"
            )
