"""The weights of paths over mentions. The evidence is gathered once; an evaluation is a sum over
it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from harness.core.arrays import Float64Array, Int32Array, Int64Array
from harness.core.errors import HarnessError
from harness.evaluation.metric import ABSENT, NONE
from harness.plugins.mentions.retriever.evidence import weighted_columns
from harness.plugins.mentions.retriever.fitted import with_weights
from harness.plugins.mentions.retriever.mention_paths import MentionPaths
from harness.plugins.mentions.target import Ranker, Setting, Weights

EDGES = ("names", "named_by", "shares")
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
        own = [name.startswith("own.") for name in self.stages[0]]
        if (
            len(self.stages) != 2
            or not all(own)
            or any(name.startswith("own.") for name in self.stages[1])
        ):
            raise HarnessError(
                "target.stages: expected two, the first of own.* alone, the second of the rest"
            )

    @property
    def strategy(self) -> MentionPaths:
        """The retriever."""
        return self.retriever

    def ranker(self, setting: Setting, stage: int, held: Weights) -> Ranker:
        """Return the ranker. See ``Target``."""
        base = with_weights(self.retriever, held)
        if stage == 0:
            base = replace(base, names=None, named_by=None, shares=None, seeds=EVERY)
        gathered = Gathered.of(base, setting)

        return lambda weights: gathered.ranks(with_weights(base, weights))


@dataclass(frozen=True, eq=False)
class Gathered:
    """Evidence of the tune questions of one benchmark. A pair is n D + p, with n the question's
    place.

    Args:
        size: D.
        wanted: int32[n, H], the gold.
        seeds: pairs, ascending.
        seed_evidence: float64[s, 6].
        reached: distinct pairs of seeds or paths, ascending.
        end_evidence: float64[r, 6].
        parent: places in ``seeds`` at which paths begin.
        end: places in ``reached`` at which paths end.
        kinds: by kind of edge, its paths' places and their features [n, 6].
    """

    size: int
    wanted: Int32Array
    seeds: Int64Array
    seed_evidence: Float64Array
    reached: Int64Array
    end_evidence: Float64Array
    parent: Int64Array
    end: Int64Array
    kinds: Mapping[str, tuple[Int64Array, Float64Array]]

    @classmethod
    def of(cls, retriever: MentionPaths, setting: Setting) -> Gathered:
        """Return the evidence under the retriever's ``own``, ``near``, ``seeds``, ``close`` and
        ``widest``.
        """
        world, size = (
            retriever.world(setting.benchmark, setting.store),
            len(setting.benchmark.doc_ids),
        )
        members, nothing = setting.members, np.empty((0, 1), np.float32)
        seeds, evidence, ends, end_evidence = [], [], [], []
        parents: dict[str, list[Int64Array]] = {kind: [] for kind in EDGES}
        targets: dict[str, list[Int64Array]] = {kind: [] for kind in EDGES}
        features: dict[str, list[Float64Array]] = {kind: [] for kind in EDGES}
        for start in retriever.starts(world, members):
            texts, shift = (
                world.texts(start.queries),
                int(np.searchsorted(members, start.queries[0])) * size,
            )
            seeds.append(start.seeds + shift)
            evidence.append(texts.evidence(start.seeds))
            own = [start.seeds]
            for part in retriever.paths(world, start, nothing):
                parents[part.kind].append(part.parent + shift)
                targets[part.kind].append(part.end + shift)
                features[part.kind].append(part.features)
                own.append(part.end)
            distinct = np.unique(np.concatenate(own))
            ends.append(distinct + shift)
            end_evidence.append(texts.evidence(distinct))
        whole, reached = np.concatenate(seeds), np.concatenate(ends)
        kinds, at, parent, end = {}, 0, [], []
        for kind in EDGES:
            if parents[kind]:
                parent.append(np.searchsorted(whole, np.concatenate(parents[kind])))
                end.append(np.searchsorted(reached, np.concatenate(targets[kind])))
                kinds[kind] = np.arange(at, at + len(end[-1])), np.concatenate(features[kind])
                at += len(end[-1])
        none = np.empty(0, np.int64)
        return cls(
            size,
            setting.benchmark.gold[members],
            whole,
            np.concatenate(evidence),
            reached,
            np.concatenate(end_evidence),
            np.concatenate([none, *parent]),
            np.concatenate([none, *end]),
            kinds,
        )

    def ranks(self, retriever: MentionPaths) -> Int32Array:
        """Return int32[n, H], the gold ranks of the retriever's lists."""
        score = np.full(len(self.reached), -np.inf)
        score[np.searchsorted(self.reached, self.seeds)] = weighted_columns(
            self.seed_evidence, retriever.own
        )
        worth = weighted_columns(self.seed_evidence, retriever.bridge)[self.parent]
        worth += weighted_columns(self.end_evidence, retriever.end)[self.end]
        for kind, (places, features) in self.kinds.items():
            worth[places] += weighted_columns(features, getattr(retriever, kind))
        np.maximum.at(score, self.end, worth)
        return self._count(score)

    def _count(self, score: Float64Array) -> Int32Array:
        """Return the rank of each gold passage: 1 + the number of pairs of its question
        above it.
        """
        rows = self.reached // self.size
        bounds = np.searchsorted(rows, np.arange(len(self.wanted) + 1))
        found = np.full(self.wanted.shape, NONE, dtype=np.int32)
        for column in range(self.wanted.shape[1]):
            pairs = np.arange(len(self.wanted)) * self.size + self.wanted[:, column]
            place = np.minimum(np.searchsorted(self.reached, pairs), len(self.reached) - 1)
            held = (self.reached[place] == pairs) & (self.wanted[:, column] >= 0)
            mine, number = score[place][rows], place[rows]
            better = (score > mine) | ((score == mine) & (np.arange(len(score)) < number))
            count = np.add.reduceat(
                np.append(better, False).astype(np.int64), np.minimum(bounds[:-1], len(better))
            )
            found[:, column] = np.where(
                self.wanted[:, column] < 0,
                self.wanted[:, column],
                np.where(held, 1 + count, ABSENT),
            )
        return found
