"""The comparison of a finished sweep with another one: what is the same, and whether results agree.

Trials are matched by their parameters and questions by id, so that sweeps by other code, or of
other data, can be compared, too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from harness.core.arrays import Int32Array, Int64Array
from harness.core.errors import HarnessError
from harness.core.table import percent
from harness.sweep.folder.result import SweepResult
from harness.sweep.folder.rows import score
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
class Agreement:
    """Two sweeps with common trials and questions; HarnessError if they have none."""

    mine: SweepResult
    theirs: SweepResult

    def __post_init__(self) -> None:
        pair = self.splits["tune"]
        if not pair.places or not len(pair.questions[0]):
            raise HarnessError(
                f"{self.theirs.folder}: no {'question' if pair.places else 'trial'} in common with "
                f"{self.mine.folder} ({self.cause}); give two sweeps of the same experiment"
            )

    @cached_property
    def splits(self) -> dict[str, SplitPair]:
        """Tune with all trials and, if both were held out, test with the locked ones."""
        mine, theirs = self.mine, self.theirs
        metrics = [name for name in mine.metrics if name in theirs.metrics]
        found = {
            "tune": SplitPair(
                (mine.whole, theirs.whole),
                (mine.ranks, theirs.ranks),
                ([*mine.queries["id"]], [*theirs.queries["id"]]),
                metrics,
            )
        }
        if mine.heldout and theirs.heldout:
            found["test"] = SplitPair(
                (mine.locked, theirs.locked),
                (mine.heldout_ranks, theirs.heldout_ranks),
                ([*mine.heldout_queries["id"]], [*theirs.heldout_queries["id"]]),
                metrics,
            )
        return found

    @cached_property
    def causes(self) -> dict[str, list[str]]:
        """By kind of ``CAUSES``, each value that differs: ``path: ours here, theirs there``."""
        ours, others = _facts(self.mine), _facts(self.theirs)
        found = {}
        for kind, keys in CAUSES.items():
            known = [key for key in keys if key in ours and key in others]
            pairs = differences({k: ours[k] for k in known}, {k: others[k] for k in known})
            found[kind] = [f"{path}: {one} here, {other} there" for path, one, other in pairs]
        return found

    @property
    def cause(self) -> str:
        """The most likely known cause."""
        reasons = (f"other {kind}: {lines[0]}" for kind, lines in self.causes.items() if lines)
        return next(reasons, "no input that the manifests name differs")

    @cached_property
    def answer(self) -> Answer:
        """How far the results agree.

        The same verdict: the same trial won, and on each split its findings against the same lists
        are the same. The same bits: in addition, all trials and questions are in both sweeps, with
        equal gold ranks, metrics and forecast.
        """
        pairs, ours, others = self.splits.values(), self.mine.lock, self.theirs.lock
        same = ours["winner"]["parameters"] == others["winner"]["parameters"]
        if not same or any(pair.verdicts[0] != pair.verdicts[1] for pair in pairs):
            return "another verdict"
        exact = all(pair.whole and min(pair.shares) == 1 and not pair.farthest for pair in pairs)
        foreseen = ours.get("expected") == others.get("expected")
        return "same bits" if exact and foreseen else "same verdict"

    def lines(self) -> Iterator[str]:
        """Yield what is the same and what is not, a line each; the answer comes last."""
        for kind, lines in self.causes.items():
            more = f"; and {len(lines) - NAMED} more" if len(lines) > NAMED else ""
            yield f"{kind:<10} {'; '.join(lines[:NAMED]) + more if lines else 'the same'}"
        ours, others = self.mine.scores, self.theirs.scores
        for name in ours.keys() & others.keys() if self.splits["tune"].whole else ():
            one, other = ours[name].scores, others[name].scores
            if len(one) != len(other):
                yield f"list       {name}: another number of documents"
            elif far := float(np.abs(one - other).max(initial=0)):
                yield f"list       {name}: scores differ by up to {far:.1g}"
        for split, pair in self.splits.items():
            yield from pair.lines(split)
        locks = (self.mine.lock, self.theirs.lock)
        yield _both("winner", *(lock["winner"]["name"] for lock in locks))
        yield _both("forecast", *(_bounds(lock.get("expected")) for lock in locks))
        far = max(pair.farthest for pair in self.splits.values())
        within = f", scores within {100 * far:.2g} points" if self.answer == "same verdict" else ""
        because = "" if self.answer == "same bits" else f" ({self.cause})"
        yield f"{self.answer}{within}{because}"


@dataclass(frozen=True)
class SplitPair:
    """A split of both sweeps.

    Attributes:
        views: the trials of each sweep.
        ranks: int32[T, Q, H], their gold ranks.
        ids: ids of the Q questions.
        metrics: the metrics of both.
    """

    views: tuple[View, View]
    ranks: tuple[Int32Array, Int32Array]
    ids: tuple[list[str], list[str]]
    metrics: list[str]

    @cached_property
    def places(self) -> list[tuple[int, int]]:
        """Indices of each common trial."""
        ours, others = (
            {json.dumps(row["parameters"], sort_keys=True): at for at, row in enumerate(view.rows)}
            for view in self.views
        )
        return [(at, others[knobs]) for knobs, at in ours.items() if knobs in others]

    @cached_property
    def questions(self) -> tuple[Int64Array, Int64Array]:
        """Indices of each common question in either sweep."""
        return np.intersect1d(*self.ids, return_indices=True)[1:]

    @property
    def whole(self) -> bool:
        """Whether all trials and questions are in both, the questions in the same order."""
        counts = {*map(len, self.ranks), len(self.places)}
        return self.ids[0] == self.ids[1] and len(counts) == 1

    @cached_property
    def shares(self) -> list[float]:
        """The share of equal gold ranks of each common trial, on common questions."""
        hops = max(ranks.shape[2] for ranks in self.ranks)
        ours, others = (
            np.pad(
                ranks[:, chosen], ((0, 0), (0, 0), (0, hops - ranks.shape[2])), constant_values=-1
            )
            for ranks, chosen in zip(self.ranks, self.questions, strict=True)
        )
        found = []
        for at, other in self.places:
            gold = (ours[at] >= 0) | (others[other] >= 0)
            found.append(float((ours[at] == others[other]).sum(where=gold) / gold.sum()))
        return found

    @cached_property
    def differences(self) -> dict[str, float]:
        """The largest difference of a trial's scores, by metric, as shares."""
        found = {}
        for name in self.metrics:
            ours, others = (
                np.array([score(row, name) for row in view.rows], dtype=np.float64)
                for view in self.views
            )
            apart = [abs(ours[at] - others[other]) for at, other in self.places]
            if not np.isnan(apart).all():
                found[name] = float(np.nanmax(apart))
        return found

    @property
    def farthest(self) -> float:
        """The largest of ``differences``."""
        return max(self.differences.values(), default=0.0)

    @cached_property
    def verdicts(self) -> list[dict[str, str]]:
        """The finding of each sweep's winner, by single list."""
        found = []
        for view in self.views:
            names = filter(None, dict.fromkeys([view.reference, view.best_single]))
            compared = {name: view.winner_against(name) for name in names}
            found.append({name: one.finding if one else "" for name, one in compared.items()})
        return found

    def lines(self, split: str) -> Iterator[str]:
        """Yield the numbers of common questions and trials, gold ranks, metrics and verdicts."""
        asked = f"{len(self.questions[0])} questions of {len(self.ids[0])} here and "
        trials = f"{len(self.places)} trials of {len(self.ranks[0])} and {len(self.ranks[1])}"
        yield f"{split:<10} in both: {asked}{len(self.ids[1])} there, {trials}"
        least = f"at least {100 * min(self.shares):.4g}% of gold ranks are equal"
        exact = self.shares.count(1)
        yield f"ranks      equal in {exact} of {len(self.shares)} trials; {least}"
        far = (f"{name} {100 * one:.2g}" for name, one in self.differences.items() if one)
        yield f"metrics    greatest differences, in points: {', '.join(far) or 'none'}"
        yield _both("verdict", *map(_sentence, self.verdicts))


def _facts(result: SweepResult) -> dict[str, Any]:
    """Return the manifest, with the makers of the lists and their devices apart."""
    made = (result.manifest.get("made_by") or {}).items()
    parts = {
        key: {name: one.get(part) for name, one in made}
        for key, part in (("made_by", "libraries"), ("devices", "devices"))
    }
    return {**result.manifest, **parts}


def _bounds(forecast: Mapping[str, Any] | None) -> str:
    if forecast is None:
        return "none"
    return f"{percent(forecast['low'])} to {percent(forecast['high'])}%"


def _sentence(verdict: Mapping[str, str]) -> str:
    words = {"": "the same as", "even": "not told from"}
    return ", ".join(
        f"{words.get(found, f'{found} than')} {name}" for name, found in verdict.items()
    )


def _both(word: str, ours: str, theirs: str) -> str:
    text = f"the same: {ours}" if ours == theirs else f"{ours} here, {theirs} there"
    return f"{word:<10} {text}"
