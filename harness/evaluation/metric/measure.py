"""Metrics as values: ``last_hop@5`` is typed, stored as a column, printed and parsed."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from harness.benchmark import UNORDERED
from harness.core.arrays import BoolArray, Float64Array, Int32Array, Int64Array
from harness.core.configuration import conf_files
from harness.core.errors import HarnessError, nearest, with_article

ABSENT = 2**31 - 1
"""Gold rank of a passage that is not in the list."""

NONE = -1
"""Gold rank of padding, for questions with fewer supporting passages than others."""


Ranks = Int32Array
Values = Float64Array
GREATEST = 1e150
"""The greatest value of a metric. Squares of greater ones do not fit 64 bits."""
FINITE = "a finite number, at most 1e150 from 0,"


def _hits(ranks: Ranks, k: int) -> BoolArray:
    return (ranks > 0) & (ranks <= min(k, ABSENT - 1))


def _count(ranks: Ranks) -> Int64Array:
    """Return the number of supporting passages of each question."""
    count: Int64Array = (ranks > 0).sum(axis=-1)
    return count


def _hit_count(ranks: Ranks, k: int) -> Int64Array:
    """Return the number of supporting passages of each question that are in the top k."""
    count: Int64Array = _hits(ranks, k).sum(axis=-1)
    return count


def last_hop(ranks: Ranks, k: int) -> Values:
    """Return 1 if the last supporting passage in hop order is in the top k, otherwise 0.

    NaN if the hop order is unknown (PG: LASTHOP@k).
    """
    last = np.maximum(_count(ranks) - 1, 0)[..., None]
    hits = np.take_along_axis(_hits(ranks, k), last, axis=-1)[..., 0]
    return np.where(ranks[..., -1] == UNORDERED, np.nan, hits)


def full_sup(ranks: Ranks, k: int) -> Values:
    """Return 1 if **all** supporting passages are in the top k, otherwise 0 (PG: FULLSUP@k)."""
    count = _count(ranks)
    return np.where(count > 0, _hit_count(ranks, k) == count, 0.0)


def success(ranks: Ranks, k: int) -> Values:
    """Return 1 if **any** supporting passage is in the top k, else 0 (trec_eval: success_k)."""
    return (_hit_count(ranks, k) > 0).astype(np.float64)


def recall(ranks: Ranks, k: int) -> Values:
    """Return the share of the supporting passages that are in the top k (trec_eval: recall_k)."""
    return np.asarray(_hit_count(ranks, k) / np.maximum(_count(ranks), 1))


def ndcg(ranks: Ranks, k: int, grades: Values | None = None) -> Values:
    """Return the discounted gain of the top k, divided by the best possible one (trec_eval:
    ndcg_cut_k).

    The gain is the sum of grade / log2(rank + 1) over the passages in the top k. The best list has
    the highest grades first, cut at k. Gains are added from the best rank on, so that a perfect
    list has exactly 1.

    Args:
        ranks: int32[..., H].
        k: depth.
        grades: float64[..., H]; None: all 1. Negative grades count as 0.
    """
    reach = min(k, max(int(ranks[ranks != ABSENT].max(initial=1)), ranks.shape[-1]))
    below = np.zeros(ranks.shape[-1])  # ranks beyond the reach gain nothing
    discount = np.array([0.0, *(1 / math.log2(rank + 1) for rank in range(1, reach + 1)), *below])
    if grades is not None and np.isin(grades, (0, 1)).all():
        ranks, grades = np.where(grades > 0, ranks, NONE), None
    place = np.where(_hits(ranks, reach), ranks, 0)
    if grades is None:
        count = _count(ranks)
        gains = discount[np.sort(place, axis=-1)]
        ideal = discount.cumsum()
        gained = np.flip(gains, axis=-1).cumsum(axis=-1)[..., -1]
        return np.asarray(gained / np.where(count > 0, ideal[count], 1.0))
    values = np.where(ranks > 0, np.maximum(grades, 0.0), 0.0)
    order = np.argsort(np.where(place > 0, place, ABSENT), axis=-1, kind="stable")
    gains = (
        np.take_along_axis(values, order, axis=-1)
        * discount[np.take_along_axis(place, order, axis=-1)]
    )
    best = np.flip(np.sort(values, axis=-1), axis=-1)
    most = (best * discount[1 : ranks.shape[-1] + 1]).cumsum(axis=-1)[..., -1]
    return np.asarray(gains.cumsum(axis=-1)[..., -1] / np.where(most > 0, most, 1.0))


def mrr(ranks: Ranks, k: int) -> Values:
    """Return 1 / rank of the best supporting passage, 0 if none is in the top k (trec_eval:
    recip_rank).
    """
    best = np.where(_hits(ranks, k), ranks, ABSENT).min(axis=-1)
    return np.asarray(np.where(best < ABSENT, 1.0 / best, 0.0))


def precision(ranks: Ranks, k: int) -> Values:
    """Return the share of the top k that supports the question (trec_eval: P_k).

    A list shorter than k is filled with documents that do not.
    """
    return np.asarray(_hit_count(ranks, k) / k)


def average_precision(ranks: Ranks, k: int) -> Values:
    """Return the mean precision at the ranks of the supporting passages (trec_eval: map,
    map_cut_k).

    A passage below k has precision 0.
    """
    places = np.sort(np.where(_hits(ranks, k), ranks, ABSENT), axis=-1)
    precisions = np.where(places < ABSENT, np.arange(1, ranks.shape[-1] + 1) / places, 0.0)
    return np.asarray(precisions.sum(axis=-1) / np.maximum(_count(ranks), 1))


def r_precision(ranks: Ranks, k: int) -> Values:
    """Return the share of the R supporting passages that are in the top R (trec_eval: Rprec)."""
    count = _count(ranks)
    hits = ((ranks > 0) & (ranks <= np.minimum(count, k)[..., None])).sum(axis=-1)
    return np.asarray(hits / np.maximum(count, 1))


LONGEST = 18
"""The largest number of digits of a depth."""


@dataclass(frozen=True)
class Measure:
    """The definition of a metric; a ``conf/metric/<name>.yaml`` defines your own.

    Attributes:
        formula: function of gold ranks int32[..., H] and a depth that returns float64[...], a value
            for each question.
        found: the end of the sentence "<name>@k: ..." in captions, e.g. "all gold passages are in
            the top k"; "": no sentence.
        binary: whether every value is 0 or 1, so that proportions, Wilson intervals and odds ratios
            are defined.
        ordered: whether the formula needs the hop order of the gold passages.
        whole: whether the depth may be left out; the metric then uses the whole list.
        graded: whether the formula takes the ranks of all judged passages and, third, their grades
            float64[..., H] (None: all 1).
        higher_is_better: whether a greater value is better.
    """

    formula: Callable[..., Values]
    found: str = ""
    binary: bool = False
    ordered: bool = False
    whole: bool = False
    graded: bool = False
    higher_is_better: bool = True

    @property
    def function(self) -> Callable[..., Values]:
        """The formula without the arguments that a configuration gives it."""
        function: Callable[..., Values] = getattr(
            self.formula, "func", self.formula
        )  # of a `_partial_`
        return function

    @property
    def target(self) -> str:
        """The path of the formula, as a configuration names it."""
        name = getattr(self.function, "__qualname__", type(self.function).__qualname__)
        return f"{self.function.__module__}.{name}"


MEASURES = {
    "last_hop": Measure(
        last_hop, "the last gold passage in hop order is in the top k", binary=True, ordered=True
    ),
    "full_sup": Measure(full_sup, "all gold passages are in the top k", binary=True),
    "recall": Measure(recall, "the share of gold passages that are in the top k"),
    "ndcg": Measure(ndcg, graded=True),
    "mrr": Measure(mrr, whole=True),
    "success": Measure(success, "any gold passage is in the top k", binary=True),
    "precision": Measure(precision, "the share of the top k that is gold"),
    "map": Measure(average_precision, whole=True),
    "r_precision": Measure(r_precision, whole=True),
}
ALIASES = {"any_sup": "success"}
"""Other accepted names; a metric is printed with the name of its measure."""
MEANT = {
    "success": ("hit", "hits", "hit_rate", "hr"),
    "precision": ("p", "prec"),
    "map": ("ap", "average_precision", "map_cut"),
    "r_precision": ("rprec", "r_prec", "rp"),
    "mrr": ("rr", "recip_rank"),
    "recall": ("r",),
    "ndcg": ("ndcg_cut",),
}
"""Names of measures in other tools."""


@functools.cache
def measure_of(name: str, typed: str = "") -> Measure:
    """Return the measure of a name, built in or from a package.

    Args:
        name: name of the measure.
        typed: text that the error quotes.

    Raises:
        HarnessError: no measure has the name.
    """
    if name in MEASURES:
        return MEASURES[name]
    others = conf_files.names("metric")
    if name not in others:
        known = [*MEASURES, *others]
        meant = [metric for metric, aliases in MEANT.items() if name.lower() in aliases]
        hint = f" (did you mean {meant[0]}?)" if meant else nearest(name.lower(), known)
        whole = [metric for metric, measure in MEASURES.items() if measure.whole]
        listed = ", ".join(metric if metric in whole else f"{metric}@k" for metric in known)
        raise HarnessError(f"metric {typed or name} is not known{hint}; known: {listed}")
    strategy = conf_files.strategy("metric", name)
    if not isinstance(strategy, Measure):
        kind = with_article(type(strategy).__name__)
        raise HarnessError(
            f"conf/metric/{name}.yaml makes {kind}, expected _target_: {Measure.__module__}.Measure"
        )
    return strategy


def described_metrics() -> dict[str, str]:
    """Return a line on each metric, built in or from a package, by the name that is typed."""
    summaries = {}
    for name in [*MEASURES, *conf_files.names("metric")]:
        measure = measure_of(name)
        summary = (measure.function.__doc__ or "").partition("\n\n")[0].replace("*", "")
        summary = " ".join(summary.split()).removeprefix("Return ").removeprefix("the ")
        summaries[name if measure.whole else f"{name}@k"] = f"{summary[:1].upper()}{summary[1:]}"
    return summaries


def definitions(names: Iterable[str]) -> str:
    """Return what metrics count, for captions: ``full_sup@k: all gold passages ...``."""
    texts = {name: measure_of(name).found for name in names}
    return "; ".join(f"{name}@k: {text}" for name, text in texts.items() if text)


JudgedRanks = tuple[Ranks, Values]
"""The ranks int32[..., J] of all judged passages, padded with NONE, and their grades float64[...,
J].
"""


@dataclass(frozen=True, order=True)
class Metric:
    """A metric with its depth; ``Metric.parse(str(m)) == m``.

    Attributes:
        name: ``last_hop``, ``full_sup``, ``success``, ``recall``, ``ndcg``, ``mrr``, or a package's
            (see ``Measure``).
        k: depth, 1 or more; None: the whole list, if the measure is ``whole``.
    """

    name: str
    k: int | None = None

    def __post_init__(self) -> None:
        measure = self.measure
        if self.k is None and not measure.whole:
            raise HarnessError(f"metric {self.name} needs a depth k, e.g. {self.name}@5")
        if self.k is not None:
            whole = isinstance(self.k, Integral) and not isinstance(self.k, bool)
            if not whole or not 1 <= self.k < 10**LONGEST:
                raise _no_depth(self.name, repr(self.k))
            object.__setattr__(self, "k", int(self.k))  # NumPy's whole numbers, too

    @classmethod
    def parse(cls, text: str | Metric) -> Metric:
        """Return the metric of a name.

        Args:
            text: the measure and its depth, e.g. ``last_hop@5``; ``mrr`` has no depth.

        Returns:
            The metric; its ``str`` is ``text``, with aliases replaced.

        Raises:
            HarnessError: no measure has that name, or the depth is not a whole number of 1 or more.
        """
        name, at, depth = str(text).strip().partition("@")
        if at and not re.fullmatch(f"[0-9]{{1,{LONGEST}}}", depth):
            raise _no_depth(name, depth or "nothing")
        name, k = name.strip(), int(depth) if at else None
        return cls(ALIASES.get(name, name), k)

    def __str__(self) -> str:
        """Return the name that ``parse`` reads."""
        return self.name if self.k is None else f"{self.name}@{self.k}"

    @property
    def measure(self) -> Measure:
        """The measure: its formula and properties."""
        return measure_of(self.name, str(self))

    @property
    def binary(self) -> bool:
        """Whether every value is 0 or 1."""
        return self.measure.binary

    @property
    def ordered(self) -> bool:
        """Whether the metric needs the hop order of the gold passages."""
        return self.measure.ordered

    @property
    def higher_is_better(self) -> bool:
        """Whether a greater value is better."""
        return self.measure.higher_is_better

    def gain(self, values: Values) -> Values:
        """Return values so that more is better: negated if less is better.

        Args:
            values: float64[...], values or scores of the metric.

        Returns:
            float64[...].
        """
        return values if self.higher_is_better else -values

    def same_top(self, ours: Ranks, theirs: Ranks) -> bool:
        """Return whether two systems have the same gold ranks, of which all below the depth are
        equal.

        Args:
            ours: int32[..., H], gold ranks of a system.
            theirs: int32[..., H], those of the other one.

        Returns:
            Whether all are equal.
        """
        if self.k is not None:
            ours, theirs = np.minimum(ours, self.k + 1), np.minimum(theirs, self.k + 1)
        return np.array_equal(ours, theirs)

    def __call__(self, ranks: Ranks, judged: JudgedRanks | None = None) -> Values:
        """Return float64[...], a value for each question; their ``average`` is the score.

        A question without supporting passages has 0, as in trec_eval; NaN marks a question that the
        metric does not count.

        Args:
            ranks: int32[..., H].
            judged: ranks and grades of all judged passages, if there are judgements.
        """
        k = ABSENT - 1 if self.k is None else self.k
        if ranks.shape[-1] == 0:
            return np.zeros(ranks.shape[:-1])
        if self.measure.graded:
            every, grades = judged or (ranks, None)
            return self.measure.formula(every, k, grades)
        values = self.measure.formula(ranks, k)
        return values if self.name in MEASURES else self._checked(values, ranks.shape[:-1])

    def _checked(self, values: object, shape: tuple[int, ...]) -> Values:
        """Return the values of a user-defined formula, or raise HarnessError."""
        array = np.asarray(values)
        if array.shape != shape or array.dtype.kind not in "fiub":
            what = f"{array.dtype} of shape {array.shape}"
            raise HarnessError(
                f"metric {self}: {self.measure.target} gave {what}, expected a number a query, "
                f"{shape}"
            )
        numbers = array.astype(np.float64)
        wrong, expected = np.abs(numbers) > GREATEST, FINITE
        if self.measure.binary:
            wrong, expected = ~np.isin(numbers, (0.0, 1.0)), "0 or 1, as binary: true says,"
        wrong &= ~np.isnan(numbers)
        if wrong.any():
            raise HarnessError(
                f"metric {self}: {self.measure.target} gave {numbers[wrong][0]:g}, expected "
                f"{expected} or NaN if a query does not count"
            )
        return numbers


def average(values: Values) -> Values:
    """Return the mean over the last axis without NaN; NaN if all values are."""
    known = ~np.isnan(values)
    if known.all():
        return np.asarray(values.mean(axis=-1))
    count = known.sum(axis=-1)
    return np.asarray(
        np.where(count, np.where(known, values, 0.0).sum(axis=-1) / np.maximum(count, 1), np.nan)
    )


def _no_depth(name: str, depth: str) -> HarnessError:
    return HarnessError(
        f"metric {name:.40}: k must be a whole number of up to {LONGEST} digits, at least 1, "
        f"got k={depth:.40}"
    )


def metrics(
    names: str | Metric | Iterable[str | Metric], depths: int | Sequence[int] | None
) -> list[Metric]:
    """Return the metrics of names at depths; a name with ``@k`` keeps its depth, ``mrr`` needs
    none.

    >>> [str(metric) for metric in metrics(["last_hop", "mrr", "ndcg@20"], [5, 10])]
    ['last_hop@5', 'last_hop@10', 'mrr', 'ndcg@20']
    """
    expected = "expected names such as last_hop@5 and whole numbers as depths, such as 5 or [5,10]"
    listed: Any = [names] if isinstance(names, (str, Metric)) else names
    ks: Any = () if depths is None else depths
    ks = ks.tolist() if isinstance(ks, np.ndarray) else ks
    ks = [ks] if isinstance(ks, Integral) else ks
    for key, typed, values in (("metrics", names, listed), ("k", depths, ks)):
        if not isinstance(values, Iterable) or isinstance(values, (str, bytes)):
            raise HarnessError(f"{key}={typed}: {expected}")
    chosen: dict[Metric, None] = {}
    for name in listed:
        base = None if "@" in str(name) or not ks else Metric.parse(f"{name}@{ks[0]}")
        if base is None or base.measure.whole:
            chosen[Metric.parse(name)] = None
        else:
            chosen.update((Metric(base.name, k), None) for k in ks)
    if not chosen:
        raise HarnessError("no metric is given; give e.g. metrics=[last_hop@5,full_sup@5]")
    return list(chosen)
