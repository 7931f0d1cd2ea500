"""When fusion pays: the score of a pair's first list, and what a mixture adds to the
better list.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import TYPE_CHECKING

from harness.core.table import Column, Field, Source, Table
from harness.evaluation.column import BY_CLUSTER, MCNEMAR, judged
from harness.evaluation.family import Family
from harness.evaluation.metric import Metric, average
from harness.evaluation.paired_comparison import Comparison
from harness.report.figure import COLORS, MARKERS, Built, Picture, mark_intervals
from harness.sweep.folder import caption
from harness.sweep.folder.result import SweepResult
from harness.sweep.judge.table_rows import Spec, find_rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PS = f"{MCNEMAR}; Holm p: over the rows. {BY_CLUSTER}."


@dataclass(frozen=True)
class Pair:
    """A pair of lists on one split.

    Args:
        label: of the pair.
        first: score of the first list.
        second: score of the second list.
        other: label of the second list.
        best: label of the list that is better on tune, with which the mixture is compared.
        against: the comparison.
    """

    label: str
    first: float
    second: float
    other: str
    best: str
    against: Comparison


def build_figure(result: SweepResult, spec: Spec, experiment: Spec) -> Built:
    """Return the figure of ``table`` and its points as a table.

    Each part of the table has two single lists and their mixture. The points are on test if it was
    held out, otherwise on tune. All three trials were chosen on tune.
    """
    table, metric = _described(experiment, spec)
    pairs = find_pairs(result, table, metric)
    picture = _picture(spec["name"], metric, {_where(result): pairs})
    title = "What mixing two lists adds to the better one"
    source = Source(
        "; ".join(
            filter(None, [str(experiment["source"]), _where(result), caption.systems(result.whole)])
        )
    )
    return picture, Table.of(
        f"{spec['name']}_gain", title, _fields(metric), pairs, source, [picture.notes, PS]
    )


def build_joint(results: Sequence[SweepResult], spec: Spec) -> Picture:
    """Return the points of several benchmarks in one figure.

    Args:
        results: sweeps of one experiment; each shows test if it was held out.
        spec: the figure's specification.
    """
    pairs_of: dict[str, list[Pair]] = {}
    for result in results:
        table, metric = _described(result.config["experiment"], spec)
        pairs_of[_where(result)] = find_pairs(result, table, metric)
    return _picture(f"{spec['name']}_joint", metric, pairs_of)


def _where(result: SweepResult) -> str:
    view = result.test or result.whole
    return f"{view.dataset}, {view.split}, n {view.n}"


def _picture(name: str, metric: Metric, pairs_of: Mapping[str, Sequence[Pair]]) -> Picture:
    """Return the figure of gains over the first list's score, and over its lead on the second."""
    title = (
        f"{metric}: what the linear mixture of two lists adds to the better one, on "
        f"{'; '.join(pairs_of)}"
    )
    notes = (
        "Added to the list that is better on tune, with its 95% interval, over the score of the "
        "first list (left) "
        "and over its lead on the second (right). A mark is a pair of lists on a benchmark. "
        "List, alpha and normalizer "
        "were chosen on tune."
    )
    return Picture(name, title, functools.partial(_draw, pairs_of=pairs_of), 3.4, notes)


def _draw(figure: Figure, pairs_of: Mapping[str, Sequence[Pair]]) -> None:
    """Draw a colour per benchmark and a marker per second list."""
    left, right = figure.subplots(1, 2, sharey=True)
    markers = dict(
        zip(
            dict.fromkeys(pair.other for pairs in pairs_of.values() for pair in pairs),
            MARKERS,
            strict=False,
        )
    )
    for color, (where, pairs) in zip(COLORS, pairs_of.items(), strict=False):
        for other, marker in markers.items():
            shown = [pair for pair in pairs if pair.other == other]
            differences = [pair.against.difference for pair in shown]
            intervals = [pair.against.interval for pair in shown]
            places = (
                [100 * pair.first for pair in shown],
                [100 * (pair.first - pair.second) for pair in shown],
            )
            mfc = None if marker == MARKERS[0] else "white"
            for axes, at in zip((left, right), places, strict=True):
                mark_intervals(
                    axes, at, differences, intervals, fmt=marker, color=color, mfc=mfc, lw=0.5, ms=3
                )
        left.plot([], [], "-", color=color, label=where.partition(",")[0])
    for other, marker in markers.items():
        mfc = "black" if marker == MARKERS[0] else "white"
        left.plot([], [], marker, color="black", mfc=mfc, ms=3, label=f"second list: {other}")
    left.axhline(0, color="black", lw=0.6)
    right.axhline(0, color="black", lw=0.6)
    right.axvline(0, color="black", lw=0.6, ls=":")
    left.set_xlabel("first list (%)")
    right.set_xlabel("its lead (points)")
    left.set_ylabel("added to the better list (points)")
    figure.legend(loc="outside upper center", ncols=2)


def find_pairs(result: SweepResult, table: Spec, metric: Metric) -> list[Pair]:
    """Return the pairs of all parts of a table, on test if it was held out, otherwise on tune."""
    whole, view = result.whole, result.test or result.whole
    every = result.every_question[0]
    pairs: list[Pair] = []
    for part in table["parts"]:
        rows = find_rows(table, part["rows"], every.rows, every.ranks, every.baselines)
        places = [place for place in rows if place is not None]
        in_view = [view.place(whole.rows[place].trial) for place in places]
        shown = [place for place in in_view if place is not None]
        if len(shown) < len(part["rows"]):
            continue
        first, second = (view.values(place, metric) for place in shown[:2])
        tuned = [float(average(whole.values(place, metric))) for place in places[:2]]
        best = int(tuned[1] > tuned[0])
        pairs.append(
            Pair(
                part["label"],
                float(average(first)),
                float(average(second)),
                part["rows"][1]["label"],
                part["rows"][best]["label"],
                view.compare(shown[2], shown[best], metric=metric),
            )
        )
    compared = Family.of([pair.against for pair in pairs], view.evaluation)
    return [
        replace(pair, against=comparison) for pair, comparison in zip(pairs, compared, strict=True)
    ]


def _described(experiment: Spec, spec: Spec) -> tuple[Spec, Metric]:
    """Return the table of a figure, and its first metric."""
    table = next(table for table in experiment["tables"] if table["name"] == spec["table"])
    return table, Metric.parse(table["metrics"][0])


def _fields(metric: Metric) -> list[Field[Pair]]:
    against = attrgetter("against")
    return [
        Field(Column("lists", "text"), attrgetter("label")),
        *judged(against, "n"),
        Field(Column(f"first {metric} %"), attrgetter("first")),
        Field(Column(f"second {metric} %"), attrgetter("second")),
        Field(Column(f"mixture {metric} %"), lambda pair: pair.against.score),
        Field(Column("better on tune", "text"), attrgetter("best")),
        *judged(against, "W", "L", "p", "95% of difference", "Holm p"),
    ]
