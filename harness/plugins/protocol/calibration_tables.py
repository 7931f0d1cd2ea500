"""Tables of calibration."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from harness.core.table import Column, Table, counted, percent
from harness.plugins.protocol.calibration import Rates
from harness.plugins.protocol.clustered import RULE, Behaviour
from harness.plugins.protocol.forecasts import IntervalCoverage


def table(rates: Sequence[Rates]) -> Table:
    """Return the table of rates, a row per kind of world."""
    shares = {
        "naive": "best judged on tune",
        "holm": "Holm on tune",
        "protocol": "winner on test",
        "best": "over the best list",
        "by_query": "the same by query",
    }
    titles = (*shares.values(), "planted on test", "stated power", "inside forecast")
    columns = [
        Column("world", "text"),
        Column("effect", "points"),
        Column("worlds", "count"),
        Column("n", "count"),
        *(Column(f"{title} %") for title in titles),
    ]
    rows = []
    for rate in rates:
        planted = (rate.share("planted"), rate.power) if rate.effect else (None, None)
        percents = [rate.share(name) for name in shares]
        last = [*planted, rate.share("covered")]
        rows.append([rate.world, rate.effect, rate.worlds, rate.n, *percents, *last])
    title = (
        "percent of worlds with a significant finding (p <= .05), "
        f"{counted(rates[0].trials, 'trial')}"
    )
    return Table("calibration", title, columns, rows)


def forecasts(coverages: Sequence[IntervalCoverage]) -> Table:
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
            coverage.benchmark,
            coverage.split,
            coverage.splits,
            round(coverage.n),
            coverage.inside / coverage.splits,
            coverage.half_width,
            coverage.bias,
        ]
        for coverage in coverages
    ]
    return Table(
        "forecast",
        "how often the forecast of one half holds on the other (95% is right)",
        columns,
        rows,
    )


def behaviours(measured: Sequence[Behaviour]) -> list[Table]:
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
        shares = [
            behaviour.errors if name == "false_findings" else behaviour.coverage
            for behaviour in measured
        ]
        kinds = [key for key in shares[0] if not key.startswith(RULE)]
        rows: list[list[object]] = []
        for behaviour, share in zip(measured, shares, strict=True):
            world = [behaviour.clusters_of, f"{behaviour.correlation:g}", behaviour.worlds]
            for by, start in (("query", ""), ("rule", RULE)):
                rows.append([*world, by, *(share[start + kind] for kind in kinds)])
        columns = [*head, Column("by", "text"), *(Column(f"{kind} %") for kind in kinds)]
        tables.append(Table(name, title.format(_chance(right, measured[0].worlds)), columns, rows))
    return tables


def _chance(share: float, worlds: int) -> str:
    from scipy.special import bdtrik

    low, high = (np.ceil(bdtrik(level, worlds, share)) / worlds for level in (0.025, 0.975))
    return f"{percent(low)} to {percent(high)}"
