"""Statements about results: what a comparison shows, as a value, and the sentences that say it.

Terminal, PDF, site, figures and files print these sentences; none of them words a verdict itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from harness.core.arrays import Int64Array
from harness.core.table import LEVEL, SHARES, Column, Scale, Table, counted, p_value, percent
from harness.evaluation.metric.measure import Values
from harness.evaluation.paired_comparison import Comparison, Finding
from harness.evaluation.statistic import mcnemar

if TYPE_CHECKING:
    from harness.evaluation.system_comparison import SystemComparison

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
        found: the comparison, which its family has decided.
        who, against: names of the system and its baseline.
        metric: what is compared; "": it is known.
        role: what the baseline is, for readers: ``the best list on tune``, or "".
    """

    found: Comparison
    who: str
    against: str
    metric: str = ""
    role: str = ""

    @property
    def undone_by(self) -> int | None:
        """The size of one more cluster that would undo a finding of few clusters, or None."""
        return self.found.undone_by if self.found.clusters_ahead < FEW_CLUSTERS else None

    @property
    def evidence(self) -> str:
        """The difference with its interval, wins, losses, and the p of the verdict."""
        found, scale = self.found, self.found.scale
        gain = scale.gain(found.difference)
        counts = f"{found.wins} won, {found.losses} lost"
        if found.ruling.interval is None:
            items = f"{counted(found.units, 'cluster')} of {counted(found.n, scale.item)}"
            return f"{gain}; {counts}; {items} are too few for a p"
        text = f"{gain}, 95% {scale.span(found.ruling.interval)}; {counts}"
        if not found.decided.tested:
            return text
        name = "Holm p" if found.decided.rule == "holm" else "p"
        how = f" {found.ruling.how}" if found.ruling.how else ""
        return f"{text}, {name}{how} {p_value(found.decided.p)}"

    @property
    def predicate(self) -> str:
        """What is shown about ``who``, after "is"."""
        found, named = self.found, f"{self.against}, {self.role}" if self.role else self.against
        if not found.decided.tested:
            return f"therefore not tested against {named} ({self.evidence})"
        if not found.wins and not found.losses:
            score = found.scale.score(found.score)
            return f"equal to {named} on every {found.scale.item} ({score})"
        return f"{WORDS[found.finding]} {named} ({self.evidence})"

    @property
    def cell(self) -> str:
        """What is shown about ``who``, in a cell of a table; a real difference can be smaller than
        the margin.
        """
        found = self.found
        if found.ruling.interval is None:
            return "too few clusters"
        if found.finding == "even":
            return "equivalent" if found.within_margin else "undecided"
        return f"{found.finding}, within the margin" if found.within_margin else found.finding


def verdict(statements: Sequence[Statement], where: str = "") -> Sentence:
    """Return the sentence of what is shown about one system, against each baseline in turn.

    Args:
        statements: of the same system; the second one of a sequence of tests says why it was done.
        where: begins the sentence, as in ``On test``; without it the metric does.
    """
    first, clauses = statements[0], []
    for number, one in enumerate(statements):
        clause = one.predicate
        if number and one.found.decided.tested and one.found.decided.rule == "sequence":
            clause = f"{clause[:-1]}; tested second, because the first was shown)"
        clauses.append(clause)
    start = where or (f"By {first.metric}" if first.metric else "")
    text = f"{first.who} is {' and '.join(clauses)}."
    return Sentence("verdict", f"{start} {text}".strip())


def undone(statements: Iterable[Statement]) -> list[Sentence]:
    """Return the cautions on findings that one more cluster would undo, one for each size."""
    pairs: dict[str, list[str]] = {}
    for one in statements:
        if one.undone_by is not None:
            by = f"By {one.metric} " if one.metric else ""
            pair = f"{by}{one.who} against {one.against}"
            pairs.setdefault(f"{one.undone_by} {one.found.scale.item}s", []).append(pair)
    words = "one more cluster of {}, all won by the other side, would undo this finding."
    return [
        Sentence("caveat", f"{', '.join(own)}: {words.format(size)}") for size, own in pairs.items()
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
        own, every = values[best], np.stack(list(values.values()))
        wins = {name: int((one > own).sum()) for name, one in values.items() if name != best}
        oracle, mean = every.max(axis=0), float(own.mean())
        more = int((oracle > own).sum())
        return cls(best, wins, more, float(oracle.mean()), mean, len(own))

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


def select_texts(said: Iterable[Sentence], *kinds: Kind) -> list[str]:
    """Return the texts of some kinds, in the order of the kinds, each once."""
    found = list(said)
    return list(dict.fromkeys(one.text for kind in kinds for one in found if one.kind == kind))


def lead(said: Sequence[Sentence], known: Collection[str] = ()) -> list[str]:
    """Return the sentences below a table: verdicts, expectations, additions, and cautions.

    Args:
        said: the sentences.
        known: cautions that are already printed.
    """
    cautions = [text for text in select_texts(said, "caveat") if text not in known]
    return [
        *select_texts(said, "verdict", "expectation", "addition"),
        *(f"caution: {text}" for text in cautions),
    ]


def headroom(found: Sequence[SystemComparison]) -> dict[str, Headroom]:
    """Return the gain from choosing among all runs over the best one, by metric.

    If several have the same score, the first is the best, baselines first.
    """
    rooms = {}
    for metric in dict.fromkeys(one.metric for one in found):
        same = [one for one in found if one.metric == metric]
        values = {one.baseline: one.theirs for one in same} | {one.name: one.ours for one in same}
        if len(values) > 1:
            means = {name: float(own.mean()) for name, own in values.items()}
            rooms[str(metric)] = Headroom.of(values, max(means, key=means.__getitem__))
    return rooms


def conclude_all(
    found: Sequence[SystemComparison], rooms: Mapping[str, Headroom]
) -> list[Sentence]:
    """Return what the comparisons of one call show together, and cautions.

    Args:
        found: the comparisons.
        rooms: the questions that fusion could win, by metric.
    """
    stated = [Statement(one, one.name, one.baseline, str(one.metric)) for one in found]
    said = [verdict(stated) if len(found) == 1 else _summary(stated), *undone(stated)]
    said += [Sentence("caveat", note) for note in _further_notes(found)]
    for name, room in rooms.items():
        if room.questions:
            said.append(Sentence("addition", room.addition(found[0].scale, metric=name)))
    return said


def _further_notes(found: Sequence[SystemComparison]) -> list[str]:
    """Return the notes on the files that do not stand below the table."""
    coverages = {name: known for one in found for name, known in one.coverages.items()}
    repeated = {line for name, known in coverages.items() for line in known.lacking(name)}
    return list(dict.fromkeys(note for one in found for note in one.notes if note not in repeated))


def _summary(stated: Sequence[Statement]) -> Sentence:
    """Return which runs are better or worse by Holm p, by metric, and how many are neither."""
    clauses, several = [], len({one.against for one in stated}) > 1
    for metric in dict.fromkeys(one.metric for one in stated):
        for word in ("better", "worse"):
            members = [one for one in stated if (one.metric, one.found.finding) == (metric, word)]
            clauses += [f"by {metric} {_named(members, several)} {word}"] if members else []
    rest = sum(one.found.finding == "even" for one in stated)
    if rest:
        clauses.append(f"no difference is shown in {rest} of {len(stated)} comparisons")
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
    for one in members:
        over = f" over {one.against}" if several else ""
        names.append(f"{one.who} ({one.found.scale.gain(one.found.difference)}{over})")
    return f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'}"


def blind_spots(seen: Mapping[str, Mapping[str, int]], sizes: Int64Array) -> list[Sentence]:
    """Return why the forecast of a tune half may be wrong.

    Args:
        seen: by list and split, the number of questions that share gold with one on which the
            list's weights were chosen. Trials that learn, and lists of ``harness fit``, are scored
            with cross-validation and are not counted.
        sizes: sizes of tune's clusters of questions that share gold passages.
    """
    said = []
    if names := ", ".join(name for name, one in seen.items() if one.get("tune")):
        said.append(
            f"The weights of {names} were chosen on these tune questions, too: expect less than "
            "the forecast says."
        )
    share = float(sizes.max() / sizes.sum())
    if share > GREAT and sizes.max() > 1:
        said.append(
            f"One cluster holds {percent(share)}% of tune's questions, which share gold passages: "
            "the true intervals are wider."
        )
    return [Sentence("caveat", text) for text in said]
