"""The comparison of a finished sweep with another one: what is the same, and whether results agree.

Trials are matched by their parameters and questions by id, so that sweeps by other code, or of
other data, can be compared, too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
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
from harness.sweep.verify import differences

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
class Side:
    """One sweep on a split: trials, gold ranks int32[T, Q, H], ids of the Q questions."""

    view: View
    ranks: Int32Array
    ids: list[str]


@dataclass(frozen=True)
class Agreement:
    """Two sweeps with common trials and questions; HarnessError if they have none."""

    mine: SweepResult
    theirs: SweepResult

    def __post_init__(self) -> None:
        pair = self.splits["tune"]
        for what, found in (("trial", pair.places), ("question", pair.questions[0])):
            if not len(found):
                raise HarnessError(
                    f"{self.theirs.folder}: no {what} in common with {self.mine.folder} "
                    f"({self.cause}); give two sweeps of the same experiment"
                )

    @cached_property
    def splits(self) -> dict[str, SplitPair]:
        """Tune with all trials and, if both were held out, test with the locked ones."""
        both = (self.mine, self.theirs)
        metrics = [name for name in self.mine.metrics if name in self.theirs.metrics]
        whole = [Side(one.whole, one.ranks, [*one.queries["id"]]) for one in both]
        found = {"tune": SplitPair(whole[0], whole[1], metrics)}
        if all(one.heldout for one in both):
            locked = [
                Side(one.locked, one.heldout_ranks, [*one.heldout_queries["id"]]) for one in both
            ]
            found["test"] = SplitPair(locked[0], locked[1], metrics)
        return found

    @cached_property
    def causes(self) -> dict[str, list[str]]:
        """By kind of ``CAUSES``, each value that differs: ``path: ours here, theirs there``."""
        ours, others = _facts(self.mine), _facts(self.theirs)
        found = {}
        for kind, keys in CAUSES.items():
            known = [key for key in keys if key in ours and key in others]
            kept = [{key: each[key] for key in known} for each in (ours, others)]
            differing = differences(kept[0], kept[1])
            found[kind] = [f"{path}: {one} here, {other} there" for path, one, other in differing]
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
        if ours["winner"]["parameters"] != others["winner"]["parameters"] or any(
            pair.verdicts[0] != pair.verdicts[1] for pair in pairs
        ):
            return "another verdict"
        exact = all(pair.whole and min(pair.shares) == 1 and not pair.farthest for pair in pairs)
        foreseen = ours.get("expected") == others.get("expected")
        return "same bits" if exact and foreseen else "same verdict"

    def lines(self) -> Iterator[str]:
        """Yield what is the same and what is not, a line each; the answer comes last."""
        for kind, lines in self.causes.items():
            more = f"; and {len(lines) - NAMED} more" if len(lines) > NAMED else ""
            yield f"{kind:<10} {'; '.join(lines[:NAMED]) + more if lines else 'the same'}"
        yield from self._scores()
        for split, pair in self.splits.items():
            yield from pair.lines(split)
        locks = (self.mine.lock, self.theirs.lock)
        yield _both("winner", [lock["winner"]["name"] for lock in locks])
        yield _both("forecast", [_bounds(lock.get("expected")) for lock in locks])
        if self.answer == "same bits":
            yield self.answer
        else:
            far = max(pair.farthest for pair in self.splits.values())
            within = f", scores within {100 * far:.2g} points"
            yield f"{self.answer}{within if self.answer == 'same verdict' else ''} ({self.cause})"

    def _scores(self) -> Iterator[str]:
        """Yield the differences of each list's scores on tune, if the questions are the same."""
        ours, others = self.mine.scores, self.theirs.scores
        for name in ours.keys() & others.keys() if self.splits["tune"].same_questions else ():
            one, other = ours[name], others[name]
            if not np.array_equal(one.lengths, other.lengths):
                yield f"list       {name}: another number of documents"
            elif far := float(np.abs(one.scores - other.scores).max(initial=0)):
                yield f"list       {name}: scores differ by up to {far:.1g}"


@dataclass(frozen=True)
class SplitPair:
    """A split of both sweeps, with the metrics of both."""

    mine: Side
    theirs: Side
    metrics: list[str]

    @cached_property
    def places(self) -> list[tuple[int, int]]:
        """Indices of each common trial."""
        ours, others = (
            {json.dumps(row["parameters"], sort_keys=True): at for at, row in enumerate(rows)}
            for rows in (self.mine.view.rows, self.theirs.view.rows)
        )
        return [(at, others[asked]) for asked, at in ours.items() if asked in others]

    @cached_property
    def questions(self) -> tuple[Int64Array, Int64Array]:
        """Indices of each common question in either sweep."""
        return np.intersect1d(self.mine.ids, self.theirs.ids, return_indices=True)[1:]

    @property
    def same_questions(self) -> bool:
        """Whether both have the same questions in the same order."""
        return self.mine.ids == self.theirs.ids

    @property
    def whole(self) -> bool:
        """Whether all trials and questions are in both."""
        counts = {len(self.mine.ranks), len(self.theirs.ranks), len(self.places)}
        return self.same_questions and len(counts) == 1

    @cached_property
    def shares(self) -> list[float]:
        """The share of equal gold ranks of each common trial, on common questions."""
        sides = (self.mine.ranks, self.theirs.ranks)
        hops = max(ranks.shape[2] for ranks in sides)
        kept = [
            np.pad(
                ranks[:, chosen], ((0, 0), (0, 0), (0, hops - ranks.shape[2])), constant_values=-1
            )
            for ranks, chosen in zip(sides, self.questions, strict=True)
        ]
        found = []
        for at, other in self.places:
            ours, others = kept[0][at], kept[1][other]
            gold = (ours >= 0) | (others >= 0)
            found.append(float((ours == others).sum(where=gold) / gold.sum()))
        return found

    @cached_property
    def differences(self) -> dict[str, float]:
        """The largest difference of a trial's scores, by metric, as shares."""
        found = {}
        for name in self.metrics:
            ours, others = (
                np.array([score(row, name) for row in side.view.rows], dtype=np.float64)
                for side in (self.mine, self.theirs)
            )
            at = np.array(self.places)
            apart = np.abs(ours[at[:, 0]] - others[at[:, 1]])
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
        for view in (self.mine.view, self.theirs.view):
            names = filter(None, dict.fromkeys([view.reference, view.best_single]))
            compared = {name: view.winner_against(name) for name in names}
            found.append({name: one.finding if one else "" for name, one in compared.items()})
        return found

    def lines(self, split: str) -> Iterator[str]:
        """Yield the numbers of common questions and trials, gold ranks, metrics and verdicts."""
        ours, others, exact = self.mine, self.theirs, self.shares.count(1)
        asked = f"{len(self.questions[0])} questions of {len(ours.ids)} here and {len(others.ids)}"
        trials = f"{len(self.places)} trials of {len(ours.ranks)} and {len(others.ranks)}"
        yield f"{split:<10} in both: {asked} there, {trials}"
        least = f"at least {100 * min(self.shares):.4g}% of gold ranks are equal"
        yield f"ranks      equal in {exact} of {len(self.shares)} trials; {least}"
        far = (f"{name} {100 * one:.2g}" for name, one in self.differences.items() if one)
        yield f"metrics    greatest differences, in points: {', '.join(far) or 'none'}"
        yield _both("verdict", [*map(_said, self.verdicts)])


def _facts(result: SweepResult) -> dict[str, Any]:
    """Return the manifest, with the makers of the lists but without their devices."""
    made = (result.manifest.get("made_by") or {}).items()
    devices = {name: one.get("devices") for name, one in made}
    libraries = {name: one.get("libraries") for name, one in made}
    return {**dict(result.manifest), "made_by": libraries, "devices": devices}


def _bounds(forecast: Mapping[str, Any] | None) -> str:
    if forecast is None:
        return "none"
    return f"{percent(forecast['low'])} to {percent(forecast['high'])}%"


def _said(verdict: Mapping[str, str]) -> str:
    words = {"": "the same as", "even": "not told from"}
    said = (f"{words.get(found, f'{found} than')} {name}" for name, found in verdict.items())
    return ", ".join(said)


def _both(word: str, texts: Sequence[str]) -> str:
    ours, others = texts
    verdict = f"the same: {ours}" if ours == others else f"{ours} here, {others} there"
    return f"{word:<10} {verdict}"
