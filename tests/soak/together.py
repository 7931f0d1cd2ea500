"""Several processes at once on one runs folder: all end, with the same bytes; of held-outs one
wins.
"""

from __future__ import annotations

import multiprocessing
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from harness.sweep.heldout.ledger import Ledger
from tests.soak.steps import reference, swept
from tests.soak.work import LONGEST, Outcome, do_heldout, do_sweep, in_fork


def together(rounds: int) -> Iterator[str]:
    """Two to four processes sweep at once in an empty runs folder, then hold out at once."""
    with tempfile.TemporaryDirectory() as folder:
        known = reference(Path(folder), ("sweep", "heldout"))
        data, runs, wanted = known.data, known.runs, known.wanted["heldout"]
        ends: Counter[str] = Counter()
        for number in range(rounds):
            processes = 2 + number % 3
            shutil.rmtree(runs, ignore_errors=True)
            runs.mkdir()
            for outcome in _at_once(processes, partial(do_sweep, data, runs)):
                assert outcome.kind == "done", outcome.text
            found = _at_once(processes, partial(do_heldout, data, runs))
            ends.update(outcome.kind for outcome in found)
            assert sorted(outcome.kind for outcome in found) == [
                "done",
                *["error"] * (processes - 1),
            ], found
            assert all(
                "evaluated already" in outcome.text for outcome in found if outcome.kind == "error"
            )
            assert swept(runs) == wanted, "other bytes"
            assert len(Ledger(runs / "ledger.jsonl").entries()) == 1
            if number % 10 == 9:
                yield f"{number + 1} of {rounds} rounds"
        yield (
            f"{rounds} rounds of 2 to 4 processes: sweeps the same bytes; of {ends.total()} "
            f"held-outs {dict(ends)}"
        )


def _at_once(processes: int, work: partial[None]) -> list[Outcome]:
    context = multiprocessing.get_context("fork")
    queue: multiprocessing.Queue[Outcome] = context.Queue()
    children = [context.Process(target=lambda: queue.put(in_fork(work))) for _ in range(processes)]
    for child in children:
        child.start()
    found = [queue.get(timeout=2 * LONGEST) for _ in children]
    for child in children:
        child.join()
    return found
