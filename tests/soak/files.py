"""Killed, or out of space, at every change of a file: what is done again gives the same bytes, and one evaluation."""

from __future__ import annotations

import errno
import os
import resource
import signal
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from harness.sweep.ledger import Ledger
from tests.soak.work import (
    Outcome,
    at_event,
    benchmark,
    contents,
    do_heldout,
    do_report,
    do_sweep,
    everything,
    fresh,
    in_fork,
)  # fmt: skip

STEPS = {"sweep": do_sweep, "heldout": do_heldout, "report": do_report}


def kill(most: int) -> Iterator[str]:
    """kill -9 before each change of a file in sweep, heldout and report; then the same command, and those after it."""
    yield from _campaign(most, lambda: os.kill(os.getpid(), signal.SIGKILL), "killed")


def full(most: int) -> Iterator[str]:
    """No space at each change of a file: one line, and the same command afterwards goes on."""

    def refuse() -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    yield from _campaign(most, refuse, "error")


def limit(most: int) -> Iterator[str]:
    """No file may grow beyond a size, from 0 to that of the largest: writes end in the middle."""
    with tempfile.TemporaryDirectory() as folder:
        data, runs, wanted, bases = _reference(Path(folder))
        for name, step in STEPS.items():
            found: Counter[str] = Counter()
            largest = max(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
            for number in range(most):
                size = int(largest * (number / most) ** 3)
                with fresh(bases[name], runs):
                    outcome = in_fork(partial(_limited, size, step, data, runs))
                    found[outcome.kind] += 1
                    _check(outcome, ("error", "done"), data, runs, wanted, f"{name}, files of {size} bytes")
            yield f"{name}: {found.total()} limits of a file's size, {dict(found)}, all mended by the same command"


def _limited(size: int, step: Callable[[Path, Path], None], data: Path, runs: Path) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    step(data, runs)


def _campaign(most: int, act: Callable[[], None], expected: str) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        data, runs, wanted, bases = _reference(Path(folder))
        for name, step in STEPS.items():
            events = _count(step, data, runs, bases[name])
            numbers = sorted({1 + place * events // most for place in range(most)} & set(range(1, events + 1)))
            for number in numbers:
                with fresh(bases[name], runs):
                    outcome = in_fork(partial(_interrupted, number, act, step, data, runs))
                    _check(outcome, (expected,), data, runs, wanted, f"{name}, event {number}")
            yield f"{name}: {len(numbers)} of {events} changes of files; the same command gave the same bytes"


def _interrupted(
    number: int, act: Callable[[], None], step: Callable[[Path, Path], None], data: Path, runs: Path
) -> None:
    at_event(runs, number, act)
    step(data, runs)


def _count(step: Callable[[Path, Path], None], data: Path, runs: Path, base: Path | None) -> int:
    place = runs.parent / "count"

    def work() -> None:
        ask = at_event(runs, 0, lambda: None)
        step(data, runs)
        place.write_text(str(ask()))

    with fresh(base, runs):
        outcome = in_fork(work)
        assert outcome.kind == "done", outcome.text
    return int(place.read_text())


def _reference(folder: Path) -> tuple[Path, Path, dict[str, bytes], dict[str, Path | None]]:
    """The benchmark, where the runs go, what they hold in the end, and what they hold before each step."""
    data, runs = benchmark(folder / "data"), folder / "runs"
    bases: dict[str, Path | None] = {"sweep": None}
    runs.mkdir()
    for step, after in ((do_sweep, "heldout"), (do_heldout, "report"), (do_report, None)):
        assert (outcome := in_fork(partial(step, data, runs))).kind == "done", outcome.text
        if after:
            os.system(f"cp -r {runs} {folder / after}")
            bases[after] = folder / after
    return data, runs, contents(runs), bases


def _check(
    outcome: Outcome, expected: tuple[str, ...], data: Path, runs: Path, wanted: dict[str, bytes], where: str
) -> None:
    assert outcome.kind in expected, f"{where}: {outcome}"
    again = in_fork(partial(_finish, data, runs))
    assert again.kind == "done", f"{where}, then again: {again.text}"
    found = contents(runs)
    differ = [name for name in sorted({*wanted, *found}) if wanted.get(name) != found.get(name)]
    assert not differ, f"{where}: other bytes in {differ}"
    entries = Ledger(runs / "ledger.jsonl").entries()
    assert len(entries) == 1, f"{where}: {len(entries)} evaluations"
    assert len(Ledger(runs / "looks.jsonl").entries()) == 1, f"{where}: looks"
    left = [str(path) for path in (runs / "sweeps").rglob("*.partial")]
    assert not left, f"{where}: {left} left"


def _finish(data: Path, runs: Path) -> None:
    """The commands that were not done yet, as a user gives them."""
    do_sweep(data, runs)
    if not any(runs.glob("sweeps/*/heldout.json")):
        do_heldout(data, runs)
    do_report(data, runs)


__all__ = ["everything", "full", "kill", "limit"]
