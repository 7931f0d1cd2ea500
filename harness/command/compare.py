"""Compare runs with a baseline on the same queries: wins, losses, exact p values, intervals.

  harness compare run=f.trec baseline=d.trec gold=queries.jsonl metric=last_hop k=5 out=compare.json
  harness compare 'run={rrf: rrf.trec, ours: f.trec}' 'baseline=[d.trec,g.trec]' gold=qrels.txt metric=ndcg k=10 out=table.tex
  harness compare run=new.trec baseline=main.trec gold=queries.jsonl gate=no_worse margin=1 out=compare.md
  harness compare run=runs/sweeps/B baseline=runs/sweeps/A out=settings.tex    two sweeps: settings, and how far they agree
  harness compare 'run={mine: {file: a.csv, columns: {doc: pid, score: s}}}' baseline=d.trec gold=queries.jsonl

A run wins a question when it scores more on it than the baseline. p is that of the exact McNemar
test; for metrics that are not 0 or 1 (ndcg, recall, mrr) that of the sign-flip test of the mean.
Holm p is corrected for all comparisons of the call. If questions share gold passages, Holm p and
intervals are by cluster. Compare with every single list, not with dense alone. explain=true prints
every column.

Runs, gold, split, ties, strict and lenient are as in `harness evaluate --help`. out=NAME.json has
every number; NAME.tex is a paper's table, systems by metrics, and NAME-appendix.tex the table of
this command; NAME.html is a page, NAME.md the table for a pull request; NAME.parquet, and
NAME-queries.csv next to a .csv, have a row a query.

gate=no_worse margin=1 is for continuous integration: the whole 95% interval must be above -1 point.
gate=better margin=1: above +1. The exit status is 0 if every comparison passes, 1 if one fails, 3
if it cannot be told (the interval includes the bound), and 2 for a mistake in the command. A gate
implies strict=true; the files start with the answer. How many questions it takes: harness power
gate=no_worse margin=1
"""

from __future__ import annotations

import itertools
import logging
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from omegaconf import DictConfig

from harness.command import (
    at_depths,
    complete,
    keep_inputs,
    print_paths,
    python_value,
    refuse_unread,
)
from harness.core.configuration import extensions
from harness.core.errors import HarnessError

if TYPE_CHECKING:
    from harness.evaluation.run_comparison import NamedRun
    from harness.evaluation.system_comparison import SystemComparison
    from harness.run.io import File
    from harness.run.systems import Files

    Systems = Mapping[str, Files]

log = logging.getLogger(__name__)


def run(config: DictConfig) -> None:
    """Read the runs, compare them, correct the p values, print and write."""
    from harness.evaluation.gate import QualityGate, deciding, gate_line

    complete(config)
    if sweeps := _sweeps(config):
        return _compare_sweeps(config, sweeps)
    if config.out is not None:
        from harness.report.output import check_ending

        check_ending(config.out, queries=True)
    gate = None
    if config.gate.kind is not None:
        gate = QualityGate(str(config.gate.kind), config.margin)
    else:
        refuse_unread("margin", why="it is of a gate; give gate=no_worse or gate=better")
    runs, baselines = _systems(config)
    if config.gold is None:
        comparisons = _compare_items(config, runs, baselines)
    else:
        comparisons = _compare_runs(config, runs, baselines)
    if gate is not None:
        comparisons = gate.judge(comparisons)
    written = [] if config.out is None else _write(config.out, comparisons)
    _show(comparisons, config.explain)
    print_paths(written)
    if (result := deciding(comparisons)) is not None:
        print(gate_line(comparisons))
        sys.exit(result.status)


def _write(out: str, comparisons: Sequence[SystemComparison]) -> list[Path]:
    """Write the comparisons, and return the paths."""
    from dataclasses import asdict
    from functools import partial

    from harness.evaluation.gate import gate_line
    from harness.evaluation.run_comparison import Comparisons
    from harness.evaluation.statement import headroom
    from harness.evaluation.system_comparison import comparison_table
    from harness.report.output import write_result

    rooms = {name: asdict(room) for name, room in headroom(comparisons).items()}
    results = [
        {**comparison.json, "headroom": rooms.get(str(comparison.metric))}
        for comparison in comparisons
    ]
    one_or_all = results[0] if len(results) == 1 else results
    every, table = Comparisons(comparisons), comparison_table(comparisons)
    several = len({comparison.baseline for comparison in comparisons}) > 1
    rows = partial(every.to_frame, per_query=True)
    paper = None if several else every.paper
    return write_result(out, one_or_all, table, paper, rows, gate_line(comparisons))


def _sweeps(config: DictConfig) -> list[str]:
    """Return the folders of sweeps, the baseline first; empty if files of lists are compared."""
    paths: list[Any] = []
    for key in ("baseline", "run"):
        value = python_value(config[key])
        paths += value if isinstance(value, list) else [value]
    are_sweeps = all(
        isinstance(path, str) and Path(path, "trials.parquet").is_file() for path in paths
    )
    return paths if are_sweeps else []


def _compare_sweeps(config: DictConfig, folders: Sequence[str]) -> None:
    """Print the settings of sweeps side by side and how far they agree, and write the settings."""
    from harness.report.output import check_ending, write_result
    from harness.sweep.folder.result import SweepResult
    from harness.sweep.sweep_comparison import SweepComparison

    read = ("run", "baseline", "out", "paths")
    refuse_unread(
        *(str(key) for key in config if key not in read), why="sweeps are compared by theirs"
    )
    check_ending(config.out)
    comparison = SweepComparison.of([SweepResult(Path(folder)) for folder in folders])
    rows = [dict(zip(comparison.table.titles, row, strict=True)) for row in comparison.table.rows]
    written = write_result(config.out, rows, comparison.table)
    print(*comparison.lines, sep="\n")
    print_paths(written)


def _show(comparisons: Sequence[SystemComparison], explain: bool) -> None:
    """Print the tables and the verdict."""
    from harness.core.table import paragraph, shown_lines
    from harness.evaluation.statement import conclude_all, headroom, headroom_table, lead
    from harness.evaluation.system_comparison import comparison_table, short_table

    lines = shown_lines(short_table(comparisons, notes=not explain))
    rooms = headroom(comparisons)
    if explain:
        lines += shown_lines(comparison_table(comparisons))
    if explain and rooms:
        lines += shown_lines(headroom_table(rooms, comparisons[0].scale))
    known: list[str] = []
    for comparison in comparisons:
        for coverage in comparison.coverages.values():
            known += coverage.read
    for text in lead(conclude_all(comparisons, rooms), known):
        lines += paragraph(text)
    print(*lines, sep="\n")


def _compare_items(config: DictConfig, *systems: Systems) -> Sequence[SystemComparison]:
    """Return the comparisons of scores of items, which a plug-in makes."""
    sides = []
    for side in systems:
        paths = {}
        for name, files in side.items():
            if any(file.columns for file in files):
                raise HarnessError(
                    f"{name}: columns per file need gold=; without gold= give columns= for all "
                    "files"
                )
            paths[name] = tuple(file.path for file in files)
        sides.append(paths)
    plugin = extensions.load("addition", "compare", "compare without gold=")
    return cast("Sequence[SystemComparison]", plugin.compare(config, *sides))


def _compare_runs(
    config: DictConfig, runs: Systems, baselines: Systems
) -> Sequence[SystemComparison]:
    """Return the comparisons of ranked lists by their gold passages."""
    from harness.evaluation.id_coverage import apply_own_document, read_gold
    from harness.evaluation.run_comparison import compare_all
    from harness.run import io as lists
    from harness.run.systems import label

    refuse_unread(*(key for key in extensions.added("compare") if key != "defaults"))
    names = python_value(config.metrics)
    if names is None:
        names = "last_hop"
    metrics = at_depths(names, python_value(config.k))
    gold = read_gold(config)
    files = {str(file): file for file in _files(runs, baselines)}
    read = lists.read_each(files, config.lenient, python_value(config.columns))
    ranked = apply_own_document(read, config.own_document)

    def named_runs(systems: Systems) -> dict[str, NamedRun]:
        named = {}
        for name, system_files in systems.items():
            source = label(system_files)
            if len(system_files) > 1:
                raise HarnessError(f"{name}: expected one run with gold=, got {source}")
            named[name] = source, ranked[source]
        return named

    strict = config.strict or config.gate.kind is not None
    return compare_all(named_runs(runs), named_runs(baselines), gold, metrics, config.ties, strict)


def _systems(config: DictConfig) -> tuple[Systems, Systems]:
    """Return the runs and the baselines. A file that is among both has the baseline's name."""
    from harness.run.systems import named_files, short_names

    runs, baselines = (named_files(key, python_value(config[key])) for key in ("run", "baseline"))
    short = short_names([*runs, *baselines])
    runs = {short[name]: files for name, files in runs.items()}
    baselines = {short[name]: files for name, files in baselines.items()}
    runs = _as_baselines(runs, baselines, isinstance(python_value(config.run), dict))
    _check_apart(runs, baselines)
    keep_inputs(config, *(file.path for file in _files(runs, baselines)))
    return runs, baselines


def _files(*sides: Systems) -> list[File]:
    """Return all files of the runs, or of the baselines, or of both."""
    files: list[File] = []
    for side in sides:
        for system_files in side.values():
            files += system_files
    return files


def _as_baselines(runs: Systems, baselines: Systems, is_named: bool) -> dict[str, Files]:
    """Return the runs; one that is a baseline, too, has the baseline's name.

    Args:
        runs: by name.
        baselines: by name.
        is_named: whether the names of the runs were typed; a warning says which one is not used.
    """
    renamed: dict[str, Files] = {}
    for name, files in runs.items():
        same = (baseline for baseline, its_files in baselines.items() if its_files == files)
        new_name = next(same, name)
        if new_name != name and is_named:
            log.warning(
                "run %s is the file of baseline %s: it has that name, and no row against itself",
                name,
                new_name,
            )
        renamed[new_name] = files
    return renamed


def _check_apart(runs: Systems, baselines: Systems) -> None:
    """Raise HarnessError if two systems have one name, or only a part of their files in common."""
    from harness.run.systems import label

    if differ := [name for name in runs if baselines.get(name, runs[name]) != runs[name]]:
        run, baseline = label(runs[differ[0]]), label(baselines[differ[0]])
        raise HarnessError(
            f"{differ[0]} is {run} in run and {baseline} in baseline; give one another name"
        )
    for run_files, baseline_files in itertools.product(runs.values(), baselines.values()):
        shared = [file for file in run_files if file in baseline_files]
        if shared and run_files != baseline_files:
            raise HarnessError(
                f"run={label(run_files)}: {shared[0]} is in baseline={label(baseline_files)}, too; "
                "give patterns and lists without a file of both"
            )
