"""Plan a comparison: how many questions it takes, or what so many questions can show.

Two systems are compared by the exact McNemar test on the same questions. Its power depends on
how many they differ on (the discordance) and by how much one wins more of these than the other
(delta, in points of all questions).

  harness power delta=2 discordance=.05      questions for a net win of 2 points with 80% power
  harness power delta=2                      the same over a range of discordances
  harness power n=500                        the smallest net win that 500 questions show, over the same range
  harness power n=500 delta=3 discordance=.1  the power of that test
  harness power gate=no_worse margin=1 discordance=.1   questions for a gate of `harness compare`
  harness power gate=better delta=3 n=2000              how often 2,000 questions pass one

A gate passes if the whole 95% interval lies above its bound. delta is the true difference: 0, the
default, for a change that changes nothing; gate=better needs one above its margin.

Questions that share gold passages carry less information: multiply the number by the design effect that the
tables of a sweep show.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from omegaconf import DictConfig

from harness.command import python_value, refuse_unread
from harness.core.errors import HarnessError, bounded, whole_number

if TYPE_CHECKING:
    from harness.core.table import Table


NEEDED = 2
"""The place of the questions needed in a row."""


def run(config: DictConfig) -> None:
    """Compute and print a row for each discordance."""
    from harness.core.table import Column, Table

    _check(config)
    discordance = python_value(config.discordance)
    shares = discordance if isinstance(discordance, list) else [discordance]
    if config.gate.kind is not None:
        _show(_gate_table(shares, config), config)
        return
    refuse_unread("margin", why="it is of a gate; give gate=no_worse or gate=better")
    rows = [_row(share, config) for share in shares]
    columns = [
        Column("discordance %"),
        Column("net win", "points"),
        Column("questions needed", "count"),
        Column("questions", "count"),
        Column("smallest net win", "points"),
        Column("power %"),
    ]
    title = f"exact McNemar, two-sided, alpha {config.alpha:g}, power {config.power:g}"
    _show(Table("power", title, columns, rows), config)


def _show(table: Table, config: DictConfig) -> None:
    """Print a table, if it answers something. A difference that is too small for a million
    questions may be a share.
    """
    lines = [table.text()]
    if config.delta and not any(row[NEEDED] for row in table.rows):
        message = (
            f"delta={config.delta:g} is in points, and no number of questions up to a million "
            f"shows it; if a share of {config.delta:g} is meant, give delta={100 * config.delta:g}"
        )
        if config.n is None:
            raise HarnessError(message)
        lines += ["", f"caution: {message}"]
    print(*lines, sep="\n")


def _check(config: DictConfig) -> None:
    """Raise HarnessError if the keys do not determine a result."""
    if config.delta is None and config.n is None and config.gate.kind is None:
        raise HarnessError(
            "give delta=POINTS, n=QUESTIONS, or both, e.g. harness power delta=2 discordance=.05"
        )
    if config.n is not None:
        whole_number("n", config.n, 1)
    if config.delta is not None:
        bounded("delta", config.delta, 0, 100, open_low=config.gate.kind is None)
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

    n, power, alpha = config.n, config.power, config.alpha
    effect = _effect(share, config)
    smallest = None if n is None else smallest_effect(n, share, power, alpha)
    if config.delta is None:
        return [share, None, None, n, smallest, None]
    reached = None if n is None else mcnemar_power(n, share, effect, alpha)
    return [share, effect, queries_needed(share, effect, power, alpha), n, smallest, reached]


def _effect(share: float, config: DictConfig) -> float:
    """Return the net share of questions won.

    Raises:
        HarnessError: no more can be won than differ.
    """
    bounded("discordance", share, 0, 1, open_low=True)
    effect = float(config.delta or 0) / 100
    if effect > share:
        raise HarnessError(
            f"delta={config.delta:g} is more than discordance={share:g} allows: no more "
            "questions can be won than "
            f"differ; give discordance={effect:g} or more"
        )
    return effect


def _gate_table(shares: Sequence[float], config: DictConfig) -> Table:
    """Return the questions that a gate of 0/1 scores needs, and its power with n questions."""
    from harness.core.table import SHARES, Column, Table
    from harness.evaluation.gate import QualityGate
    from harness.evaluation.statistic import gate_power, gate_questions_needed

    refuse_unread("alpha", why="a gate decides by the 95% interval")
    gate = QualityGate(str(config.gate.kind), config.margin)
    margin = gate.margin_of(binary=True)
    bound = gate.bound(margin)
    if float(config.delta or 0) / 100 <= bound:
        raise HarnessError(
            f"gate={gate.kind} margin={margin:g}: the true difference must be above the margin; "
            f"give delta={margin + 1:g} or another above {margin:g}"
        )
    rows = []
    for share in shares:
        effect = _effect(share, config)
        passing = None if config.n is None else gate_power(config.n, share, effect, bound)
        needed = gate_questions_needed(share, effect, bound, config.power)
        rows.append([share, effect, needed, config.n, passing])
    columns = [
        Column("discordance %"),
        Column("true difference", "points"),
        Column("questions needed", "count"),
        Column("questions", "count"),
        Column("passes %"),
    ]
    title = (
        f"gate={gate.kind} margin={margin:g}: the 95% interval lies above {SHARES.gain(bound)}, "
        f"power {config.power:g}"
    )
    return Table("power", title, columns, rows)
