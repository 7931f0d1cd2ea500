"""Plan a comparison: how many questions it takes, or what so many questions can show.

Two systems are compared by the exact McNemar test on the same questions. Its power depends on
how many they differ on (the discordance) and by how much one wins more of these than the other
(delta, in points of all questions).

  harness power delta=2 discordance=.05      questions for a net win of 2 points with 80% power
  harness power delta=2                      the same over a range of discordances
  harness power n=500                        the smallest net win that 500 questions show, over the same range
  harness power n=500 delta=3 discordance=.1  the power of that test

Questions that share gold passages carry less information: multiply the number by the design effect that the
tables of a sweep show.
"""

from __future__ import annotations

from omegaconf import DictConfig

from harness.command import python_value
from harness.core.errors import HarnessError, bounded, whole_number


def run(config: DictConfig) -> None:
    """Compute and print a row for each discordance."""
    from harness.core.table import Column, Table

    _check(config)
    given = python_value(config.discordance)
    rows = [_row(share, config) for share in (given if isinstance(given, list) else [given])]
    columns = [
        Column("discordance %"),
        Column("net win", "points"),
        Column("questions needed", "count"),
        Column("questions", "count"),
        Column("smallest net win", "points"),
        Column("power %"),
    ]
    title = f"exact McNemar, two-sided, alpha {config.alpha:g}, power {config.power:g}"
    print(Table("power", title, columns, rows).text())


def _check(config: DictConfig) -> None:
    """Raise HarnessError if the keys do not determine a result."""
    if config.delta is None and config.n is None:
        raise HarnessError(
            "give delta=POINTS, n=QUESTIONS, or both, e.g. harness power delta=2 discordance=.05"
        )
    if config.n is not None:
        whole_number("n", config.n, 1)
    if config.delta is not None:
        bounded("delta", config.delta, 0, 100, open_low=True)
    if python_value(config.discordance) == []:
        raise HarnessError(
            "discordance=[]: expected at least one share of questions that differ, e.g. "
            "discordance=.05"
        )


def _row(share: float, config: DictConfig) -> list[float | None]:
    """Return discordance, net win, questions needed, questions, smallest net win and power; None
    for values that are not asked for.
    """
    from harness.evaluation.statistic import mcnemar_power, queries_needed, smallest_effect

    bounded("discordance", share, 0, 1, open_low=True)
    n, power, alpha = config.n, config.power, config.alpha
    smallest = None if n is None else smallest_effect(n, share, power, alpha)
    if config.delta is None:
        return [share, None, None, n, smallest, None]
    effect = config.delta / 100
    if effect > share:
        raise HarnessError(
            f"delta={config.delta:g} is more than discordance={share:g} allows: no more "
            "questions can be won than "
            f"differ; give discordance={effect:g} or more"
        )
    found = None if n is None else mcnemar_power(n, share, effect, alpha)
    return [share, effect, queries_needed(share, effect, power, alpha), n, smallest, found]
