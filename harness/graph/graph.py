"""Graphs: strategies that connect the mentions of a benchmark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from harness.benchmark import Benchmark
    from harness.core.artifact import Artifact
    from harness.graph.extractor import Extraction, QuestionNames
    from harness.graph.network import Network
    from harness.work.store import Store


@runtime_checkable
class Graph(Protocol):
    """A strategy that connects the extraction of a corpus, a frozen dataclass. The graph is an
    artifact. It does not depend on the questions.
    """

    def build(self, benchmark: Benchmark, store: Store) -> tuple[Network, Extraction]:
        """Return the graph, and the extraction that it was made from."""
        ...

    def artifact(self, benchmark: Benchmark, store: Store) -> Artifact:
        """Return the stored graph, with its statistics as facts."""
        ...

    def find_names(self, benchmark: Benchmark, store: Store) -> QuestionNames:
        """Return the names in the questions of a benchmark, by the numbers of the graph."""
        ...
