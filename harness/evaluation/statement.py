"""Statements about results: what a comparison shows, as a value, and the sentences that say it.

Terminal, PDF, site, figures and files print these sentences; none of them words a verdict itself.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from harness.core.arrays import Int64Array
from harness.core.table import LEVEL, SHARES, Column, Scale, Table, counted, p_value, percent
from harness.evaluation.metric.measure import Values
from harness.evaluation.paired_comparison import Comparison, Finding
from harness.evaluation.statistic import mcnemar
from harness.evaluation.system_comparison import SystemComparison, source_of

FEW_CLUSTERS = 5
"""A side that won its questions in fewer clusters has a caution."""
GREAT = 0.05
"""Share of the questions in one cluster above which a caution is printed."""
NAMED = 3
"""The largest number of comparisons that a sentence names; of more it gives the number."""
WORDS: Mapping[Finding, str] = {
    "better": "better than",
    "worse": "worse than",
    "even": "not shown to be better than",
}
"""The words for each finding."""
SIGNS: Mapping[Finding, str] = {"better": "‡", "worse": "§"}
"""The signs of findings in the tables of a paper; a dagger is the winner of a sweep."""
Kind = Literal["compared", "verdict", "expectation", "addition", "caveat"]
LEAD: tuple[Kind, ...] = ("compared", "verdict", "expectation", "addition", "caveat")
"""The kinds of sentences, in the order in which they are printed."""


@dataclass(frozen=True)
class Sentence:
    """A sentence about results.

    Attributes:
        kind: ``compared`` (what, on which questions), ``verdict`` (what won and by how much),
            ``expectation`` (of test, or whether it came true), ``addition`` (whether fusion adds to
            the best list), ``caveat`` (why one of these may not hold).
        text: the sentence.
    """

    kind: Kind
    text: str


@dataclass(frozen=True)
class Statement:
    """What a comparison shows: who, against whom, by how much, and how sure that is.

    Attributes:
        comparison: the comparison, which its family has decided.
        who, against: names of the system and its baseline.
        metric: what is compared; "": it is known.
        role: what the baseline is, for readers: ``the best list on tune``, or "".
    """

    comparison: Comparison
    who: str
    against: str
    metric: str = ""
    role: str = ""

    @property
    def undone_by(self) -> int | None:
        """The size of one more cluster that would undo a finding of few clusters, or None."""
        return self.comparison.undone_by if self.comparison.clusters_ahead < FEW_CLUSTERS else None

    @property
    def evidence(self) -> str:
        """The difference with its interval, wins, losses, and the p of the verdict."""
        comparison, scale = self.comparison, self.comparison.scale
        gain = scale.gain(comparison.difference)
        counts = f"{comparison.wins} won, {comparison.losses} lost"
        if comparison.ruling.interval is None:
            items = f"{counted(comparison.units, 'cluster')} of {counted(comparison.n, scale.item)}"
            return f"{gain}; {counts}; {items} are too few for a p"
        text = f"{gain}, 95% {scale.span(comparison.ruling.interval)}; {counts}"
        if not comparison.decided.tested:
            return text
        name = "Holm p" if comparison.decided.rule == "holm" else "p"
        how = f" {comparison.ruling.how}" if comparison.ruling.how else ""
        return f"{text}, {name}{how} {p_value(comparison.decided.p)}"

    @property
    def predicate(self) -> str:
        """What is shown about ``who``, after "is"."""
        comparison = self.comparison
        baseline = f"{self.against}, {self.role}" if self.role else self.against
        if not comparison.decided.tested:
            return f"therefore not tested against {baseline} ({self.evidence})"
        if not comparison.wins and not comparison.losses:
            score = comparison.scale.score(comparison.score)
            return f"equal to {baseline} on every {comparison.scale.item} ({score})"
        return f"{WORDS[comparison.finding]} {baseline} ({self.evidence})"

    @property
    def cell(self) -> str:
        """What is shown about ``who``, in a cell of a table; a real difference can be smaller than
        the margin.
        """
        comparison = self.comparison
        if comparison.ruling.interval is None:
            return "too few clusters"
        if comparison.finding == "even":
            return "equivalent" if comparison.within_margin else "undecided"
        return f"{comparison.finding}{', within the margin' if comparison.within_margin else ''}"


def verdict(statements: Sequence[Statement], where: str = "") -> Sentence:
    """Return the sentence of what is shown about one system, against each baseline in turn.

    Args:
        statements: of the same system; the second one of a sequence of tests says why it was done.
        where: begins the sentence, as in ``On test``; without it the metric does.
    """
    first, clauses = statements[0], []
    for number, statement in enumerate(statements):
        clause = statement.predicate
        decided = statement.comparison.decided
        if number and decided.tested and decided.rule == "sequence":
            clause = f"{clause[:-1]}; tested second, because the first was shown)"
        clauses.append(clause)
    start = where or (f"By {first.metric}" if first.metric else "")
    text = f"{first.who} is {' and '.join(clauses)}."
    return Sentence("verdict", f"{start} {text}".strip())


def undone(statements: Iterable[Statement]) -> list[Sentence]:
    """Return the cautions on findings that one more cluster would undo, one for each size."""
    pairs: dict[str, list[str]] = {}
    for statement in statements:
        if statement.undone_by is not None:
            by = f"By {statement.metric} " if statement.metric else ""
            pair = f"{by}{statement.who} against {statement.against}"
            size = f"{statement.undone_by} {statement.comparison.scale.item}s"
            pairs.setdefault(size, []).append(pair)
    words = "one more cluster of {}, all won by the other side, would undo this finding."
    return [
        Sentence("caveat", f"{', '.join(pairs_of_size)}: {words.format(size)}")
        for size, pairs_of_size in pairs.items()
    ]


@dataclass(frozen=True)
class Headroom:
    """The gain from choosing, for each question, the right one of several systems.

    A fusion can also win a question by a passage that no list has among its first k.

    Attributes:
        best: the best single system.
        wins: by other system, the number of questions on which it scores more than the best.
        questions: number of questions on which any of them scores more.
        oracle: the mean of the best score for each question.
        score: the score of the best single system.
        n: number of questions.
    """

    best: str
    wins: Mapping[str, int]
    questions: int
    oracle: float
    score: float
    n: int

    @classmethod
    def of(cls, values: Mapping[str, Values], best: str) -> Headroom:
        """Return the headroom of the systems' values of a metric, float64[n] by name."""
        best_values, every = values[best], np.stack(list(values.values()))
        wins = {
            name: int((row > best_values).sum()) for name, row in values.items() if name != best
        }
        oracle, mean = every.max(axis=0), float(best_values.mean())
        more = int((oracle > best_values).sum())
        return cls(best, wins, more, float(oracle.mean()), mean, len(best_values))

    @property
    def p(self) -> float:
        """The exact p of winning all of these questions and losing none; 1 if there is none."""
        return mcnemar(self.questions, 0)

    @property
    def answers(self) -> bool:
        """Whether a system that wins all of these questions could be shown to be better."""
        return self.p <= LEVEL

    def addition(self, scale: Scale = SHARES, settled: bool = False, metric: str = "") -> str:
        """Return on how many questions another system scores more than the best one.

        Args:
            scale: the unit of the scores.
            settled: whether a fusion is already shown to be better than the best system.
            metric: named in the sentence.
        """
        others = " or ".join([name for name, count in self.wins.items() if count] or self.wins)
        by = f" by {metric}" if metric else ""
        few = ""
        if not (self.answers or settled):
            few = " only; no gain can be shown with so few"
        items = f"{self.questions} of {self.n} {scale.item}s"
        return f"{others} could add something to {self.best}{by} on {items}{few}."


def headroom_table(rooms: Mapping[str, Headroom], scale: Scale = SHARES) -> Table:
    """Return a row for each metric: the best system, and the score of the best for each question.

    Args:
        rooms: by metric.
        scale: the unit of the scores.
    """
    rows = []
    for metric, room in rooms.items():
        others = ", ".join(f"{name} {count}" for name, count in room.wins.items())
        rows.append([metric, room.best, room.score, room.oracle, others, room.questions, room.p])
    columns = [
        Column("metric", "text"),
        Column("best", "text"),
        scale.column("score", "share"),
        scale.column("oracle", "share"),
        Column("beaten by", "text"),
        Column(f"{scale.item}s", "count"),
        Column("p of these", "p"),
    ]
    notes = [
        f"Oracle: chooses the best system for each {scale.item}. Beaten by: on how many "
        f"{scale.item}s another system scores more than the best. P of these: of winning all of "
        "them and losing none."
    ]
    return Table("oracle", "What a choice for each question would add", columns, rows, notes=notes)


def select_texts(sentences: Iterable[Sentence], *kinds: Kind) -> list[str]:
    """Return the texts of some kinds, in the order of the kinds, each once."""
    chosen = [sentence for sentence in sentences if sentence.kind in kinds]
    chosen.sort(key=lambda sentence: kinds.index(sentence.kind))
    return list(dict.fromkeys(sentence.text for sentence in chosen))


def lead(sentences: Sequence[Sentence], known: Collection[str] = ()) -> list[str]:
    """Return the sentences below a table: verdicts, expectations, additions, and cautions.

    Args:
        sentences: the sentences.
        known: cautions that are already printed.
    """
    cautions = [text for text in select_texts(sentences, "caveat") if text not in known]
    return [
        *select_texts(sentences, "verdict", "expectation", "addition"),
        *(f"caution: {text}" for text in cautions),
    ]


def headroom(comparisons: Sequence[SystemComparison]) -> dict[str, Headroom]:
    """Return the gain from choosing among all runs over the best one, by metric.

    If several have the same score, the first is the best, baselines first.
    """
    rooms = {}
    for metric in dict.fromkeys(comparison.metric for comparison in comparisons):
        of_metric = [comparison for comparison in comparisons if comparison.metric == metric]
        values = {comparison.baseline: comparison.theirs for comparison in of_metric}
        values |= {comparison.name: comparison.ours for comparison in of_metric}
        if len(values) > 1:
            means = {name: float(row.mean()) for name, row in values.items()}
            rooms[str(metric)] = Headroom.of(values, max(means, key=means.__getitem__))
    return rooms


def conclude_all(
    comparisons: Sequence[SystemComparison], rooms: Mapping[str, Headroom]
) -> list[Sentence]:
    """Return what the comparisons of one call show together, and cautions.

    Args:
        comparisons: the comparisons.
        rooms: the questions that fusion could win, by metric.
    """
    statements = [
        Statement(comparison, comparison.name, comparison.baseline, str(comparison.metric))
        for comparison in comparisons
    ]
    first = verdict(statements) if len(comparisons) == 1 else _summary(statements)
    sentences = [first, *undone(statements)]
    sentences += [Sentence("caveat", note) for note in _further_notes(comparisons)]
    for name, room in rooms.items():
        if room.questions:
            sentences.append(Sentence("addition", room.addition(comparisons[0].scale, metric=name)))
    return sentences


def _further_notes(comparisons: Sequence[SystemComparison]) -> list[str]:
    """Return the notes on the files that do not stand below the table."""
    notes = itertools.chain.from_iterable(comparison.notes for comparison in comparisons)
    below_table = source_of(comparisons).notes
    return [note for note in dict.fromkeys(notes) if note not in below_table]


def _summary(statements: Sequence[Statement]) -> Sentence:
    """Return which runs are better or worse by Holm p, by metric, and how many are neither."""
    clauses, several = [], len({statement.against for statement in statements}) > 1
    for metric in dict.fromkeys(statement.metric for statement in statements):
        for word in ("better", "worse"):
            members = [
                statement
                for statement in statements
                if (statement.metric, statement.comparison.finding) == (metric, word)
            ]
            clauses += [f"by {metric} {_named(members, several)} {word}"] if members else []
    rest = sum(statement.comparison.finding == "even" for statement in statements)
    if rest:
        clauses.append(f"no difference is shown in {rest} of {len(statements)} comparisons")
    text = "; ".join(clauses)
    return Sentence("verdict", f"{text[0].upper()}{text[1:]} (Holm p).")


def _named(members: Sequence[Statement], several: bool) -> str:
    """Return the names of some systems with their gains, or their number if many.

    Args:
        members: the statements about them.
        several: whether the comparisons have several baselines.
    """
    if len(members) > NAMED:
        return f"{len(members)} runs are"
    names = []
    for statement in members:
        comparison = statement.comparison
        over = f" over {statement.against}" if several else ""
        names.append(f"{statement.who} ({comparison.scale.gain(comparison.difference)}{over})")
    return f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'}"


def blind_spots(seen: Mapping[str, Mapping[str, int]], sizes: Int64Array) -> list[Sentence]:
    """Return why the forecast of a tune half may be wrong.

    Args:
        seen: by list and split, the number of questions that share gold with one on which the
            list's weights were chosen. Trials that learn, and lists of ``harness fit``, are scored
            with cross-validation and are not counted.
        sizes: sizes of tune's clusters of questions that share gold passages.
    """
    cautions = []
    if names := ", ".join(name for name, counts in seen.items() if counts.get("tune")):
        cautions.append(
            f"The weights of {names} were chosen on these tune questions, too: expect less than "
            "the forecast says."
        )
    share = float(sizes.max() / sizes.sum())
    if share > GREAT and sizes.max() > 1:
        cautions.append(
            f"One cluster holds {percent(share)}% of tune's questions, which share gold passages: "
            "the true intervals are wider."
        )
    return [Sentence("caveat", text) for text in cautions]
