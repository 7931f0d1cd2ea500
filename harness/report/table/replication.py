"""Does what one benchmark shows hold on others? The winners of several benchmarks, by partial conjunction."""

from __future__ import annotations

from collections.abc import Iterable

from harness.core.table import LEVEL, Column, Table, p_value
from harness.evaluation.comparison import Comparison
from harness.evaluation.statistic import replicability
from harness.sweep.folder import SweepResult, View


def replications(results: Iterable[SweepResult]) -> dict[str, Table]:
    """A table for each kind of sweep that was held out on several benchmarks; its caption begins with the finding.

    Sweeps are of one kind where all that was typed is the same but the benchmark and the folders of files. The winner's
    p on tune, which chose it, is not valid, so only test counts.
    """
    kinds: dict[str, list[SweepResult]] = {}
    for result in results:
        rest = ((name, value.rpartition("/")[2]) for name, value in result.given.items() if name != "experiment")
        typed = (f"{name}={value}" for name, value in rest if name.partition(".")[0] != "dataset")
        kinds.setdefault(" ".join([result.given.get("experiment", "sweep"), *typed]), []).append(result)
    found = {kind: replication(ones) for kind, ones in kinds.items()}
    return {kind: table for kind, table in found.items() if table}


def findings(results: Iterable[SweepResult]) -> list[str]:
    """One sentence of each of these tables."""
    return [f"{kind}: {table.caption.partition('). ')[0]})." for kind, table in replications(results).items()]


def replication(results: Iterable[SweepResult]) -> Table | None:
    """The winner of each sweep on test against its best single list on tune; None of fewer than two benchmarks."""
    seen = {result.test.data_sha256: result.test for result in results if result.test}
    views = {view.dataset: view for view in seen.values()}
    objectives = {view.objective for view in views.values()}
    if len(views) < 2 or len(objectives) > 1:
        return None
    compared = {name: _against_list(view) for name, view in views.items()}
    rows = [
        [name, views[name].winner_name, str(views[name].lock["best_single"]), one.n, one.wins, one.losses,
         one.difference, one.shown_interval, one.p_deciding]
        for name, one in compared.items()
    ]  # fmt: skip
    columns = [
        Column("benchmark", "text"), Column("winner", "text"), Column("best list", "text"), Column("n", "count"),
        Column("W", "count"), Column("L", "count"), Column("difference", "points"), Column("95% interval", "span"),
        Column("p", "p"),
    ]  # fmt: skip
    caption = (
        f"{_sentence(list(compared.values()))} {objectives.pop()} on test of the winner that tune chose and of "
        "the best single list on tune; difference in points; p: exact, whole clusters of queries that share gold "
        "passages change sides. Partial conjunction: Simes' p of all but the u - 1 smallest (Benjamini & Heller "
        "2008), each direction by itself, doubled."
    )
    return Table("replication", "Does it hold on several benchmarks?", columns, rows, caption)


def _against_list(view: View) -> Comparison:
    place = view.singles.get(str(view.lock["best_single"]), view.winner_place)
    ours, theirs = view.scores[view.winner_place], view.scores[place]
    return Comparison.of(ours, theirs, view.metric.binary, view.margin, view.clusters)


def _sentence(compared: list[Comparison]) -> str:
    """On how many benchmarks at least the winner differs from the best list, in one direction."""
    compared = [one for one in compared if one.p_deciding is not None and one.wins + one.losses]
    if len(compared) < 2:
        return "Winner and best list differ on fewer than two benchmarks (partial conjunction needs two)."
    tested = [one.p_deciding or 0.0 for one in compared]
    ps = replicability(tested, [one.wins - one.losses for one in compared]).tolist()
    n, shown = len(ps), sum(p <= LEVEL for p in ps)
    if not shown:
        return (
            f"Over {n} benchmarks no difference of winner and best list is shown (partial conjunction p "
            f"{p_value(ps[0])})."
        )
    return (
        f"The difference of winner and best list is shown on at least {shown} of {n} benchmarks, in one direction "
        f"(partial conjunction p {p_value(ps[shown - 1])})."
    )
