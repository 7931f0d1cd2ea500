"""Retrievers: a benchmark to a run.

A retriever is a frozen dataclass whose fields are its parameters and the strategies it stands on
(an encoder, a graph). Its run is an artifact, named by the retriever's identity and the data's
hash.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

from harness.benchmark import Benchmark
from harness.core.artifact import Facts
from harness.core.errors import HarnessError, described
from harness.core.identity import identity
from harness.graph.trail import Trail
from harness.run import Run
from harness.run.artifact import keep_ids
from harness.work.store import Store

Explain = Callable[[int, Sequence[int], int], Trail]
"""``explain(query, docs, count)``: the seeds of the query (a number), and the ``count`` strongest
paths to each of the passages ``docs`` from different seeds.
"""


@runtime_checkable
class Retriever(Protocol):
    """A strategy that ranks passages for every query of a benchmark.

    One whose weights were chosen on tune questions names their benchmarks in ``fitted_on``, for the
    tables; a method ``seen(benchmark)``, bool[Q], tells which questions share gold with those that
    their lists' weights were chosen on.
    """

    def retrieve(self, benchmark: Benchmark, store: Store) -> tuple[Run, Facts]:
        """The run over all queries (``benchmark.query_ids``, ``benchmark.doc_ids``), and facts for
        its manifest.

        Long work over queries goes through ``harness.work.shared_rows.map_rows``, so that processes
        may share it.
        """
        ...


@runtime_checkable
class Traced(Protocol):
    """A retriever that can say why."""

    def tracer(self, benchmark: Benchmark, store: Store) -> Explain:
        """What traces one question after another; what these share is made once."""
        ...


def retrieve(retriever: Retriever, benchmark: Benchmark, store: Store, name: str = "") -> Run:
    """The retriever's run over all queries of the benchmark; computed once, then read from its
    artifact.

    name: of the list, for the log.
    """

    @functools.cache
    def ranked() -> tuple[Run, Facts]:
        return _checked(retriever, retriever.retrieve(benchmark, store), benchmark)

    def build(folder: Path) -> Facts:
        run, facts = ranked()
        run.save(folder)
        lengths = run.lengths()
        return {
            "queries": len(run),
            "documents": int(lengths.sum()),
            "empty_lists": int((lengths == 0).sum()),
            **facts,
        }

    keep_ids(benchmark, store)
    inputs = {"benchmark": benchmark.sha256}
    artifact = store.get(
        "retrieve", identity(retriever), inputs, build, together=lambda _: ranked(), what=name
    )
    return Run.load(artifact.path, benchmark.query_ids, benchmark.doc_ids)


def _checked(retriever: Retriever, found: object, benchmark: Benchmark) -> tuple[Run, Facts]:
    """What a retriever gave. An artifact has numbers alone, which would name other passages under
    other ids.
    """
    name = type(retriever).__name__
    if not (isinstance(found, tuple) and len(found) == 2 and isinstance(found[0], Run)):
        raise HarnessError(
            f"{name} gave {described(found)}, expected a run and facts for its manifest: (run, "
            f"{{}})"
        )
    run, facts = found
    for key, value in facts.items():
        try:
            json.dumps({key: value}, sort_keys=True)
        except (TypeError, ValueError) as error:
            mend = "a manifest holds what JSON does: texts, numbers, lists and mappings by text"
            raise HarnessError(
                f"{name} gave a fact {key!r} that cannot be written ({error}); {mend}"
            ) from error
    if not (run.query_ids.equals(benchmark.query_ids) and run.doc_ids.equals(benchmark.doc_ids)):
        raise HarnessError(
            f"{name} gave a run over other ids, expected those of the benchmark in their order: "
            "Run.of(benchmark.query_ids, benchmark.doc_ids, ...)"
        )
    return run, facts
