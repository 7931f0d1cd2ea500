"""Tables of calibration, and figures of false findings and power."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from harness.core.errors import HarnessError
from harness.core.input import read_json
from harness.core.table import Column, Table, counted, percent
from harness.plugins.protocol.calibration import Rates
from harness.plugins.protocol.clustered import RULE, Behaviour
from harness.plugins.protocol.forecasts import IntervalCoverage
from harness.plugins.protocol.refits import Refits
from harness.report.figure import COLORS, Picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BARS = {
    "naive": "best of {trials}, on tune alone",
    "holm": "any, on tune, Holm p",
    "protocol": "the winner, once on test",
}


def table(rates: Sequence[Rates]) -> Table:
    """Return the table of rates, a row per kind of world.

    Permuted worlds share one split of the same queries, so they cannot judge a forecast.
    """
    names = (*BARS, "by_query", "planted", "covered")
    shares = (
        "best judged on tune",
        "Holm on tune",
        "winner on test",
        "the same by query",
        "planted on test",
        "stated power",
        "inside forecast",
    )
    columns = [
        Column("world", "text"),
        Column("effect", "points"),
        Column("worlds", "count"),
        Column("n", "count"),
        *(Column(f"{title} %") for title in shares),
    ]
    rows = []
    for rate in rates:
        found = {name: rate.share(name)[0] for name in names}
        planted = (found["planted"], rate.power) if rate.effect else (None, None)
        covered = None if rate.world == "permuted" else found["covered"]
        false = [found[name] for name in (*BARS, "by_query")]
        rows.append([rate.world, rate.effect, rate.worlds, rate.n, *false, *planted, covered])
    title = (
        "percent of worlds with a significant finding (p <= .05), "
        f"{counted(rates[0].trials, 'trial')}"
    )
    return Table("calibration", title, columns, rows)


def forecasts(found: Sequence[IntervalCoverage]) -> Table:
    """Return the table of forecasts, a row per kind of re-split."""
    columns = [
        Column("benchmark", "text"),
        Column("new split", "text"),
        Column("splits", "count"),
        Column("n", "count"),
        Column("inside %"),
        Column("half width", "points"),
        Column("bias", "points"),
    ]
    rows = [
        [
            one.benchmark,
            one.split,
            one.splits,
            round(one.n),
            one.inside / one.splits,
            one.half_width,
            one.bias,
        ]
        for one in found
    ]
    return Table(
        "forecast",
        "how often the forecast of one half holds on the other (95% is right)",
        columns,
        rows,
    )


def refits(found: Sequence[Refits]) -> Table:
    """Return the table of refits, a row per trial that learns."""
    columns = [
        Column("trial", "text"),
        Column("protocol's folds %"),
        Column("all folds %", "interval"),
        Column("sd %"),
        Column("over the best list", "points"),
        Column("all folds", "span"),
    ]
    rows = []
    for one in found:
        gain = (
            [None, None]
            if one.best is None
            else [one.score - one.best, [one.low - one.best, one.high - one.best]]
        )
        rows.append([one.name, one.score, [one.low, one.high], one.deviation, *gain])
    title = f"what learns, on tune, by the protocol's folds and {len(found[0].scores)} others"
    return Table("refits", title, columns, rows)


def behaviours(found: Sequence[Behaviour]) -> list[Table]:
    """Return the tables of false findings and of coverage, each with rows by query and by the rule.

    Titles give the range of the right share in 95% of this number of worlds.
    """
    parts = {
        "false_findings": ("percent of false findings at p <= .05; 5 is right, {} by chance", 0.05),
        "coverage": (
            "percent of 95% intervals that hold the truth; 95 is right, {} by chance",
            0.95,
        ),
    }
    head = [Column("clusters", "text"), Column("correlation", "text"), Column("worlds", "count")]
    tables = []
    for name, (title, right) in parts.items():
        shares = [one.errors if name == "false_findings" else one.coverage for one in found]
        kinds = [key for key in shares[0] if not key.startswith(RULE)]
        rows = [
            [
                one.clusters_of,
                f"{one.correlation:g}",
                one.worlds,
                by,
                *(share[start + kind] for kind in kinds),
            ]
            for one, share in zip(found, shares, strict=True)
            for by, start in (("query", ""), ("rule", RULE))
        ]
        columns = [*head, Column("by", "text"), *(Column(f"{kind} %") for kind in kinds)]
        tables.append(Table(name, title.format(_chance(right, found[0].worlds)), columns, rows))
    return tables


def behaviour_picture(found: Sequence[Behaviour]) -> Picture:
    """Return the figure of false findings at p <= .05 by correlation, a panel per shape of
    clusters.
    """
    shapes = list(dict.fromkeys(one.clusters_of for one in found))
    caption = (
        "False findings at p <= .05 if no trial has an effect, by correlation within clusters, "
        f"over {found[0].worlds} worlds of 40 trials each: by query, and by the rule that decides. "
        "Dashed: 5%; the band is 3 to 7%. Uneven: clusters share only wins. Without a line of the "
        "rule there are too few clusters for a p."
    )

    def draw(figure: Figure) -> None:
        axes = figure.subplots(
            -(-len(shapes) // 2), 2, sharex=True, sharey=True, squeeze=False
        ).ravel()
        for place, shape in enumerate(shapes):
            ours = [one for one in found if one.clusters_of == shape]
            lines = {"by query": "p", "rule": f"{RULE}p", "rule, uneven": f"{RULE}uneven p"}
            for number, (label, key) in enumerate(lines.items()):
                known = [
                    (one.correlation, rate) for one in ours if (rate := one.errors[key]) is not None
                ]
                axes[place].plot(
                    [x for x, _ in known],
                    [100 * y for _, y in known],
                    marker="o",
                    markersize=3,
                    linewidth=0.9,
                    color=COLORS[number],
                    label=label,
                )
            axes[place].axhspan(3, 7, color="#dddddd", zorder=0)
            axes[place].axhline(5, color="black", linewidth=0.7, linestyle="--")
            axes[place].set_title(shape)
        for rest in axes[len(shapes) :]:
            rest.set_axis_off()
        axes[0].set_ylim(0, 40)
        figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
        figure.supylabel("false findings (%)")
        figure.supxlabel("correlation within clusters")

    return Picture("calibration_clusters", caption, draw, 1.0 + 0.85 * -(-len(shapes) // 2))


def _chance(share: float, worlds: int) -> str:
    from scipy.special import bdtrik

    low, high = (np.ceil(bdtrik(level, worlds, share)) / worlds for level in (0.025, 0.975))
    return f"{percent(low)} to {percent(high)}"


def picture(rates: Sequence[Rates], dataset: str) -> Picture:
    """Return the figure of false findings (top) and of found effects against the stated power
    (bottom).
    """
    false = [rate for rate in rates if rate.effect == 0]
    title = (
        f"The harness judged by itself, on outcomes of {counted(rates[0].trials, 'trial')} on "
        f"{dataset}"
    )
    notes = (
        "Top: worlds without an effect "
        f"({', '.join(f'{rate.worlds} {rate.world}' for rate in false)}): share with a finding at "
        "p <= .05, with 95% intervals; the dashed line is 5%. Bottom: one trial planted with a "
        "known effect: how often the protocol finds its winner better, how often the planted "
        "trial is, and the exact McNemar test's power."
    )

    def draw(figure: Figure) -> None:
        ((top,), (bottom,)) = figure.subfigures(
            2, 1, squeeze=False, height_ratios=[2, 3]
        )  # as wide as labels allow
        _false(shown := top.subplots(), false)
        if len(false) > 1:
            top.legend(*shown.get_legend_handles_labels(), loc="outside upper center", ncols=2)
        _power(shown := bottom.subplots(), [rate for rate in rates if rate.world != "permuted"])
        bottom.legend(*shown.get_legend_handles_labels(), loc="outside upper center", ncols=3)

    return Picture("calibration", title, draw, 4.2, notes)


def read_pictures(runs: Path, dataset: str) -> list[Picture]:
    """Return the figure of a dataset's stored calibration, if there is one."""
    path = runs / "calibrations" / f"{dataset}.json"
    if Path(dataset).name != dataset or not path.is_file():
        return []
    content = read_json(path, "what `harness calibrate` wrote")
    try:
        rates = [Rates(**rate) for rate in content["rates"]]
    except (KeyError, TypeError) as error:
        raise HarnessError(
            f"{path}: no calibration ({error}); remove it, or run `harness calibrate` again"
        ) from error
    return [picture(rates, dataset)]


def _false(axes: Axes, rates: Sequence[Rates]) -> None:
    for number, rate in enumerate(rates):
        for place, name in enumerate(BARS):
            share, low, high = (100 * value for value in rate.share(name))
            axes.barh(
                place + 0.38 * (number - (len(rates) - 1) / 2),
                share,
                0.36,
                color=COLORS[number],
                label=rate.world if place == 0 else None,
                xerr=[[share - low], [high - share]],
                error_kw={"linewidth": 0.7},
            )
    axes.axvline(5, color="black", linewidth=0.7, linestyle="--")
    axes.set_yticks(
        range(len(BARS)),
        [text.format(trials=rates[0].trials if rates else "") for text in BARS.values()],
    )
    axes.tick_params(axis="y", length=0)
    axes.invert_yaxis()
    axes.set_xlabel("false findings (%)")


def _power(axes: Axes, rates: Sequence[Rates]) -> None:
    effects = [100 * rate.effect for rate in rates]
    axes.plot(
        effects,
        [100 * rate.power for rate in rates],
        color="black",
        linestyle="--",
        label="stated power",
    )
    for name, label, marker in (("planted", "planted trial", "s"), ("protocol", "winner", "o")):
        shares = [[100 * value for value in rate.share(name)] for rate in rates]
        errors = [
            [share - low for share, low, _ in shares],
            [high - share for share, _, high in shares],
        ]
        color = COLORS[1] if name == "planted" else COLORS[0]
        found = [share for share, _, _ in shares]
        axes.errorbar(
            effects, found, yerr=errors, marker=marker, color=color, linewidth=0.9, label=label
        )
    axes.set_xlabel("true effect (points)")
    axes.set_ylabel("found on test (%)")
    axes.set_ylim(0, 102)
