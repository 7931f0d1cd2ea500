"""PolicyRAG: retrieval as an explicit policy over a typed memory."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from harness.benchmark import Benchmark
from harness.core.arrays import BoolArray, Int32Array, Int64Array
from harness.core.errors import check_fields
from harness.core.identity import NO_RESULT
from harness.graph import Graph
from harness.model.encoder import Encoder
from harness.plugins.policyrag.policy.execution import PolicyStart, block_scorer, start
from harness.plugins.policyrag.policy.policy import Policy, read
from harness.plugins.policyrag.policy.question_record import record
from harness.retriever.pagerank.score_blocks import Walked, collect_lists
from harness.run import Run
from harness.work.store import Store


@dataclass(frozen=True)
class PolicyRAG:
    """Seed, gate, traverse, project and rerank by ``policy`` (PolicyRAG, section 3.2), without
    training.

    S(p | q) = u_p / (l(p)^beta IPF(p)^gamma) + lambda_title phi_title + lambda_cov phi_cov +
    lambda_path phi_path, float64. A list holds the passages whose score reaches the walk's
    tolerance, up to ``policy.rerank.depth``. The typed memory is compiled from ``graph``, whose
    synonym threshold is the policy's.
    """

    version = 6  # 6: a graph of the corpus alone; distinct facts first
    fitted_on = ("2wikimultihopqa", "musique")
    graph: Graph
    encoder: Encoder
    policy: Policy = field(default_factory=Policy)
    block: int = field(default=64, metadata=NO_RESULT)
    threads: int | None = field(default=None, metadata=NO_RESULT)
    device: str = "cpu"

    def __post_init__(self) -> None:
        check_fields("lists.NAME", self, block="whole [1, inf)", threads="whole [1, inf) or null")

    def retrieve(self, benchmark: Benchmark, store: Store) -> tuple[Run, Mapping[str, object]]:
        """Return the passages by score, and the policy's counts."""
        started = self.seeding(benchmark, store)
        blocks = block_scorer(self.policy, started, self.block, self.threads, self.device)

        def scored(part: slice) -> Iterator[Walked]:
            return ((block.score, block.iterations, block.change) for block in blocks(part))

        run, walked = collect_lists(benchmark, scored, self.policy.traverse.tolerance)
        return run.top(self.policy.rerank.depth), {**started.counts, **walked}

    def seeding(self, benchmark: Benchmark, store: Store) -> PolicyStart:
        """Return the questions' start after the gate, which ``reranker=policy`` reads."""
        return start(self.policy, self.graph, self.encoder, benchmark, store)

    def gated(self, benchmark: Benchmark, store: Store) -> tuple[Int64Array, Int32Array, BoolArray]:
        """Return, for each candidate fact, the query, the passage that states it, and whether it
        was kept.
        """
        started = self.seeding(benchmark, store)
        candidates = started.candidates
        return candidates.question, started.memory.facts.passage[candidates.fact], candidates.kept

    def recorder(
        self, benchmark: Benchmark, store: Store
    ) -> Callable[[int, Sequence[int]], Mapping[str, Sequence[Mapping[str, object]]]]:
        """Return a function that returns the policy's decisions for a question and some passages
        (see ``record``).
        """
        return functools.partial(record, self.policy, self.seeding(benchmark, store), benchmark)


def edited(of: PolicyRAG, **sections: Mapping[str, object] | None) -> PolicyRAG:
    """Return ``of`` with some settings of its policy replaced: ``edited(of, traverse={"alpha":
    0.2})``.

    Its graph follows the policy's synonym threshold.

    Raises:
        HarnessError: see ``read``.
    """
    settings: dict[str, Any] = {name: vars(section) for name, section in vars(of.policy).items()}
    for name, changed in sections.items():
        settings[name] = {**settings.get(name, {}), **(changed or {})}
    policy, graph = read(**settings), of.graph
    if policy.traverse.synonym != of.policy.traverse.synonym:
        graph = replace(cast(Any, graph), synonym=policy.traverse.synonym)
    return replace(of, policy=policy, graph=graph)
