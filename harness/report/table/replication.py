"""The winners on several benchmarks, by partial conjunction and pooled."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from harness.core.table import LEVEL, Column, Field, Source, Table, p_value, points, span
from harness.evaluation.column import DIFFERENCE, judged
from harness.evaluation.comparison import Comparison
from harness.evaluation.statistic import Pooled, pooled, replicability
from harness.sweep.folder import SweepResult, View, by_kind, caption


def replications(results: Iterable[SweepResult]) -> dict[str, Table]:
    """Return a table for each kind of sweep that was held out on several benchmarks.

    The first note of a table is its finding. Sweeps are of one kind if their overrides differ only
    in the benchmark and in the folders of files. The winner's p on tune, which chose it, is not
    valid, so only test counts.
    """
    found = {kind: replication(ones) for kind, ones in by_kind(results).items()}
    return {kind: table for kind, table in found.items() if table}


def findings(results: Iterable[SweepResult]) -> list[str]:
    """Return the finding of each of these tables."""
    return [f"{kind}: {table.notes[0]}" for kind, table in replications(results).items()]


def replication(results: Iterable[SweepResult]) -> Table | None:
    """Return the winner of each sweep on test against its best single list; None of one
    benchmark.
    """
    seen = {result.test.data_sha256: result.test for result in results if result.test}
    views = {view.dataset: view for view in seen.values()}
    objectives = {view.objective for view in views.values()}
    if len(views) < 2 or len(objectives) > 1:
        return None
    compared = {name: _against_list(view) for name, view in views.items()}
    differing = {
        name: one
        for name, one in compared.items()
        if one.p_deciding is not None and one.wins + one.losses
    }
    model = _pooled([*differing.values()])
    each = dict(zip(differing, model.each, strict=True)) if model else {}
    fields: list[Field[str]] = [
        Field(Column("benchmark", "text"), str),
        Field(Column("lists", "text"), lambda name: caption.systems(views[name])),
        Field(Column("winner", "text"), lambda name: views[name].winner_name),
        Field(Column("best list", "text"), lambda name: views[name].best_single),
        *judged(lambda name: compared[name], "n", "W", "L", "difference", "95% of difference"),
        Field(Column("p", "p"), lambda name: compared[name].p_deciding),
        Field(Column("pooled", "points"), lambda name: each.get(name)),
    ]
    objective = objectives.pop()
    notes = [
        f"{_sentence([*differing.values()])}{_model(model)}",
        f"{objective} on test of the winner that tune chose and of the best single list on tune; "
        f"{DIFFERENCE}; p: exact, by cluster if questions share gold passages. Partial "
        "conjunction: Simes' p of all but the u - 1 smallest (Benjamini & Heller 2008), for each "
        "direction, doubled. Pooled: the random-effects model (Paule & Mandel; Hartung & Knapp; "
        "statsmodels); each benchmark's difference is shrunk towards the mean by its uncertainty. "
        "A benchmark on which winner and best list differ on no question, or that has too few "
        "clusters, is in neither.",
    ]
    title = "Winner and best list on several benchmarks"
    source = Source(f"{objective}, test split")
    return Table.of("replication", title, fields, compared, source, notes)


def _against_list(view: View) -> Comparison:
    place = view.singles.get(str(view.best_single), view.winner_place)
    return view.compare(view.winner_place, place)


def _pooled(compared: Sequence[Comparison]) -> Pooled | None:
    """Return the pooled model of the differences; None for fewer than two."""
    if len(compared) < 2:
        return None
    return pooled([one.difference for one in compared], [one.error for one in compared])


def _model(model: Pooled | None) -> str:
    """Return the mean over benchmarks, their spread, and the prediction for a further one."""
    if model is None:
        return ""
    further = "three benchmarks are needed to predict a further one"
    if model.further:
        further = f"a further one is expected to show {span(model.further)}"
    return (
        f" Pooled over benchmarks the difference is {points(model.mean)} points (95% "
        f"{span(model.interval)}), with a spread of {100 * model.spread:.1f} between them; "
        f"{further}."
    )


def _sentence(compared: list[Comparison]) -> str:
    """Return on how many benchmarks the winner differs from the best list in one direction."""
    if len(compared) < 2:
        return (
            "Winner and best list differ on fewer than two benchmarks (partial conjunction needs "
            "two)."
        )
    tested = [one.p_deciding or 0.0 for one in compared]
    ps = replicability(tested, [one.wins - one.losses for one in compared]).tolist()
    found = sum(p <= LEVEL for p in ps)
    p = p_value(ps[max(found - 1, 0)])
    where = f"at least {found}" if found else "none"
    return (
        f"The difference of winner and best list is shown on {where} of {len(ps)} benchmarks "
        f"(partial conjunction in one direction, p {p})."
    )
