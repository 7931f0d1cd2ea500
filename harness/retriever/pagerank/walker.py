"""The settings that all retrievers share whose lists are walks over a graph."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

import scipy.sparse as sp

from harness.benchmark import Benchmark
from harness.core.artifact import Facts
from harness.core.errors import bounded, whole_number
from harness.core.identity import NO_RESULT
from harness.retriever.pagerank.pagerank import Walks
from harness.retriever.pagerank.score_blocks import Walked, collect_lists
from harness.run import Run


@dataclass(frozen=True, kw_only=True)
class Walker:
    """A retriever whose lists are walks with restart over the nodes [entities, passages].

    Attributes:
        restart: a, in (0, 1] (HippoRAG's damping 0.5 keeps 1 - a = 0.5 for the walk).
        tolerance: a walk ends when its L1 error is within (1 - a) / a x tolerance.
        max_iter: number of sweeps after which a walk ends without convergence (``not_converged``
            counts them).
        block: number of queries of a matrix product.
        threads: number of blocks at work; ``null`` is the number of processors.
        device: ``cpu`` or a torch device.
    """

    least: ClassVar[float] = 0.0

    restart: float = 0.5
    tolerance: float = 1e-6
    max_iter: int = 200
    block: int = field(default=64, metadata=NO_RESULT)
    threads: int | None = field(default=None, metadata=NO_RESULT)
    device: str = "cpu"

    def __post_init__(self) -> None:
        bounded("lists.NAME.restart", self.restart, 0, 1, open_low=True)
        bounded("lists.NAME.tolerance", self.tolerance, 0, open_low=True)
        whole_number("lists.NAME.max_iter", self.max_iter, 1)
        whole_number("lists.NAME.block", self.block, 1)
        if self.threads is not None:
            whole_number("lists.NAME.threads", self.threads, 1)

    def walks(
        self, transition: sp.csr_array, restart: float | None = None, first: int = 0
    ) -> Walks:
        """Return the walks over a graph, with the values of the nodes from ``first`` on.

        ``restart`` replaces the field's value.
        """
        chosen = self.restart if restart is None else restart
        settings = (self.tolerance, self.max_iter, self.block, self.threads, self.device)
        return Walks(transition, chosen, *settings, first)

    def walk_lists(
        self, benchmark: Benchmark, walks: Walks, restarts: sp.csr_array
    ) -> tuple[Run, Facts]:
        """Return the lists by the mass of walks from ``restarts`` [Q, E + D] on passages, and how
        the walks ended.

        A mass is known to within the L1 error of a walk, and is rounded to its multiples.
        """
        size = len(benchmark.doc_ids)

        def reached(part: slice) -> Iterator[Walked]:
            return (
                (block.values[-size:].T, block.iterations, block.change)
                for block in walks(restarts[part])
            )

        error = (1 - self.restart) / self.restart * self.tolerance
        return collect_lists(benchmark, reached, self.tolerance, error)
