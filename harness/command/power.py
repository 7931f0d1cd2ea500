"""Plan a comparison: how many questions it takes, or what so many questions can show.

Two systems are compared by the exact McNemar test on the same questions. What it can see depends on how many they
differ on (the discordance) and by how much one wins more of these than the other (delta, in points of all questions).

  harness power delta=2 discordance=.05      questions for a net win of 2 points with 80% power
  harness power delta=2                      the same over a range of discordances
  harness power n=500                        the smallest net win that 500 questions show, over the same range
  harness power n=500 delta=3 discordance=.1  the power of that test

Questions that share gold passages tell less: multiply the number by the design effect that the tables of a sweep show.
"""

from __future__ import annotations

from omegaconf import DictConfig

from harness.command import plain
from harness.core.errors import HarnessError, bounded, whole_number


def run(config: DictConfig) -> None:
    """Compute and print a row for each discordance."""
    from harness.core.table import Column, Table
    from harness.evaluation.statistic import mcnemar_power, queries_needed, smallest_effect

    shares, delta, n = plain(config.discordance), config.delta, config.n
    if delta is None and n is None:
        raise HarnessError("give delta=POINTS, n=QUESTIONS, or both, e.g. harness power delta=2 discordance=.05")
    if n is not None:
        whole_number("n", n, 1)
    if delta is not None:
        bounded("delta", delta, 0, 100, open_low=True)
    effect = None if delta is None else delta / 100
    if shares == []:
        raise HarnessError("discordance=[]: expected at least one share of questions that differ, e.g. discordance=.05")
    rows = []
    for share in shares if isinstance(shares, list) else [shares]:
        bounded("discordance", share, 0, 1, open_low=True)
        if effect is not None and effect > share:
            raise HarnessError(
                f"delta={delta:g} is more than discordance={share:g} allows: no more questions can be won than differ; "
                f"give discordance={effect:g} or more"
            )
        needed = None if effect is None else queries_needed(share, effect, config.power, config.alpha)
        smallest = None if n is None else smallest_effect(n, share, config.power, config.alpha)
        found = None if n is None or effect is None else mcnemar_power(n, share, effect, config.alpha)
        rows.append([share, effect, needed, n, smallest, found])
    columns = [
        Column("discordance %"), Column("net win", "points"), Column("questions needed", "count"),
        Column("questions", "count"), Column("smallest net win", "points"), Column("power %"),
    ]  # fmt: skip
    title = f"exact McNemar, two-sided, alpha {config.alpha:g}, power {config.power:g}"
    print(Table("power", title, columns, rows).text())
