"""The tables of a sweep: held-out, leaderboard, by hop count and type, effect, fusers, single lists, headroom."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from harness.report.ablation import ablation
from harness.report.ceiling import ceiling
from harness.report.effect import effect
from harness.report.headroom import headroom
from harness.report.table import Column, Table
from harness.report.view import View
from harness.statistic import wilson
from harness.sweep.result import SweepResult
from harness.tracking.entry import metric_columns, records, rerun

JUDGED = (Column("W", "count"), Column("L", "count"), Column("p", "p"))
AGAINST = (
    "W and L: queries that the strategy finds and dense does not, and the reverse; p: exact two-sided McNemar; "
    "W*, L*, p*: the same against {best}, the best single list on tune."
)


def every(result: SweepResult) -> list[Table]:
    """All tables that this sweep has data for, in the order of the report."""
    heldout_table = [heldout(result)] if result.heldout else []
    return [
        *heldout_table,
        leaderboard(result, 20),
        by_group(result, "hops"),
        by_group(result, "type"),
        *effect(result),
        *ablation(result),
        singles(result),
        *ceiling(result),
        *headroom(result),
    ]


def heldout(result: SweepResult) -> Table:
    """The locked trials on test, with Wilson's interval of the objective and its value on chains alone."""
    view = View.heldout(result)
    shared = _shared(result, view.objective)
    chain = view.queries["chain"].to_numpy(dtype=bool)
    on_chains = view.scores()[:, chain].mean(axis=1) if chain.any() else [None] * len(view.rows)
    columns = [
        Column("strategy", "text"), Column(f"{view.objective} %"), Column("95% interval", "interval"),
        *(Column(f"{name} %") for name in shared), Column("95% of difference", "span"),
        *JUDGED, Column("Holm p", "p"), Column("W*", "count"), Column("L*", "count"), Column("p*", "p"),
        Column("chain %"),
    ]  # fmt: skip
    keys = ("wins", "losses", "p", "p_holm", "wins_best", "losses_best", "p_best")
    rows = [
        [
            row["name"],
            row[view.objective],
            row["wilson"],
            *(row[name] for name in shared),
            difference_of(row),
            *(row[k] for k in keys),
            share,
        ]
        for row, share in zip(view.rows, on_chains, strict=True)
    ]
    said = (
        f"Held-out. {view.caption()} {AGAINST.format(best=result.lock.get('best_single') or 'no list')} "
        f"Holm p: corrected over the rows; interval: Wilson; difference: from dense, in points, Tango's 95% score "
        f"interval; chain: {view.objective} on the {int(chain.sum())} queries "
        "whose gold passages are a chain. Bold: the winner that was locked on tune."
    )
    marked = frozenset({view.winner_place()})
    return Table("heldout", "Held-out", said, columns, rows, marked, [rerun(row) for row in view.rows])


def leaderboard(result: SweepResult, limit: int | None = None) -> Table:
    """The trials on tune, best first; with a limit, the first ones and every single list."""
    view = View.tune(result)
    trials = result.trials
    kept = trials if limit is None else trials[(np.arange(len(trials)) < limit) | (trials["family"] == "single")]
    metrics = [view.objective, *_shared(result, view.objective)] if limit else _metrics(result, view.objective)
    columns = [
        Column("rank", "count"), Column("strategy", "text"), *(Column(f"{name} %") for name in metrics), *JUDGED,
        Column("Holm p", "p"), Column("max p", "p"), Column("W*", "count"), Column("L*", "count"), Column("p*", "p"),
        Column("95% of difference", "span"),
    ]  # fmt: skip
    keys = (*metrics, "wins", "losses", "p", "p_holm", "p_max", "wins_best", "losses_best", "p_best")
    trials_kept = records(kept)
    rows = [
        [place + 1, row["name"], *(row.get(k) for k in keys), difference_of(row)]
        for place, row in zip(kept.index, trials_kept, strict=True)
    ]
    marked = frozenset(number for number, row in enumerate(trials_kept) if row["trial"] == view.winner)
    best = result.lock.get("best_single") or "no list"
    said = (
        f"Tune leaderboard, {len(rows)} of {len(trials)} trials. {view.caption()} {AGAINST.format(best=best)} "
        f"Holm p: corrected over all trials; max p: max-statistic permutation test over all trials at once (random "
        f"signs by query, so trials that resemble each other count once); difference: from dense, in points, Tango's "
        f"95% score interval. Bold: the winner."
    )
    return Table("leaderboard", "Tune leaderboard", said, columns, rows, marked, [rerun(row) for row in trials_kept])


def by_group(result: SweepResult, group: str) -> Table:
    """The objective of each locked trial, by hop count or question type."""
    view = View.of(result)
    values = view.queries[group]
    levels = sorted(values.dropna().unique().tolist(), key=lambda level: (isinstance(level, str), level))
    scores = view.scores()
    members = [(values == level).to_numpy() for level in levels]
    named = [f"{level} hops" if group == "hops" else str(level) for level in levels]
    titles = [f"{name} (n={int(member.sum())})" for name, member in zip(named, members, strict=True)]
    columns = [Column("strategy", "text"), Column(f"all (n={view.n})"), *(Column(title) for title in titles)]
    rows = [
        [row["name"], score.mean(), *(score[member].mean() for member in members)]
        for row, score in zip(view.rows, scores, strict=True)
    ]
    what = "hop count" if group == "hops" else "question type"
    said = f"{view.objective} in percent by {what}. {view.caption()} Bold: the winner that was locked on tune."
    return Table(f"by_{group}", f"By {what}", said, columns, rows, frozenset({view.winner_place()}))


def singles(result: SweepResult) -> Table:
    """Every list alone, on tune and, when it was held out, on test."""
    view = View.tune(result)
    shared = _shared(result, view.objective)
    tune = records(result.trials[result.trials["family"] == "single"])
    test = [dict(row) for row in result.heldout or () if row["family"] == "single"]
    columns = [
        Column("list", "text"), Column("split", "text"), Column("n", "count"), Column(f"{view.objective} %"),
        Column("95% interval", "interval"), *(Column(f"{name} %") for name in shared), *JUDGED,
    ]  # fmt: skip
    keys = (*shared, "wins", "losses", "p")
    rows = [
        [
            row["name"],
            row["split"],
            row["n"],
            row[view.objective],
            wilson_of(row, view.objective),
            *(row[k] for k in keys),
        ]
        for row in (*tune, *test)
    ]
    said = (
        f"Single-list baselines. {view.caption('split and n in the row')} W, L and p against dense; interval: Wilson."
    )
    return Table("singles", "Single lists", said, columns, rows)


def wilson_of(row: Mapping[str, Any], objective: str) -> list[float]:
    """Wilson's 95% interval of a row's objective."""
    return [float(bound) for bound in wilson(round(row[objective] * row["n"]), row["n"])]


def difference_of(row: Mapping[str, Any]) -> list[float] | None:
    """The 95% score interval of a row's difference from dense; None for dense, and in older sweeps."""
    bounds = [row.get("difference_low"), row.get("difference_high")]
    return [float(bound) for bound in bounds if bound is not None and bound == bound] or None


def _metrics(result: SweepResult, objective: str) -> list[str]:
    return list(dict.fromkeys([objective, *metric_columns(result)]))


def _shared(result: SweepResult, objective: str) -> list[str]:
    """full_sup and recall at the objective's depth, where the sweep has them."""
    k = objective.partition("@")[2] or "5"
    return [name for name in (f"full_sup@{k}", f"recall@{k}") if name in result.trials.columns and name != objective]
