"""Retrievers: from a benchmark to a run.

A retriever is a frozen dataclass. Its fields are its parameters and the strategies that it uses (an
encoder, a graph). Its run is an artifact, named by the retriever's identity and the hash of the
data.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Protocol, runtime_checkable

from harness.benchmark import Benchmark
from harness.core.artifact import Facts
from harness.core.errors import HarnessError, described
from harness.core.identity import identity
from harness.run import Run
from harness.run.stored_run import keep_ids
from harness.work.store import Store


@runtime_checkable
class Retriever(Protocol):
    """A strategy that ranks passages for every query of a benchmark.

    If its weights were chosen on tune questions, it names their benchmarks in ``fitted_on``, for
    the tables. The least score that it can give by theory, if there is one, is ``least`` (read by
    normalizer=tmm). An optional method ``seen(benchmark)`` returns bool[Q], which questions share
    gold with those on which the weights were chosen.
    """

    def retrieve(self, benchmark: Benchmark, store: Store) -> tuple[Run, Facts]:
        """Return the run over all queries (``benchmark.query_ids``, ``benchmark.doc_ids``), and
        facts for its manifest.

        Long work over queries uses ``harness.work.shared_rows.map_rows``, so that processes may
        share it.
        """
        ...


def retrieve(retriever: Retriever, benchmark: Benchmark, store: Store, name: str = "") -> Run:
    """Return the retriever's run over all queries of the benchmark. It is computed once, then read
    from its artifact.

    Args:
        retriever: the retriever.
        benchmark: the benchmark.
        store: the store of artifacts.
        name: name of the list, for the log.
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


def _checked(retriever: Retriever, result: object, benchmark: Benchmark) -> tuple[Run, Facts]:
    """Return the result of a retriever. Raise HarnessError if it has other ids than the benchmark,
    since an artifact holds only numbers.
    """
    name = type(retriever).__name__
    if not (isinstance(result, tuple) and len(result) == 2 and isinstance(result[0], Run)):
        raise HarnessError(f"{name} gave {described(result)}, expected (run, facts)")
    run, facts = result
    ids = "ids of the benchmark in their order"
    try:
        json.dumps(facts, sort_keys=True)
        if run.query_ids.equals(benchmark.query_ids) and run.doc_ids.equals(benchmark.doc_ids):
            return run, facts
        wrong = "a run over other ids"
    except (TypeError, ValueError) as error:
        wrong = f"facts that are no JSON ({error})"
    raise HarnessError(
        f"{name} gave {wrong}, expected a run over the {ids}, and facts for its manifest: texts, "
        "numbers, lists and mappings with text keys"
    )
