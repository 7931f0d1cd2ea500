"""The sentences for findings and cautions in the terminal, PDF, site, notebooks and files."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from harness.core.arrays import Int64Array
from harness.core.table import LEVEL, SHARES, Scale, counted, p_value, percent
from harness.evaluation.metric.measure import Values
from harness.evaluation.paired_comparison import Comparison
from harness.evaluation.statistic import mcnemar

if TYPE_CHECKING:
    from harness.evaluation.system_comparison import SystemComparison

FEW_CLUSTERS = 5
"""A side that won its questions in fewer clusters has a caution."""
GREAT = 0.05
"""Share of the questions in one cluster above which a caution is printed."""
SEEN = "detectable difference"
NAMED = 3
"""The largest number of comparisons that a sentence names; of more it gives the number."""
Kind = Literal[
    "compared", "verdict", "expectation", "addition", "caveat", "explanation", "forecast"
]
LEAD: tuple[Kind, ...] = ("compared", "verdict", "expectation", "addition", "caveat")
"""The kinds that are always shown; the others need explain=true, the report or the site."""


@dataclass(frozen=True)
class Sentence:
    """A sentence about results.

    Attributes:
        kind: ``compared`` (what, on which questions), ``verdict`` (what won and by how much),
            ``expectation`` (of test, or whether it came true), ``addition`` (whether fusion adds to
            the best list), ``caveat`` (why one of these may not hold), ``explanation`` (how sure,
            what could be detected), ``forecast`` (what was known before test).
        text: the sentence.
        topic: the heading of an explanation.
    """

    kind: Kind
    text: str
    topic: str = ""


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

    def explanation(
        self, scale: Scale = SHARES, fusable: bool = True, settled: bool = False
    ) -> str:
        """Return the score of the best choice, and whether these questions could show it.

        Args:
            scale: the unit of the scores.
            fusable: whether the systems are ranked lists, which could be fused.
            settled: whether a fusion is already shown to be better than the best system.
        """
        item = scale.item
        each = ", ".join(f"{name} on {count}" for name, count in self.wins.items())
        beyond = f"; a fusion can also win {item}s that no list answers" if fusable else ""
        kind = "list" if fusable else "system"
        sentence = (
            f"{self.best} is beaten by {each}; an oracle that chooses the best {kind} for each "
            f"{item} would score {scale.score(self.oracle)} in place of "
            f"{scale.score(self.score)}{beyond}."
        )
        if self.answers or settled:
            return sentence
        best = f"Even winning all of these and losing none would give p {p_value(self.p)}."
        return f"{sentence} {best}"


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


def by_topic(said: Iterable[Sentence], *kinds: Kind) -> dict[str, str]:
    """Return the paragraphs of some kinds by topic, with no sentence twice."""
    found: dict[str, dict[str, None]] = {}
    for one in said:
        if one.kind in kinds:
            found.setdefault(one.topic, {}).setdefault(one.text)
    return {topic: " ".join(texts) for topic, texts in found.items()}


def conclude(found: Comparison, ours: str, theirs: str, metric: str = "") -> list[Sentence]:
    """Return the verdict on a pair, cautions, and what could not be shown.

    Args:
        found: the comparison.
        ours: name of the system.
        theirs: name of its baseline.
        metric: named in the sentences; "": it is known.
    """
    scale, by = found.scale, f"By {metric} " if metric else ""
    score, other = scale.score(found.score), scale.score(found.baseline_score)
    if not found.wins and not found.losses:
        text = f"{by}{ours} and {theirs} score {score} and differ on no {scale.item}."
        return [Sentence("verdict", text)]
    verdict = f"{by}{ours} is {found.finding} than {theirs}"
    if found.finding == "even":
        verdict = (
            f"{by or 'No '}{'no ' if by else ''}difference is shown between {ours} and {theirs}"
        )
    text = f"{verdict}: {score} against {other} ({evidence(found)})."
    said = [Sentence("verdict", text)]
    pair = f"{by}{ours} against {theirs}"
    if (size := found.undone_by) is not None:
        text = (
            f"{pair}: one more cluster of {size} {scale.item}s, all won by the other side, would "
            "undo this finding."
        )
        kind: Kind = "caveat" if found.clusters_ahead < FEW_CLUSTERS else "explanation"
        said.append(Sentence(kind, text, SEEN))
    if found.interval is not None and found.finding == "even":
        said.append(Sentence("explanation", f"{pair}: {_limit(found)}.", SEEN))
    return said


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
    """Return what several comparisons show together, cautions, and each pair by itself.

    Args:
        found: the comparisons of one call; a single one is not corrected.
        rooms: the questions that fusion could win, by metric.
    """
    said: list[Sentence] = []
    for one in found:
        pair = conclude(one, one.name, one.baseline, str(one.metric))
        said += [replace(each, topic=str(one.metric)) for each in pair]
    if len(found) > 1:
        cautions = _merged([one.text for one in said if one.kind == "caveat"])
        pairs = [replace(one, kind="explanation") for one in said if one.kind != "caveat"]
        said = [Sentence("verdict", _summary(found)), *cautions, *pairs]
    said += [Sentence("caveat", note) for note in _further_notes(found)]
    first = found[0]
    for metric, room in rooms.items():
        if room.questions:
            said.append(Sentence("addition", room.addition(first.scale, metric=metric)))
            text = room.explanation(first.scale, first.fusable)
            said.append(Sentence("explanation", text, metric))
    return said


def _further_notes(found: Sequence[SystemComparison]) -> list[str]:
    """Return the notes on the files that do not stand below the table."""
    coverages = {name: known for one in found for name, known in one.coverages.items()}
    repeated = {line for name, known in coverages.items() for line in known.lacking(name)}
    return list(dict.fromkeys(note for one in found for note in one.notes if note not in repeated))


def evidence(found: Comparison) -> str:
    """Return the difference with its interval, wins, losses, and the p of the verdict."""
    gain = found.scale.gain(found.difference)
    interval = found.ruling.interval
    span = "" if interval is None else f", 95% {found.scale.span(interval)}"
    counts = f"{gain}{span}; {found.wins} won, {found.losses} lost"
    if interval is None:
        items = f"{counted(found.units, 'cluster')} of {counted(found.n, found.scale.item)}"
        return f"{counts}; {items} are too few for a p"
    return ", ".join(filter(None, [counts, p_text(found)]))


def p_text(found: Comparison) -> str:
    """Return the p of the verdict with its name; empty if it was not tested."""
    if not found.decided.tested:
        return ""
    name = "Holm p" if found.decided.rule == "holm" else "p"
    how = found.ruling.how and f" {found.ruling.how}"
    return f"{name}{how} {p_value(found.decided.p)}"


def smallest(found: Comparison) -> str:
    """Return the smallest difference that the questions of a comparison can show."""
    if found.ruling.least > found.decided.level:
        where = f" in {counted(found.units, 'cluster')}" if found.shared else ""
        least = p_value(found.ruling.least)
        items = counted(found.n, found.scale.item)
        return f"with {items}{where} no difference can be shown: the least p is {least}"
    if found.detectable is None:
        return f"too few {found.scale.item}s differ to show a difference; power is low"
    gain = found.scale.gain(found.detectable)
    return f"the smallest difference that would be shown in 4 of 5 cases is {gain}"


def _limit(found: Comparison) -> str:
    """Return what a comparison without a finding shows."""
    if found.within_margin:
        margin = f"{100 * found.margin:g} points"
        return f"they are shown to differ by less than {margin}: the whole interval lies within"
    return smallest(found)


def _merged(cautions: Sequence[str]) -> list[Sentence]:
    """Return the cautions of several pairs; cautions with the same words become one."""
    pairs: dict[str, list[str]] = {}
    for text in cautions:
        pair, _, words = text.rpartition(": ")
        pairs.setdefault(words, []).append(pair)
    return [Sentence("caveat", f"{', '.join(own)}: {words}") for words, own in pairs.items()]


def _summary(found: Sequence[SystemComparison]) -> str:
    """Return which runs are better or worse by Holm p, by metric, and how many are neither."""
    clauses = []
    for metric in dict.fromkeys(str(one.metric) for one in found):
        for word in ("better", "worse"):
            members = [one for one in found if str(one.metric) == metric and one.finding == word]
            if members:
                clauses.append(f"by {metric} {_named(members, found)} {word}")
    rest = sum(one.finding == "even" for one in found)
    if rest:
        clauses.append(f"no difference is shown in {rest} of {len(found)} comparisons")
    text = "; ".join(clauses)
    return f"{text[0].upper()}{text[1:]} (Holm p)."


def _named(members: Sequence[SystemComparison], found: Sequence[SystemComparison]) -> str:
    """Return the names of some of the comparisons with their gains, or their number if many."""
    if len(members) > NAMED:
        return f"{len(members)} runs are"
    several = len({one.baseline for one in found}) > 1
    names = [
        f"{one.name} ({one.scale.gain(one.difference)}{f' over {one.baseline}' if several else ''})"
        for one in members
    ]
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
