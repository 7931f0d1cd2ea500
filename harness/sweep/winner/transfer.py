"""What was locked on one benchmark, scored on others: benchmarks by benchmarks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from omegaconf import DictConfig, OmegaConf

from harness.benchmark import Benchmark
from harness.core.errors import HarnessError
from harness.core.table import LEVEL, Column, Style, Table, p_value, points
from harness.evaluation.gold import Gold
from harness.evaluation.metric import Metric
from harness.evaluation.run_comparison import RunComparison, compare_all
from harness.evaluation.system_comparison import comparison_table, corrected
from harness.run import Run
from harness.sweep.folder import SweepResult
from harness.sweep.folder.lock import LOCK, read_lock
from harness.sweep.trial import lists, reopen
from harness.sweep.winner.winner import Winner

BEST = "(its best list)"
"""The row of each benchmark's best single list."""
SIGNS = {True: "†", False: "‡"}
"""Shown to be better than the benchmark's own winner, or worse."""


@dataclass(frozen=True)
class Transfer:
    """Locks of several benchmarks, each scored on all.

    golds: what was scored, by benchmark.    comparisons: of each other benchmark's winner, and of the best single list,
    with the benchmark's own winner; p and intervals by cluster, Holm's correction over all.
    """

    golds: Mapping[str, Gold]
    comparisons: Sequence[RunComparison]

    @classmethod
    def of(cls, results: Mapping[str, SweepResult], config: DictConfig) -> Transfer:
        """Rank and compare. Raises HarnessError for fewer than two benchmarks, and for two sweeps of one.

        results: sweeps, by title.    config: of conf/transfer.yaml.
        """
        sweeps = _by_benchmark(results, config.sweep == "all")
        locks = {name: read_lock(one.folder / LOCK) for name, one in sweeps.items()}
        metric = _metric(config.metric, {name: str(lock["objective"]) for name, lock in locks.items()})
        here = OmegaConf.masked_copy(config, ["paths", "tracking", "device", "trust"])
        winners = {name: _winner(one.folder, here) for name, one in sweeps.items()}
        golds, found = {}, []
        for target, own in winners.items():
            data = lists.benchmark(own.config)
            gold = Gold.of(data).split(config.split, data.splitting)
            ranked = {name: _over(winner, own).rank_benchmark(data) for name, winner in winners.items()}
            best = _list(sweeps[target].folder, here, str(locks[target]["best_single"]), data)
            others = {**{name: run for name, run in ranked.items() if name != target}, BEST: best}
            golds[target] = gold
            found += compare_all(
                {name: (name, run) for name, run in others.items()},
                {target: (target, ranked[target])},
                gold,
                [metric],
                "house",
            )
        return cls(golds, corrected([one.by_cluster() for one in found]))

    def table(self) -> tuple[Table, Style]:
        """A row a benchmark that was learned from, the best lists at the end; a column a benchmark that was scored."""
        cells: dict[tuple[str, str], str] = {}
        for one in self.comparisons:
            scale = one.scale
            sign = SIGNS[one.difference > 0] if one.p_holm <= LEVEL else ""
            cells[one.baseline, one.baseline] = scale.number(one.baseline_score)
            score = f"{scale.number(one.score)}{sign} {points(one.difference)}"
            cells[one.name, one.baseline] = f"{score} {one.wins}/{one.losses} {p_value(one.p_holm)}"
        names = [*self.golds, BEST]
        first = self.comparisons[0]
        counts = ", ".join(f"{name} {len(gold)}" for name, gold in self.golds.items())
        title = (
            f"{first.metric} in percent of what was locked on one benchmark and scored on another, split "
            f"{first.gold.part} ({counts} questions). Points over the winner that was locked there, won/lost, p by "
            f"cluster after Holm's correction over {len(self.comparisons)} comparisons; {SIGNS[True]} better, "
            f"{SIGNS[False]} worse."
        )
        columns = [Column("locked on", "text"), *(Column(f"on {name}", "text") for name in self.golds)]
        rows = [[name, *(cells[name, target] for target in self.golds)] for name in names]
        return Table("transfer", title, columns, rows), Style(rules=frozenset({len(names) - 1}))

    def appendix(self) -> Table:
        """A row a comparison, with intervals."""
        return comparison_table(self.comparisons)

    def sentence(self) -> str:
        """How many of the transfers are worse, and where."""
        moved = [one for one in self.comparisons if one.name != BEST]
        worse, better = (
            [f"{one.name} on {one.baseline}" for one in moved if one.p_holm <= LEVEL and (one.difference > 0) == won]
            for won in (False, True)
        )
        parts = [f"worse than what was locked there: {_listed(worse)}", f"better: {_listed(better)}"]
        rest = len(moved) - len(worse) - len(better)
        return f"Of {len(moved)} transfers {'; '.join(parts)}; no difference is shown of {rest or 'none'}."


def _by_benchmark(results: Mapping[str, SweepResult], newest: bool) -> dict[str, SweepResult]:
    found: dict[str, SweepResult] = {}
    for result in sorted(results.values(), key=lambda one: (one.folder / LOCK).stat().st_mtime_ns):
        name = str(result.manifest["dataset"])
        if name in found and not newest:
            first = found[name].folder.name
            raise HarnessError(
                f"sweep: {first} and {result.folder.name} are both of {name}; give one of each benchmark"
            )
        found[name] = result
    if len(found) < 2:
        raise HarnessError(f"sweep: only {', '.join(found)}; a transfer needs sweeps of two benchmarks or more")
    return dict(sorted(found.items()))


def _metric(typed: str | None, objectives: Mapping[str, str]) -> Metric:
    if typed is not None:
        return Metric.parse(str(typed))
    if len(set(objectives.values())) > 1:
        chosen = ", ".join(f"{objective} on {name}" for name, objective in objectives.items())
        raise HarnessError(f"metric: the sweeps chose by {chosen}; give one, e.g. metric=recall@5")
    return Metric.parse(next(iter(objectives.values())))


def _winner(folder: Path, here: DictConfig) -> Winner:
    asked = here.copy()
    OmegaConf.set_struct(asked, False)
    asked.update({"lock": str(folder), "dataset": None, "lists": None})
    return Winner.of(asked)


def _over(winner: Winner, target: Winner) -> Winner:
    """The winner over the benchmark of another, split as it was there."""
    if winner is target:
        return winner
    moved = winner.config.copy()
    moved.dataset = target.config.dataset
    moved.split = target.config.get("split", "md5")
    return replace(winner, config=moved)


def _list(folder: Path, here: DictConfig, name: str, data: Benchmark) -> Run:
    """A list of a sweep, which need not be of its winner's pool."""
    config = reopen(folder, here).config
    return lists.runs({name: lists.retrievers(config)[name]}, data, lists.store(config))[name]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"
