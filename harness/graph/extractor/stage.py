"""Extractors: a benchmark's texts to entities, mentions and triples.

An extractor is a frozen dataclass. What it finds is an artifact, named by the extractor's identity and the data's hash.
The artifact's folder is resumable: a long extractor commits what it has in files there and goes on from them.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Protocol, runtime_checkable

from harness.benchmark import Benchmark
from harness.core.artifact import Artifact, Facts
from harness.core.identity import identity
from harness.graph.extractor.extraction import Extraction, Mentions, Triples
from harness.work.store import Store

__all__ = ["Extraction", "Extractor", "Mentions", "Triples", "artifact", "extract"]


@runtime_checkable
class Extractor(Protocol):
    """A strategy that reads a benchmark's passages and questions."""

    def extract(self, benchmark: Benchmark, folder: Path) -> tuple[Extraction, Facts]:
        """What was found, and facts for the manifest.

        folder: where to commit shards; what lies there is from a killed build of the same artifact. What the extractor
        leaves there stays in the artifact.

        An extractor whose long work is done in parts (see harness.work.parts) has a method ``fill(benchmark, folder)``,
        too, which computes those that are missing, beside other processes. One with an attribute ``together`` that is
        true is called by several processes at once, in one folder (see harness.work.shared_rows).
        """
        ...


def artifact(extractor: Extractor, benchmark: Benchmark, store: Store) -> Artifact:
    """The extraction's artifact; built when it is not there."""

    @functools.cache
    def extracted(folder: Path) -> tuple[Extraction, Facts]:
        return extractor.extract(benchmark, folder)

    def build(folder: Path) -> Facts:
        extraction, facts = extracted(folder)
        extraction.save(folder)
        return {
            "entities": len(extraction.names),
            "mentions": len(extraction.passages.entity),
            "passages_without_mention": int((extraction.passages.indptr[1:] == extraction.passages.indptr[:-1]).sum()),
            "question_mentions": len(extraction.questions.entity),
            "questions_without_mention": int(
                (extraction.questions.indptr[1:] == extraction.questions.indptr[:-1]).sum()
            ),
            "triples": len(extraction.triples.subject),
            **facts,
        }

    parts = getattr(extractor, "fill", None)
    fill = functools.partial(parts, benchmark) if parts else None
    together = extracted if getattr(extractor, "together", False) else None
    inputs = {"benchmark": benchmark.sha256}
    return store.get("extract", identity(extractor), inputs, build, resumable=True, fill=fill, together=together)


def extract(extractor: Extractor, benchmark: Benchmark, store: Store) -> Extraction:
    """What the extractor finds in the benchmark; computed once, then read from its artifact."""
    return Extraction.load(artifact(extractor, benchmark, store).path)
