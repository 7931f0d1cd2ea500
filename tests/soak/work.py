"""What the campaigns do over and over: a small benchmark, the commands on it, each in a process of its own."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import harness.report.build  # noqa: F401  (so that a fork has nothing to import)
from harness.command import heldout, report
from harness.core.configuration import compose
from harness.core.errors import HarnessError
from harness.sweep.plan import Plan, Prepared
from harness.sweep.tune import sweep

WRITES = {"os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.truncate", "os.link", "os.symlink", "shutil.rmtree"}
STABLE = ("trials.parquet", "queries.parquet", "ranks.npy", "config.yaml", "winner.lock.json", "heldout.json",
          "heldout_ranks.npy", "heldout_queries.parquet")  # fmt: skip


@dataclass(frozen=True)
class Outcome:
    """How a process ended: ``done``, ``error`` (one line for the user), ``killed``, or ``fault`` (a traceback)."""

    kind: str
    text: str = ""


def benchmark(folder: Path) -> Path:
    """40 questions over 60 passages, and two lists, as TREC files."""
    folder.mkdir(parents=True)
    rng = random.Random(7)
    docs = [f"d{number:02d}" for number in range(60)]
    queries, lists = [], {"dense": [], "graph": [], "bm25": []}
    for number in range(40):
        gold = rng.sample(docs, 2)
        queries.append({"id": f"q{number}", "question": f"Question {number}?", "answers": ["x"],
                        "supporting_ids": gold, "hops": 2, "type": "bridge"})  # fmt: skip
        for name, lines in lists.items():
            ranked = rng.sample(docs, 10)
            lines += [f"q{number} Q0 {doc} {rank} {1 / rank!r} {name}" for rank, doc in enumerate(ranked, start=1)]
    corpus = [{"id": doc, "title": doc, "text": f"Text of {doc}."} for doc in docs]
    for name, rows in (("corpus", corpus), ("queries", queries)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for name, lines in lists.items():
        (folder / f"{name}.trec").write_text("\n".join(lines) + "\n")
    return folder


def prepared(data: Path, runs: Path) -> Prepared:
    lists = (f"lists.{name}={data / name}.trec" for name in ("dense", "graph", "bm25"))
    given = ("dataset=folder", f"dataset.path={data}", *lists, f"paths.runs={runs}", "tracking=none", "grid=point",
             "+grid.some={fuser:[linear,rrf],fuser.k:[10,60],fuser.alpha:[0.3,0.6]}")  # fmt: skip
    return Prepared.of(Plan(compose("config", given), given))


def do_sweep(data: Path, runs: Path) -> None:
    ready = prepared(data, runs)
    sweep(ready, ready.plan.trials())


def do_heldout(data: Path, runs: Path) -> None:
    heldout.run(compose("heldout", [f"paths.runs={runs}", f"paths.looks={runs / 'looks.jsonl'}", "tracking=none"]))


def do_report(data: Path, runs: Path) -> None:
    report.run(compose("report", [f"paths.runs={runs}", f"paths.reports={runs / 'reports'}", "tracking=none"]))


def everything(data: Path, runs: Path) -> None:
    do_sweep(data, runs)
    do_heldout(data, runs)
    do_report(data, runs)


def in_fork(work: Callable[[], None]) -> Outcome:
    """Run in a fork of this process, which has all modules loaded."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        kind, text = "done", ""
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        try:
            work()
        except HarnessError as error:
            kind, text = "error", str(error)
        except BaseException:
            kind, text = "fault", traceback.format_exc()
        os.write(writer, json.dumps([kind, text[-1500:]]).encode())
        os._exit(0)
    os.close(writer)
    data = b""
    while piece := os.read(reader, 1 << 16):
        data += piece
    os.close(reader)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return Outcome("killed", f"signal {os.WTERMSIG(status)}")
    return Outcome(*json.loads(data))


def at_event(root: Path, number: int, act: Callable[[], None]) -> Callable[[], int]:
    """Call ``act`` before the ``number``-th change of a file below ``root``; returns how to ask how many there were."""
    count = 0
    armed = True

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal count, armed
        if not armed or not (event in WRITES or (event == "open" and _writes(arguments))):
            return
        if isinstance(arguments[0], (str, os.PathLike)) and str(arguments[0]).startswith(str(root)):
            count += 1
            if count == number:
                armed = False
                act()

    sys.addaudithook(hook)
    return lambda: count


def _writes(arguments: tuple[object, ...]) -> bool:
    mode, flags = arguments[1], arguments[2]
    return bool(set(str(mode or "")) & set("wax+")) or bool(int(str(flags or 0)) & (os.O_WRONLY | os.O_RDWR))


def contents(runs: Path) -> dict[str, bytes]:
    """The stable files of all sweeps, and the report's."""
    found = {str(path.relative_to(runs)): path.read_bytes() for path in sorted(runs.glob("sweeps/*/*"))
             if path.name in STABLE}  # fmt: skip
    return found | {str(path.relative_to(runs)): path.read_bytes() for path in sorted(runs.glob("reports/tables/*"))}


@contextlib.contextmanager
def fresh(base: Path | None, place: Path):
    """A runs folder, empty or a copy of ``base``, that is removed afterwards."""
    shutil.rmtree(place, ignore_errors=True)
    if base is None:
        place.mkdir(parents=True)
    else:
        shutil.copytree(base, place)
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)
