"""A comparison in plain sentences and in columns: what is better, by how much, whether by chance,
what was not seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from harness.core.table import LEVEL, SHARES, Column, Field, Scale, counted, p_value, percent
from harness.evaluation.comparison import EQUAL, Comparison, Outcome
from harness.evaluation.metric.measure import Values
from harness.evaluation.statistic import mcnemar

GREAT = 0.05
"""A cluster with a greater share of the questions is warned of."""
SEEN = "detectable difference"
UNANSWERED = ": these questions cannot show whether choosing among the lists adds to {best}"


T = TypeVar("T")
Kind = Literal[
    "compared", "verdict", "expectation", "addition", "caveat", "explanation", "forecast"
]
LEAD: tuple[Kind, ...] = ("compared", "verdict", "expectation", "addition", "caveat")
"""What every face shows; the other kinds are shown with explain=true, in the report and on the
site.
"""


COLUMNS: Mapping[str, Column] = {
    one.title: one
    for one in (
        Column("n", "count", name="n"),
        Column("W", "count", name="wins"),
        Column("L", "count", name="losses"),
        Column("p", "p", name="p"),
        Column("p by question", "p", name="p"),
        Column("p by cluster", "p", name="p_deciding"),
        Column("Holm p", "p", name="p_holm"),
        Column("difference", "points", name="difference"),
        Column("95% of difference", "span", name="interval"),
        Column("OR", "value", name="odds_ratio"),
        Column("odds ratio", "value", name="odds_ratio"),
        Column("detectable", "points", name="detectable"),
    )
}
"""The columns of a comparison, by title. The name is that of the comparison's field."""


@dataclass(frozen=True)
class Sentence:
    """A sentence about results, and what it is about; who shows it chooses by ``kind``.

    kind: ``compared`` (what, on which questions), ``verdict`` (what won and by how much),
    ``expectation`` (of test, or whether it came true), ``addition`` (whether fusion adds to the
    best list), ``caveat`` (why one of these may not hold), ``explanation`` (how sure, how much
    could be seen), ``forecast`` (what was known before test).
    topic: of explanations, the heading that they stand under.
    """

    kind: Kind
    text: str
    topic: str = ""


def select_texts(said: Iterable[Sentence], *kinds: Kind) -> list[str]:
    """The texts of these kinds, in the order of the kinds, each once."""
    found = list(said)
    return list(dict.fromkeys(one.text for kind in kinds for one in found if one.kind == kind))


def lead(said: Sequence[Sentence]) -> list[str]:
    """Return the sentences that stand below a table: what won, what it means, and cautions."""
    return [
        *select_texts(said, "verdict", "expectation", "addition"),
        *(f"caution: {text}" for text in select_texts(said, "caveat")),
    ]


def by_topic(said: Iterable[Sentence], *kinds: Kind) -> dict[str, str]:
    """The paragraphs of these kinds by topic, no sentence twice."""
    found: dict[str, dict[str, None]] = {}
    for one in said:
        if one.kind in kinds:
            found.setdefault(one.topic, {}).setdefault(one.text)
    return {topic: " ".join(texts) for topic, texts in found.items()}


def conclude(found: Comparison, ours: str, theirs: str) -> list[Sentence]:
    """The verdict, what rules where its interval says otherwise, and what was not shown.

    Holm's p decides where there is one, else the raw one.
    """
    score, other = found.scale.score(found.score), found.scale.score(found.baseline_score)
    if not found.wins and not found.losses:
        return [
            Sentence(
                "verdict", f"{ours} and {theirs} score {score} and differ on no {found.scale.item}."
            )
        ]
    said = [
        Sentence("verdict", f"{ours} scores {score} and {theirs} {other}: {difference(found)}.")
    ]
    if found.contradicted:
        said.append(Sentence("caveat", f"Against {theirs} {_rule(found)}."))
    if (size := found.undone_by) is not None:
        text = (
            f"Against {theirs}: one more cluster of {size} {found.scale.item}s, all won by the "
            "other side, would undo this finding."
        )
        said.append(Sentence("caveat", text))
    if found.interval is not None and found.finding == "even":
        said.append(Sentence("explanation", f"Against {theirs}: {_limit(found)}", SEEN))
    return said


def difference(found: Comparison) -> str:
    """The difference with its interval, wins, losses, the p that decides and, in words, whether it
    is one.
    """
    ruling, counts = found.ruling, f"{found.wins} won, {found.losses} lost"
    gain = found.scale.gain(found.difference)
    if ruling.interval is None:
        few = (
            f"{counted(found.units, 'cluster')} of {counted(found.n, found.scale.item)} are too "
            "few for a p"
        )
        return f"{gain} ({counts}; {few}), no difference is shown"
    kind, p = ("raw", ruling.p) if found.p_holm is None else ("Holm", found.p_holm)
    how = ruling.how and f" {ruling.how}"
    verdict = "no difference is shown" if found.finding == "even" else f"which is {found.finding}"
    return (
        f"{gain} (95% {found.scale.span(ruling.interval)}; {counts}, {kind} p{how} "
        f"{p_value(p)}), {verdict}"
    )


def _rule(found: Comparison) -> str:
    """Which p decides, and what the interval says against it."""
    exact = (
        "the exact test's p" if found.test == "sign" and found.errors is None else "the test's p"
    )
    rule = (
        f"{exact} decides"
        if found.p_holm is None
        else "Holm p decides, which is corrected for all comparisons"
    )
    return (
        f"{rule}; the interval, which is not corrected, "
        f"{'excludes' if found.finding == 'even' else 'holds'} 0"
    )


def _limit(found: Comparison) -> str:
    """What a comparison without a finding can still say."""
    margin = f"{100 * found.margin:g} points"
    if found.within_margin:
        return f"they are shown to differ by less than {margin}: the whole interval lies within."
    items = counted(found.n, found.scale.item)
    if found.ruling.least > LEVEL:
        where = f" in {counted(found.units, 'cluster')}" if found.shared else ""
        return (
            f"with {items}{where} no difference can be shown: the least p is "
            f"{p_value(found.ruling.least)}."
        )
    if found.detectable is None:
        return f"with {items} that differ so seldom, even a real difference would often be missed."
    effect = "difference" if found.test == "flip" else "net win"
    return (
        f"a {effect} below {found.scale.gain(found.detectable)} would often be missed with {items}."
    )


def smallest(found: Comparison) -> str:
    """Return the smallest difference that the questions of a comparison can show."""
    if found.detectable is None:
        return "no difference can be shown there in 4 of 5 cases"
    gain = found.scale.gain(found.detectable)
    return f"the smallest difference that 4 of 5 cases show there is {gain}"


def judged(
    of: Callable[[T], Comparison | Outcome | None],
    *titles: str,
    scale: Scale = SHARES,
    mark: str = "",
    group: str = "",
) -> list[Field[T]]:
    """Return columns of a comparison, empty where there is none.

    Args:
        of: returns the comparison of an item.
        titles: which columns, by their titles in ``COLUMNS``.
        scale: the unit of the scores.
        mark: added to each title.
        group: a head above them.
    """
    fields = []
    for title in titles:
        known = COLUMNS[title]
        column = scale.column(f"{title}{mark}", known.kind)
        beside = "difference" if known.kind == "span" and "difference" in titles else ""
        column = replace(column, of=beside, group=group, name=known.name)
        fields.append(Field(column, partial(_value, of, known.name)))
    return fields


def _value(of: Callable[[T], Comparison | Outcome | None], name: str, item: T) -> Any:
    return None if (one := of(item)) is None else getattr(one, name)


def blind_spots(seen: Mapping[str, Mapping[str, int]], sizes: NDArray[np.int64]) -> list[Sentence]:
    """Why the forecast of a tune half may be wrong, a sentence a reason.

    seen: by list and split, how many questions share gold with one that its weights were chosen on.
    Trials that learn, and lists of ``harness fit``, are scored by what had not seen the question,
    and hide nothing.
    sizes: of tune's clusters of questions that share gold passages.
    """
    names = [name for name, one in seen.items() if one.get("tune")]
    share = float(sizes.max(initial=0) / max(1, sizes.sum()))
    said = []
    if names:
        said.append(
            f"The weights of {', '.join(names)} were chosen on these tune questions, too: expect "
            "less than the "
            "forecast says."
        )
    if share > GREAT and sizes.max() > 1:
        said.append(
            f"{percent(share)}% of tune's questions are in one cluster, linked by shared gold "
            "passages: for other "
            "questions the intervals may be too narrow."
        )
    return [Sentence("caveat", text) for text in said]


@dataclass(frozen=True)
class Headroom:
    """What choosing, for each question, the right one of several lists could win.

    best: the best single list.    equal: others that score the same.    wins: by other list, the
    questions on which it
    has more than the best.    questions: those on which any of them has more.
    oracle: the score of the best list for each question.    score: that of the best single list.
    n: questions. A fusion can also win a question by a passage that no list has among its first k.
    """

    best: str
    equal: tuple[str, ...]
    wins: Mapping[str, int]
    questions: int
    oracle: float
    score: float
    n: int

    @classmethod
    def of(cls, values: Mapping[str, Values], best: str) -> Headroom:
        """Of the lists' values of a metric, float64[n] by list name."""
        own, every = values[best], np.stack(list(values.values()))
        mean = float(own.mean())
        near = EQUAL * max(1.0, abs(mean))
        equal = tuple(
            name
            for name, one in values.items()
            if name != best and abs(float(one.mean()) - mean) <= near
        )
        wins = {name: int((other > own).sum()) for name, other in values.items() if name != best}
        oracle = every.max(axis=0)
        return cls(
            best, equal, wins, int((oracle > own).sum()), float(oracle.mean()), mean, len(own)
        )

    @property
    def p(self) -> float:
        """The exact p of winning all of these questions and losing none; 1 where there is none."""
        return mcnemar(self.questions, 0)

    @property
    def answers(self) -> bool:
        """Whether a fusion that wins all of these questions could be shown to be better."""
        return self.p <= LEVEL

    def sentences(
        self, scale: Scale = SHARES, fusable: bool = True, settled: bool = False
    ) -> list[Sentence]:
        """What can be won and, where these questions cannot tell, that.

        scale: how scores are said.    fusable: whether the systems are lists, which fusion could
        choose from.
        settled: whether a fusion is shown to be better than ``best``, so that nobody asks whether
        one could be.
        """
        item = scale.item
        unanswered = UNANSWERED.format(best=self.best) if fusable and not settled else ""
        if not self.questions:
            none = (
                f"{' or '.join(self.wins)} does better than {self.best} on none of {self.n} "
                f"{item}s{unanswered}."
            )
            return [Sentence("explanation", none, "headroom")]
        first, *others = (f"{name}{{}} on {count}" for name, count in self.wins.items())
        each = ", ".join(
            [
                first.format(f" does better than {self.best}"),
                *(other.format("") for other in others),
            ]
        )
        beyond = f"; a fusion can also win {item}s that no list answers" if fusable else ""
        said = [
            f"Of {self.n} {item}s {each}; choosing the best {'list' if fusable else 'system'} "
            f"for each {item} would "
            f"score {scale.score(self.oracle)} in place of {scale.score(self.score)}{beyond}."
        ]
        if not (self.answers or settled):
            said.append(
                f"Winning all of these and losing none has raw p by {item} "
                f"{p_value(self.p)}{unanswered}."
            )
        return [Sentence("explanation", text, "headroom") for text in said]
