"""Several processes at once on one runs folder: all end, with the same bytes; of held-outs one wins."""

from __future__ import annotations

import multiprocessing
import tempfile
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from harness.sweep.ledger import Ledger
from tests.soak.work import Outcome, benchmark, contents, do_heldout, do_sweep, fresh, in_fork


def together(rounds: int) -> Iterator[str]:
    """Two to four processes sweep at once in an empty runs folder, then hold out at once."""
    with tempfile.TemporaryDirectory() as folder:
        data, runs = benchmark(Path(folder) / "data"), Path(folder) / "runs"
        with fresh(None, runs):
            assert in_fork(partial(do_sweep, data, runs)).kind == "done"
            wanted = contents(runs)
        ends: Counter[str] = Counter()
        for number in range(rounds):
            processes = 2 + number % 3
            with fresh(None, runs):
                for outcome in _at_once(processes, partial(do_sweep, data, runs)):
                    assert outcome.kind == "done", outcome.text
                assert contents(runs) == wanted
                found = _at_once(processes, partial(do_heldout, data, runs))
                ends.update(outcome.kind for outcome in found)
                assert sorted(outcome.kind for outcome in found) == ["done", *["error"] * (processes - 1)], found
                assert all("evaluated already" in outcome.text for outcome in found if outcome.kind == "error")
                assert len(Ledger(runs / "ledger.jsonl").entries()) == 1
        yield f"{rounds} rounds of 2 to 4 processes: sweeps the same bytes; of {ends.total()} held-outs {dict(ends)}"


def _at_once(processes: int, work: partial[None]) -> list[Outcome]:
    queue: multiprocessing.Queue[Outcome] = multiprocessing.get_context("fork").Queue()
    context = multiprocessing.get_context("fork")
    children = [context.Process(target=lambda: queue.put(in_fork(work))) for _ in range(processes)]
    for child in children:
        child.start()
    found = [queue.get(timeout=120) for _ in children]
    for child in children:
        child.join()
    return found
