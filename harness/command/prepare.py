"""Build the artifacts of a configuration (data, embeddings, graph, runs) and stop before any trial
is scored.

A stage that has been built is not built again; a killed one goes on from its last shard. Useful on
a GPU node before sweeping on a laptop: copy the runs folder, it stays valid. The folder of each
list is printed: `harness fuse`, `evaluate` and `compare` take it as a run, and the benchmark's name
as gold. So are each graph's statistics, for a comparison with a published graph.

  harness prepare                              the sample benchmark
  harness prepare dataset=musique              real data, from paths.data (HARNESS_DATA) or the Hub
  harness prepare -m dataset=musique,hotpotqa  both, one after the other

Encoding, extraction, synonym search and retrieval are done in parts, whose bytes do not depend on
the processes that compute them. Processes that share a runs folder, on any machines, share the parts; a dead
process's part is taken over.

  harness prepare part=3/20                    the third of twenty shares and no more: a task of any array job
  harness prepare part=3/20 wait=true          then also what others have left, until all is there
  harness prepare status=true                  the parts of unfinished stages: done and running, and where
  harness prepare engine=local engine.workers=4    four processes of this machine
  harness prepare engine=ray engine.workers=8      eight tasks of the Ray cluster that this machine belongs to
  harness prepare engine=slurm engine.workers=8    an array job of Slurm
"""

from __future__ import annotations

from pathlib import Path

from omegaconf import DictConfig

from harness.command import typed
from harness.core.errors import HarnessError
from harness.core.table import counted
from harness.work.compute import measured


@measured
def run(config: DictConfig) -> None:
    """Build the artifacts and print what exists."""
    from harness.core.configuration.instantiation import instantiate
    from harness.work.engine import Work, check_promises
    from harness.work.part_notes import unfinished
    from harness.work.parts import Share, Unfinished, sharing

    _check(config, typed())
    if config.status:
        lines = unfinished(Path(config.paths.runs))
        print("\n".join(lines) or "no stage is being computed in parts")
    elif config.part is not None:
        check_promises()
        share = Share.parse(str(config.part), waits=config.wait)
        with sharing(share):
            try:
                _prepare(config)
            except Unfinished as error:
                print(f"part {config.part}: its share is done; {error}")
    else:
        instantiate(config.engine).run(Work.here(typed()))
        _prepare(config)


def _check(config: DictConfig, overrides: list[str]) -> None:
    """Raise HarnessError for keys that would have no effect."""
    if config.dry_run:
        raise HarnessError(
            "dry_run=true is for `harness sweep`, which shows what would be built; leave it out here"
        )
    if config.wait and config.part is None:
        raise HarnessError("wait=true belongs to a share; add part=i/n, e.g. part=3/20")
    engines = [text for text in overrides if text.startswith("engine")]
    if config.part is not None and engines:
        raise HarnessError(
            f"part={config.part} is done by this process, so {engines[0]} has no effect; leave "
            "one out"
        )


def _prepare(config: DictConfig) -> None:
    from harness.report.table.network_text import describe_network
    from harness.sweep.trial.inputs import graphs, retrievers, store
    from harness.sweep.trial.plan import Plan
    from harness.sweep.trial.prepared import Prepared
    from harness.work.engine import Work

    plan = Plan(config, Work.here(typed()).overrides)
    plan.trials()  # reports mistakes in the grid before anything is built
    prepared = Prepared.of(plan)
    data, artifacts = prepared.benchmark, store(config)
    tune, test = len(data.members("tune")), len(data.members("test"))
    passages, questions = (
        counted(len(data.doc_ids), "passage"),
        counted(len(data.query_ids), "question"),
    )
    print(f"{data.name}: {passages}, {questions} ({tune} tune, {test} test)")
    print(f"data sha256 {data.sha256}")
    for name, lists in prepared.runs.items():
        lengths = lists.lengths()
        empty = counted(int((lengths == 0).sum()), "empty list")
        print(f"list {name}: {lengths.mean():.1f} documents a question, {empty}")
        inputs = {"benchmark": data.sha256}
        print(f"  {artifacts.place('retrieve', prepared.identities[name], inputs)}")
    listed = set()
    for name, graph in graphs(retrievers(config)).items():
        artifact = graph.artifact(data, artifacts)
        if artifact.key not in listed:
            print(f"graph below list {name}:", *describe_network(artifact.facts), sep="\n")
            print(f"  {artifact.path}")
            listed.add(artifact.key)
