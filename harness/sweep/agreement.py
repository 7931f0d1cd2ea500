"""The comparison of a finished sweep with another one: what is the same, and whether results agree.

Trials are matched by their parameters and questions by id, so that sweeps by other code, or of
other data, can be compared, too.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from harness.core.errors import HarnessError
from harness.core.table import percent
from harness.sweep.folder.judged_trial import JudgedTrial
from harness.sweep.folder.lock import locked_winner
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
"""The largest number of differences of one kind that are named."""


@dataclass(frozen=True)
class Agreement:
    """How far two sweeps agree.

    Attributes:
        answer: ``same verdict``: the same trial won, and on each split its findings against the
            same lists are the same. ``same bits``: in addition, all trials and questions are in
            both sweeps, with equal gold ranks, metrics and forecast.
        lines: what differs, on tune with all trials and, if both were held out, on test with the
            locked ones; the answer comes last.
    """

    answer: Answer
    lines: list[str]

    @classmethod
    def of(cls, mine: SweepResult, theirs: SweepResult) -> Agreement:
        """Compare two sweeps; raise HarnessError if they have other questions or trials."""
        causes = {kind: _causes(mine, theirs, keys) for kind, keys in CAUSES.items()}
        lines = [
            f"{kind:<10} {'; '.join(differ[:NAMED]) or 'the same'}"
            for kind, differ in causes.items()
        ]
        lines += _lists(mine, theirs)
        named = (f"other {kind}: {differ[0]}" for kind, differ in causes.items() if differ)
        cause = next(named, "no input that the manifests name differs")
        try:
            found = _splits(mine, theirs)
        except ValueError as error:
            raise HarnessError(
                f"{theirs.folder} and {mine.folder} {error} ({cause}); give two sweeps of the same "
                "experiment"
            ) from error
        locks = mine.lock, theirs.lock
        forecasts = [_forecast(lock) for lock in locks]
        lines += itertools.chain.from_iterable(split.lines for split in found)
        lines.append(_both("winner", *map(locked_winner, locks)))
        lines.append(_both("forecast", *forecasts))
        same = locks[0]["winner"]["parameters"] == locks[1]["winner"]["parameters"]
        if not (same and all(split.same_verdict for split in found)):
            return cls("another verdict", [*lines, f"another verdict ({cause})"])
        if all(split.exact for split in found) and forecasts[0] == forecasts[1]:
            return cls("same bits", [*lines, "same bits"])
        far = f"{100 * max(split.farthest for split in found):.2g} points"
        return cls("same verdict", [*lines, f"same verdict, scores within {far} ({cause})"])


def _splits(mine: SweepResult, theirs: SweepResult) -> list[SplitAgreement]:
    """Return the agreement on tune and, if both were held out, on test."""
    metrics = [name for name in mine.metrics if name in theirs.metrics]
    splits = ["tune", "test"] if mine.test and theirs.test else ["tune"]
    pairs = [(split, _view(mine, split), _view(theirs, split)) for split in splits]
    return [_compare(*pair, metrics) for pair in pairs]


def _view(result: SweepResult, split: str) -> View:
    """Return all trials of a split with all questions, also those that the objective leaves out."""
    if split == "tune":
        return replace(result.whole, ranks=result.ranks, queries=result.queries)
    return replace(result.locked, ranks=result.heldout_ranks, queries=result.heldout_queries)


class SplitAgreement(NamedTuple):
    """The agreement on a split: in words, whether all is equal, and the farthest score."""

    lines: list[str]
    exact: bool
    same_verdict: bool
    farthest: float


def _compare(split: str, view: View, other: View, metrics: list[str]) -> SplitAgreement:
    """Return the agreement on a split; ValueError for other questions or trials."""
    order = pd.Index(other.queries["id"]).get_indexer(view.queries["id"])
    if len(order) != len(other.queries) or (order < 0).any():
        raise ValueError(f"have other {split} questions")
    known = {_key(row): place for place, row in enumerate(other.rows)}
    pairs = [(at, known[_key(row)]) for at, row in enumerate(view.rows) if _key(row) in known]
    if not pairs:
        raise ValueError("have no trial in common")
    hops = min(view.ranks.shape[2], other.ranks.shape[2])
    here, there = (list(places) for places in zip(*pairs, strict=True))
    ours, theirs = view.ranks[here, :, :hops], other.ranks[there][:, order, :hops]
    gold = (ours >= 0) | (theirs >= 0)
    shares = ((ours == theirs) & gold).sum((1, 2)) / gold.sum((1, 2))
    apart = {}
    for name in metrics:
        scores = np.array(
            [(view.rows[at].scores[name], other.rows[to].scores[name]) for at, to in pairs], float
        )
        apart[name] = float(np.nan_to_num(np.abs(np.diff(scores))).max())
    far = [f"{name} {100 * value:.2g}" for name, value in apart.items() if value]
    verdicts = _verdict(view), _verdict(other)
    lines = [
        f"{split:<10} {view.n} questions; trials in both: {len(pairs)} of {len(view.rows)} here "
        f"and {len(other.rows)} there",
        f"ranks      equal in {(shares == 1).sum()} of {len(pairs)} trials; at least "
        f"{100 * shares.min():.4g}% of gold ranks are equal",
        f"metrics    greatest differences, in points: {', '.join(far) or 'none'}",
        _both("verdict", *verdicts),
    ]
    whole = len(pairs) == len(view.rows) and view.ranks.shape == other.ranks.shape
    exact = whole and sorted(order) == list(order) and shares.min() == 1 and not far
    return SplitAgreement(
        lines, exact, verdicts[0] == verdicts[1], max(apart.values(), default=0.0)
    )


def _key(row: JudgedTrial) -> str:
    return json.dumps(row.parameters, sort_keys=True)


def _causes(mine: SweepResult, theirs: SweepResult, keys: tuple[str, ...]) -> list[str]:
    """Return ``path: ours here, theirs there`` for each value of the manifests that differs."""
    ours, others = _facts(mine), _facts(theirs)
    known = [key for key in keys if key in ours and key in others]
    pairs = differences({key: ours[key] for key in known}, {key: others[key] for key in known})
    return [f"{path}: {one} here, {other} there" for path, one, other in pairs]


def _facts(result: SweepResult) -> dict[str, Any]:
    """Return the manifest, with the libraries and the devices of each list under two keys."""
    made = (result.manifest.get("made_by") or {}).items()
    kinds = {"made_by": "libraries", "devices": "devices"}
    parts = {key: {name: one.get(kind) for name, one in made} for key, kind in kinds.items()}
    return {**result.manifest, **parts}


def _lists(mine: SweepResult, theirs: SweepResult) -> Iterator[str]:
    """Yield a line for each list with as many scores in both sweeps, of which some differ."""
    for name in mine.scores.keys() & theirs.scores.keys():
        one, other = mine.scores[name].scores, theirs.scores[name].scores
        if len(one) == len(other) and (one != other).any():
            yield f"list       {name}: scores differ by up to {np.abs(one - other).max():.1g}"


def _verdict(view: View) -> str:
    """Return the finding of the winner against the reference and the best single list."""
    words = {"even": "not told from", "better": "better than", "worse": "worse than"}
    parts = []
    for name in filter(None, dict.fromkeys([view.reference, view.best_single])):
        compared = view.winner_against(name)
        parts.append(f"{words[compared.finding] if compared else 'the same as'} {name}")
    return ", ".join(parts)


def _forecast(lock: Mapping[str, Any]) -> str:
    found = lock.get("expected")
    return f"{percent(found['low'])} to {percent(found['high'])}%" if found else "none"


def _both(word: str, ours: str, theirs: str) -> str:
    text = f"the same: {ours}" if ours == theirs else f"{ours} here, {theirs} there"
    return f"{word:<10} {text}"
