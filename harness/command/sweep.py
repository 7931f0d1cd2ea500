"""Score every trial of a grid on the tune split, log them, and lock the winner before anything touches test.

Prints the ranked table; the last line of standard output is the sweep's folder.

  harness sweep                                  grid `default` on the sample benchmark
  harness sweep dataset=2wikimultihopqa          real data, from paths.data (HARNESS_DATA) or the Hub
  harness sweep dry_run=true                     how many trials, and which
  harness sweep experiment=phasegraph_main       a published table (conf/experiment); `harness report` draws it
  harness sweep grid=tiers                       fusion, reranking and research fusers: 718 trials
  harness sweep fuser=linear fuser.alpha=.6 grid=point      one configuration
  harness sweep '+grid.mine={fuser:[rrf],fuser.k:[1,5]}'    add a block of axes to the grid
  harness sweep lists.colbert=colbert.trec 'pool.lists=[dense,colbert]'   another system's run as a list
  harness sweep -m encoder=minilm,hashed         axes that need new runs: one sweep for each value

Axes of a grid are on the right of the pool (fuser, normalizer, temperature, reranker, pool.*), and are expanded inside
the process. conf/grid/default.yaml shows how they are written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from omegaconf import DictConfig


def run(config: DictConfig) -> None:
    """Sweep, report, and log."""
    from hydra.core.hydra_config import HydraConfig

    from harness.configuration import instantiate
    from harness.tracking.beside import beside

    given = tuple(HydraConfig.get().overrides.task)
    if config.dry_run:
        return listed(config, given)
    with beside(instantiate(config.tracking)) as log:  # before anything else is imported: it imports meanwhile
        from harness.report.terminal import leaderboard
        from harness.sweep.plan import Plan, Prepared
        from harness.sweep.tune import sweep

        plan = Plan(config, given)
        trials = plan.trials()
        result = sweep(Prepared.of(plan), trials)
        logged = log(result)
        print(leaderboard(result))
        logged()
    print(result.folder)


def listed(config: DictConfig, given: tuple[str, ...]) -> None:
    """Print which trials there are, and run none."""
    from harness.sweep.lists import retrievers
    from harness.sweep.plan import Plan

    trials = Plan(config, given).trials()
    retrievers(config)  # a mistake in a list is said here, too
    for trial in trials:
        print(trial.name)
    print(f"{len(trials)} trials; nothing was run (dry_run)")
