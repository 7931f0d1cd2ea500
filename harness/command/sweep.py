"""Score every trial of a grid on the tune split, and lock the winner before anything touches test.

  harness sweep                                        the default grid on `sample`
  harness sweep dataset=2wikimultihopqa dry_run=true   how many trials, and what would be built
  harness sweep 'lists={dense: d.trec, graph: g.trec}' gold=gold.jsonl
  harness sweep fuser=linear fuser.alpha=.6 grid=point
  harness sweep '+grid.mine={fuser:[rrf],fuser.k:[1,5]}'    with a block of axes of your own
  harness sweep -m encoder=minilm,hashed               a sweep for each value, then one table

The keys that most sweeps need (`harness list KEY` has the names):

  dataset=sample          benchmark: musique, 2wikimultihopqa, hotpotqa_dev, folder, hf, ...
  encoder=minilm          vectors of the dense list and of entity names: static, mpnet, ...
  grid=default            what is varied: point (one setting), default (428 trials), wide (2,485)
  fuser=, normalizer=     only the part of the grid with this value; fuser.alpha=, pool.cap= alike
  objective=last_hop@5    the metric that chooses the winner

It prints the best trials, what won and by how much, and what to expect on test; explain=true prints
every metric, too. The last line is the folder of the sweep. `>` marks the winner: the best fusion
by the objective; of equal ones the one with fewer losses against the reference. It, every list and
the best trial of each fuser are locked. A multirun leaves out settings that do not go together.
"""

from __future__ import annotations

import contextlib
import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from omegaconf import DictConfig, open_dict
from omegaconf.errors import OmegaConfBaseException

from harness.command import python_value, typed
from harness.core.configuration.extras import program
from harness.core.configuration.instantiation import instantiate
from harness.core.errors import HarnessError, one_of
from harness.core.threads import available
from harness.work.compute import measured

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.benchmark import Benchmark
    from harness.sweep.folder.result import SweepResult
    from harness.sweep.trial.plan import Plan
    from harness.sweep.trial.trial import Trial


@measured
def run(config: DictConfig) -> float | None:
    """Sweep, print, and export to the tracker; return the objective on tune of the row that a
    multirun's table shows.

    The result is printed before a server is asked. A dry run returns None.
    """
    begin_extractor(config)  # before the imports, which take seconds

    from harness.report.console import terminal
    from harness.report.tracking.export import Tracking, track
    from harness.sweep import multirun
    from harness.sweep.dataset import use_gold
    from harness.sweep.sweep_comparison import shown_place
    from harness.sweep.trial import inputs
    from harness.sweep.trial.plan import Plan
    from harness.sweep.trial.prepared import Prepared, open_lists
    from harness.sweep.tune import sweep

    overrides = tuple(text for text in typed() if not text.startswith("explain="))
    inputs.check_lists(config)
    with open_dict(config):
        explain = config.pop("explain", False)
    use_gold(config, typed())
    if config.dry_run and explain:
        raise HarnessError("explain=true needs results, and dry_run=true makes none; leave one out")
    tracking: Tracking = instantiate(config.tracking)  # reports a mistake before the work
    plan = Plan(config, overrides)
    check_experiment(plan)
    open_lists(plan)  # reports a missing file before the grid
    trials = plan.trials()
    if "gold" in config:
        inputs.check_without_corpus(trials)
    plan.check_used(trials)
    plan.grid.log_left_out()
    if config.dry_run:
        show_plan(plan)
        return None
    if "gold" not in config:
        _check_models(trials)  # before any list is built
    prepared = Prepared.of(plan)
    result = sweep(prepared, trials)
    evaluated = _evaluated(prepared.benchmark, Path(config.paths.ledger))
    if multirun.VARIABLE in os.environ:
        multirun.note(result, evaluated)
    print(terminal.leaderboard(result, explain))
    if not result.heldout:
        print(evaluated or _next(result))
    print(result.folder, flush=True)
    if tracking.destination:
        track(tracking, result.folder)
    return result.whole.score(result.whole.rows[shown_place(result, result.whole)])


def _evaluated(data: Benchmark, ledger: Path) -> str:
    """Return the line on earlier evaluations of test, after which `heldout` would be refused."""
    from harness.sweep.heldout.ledger import Ledger

    look = Ledger(ledger).look(data.question_keys(data.members("test")), data.sha256)
    if not look.earlier:
        return ""
    return f"test was evaluated already (evaluation {look.evaluation - 1}): {look.sentence}"


def _next(result: SweepResult) -> str:
    """Return the line on what to do next."""
    line = f"{program('harness')} heldout sweep={shlex.quote(str(result.folder))}"
    return f"next: {line}    # what is locked, on test, once"


def check_experiment(plan: Plan) -> None:
    """Raise HarnessError for faults in the description of the experiment's tables and figures."""
    from harness.core.configuration.conf_files import conf_file
    from harness.report.experiment import figure_builder, read_experiment

    if plan.experiment is None:
        return
    chosen = [text.partition("=")[2] for text in plan.overrides if text.startswith("experiment=")]
    place = str(conf_file("experiment", chosen[0])) if chosen else "experiment"
    experiment = read_experiment(plan.experiment, place)
    for figure in experiment.get("figures") or ():
        figure_builder(figure["name"], figure["kind"])
    for shown in (*(experiment.get("tables") or ()), *(experiment.get("figures") or ())):
        for block in shown.get("blocks", ()):
            one_of(f"{place}: {shown['name']}: blocks", block, plan.config.grid)


def _check_models(trials: Sequence[Trial]) -> None:
    """Raise HarnessError if the model of a reranker cannot be reached."""
    models: dict[str, Any] = {
        getattr(trial.reranker, "model", ""): trial.reranker for trial in trials
    }
    for reranker in models.values():
        if hasattr(reranker, "check_reachable"):
            reranker.check_reachable()


def begin_extractor(config: DictConfig) -> None:
    """Let the extractor load its model in other processes while this one imports PyTorch.

    Nothing begins in a dry run, in a folder with extractions, if no list reads the extractor, or on
    two processors, which the imports keep busy. A mistake in the configuration is told later, by
    what uses it.
    """
    if config.dry_run or config.get("gold") is not None or available() <= 2:
        return
    with contextlib.suppress(HarnessError, OmegaConfBaseException):
        node = python_value(config.get("extractor"))
        extractions = Path(config.paths.runs) / "artifacts" / "extract"
        if extractions.exists() or str(node) not in str(python_value(config.lists)):
            return
        extractor = instantiate(node)
        if hasattr(extractor, "begin"):
            extractor.begin()


def show_plan(plan: Plan) -> None:
    """Print what would be done."""
    from harness.core.table import fit
    from harness.sweep.dry_run import absent_models, blocks, stages

    grid = blocks(plan)
    for table in (grid, stages(plan)):
        print(table.title, "", *fit(table), "", sep="\n")
    rerankers = {repr(trial.reranker): trial.reranker for trial in plan.trials()}
    for line in absent_models(rerankers.values()):
        print(f"caution: {line}")
    print(f"{grid.title}; nothing was run (dry_run). Next: the same command without dry_run=true")
