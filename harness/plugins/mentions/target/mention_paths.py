"""The weights of paths over mentions. The evidence is gathered once; an evaluation is a sum over
it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from harness.core.arrays import Float64Array, Int32Array, Int64Array
from harness.core.errors import HarnessError
from harness.evaluation.metric import run_ranks
from harness.plugins.mentions.retriever.evidence import Edge
from harness.plugins.mentions.retriever.fitted import with_weights
from harness.plugins.mentions.retriever.mention_paths import MentionPaths
from harness.plugins.mentions.retriever.mentions.path_data import PairTexts
from harness.plugins.mentions.target import Ranker, Setting, Weights
from harness.run import Run

EVERY = 1 << 30


@dataclass(frozen=True)
class MentionPathsTarget:
    """The weights of ``MentionPaths`` with one step and without ``resembles``.

    ``own`` is fitted first, on the seeds alone and with every proposed passage as a seed. Then it
    is fixed, because the seeds depend on it, and the first step's paths are gathered once per
    benchmark. ``resembles`` is not possible, because its texts would have to be encoded again for
    every ``own``.
    """

    retriever: MentionPaths
    stages: Sequence[Mapping[str, Sequence[float]]]

    def __post_init__(self) -> None:
        if self.retriever.resembles is not None or self.retriever.steps != 1:
            raise HarnessError(
                "target=mention_paths fits one step without `resembles`; set "
                "target.retriever.resembles=null "
                "target.retriever.steps=1"
            )
        is_own = [name.startswith("own.") for name in self.stages[0]]
        if (
            len(self.stages) != 2
            or not all(is_own)
            or any(name.startswith("own.") for name in self.stages[1])
        ):
            raise HarnessError(
                "target.stages: expected two, the first of own.* alone, the second of the rest"
            )

    def ranker(self, setting: Setting, stage: int, held: Weights) -> Ranker:
        """Return the ranker. See ``Target``."""
        base = with_weights(self.retriever, held)
        if stage == 0:
            base = replace(base, names=None, named_by=None, shares=None, seeds=EVERY)
        gathered = Gathered.of(base, setting)

        return lambda weights: gathered.ranks(with_weights(base, weights))


@dataclass(frozen=True, eq=False)
class GatheredBlock:
    """Evidence of a block of questions. A pair is n D + p, with n the question's place in the
    block.

    Args:
        queries: int64[q], numbers of the questions.
        seed: places in ``reached`` of the seeds.
        seed_evidence: float64[s, 6].
        reached: distinct pairs of seeds or paths, ascending.
        end_evidence: float64[r, 6].
        edges: for each kind of edge its name, its paths' seeds, places of their ends in
            ``reached``, and their features [n, 6].
    """

    queries: Int64Array
    seed: Int64Array
    seed_evidence: Float64Array
    reached: Int64Array
    end_evidence: Float64Array
    edges: Sequence[tuple[str, Int64Array, Int64Array, Float64Array]]


@dataclass(frozen=True, eq=False)
class Gathered:
    """Evidence of the tune questions of one benchmark."""

    setting: Setting
    blocks: Sequence[GatheredBlock]

    @classmethod
    def of(cls, retriever: MentionPaths, setting: Setting) -> Gathered:
        """Return the evidence under the retriever's ``own``, ``near``, ``seeds``, ``close`` and
        ``widest``.
        """
        world = retriever.world(setting.benchmark, setting.store)
        blocks = []
        for start in retriever.starts(world, setting.members):
            texts = PairTexts(world, start.queries)
            paths = retriever.paths(world, start, np.empty((0, 1), np.float32))
            reached = np.unique(np.concatenate([start.seeds, *(part.end for part in paths)]))
            edges = []
            for part in paths:
                seed = np.searchsorted(start.seeds, part.parent)
                edges.append((part.kind, seed, np.searchsorted(reached, part.end), part.features))
            blocks.append(
                GatheredBlock(
                    start.queries,
                    np.searchsorted(reached, start.seeds),
                    texts.evidence(start.seeds),
                    reached,
                    texts.evidence(reached),
                    edges,
                )
            )
        return cls(setting, blocks)

    def ranks(self, retriever: MentionPaths) -> Int32Array:
        """Return int32[n, H], the gold ranks of the retriever's lists."""
        benchmark, members = self.setting.benchmark, self.setting.members
        rows, docs, scores = [], [], []
        for block in self.blocks:
            score = np.full(len(block.reached), -np.inf)
            score[block.seed] = retriever.own.worth(block.seed_evidence)
            bridge = retriever.bridge.worth(block.seed_evidence)
            end = retriever.end.worth(block.end_evidence)
            for kind, seed, place, features in block.edges:
                edge: Edge = getattr(retriever, kind)
                np.maximum.at(score, place, bridge[seed] + end[place] + edge.worth(features))
            row, doc = np.divmod(block.reached, len(benchmark.doc_ids))
            rows.append(np.searchsorted(members, block.queries[row]))
            docs.append(doc)
            scores.append(score)
        columns = (np.concatenate(column) for column in (rows, docs, scores))
        run = Run.of(benchmark.query_ids.take(members), benchmark.doc_ids, *columns)
        return run_ranks(run, benchmark.gold[members])
