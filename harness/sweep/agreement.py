"""The comparison of a finished sweep with another one: what is the same, and whether results agree.

Trials are matched by their parameters and questions by id, so that sweeps by other code, or of
other data, can be compared, too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from harness.core.arrays import Float64Array, Int32Array
from harness.core.errors import HarnessError
from harness.core.table import percent
from harness.sweep.folder.result import SweepResult
from harness.sweep.folder.view import View
from harness.sweep.recomputation import differences

Answer = Literal["same bits", "same verdict", "another verdict"]
STATUS: Mapping[Answer, int] = {"same bits": 0, "same verdict": 1, "another verdict": 2}
"""The exit status of each answer."""
CAUSES = {
    "data": ("dataset", "data_sha256"),
    "split": ("splitting", "split_sha256"),
    "lists": ("lists", "versions", "reads"),
    "libraries": ("libraries", "made_by"),
    "device": ("devices", "machine"),
    "code": ("code",),
}
"""The causes of results, by their keys in the manifest; the most likely comes first."""
NAMED = 3
"""The largest number of differences of one kind that are named; of more the number is given."""


@dataclass(frozen=True)
class SplitAgreement:
    """The agreement of two sweeps on a split.

    Attributes:
        questions, trials: numbers in both, in ours, and in theirs.
        shares: float64[T], the share of equal gold ranks of each common trial, on common questions.
        apart: the largest difference of a trial's scores, by metric, as shares.
        verdicts: our and their findings of the winner against single lists, as sentences.
        whole: whether all trials and questions are in both, the questions in the same order.
    """

    questions: tuple[int, int, int]
    trials: tuple[int, int, int]
    shares: Float64Array
    apart: Mapping[str, float]
    verdicts: tuple[str, str]
    whole: bool

    @property
    def exact(self) -> bool:
        """Whether trials, questions, ranks and scores are the same."""
        return self.whole and self.shares.min() == 1 and not any(self.apart.values())

    def lines(self, split: str) -> Iterator[str]:
        """Yield what both have, and how far ranks, metrics and verdicts agree."""
        questions = "{} questions of {} here and {} there".format(*self.questions)
        trials = "{} trials of {} and {}".format(*self.trials)
        yield f"{split:<10} in both: {questions}, {trials}"
        yield (
            f"ranks      equal in {(self.shares == 1).sum()} of {len(self.shares)} trials; at "
            f"least {100 * self.shares.min():.4g}% of gold ranks are equal"
        )
        far = [f"{name} {100 * value:.2g}" for name, value in self.apart.items() if value]
        yield f"metrics    greatest differences, in points: {', '.join(far) or 'none'}"
        yield _both("verdict", *self.verdicts)


@dataclass(frozen=True)
class Agreement:
    """How far two sweeps agree.

    Attributes:
        answer: ``same verdict``: the same trial won, and on each split its findings against the
            same lists are the same. ``same bits``: in addition, all trials and questions are in
            both sweeps, with equal gold ranks, metrics and forecast.
        causes: by kind of ``CAUSES``, each value that differs.
        splits: tune with all trials and, if both were held out, test with the locked ones.
        lines: all of this in words; the answer comes last.
    """

    answer: Answer
    causes: Mapping[str, list[str]]
    splits: Mapping[str, SplitAgreement]
    lines: list[str]

    @classmethod
    def of(cls, mine: SweepResult, theirs: SweepResult) -> Agreement:
        """Compare two sweeps; raise HarnessError if they have no trial or question in common."""
        causes = {kind: _causes(mine, theirs, keys) for kind, keys in CAUSES.items()}
        known = [f"other {kind}: {lines[0]}" for kind, lines in causes.items() if lines]
        cause = known[0] if known else "no input that the manifests name differs"
        try:
            splits = _splits(mine, theirs)
        except ValueError as error:
            raise HarnessError(
                f"{theirs.folder}: {error} in common with {mine.folder} ({cause}); give two sweeps "
                "of the same experiment"
            ) from error
        ours, others = mine.lock, theirs.lock
        answer = _answer(ours, others, splits)
        lines = []
        for kind, found in causes.items():
            more = [f"and {len(found) - NAMED} more"] if len(found) > NAMED else []
            lines.append(f"{kind:<10} {'; '.join([*found[:NAMED], *more]) or 'the same'}")
        if splits["tune"].whole:
            lines += _lists(mine, theirs)
        for split, one in splits.items():
            lines += one.lines(split)
        lines.append(_both("winner", ours["winner"]["name"], others["winner"]["name"]))
        lines.append(_both("forecast", _forecast(ours), _forecast(others)))
        far = max(value for one in splits.values() for value in (0.0, *one.apart.values()))
        within = f", scores within {100 * far:.2g} points" if answer == "same verdict" else ""
        lines.append(answer if answer == "same bits" else f"{answer}{within} ({cause})")
        return cls(answer, causes, splits, lines)


def _answer(
    ours: Mapping[str, Any], others: Mapping[str, Any], splits: Mapping[str, SplitAgreement]
) -> Answer:
    """Return how far two locks and the results of their splits agree."""
    alike = all(one.verdicts[0] == one.verdicts[1] for one in splits.values())
    if not alike or ours["winner"]["parameters"] != others["winner"]["parameters"]:
        return "another verdict"
    exact = all(one.exact for one in splits.values())
    forecast = ours.get("expected") == others.get("expected")
    return "same bits" if exact and forecast else "same verdict"


def _splits(mine: SweepResult, theirs: SweepResult) -> dict[str, SplitAgreement]:
    """Return the agreement on tune and, if both were held out, on test."""
    metrics = [name for name in mine.metrics if name in theirs.metrics]
    ours, others = ((one.whole, one.ranks, one.queries) for one in (mine, theirs))
    found = {"tune": _compare(ours, others, metrics)}
    if mine.test and theirs.test:
        ours, others = (
            (one.locked, one.heldout_ranks, one.heldout_queries) for one in (mine, theirs)
        )
        found["test"] = _compare(ours, others, metrics)
    return found


Side = tuple[View, Int32Array, pd.DataFrame]
"""A sweep's trials on a split, their gold ranks int32[T, Q, H], and the questions."""


def _compare(mine: Side, theirs: Side, metrics: list[str]) -> SplitAgreement:
    """Return the agreement on a split; ValueError if no trial or no question is in both.

    Args:
        mine: our sweep.
        theirs: the other one.
        metrics: the metrics of both.
    """
    (view, _, queries), (other, _, others) = mine, theirs
    knobs = [
        [json.dumps(row["parameters"], sort_keys=True) for row in own.rows] for own in (view, other)
    ]
    places = _common(*knobs)
    questions = _common([*queries["id"]], [*others["id"]])
    if not len(places[0]) or not len(questions[0]):
        raise ValueError(f"no {'question' if len(places[0]) else 'trial'}")
    hops = max(mine[1].shape[2], theirs[1].shape[2])
    ours, ranks = (
        np.pad(
            side[1][place][:, chosen],
            ((0, 0), (0, 0), (0, hops - side[1].shape[2])),
            constant_values=-1,
        )
        for side, place, chosen in zip((mine, theirs), places, questions, strict=True)
    )
    gold = (ours >= 0) | (ranks >= 0)
    shares = ((ours == ranks) & gold).sum((1, 2)) / gold.sum((1, 2))
    rows = [
        pd.DataFrame([own.rows[at] for at in place])
        for own, place in zip((view, other), places, strict=True)
    ]
    apart = rows[0][metrics].astype(float) - rows[1][metrics].astype(float)
    farthest = apart.abs().max().dropna()
    return SplitAgreement(
        (len(questions[0]), len(queries), len(others)),
        (len(places[0]), len(view.rows), len(other.rows)),
        shares,
        {str(name): float(value) for name, value in farthest.items()},
        (_verdict(view), _verdict(other)),
        [*queries["id"]] == [*others["id"]] and len(view.rows) == len(other.rows) == len(places[0]),
    )


def _common(ours: list[str], theirs: list[str]) -> tuple[list[int], list[int]]:
    """Return the indices of what is in both lists, in our order."""
    known = {name: place for place, name in enumerate(theirs)}
    places = [place for place, name in enumerate(ours) if name in known]
    return places, [known[ours[place]] for place in places]


def _causes(mine: SweepResult, theirs: SweepResult, keys: tuple[str, ...]) -> list[str]:
    """Return ``path: ours here, theirs there`` for each value of the manifests that differs."""
    facts: list[dict[str, Any]] = []
    for result in (mine, theirs):
        made = (result.manifest.get("made_by") or {}).items()
        parts = {
            key: {name: one.get(part) for name, one in made}
            for key, part in (("made_by", "libraries"), ("devices", "devices"))
        }
        facts.append({**result.manifest, **parts})
    ours, others = facts
    known = [key for key in keys if key in ours and key in others]
    pairs = differences({key: ours[key] for key in known}, {key: others[key] for key in known})
    return [f"{path}: {one} here, {other} there" for path, one, other in pairs]


def _lists(mine: SweepResult, theirs: SweepResult) -> Iterator[str]:
    """Yield a line for each list whose scores differ."""
    for name in mine.scores.keys() & theirs.scores.keys():
        one, other = mine.scores[name].scores, theirs.scores[name].scores
        if len(one) != len(other):
            yield f"list       {name}: another number of documents"
        elif far := float(np.abs(one - other).max(initial=0)):
            yield f"list       {name}: scores differ by up to {far:.1g}"


def _verdict(view: View) -> str:
    """Return the finding of the winner against the reference and the best single list."""
    words = {"": "the same as", "even": "not told from"}
    parts = []
    for name in filter(None, dict.fromkeys([view.reference, view.best_single])):
        compared = view.winner_against(name)
        finding = compared.finding if compared else ""
        parts.append(f"{words.get(finding, f'{finding} than')} {name}")
    return ", ".join(parts)


def _forecast(lock: Mapping[str, Any]) -> str:
    found = lock.get("expected")
    return f"{percent(found['low'])} to {percent(found['high'])}%" if found else "none"


def _both(word: str, ours: str, theirs: str) -> str:
    text = f"the same: {ours}" if ours == theirs else f"{ours} here, {theirs} there"
    return f"{word:<10} {text}"
