"""The same on the entity graph of 2WikiMultihopQA by static vectors, with the restarts that the
retriever makes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import scipy.sparse as sp

from harness.core.configuration.composition import compose
from harness.retriever.pagerank import walker
from harness.sweep.trial.inputs import retrievers
from tests.benchmarks import real
from tests.benchmarks.cases.ppr import compared
from tests.benchmarks.measure import Case


class Caught(Exception):
    """The walk that the retriever asked for."""


def case(quick: bool) -> Case:
    data, store = real.benchmark(), real.store()
    retriever = retrievers(compose("config", [f"dataset={real.NAME}", "encoder=static"]))["graph"]
    transition, restarts = asked(retriever, data, store)
    work, alone = f"entity graph of {data.name}", 4 if quick else 100
    return compared(transition, restarts, 0.5, 5, work, alone, timed=restarts.shape[0])


def asked(retriever: Any, data: Any, store: Any) -> tuple[sp.csr_array, sp.csr_array]:
    """Transition and restarts, as the retriever hands them to the solver."""

    def catch(transition: Any, *rest: Any) -> Callable[[Any], Any]:
        def walk(seeds: Any) -> Any:
            raise Caught(transition, seeds)

        return walk

    before, walker.Walks = walker.Walks, catch
    try:
        retriever.retrieve(data, store)
    except Caught as found:
        return found.args[0], found.args[1]
    finally:
        walker.Walks = before
    raise AssertionError("the retriever walked nowhere")
