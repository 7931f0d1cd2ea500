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

import logging
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

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
        found = _compare_items(config, runs, baselines)
    else:
        found = _compare_runs(config, runs, baselines)
    if gate is not None:
        found = gate.judge(found)
    written = [] if config.out is None else _write(config.out, found)
    _show(found, config.explain)
    print_paths(written)
    if (result := deciding(found)) is not None:
        print(gate_line(found))
        sys.exit(result.status)


def _write(out: str, found: Sequence[SystemComparison]) -> list[Path]:
    """Write the comparisons, and return the paths."""
    from dataclasses import asdict
    from functools import partial

    from harness.evaluation.gate import gate_line
    from harness.evaluation.run_comparison import Comparisons
    from harness.evaluation.statement import headroom
    from harness.evaluation.system_comparison import comparison_table
    from harness.report.output import write_result

    won = {name: asdict(room) for name, room in headroom(found).items()}
    results = [{**one.json, "headroom": won.get(str(one.metric))} for one in found]
    one_or_all = results[0] if len(results) == 1 else results
    every, table = Comparisons(found), comparison_table(found)
    several = len({one.baseline for one in found}) > 1
    rows = partial(every.to_frame, per_query=True)
    paper = None if several else every.paper
    return write_result(out, one_or_all, table, paper, rows, gate_line(found))


def _sweeps(config: DictConfig) -> list[str]:
    """Return the folders of sweeps, the baseline first; empty if files of lists are compared."""
    given = [python_value(config[key]) for key in ("baseline", "run")]
    paths = [one for value in given for one in (value if isinstance(value, list) else [value])]
    named = all(isinstance(one, str) and Path(one, "trials.parquet").is_file() for one in paths)
    return paths if named else []


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
    found = SweepComparison.of([SweepResult(Path(folder)) for folder in folders])
    rows = [dict(zip(found.table.titles, row, strict=True)) for row in found.table.rows]
    written = write_result(config.out, rows, found.table)
    print(*found.lines, sep="\n")
    print_paths(written)


def _show(found: Sequence[SystemComparison], explain: bool) -> None:
    """Print the tables and the verdict."""
    from harness.core.table import paragraph, shown_lines
    from harness.evaluation.statement import conclude_all, headroom, headroom_table, lead
    from harness.evaluation.system_comparison import comparison_table, short_table

    lines = shown_lines(short_table(found, notes=not explain))
    lines += shown_lines(comparison_table(found)) if explain else []
    rooms = headroom(found)
    if explain and rooms:
        lines += shown_lines(headroom_table(rooms, found[0].scale))
    read = [line for one in found for each in one.coverages.values() for line in each.read]
    for text in lead(conclude_all(found, rooms), read):
        lines += paragraph(text)
    print(*lines, sep="\n")


def _compare_items(config: DictConfig, *systems: Systems) -> Sequence[SystemComparison]:
    """Return the comparisons of scores of items, which a plug-in makes."""
    paths = []
    for each in systems:
        for name, own in each.items():
            if any(file.columns for file in own):
                raise HarnessError(
                    f"{name}: columns per file need gold=; without gold= give columns= for all "
                    "files"
                )
        paths.append({name: tuple(file.path for file in own) for name, own in each.items()})
    plugin = extensions.load("addition", "compare", "compare without gold=")
    return cast("Sequence[SystemComparison]", plugin.compare(config, *paths))


def _compare_runs(
    config: DictConfig, runs: Systems, baselines: Systems
) -> Sequence[SystemComparison]:
    """Return the comparisons of ranked lists by their gold passages."""
    from harness.evaluation.id_coverage import apply_own_document, read_gold
    from harness.evaluation.run_comparison import compare_all
    from harness.run import io as lists
    from harness.run.systems import label

    refuse_unread(*(key for key in extensions.added("compare") if key != "defaults"))
    metric = python_value(config.metrics)
    wanted = at_depths("last_hop" if metric is None else metric, python_value(config.k))
    gold = read_gold(config)
    files = {str(file): file for each in (runs, baselines) for own in each.values() for file in own}
    read = lists.read_each(files, config.lenient, python_value(config.columns))
    known = apply_own_document(read, config.own_document)
    named: list[dict[str, NamedRun]] = [{}, {}]
    for found, each in zip(named, (runs, baselines), strict=True):
        for name, own in each.items():
            if len(own) > 1:
                raise HarnessError(f"{name}: expected one run with gold=, got {label(own)}")
            found[name] = label(own), known[label(own)]
    strict = config.strict or config.gate.kind is not None
    return compare_all(named[0], named[1], gold, wanted, config.ties, strict)


def _systems(config: DictConfig) -> tuple[Systems, Systems]:
    """Return the runs and the baselines. A file that is among both has the baseline's name."""
    from harness.run.systems import named_files, short_names

    runs, baselines = (named_files(key, python_value(config[key])) for key in ("run", "baseline"))
    short = short_names([*runs, *baselines])
    runs, baselines = (
        {short[name]: own for name, own in each.items()} for each in (runs, baselines)
    )
    runs = _as_baselines(runs, baselines, isinstance(python_value(config.run), dict))
    _check_apart(runs, baselines)
    keep_inputs(
        config, *(file.path for each in (runs, baselines) for own in each.values() for file in own)
    )
    return runs, baselines


def _as_baselines(runs: Systems, baselines: Systems, is_named: bool) -> dict[str, Files]:
    """Return the runs; one that is a baseline, too, has the baseline's name.

    Args:
        runs: by name.
        baselines: by name.
        is_named: whether the names of the runs were typed; a warning says which one is not used.
    """
    renamed: dict[str, Files] = {}
    for name, own in runs.items():
        other = next((other for other, its in baselines.items() if its == own), name)
        if other != name and is_named:
            log.warning(
                "run %s is the file of baseline %s: it has that name, and no row against itself",
                name,
                other,
            )
        renamed[other] = own
    return renamed


def _check_apart(runs: Systems, baselines: Systems) -> None:
    """Raise HarnessError if two systems have one name, or only a part of their files in common."""
    from harness.run.systems import label

    if differ := [name for name in runs if baselines.get(name, runs[name]) != runs[name]]:
        run, baseline = label(runs[differ[0]]), label(baselines[differ[0]])
        raise HarnessError(
            f"{differ[0]} is {run} in run and {baseline} in baseline; give one another name"
        )
    pairs = [(own, its) for own in runs.values() for its in baselines.values() if own != its]
    if shared := [(own, its, file) for own, its in pairs for file in own if file in its]:
        own, its, file = shared[0]
        raise HarnessError(
            f"run={label(own)}: {file} is in baseline={label(its)}, too; give patterns and lists "
            "without a file of both"
        )
