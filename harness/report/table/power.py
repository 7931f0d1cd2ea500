"""What a test of the held-out size can see, for each locked trial at its own discordance on tune."""

from __future__ import annotations

from typing import cast

from harness.core.table import Column, Table
from harness.evaluation.statistic import mcnemar_power, smallest_effect
from harness.sweep.folder import SweepResult


def power(result: SweepResult) -> list[Table]:
    """The table, against the reference list and against the best single list; empty where a sweep forecast nothing."""
    n, best = (result.lock.get("power") or {}).get("n"), result.lock.get("best_single")
    if not n:
        return []
    rows = []
    for row in result.tune.rows:
        for against, suffix in {result.tune.reference: "", str(best): "_best"}.items():
            wins, losses = (cast("int | None", row.get(f"{count}{suffix}")) for count in ("wins", "losses"))
            if wins is None or losses is None:
                continue
            differ, net = (wins + losses) / row["n"], (wins - losses) / row["n"]
            rows.append([row["name"], against, differ, net, smallest_effect(n, differ), mcnemar_power(n, differ, net)])
    columns = [
        Column("strategy", "text"), Column("against", "text"), Column("discordance %"), Column("net win", "points"),
        Column("smallest net win", "points"), Column("power %"),
    ]  # fmt: skip
    said = (
        f"Power before the look. {result.tune.caption()} Discordance: queries on which the two differ on tune; "
        f"smallest net win: what the exact McNemar test finds on test's {n} queries with 80% power at that discordance "
        "(none: not even if all differing queries were won); power: at tune's own net win, which the winner's curse "
        "flatters."
    )
    return [Table("power", "Power before the look", columns, rows, said)]
