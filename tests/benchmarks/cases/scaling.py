"""What two processors bring where work is by passage or by query: a process that has two, against
one that has one.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from multiprocessing import current_process, get_context
from multiprocessing.connection import Connection
from typing import Any

from tests.benchmarks.measure import Case

AIMS = {"extract": 1.8, "encode": 1.6, "bm25_index": 1.5, "trials": 1.6}
COLD = ("extract",)
"""Each turn is in a new process that has the passages, as each sweep is: what loading a recogniser
takes counts.
"""


def case(quick: bool) -> dict[str, Case]:
    return {f"scaling_{name}": compared(name, aim, quick) for name, aim in AIMS.items()}


def compared(name: str, aim: float, quick: bool) -> Case:
    two, one = Process(name, 2, quick), Process(name, 1, quick)
    started = ", started anew" if name in COLD else ""

    def before() -> None:
        for process in (two, one):
            process.renew()

    return Case(
        work=f"{two.work}, by two processors{started}",
        peer="the same by one processor",
        ours=two.turn,
        theirs=one.turn,
        check=same,
        aim=aim,
        before=before,
    )


def same(two: Any, one: Any) -> str:
    import numpy as np

    if np.shape(two) != np.shape(one) or not np.allclose(two, one, rtol=0, atol=1e-6):
        raise AssertionError("two processors computed something else than one")
    return "the same bits" if np.array_equal(two, one) else "the same within 1e-6"


class Process:
    """Does the work whenever it is asked to, with so many processors from before its first import
    on.
    """

    def __init__(self, name: str, processors: int, quick: bool) -> None:
        self._arguments = name, processors, quick
        self._used = False
        self._start()

    def _start(self) -> None:
        self._pipe, theirs = get_context("spawn").Pipe()
        get_context("spawn").Process(
            target=serve, args=(theirs, *self._arguments), daemon=True
        ).start()
        theirs.close()
        self.work: str = self._pipe.recv()

    def turn(self) -> Any:
        self._used = True
        self._pipe.send(None)
        return self._pipe.recv()

    def renew(self) -> None:
        """Put a new process in the place of one that had a turn, where loading is part of
        the work.
        """
        if self._used and self._arguments[0] in COLD:
            self._pipe.close()  # which ends the former process
            self._used = False
            self._start()


def serve(pipe: Connection, name: str, processors: int, quick: bool) -> None:
    # a daemon is ended with the benchmark, but may start no processes, as the extractor does
    current_process()._config["daemon"] = False  # type: ignore[attr-defined]
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:processors])
    told, work = {"extract": extract, "encode": encode, "bm25_index": bm25_index, "trials": trials}[
        name
    ](quick)
    pipe.send(told)
    while True:
        try:
            pipe.recv()
        except EOFError:  # the benchmark has ended
            return
        pipe.send(work())


def extract(quick: bool) -> tuple[str, Callable[[], Any]]:
    import tempfile
    from dataclasses import replace
    from pathlib import Path

    from harness.graph.extractor.offline import Offline
    from tests.benchmarks import real

    whole = real.benchmark()
    some = replace(
        whole,
        corpus=whole.corpus.select(range(50 if quick else 2_000)),
        queries=whole.queries.select([0]),
    )

    def work() -> Any:
        with tempfile.TemporaryDirectory() as folder:
            return Offline().extract(some, Path(folder))[0].passages.entity

    return f"{len(some.corpus)} passages read by the offline extractor", work


def encode(quick: bool) -> tuple[str, Callable[[], Any]]:
    from harness.model.encoder.minilm import MiniLM
    from tests.benchmarks import real

    texts, model = list(real.benchmark().passages[: 20 if quick else 250]), MiniLM().open()
    return f"{len(texts)} passages by MiniLM", lambda: model.encode(
        texts, "passage", lambda count: None
    )[0]


def bm25_index(quick: bool) -> tuple[str, Callable[[], Any]]:
    from harness.retriever.bm25 import Tokenizer
    from tests.benchmarks import real

    passages = list(real.benchmark().passages)
    texts = passages if quick else (passages * 32)[:150_000]
    return (
        f"the words of {len(texts)} passages counted for BM25",
        lambda: Tokenizer("english", None).counts(texts)[0].data,
    )


def trials(quick: bool) -> tuple[str, Callable[[], Any]]:
    from harness.sweep.trial import engine
    from tests.benchmarks.lists import lists
    from tests.benchmarks.trials import FREE
    from tests.benchmarks.trials import trials as grid

    made, some = lists(50 if quick else 500, graph=200 if quick else 2000), grid(FREE)
    return f"{len(some)} trials of {len(made[1])} queries", lambda: engine.score(some, *made)
