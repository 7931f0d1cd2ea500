"""Build the artifacts of a configuration (data, embeddings, graph, runs) and stop before any fusion.

A stage that has been built is not built again; a killed one goes on from its last shard. Useful on a GPU node before
sweeping on a laptop: copy the runs folder, it stays valid. The folder of each list is printed: `harness fuse`,
`evaluate` and `compare` take it as a run, and the benchmark's name as gold. So are each graph's statistics, to be held
against a published graph's.

  harness prepare                              the sample benchmark
  harness prepare dataset=musique              real data, from paths.data (HARNESS_DATA) or the Hub
  harness prepare -m dataset=musique,hotpotqa  both, one after the other
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from omegaconf import DictConfig


def run(config: DictConfig) -> None:
    """Build them and say what is there."""
    from harness.report.network import describe_network
    from harness.sweep.lists import graphs, retrievers, store
    from harness.sweep.plan import Plan, Prepared

    prepared = Prepared.of(Plan(config, ()))
    data, kept = prepared.benchmark, store(config)
    tune, test = len(data.members("tune")), len(data.members("test"))
    print(f"{data.name}: {len(data.doc_ids)} passages, {len(data.query_ids)} queries ({tune} tune, {test} test)")
    print(f"data sha256 {data.sha256}")
    for name, lists in prepared.runs.items():
        lengths = lists.lengths()
        print(f"list {name}: {lengths.mean():.1f} documents a query, {int((lengths == 0).sum())} empty lists")
        print(f"  {kept.place('retrieve', prepared.identities[name], {'benchmark': data.sha256})}")
    told = set()
    for name, graph in graphs(retrievers(config)).items():
        made = graph.artifact(data, kept)
        if made.key not in told:
            print("\n".join([f"graph below list {name}:", *describe_network(made.facts), f"  {made.path}"]))
            told.add(made.key)
