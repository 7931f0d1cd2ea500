"""What the campaigns do over and over: a small benchmark, the commands on it, each in a process of
its own.
"""

from __future__ import annotations

import functools
import json
import os
import random
import select
import signal
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from omegaconf import DictConfig

from harness.command import heldout, prepare, report
from harness.core.configuration.composition import compose
from harness.core.configuration.instantiation import instantiate
from harness.core.errors import HarnessError
from harness.report.tracking.export import update
from harness.sweep.trial.plan import Plan
from harness.sweep.trial.prepared import Prepared
from harness.sweep.tune import sweep

LONGEST = 1800
"""Seconds that one command may take on a busy machine."""
ENDED = (
    "manifest.json",
    "trials.parquet",
    "queries.parquet",
    "ranks.npy",
    "scores.parquet",
    "heldout.json",
    "heldout_ranks.npy",
    "heldout_queries.parquet",
)
"""The files of a sweep that was held out, beside its configuration and its lock."""


@dataclass(frozen=True)
class Outcome:
    """How a process ended: ``done``, ``error`` (a line for users), ``killed``, ``hung`` or
    ``fault`` (traceback).
    """

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
        queries.append(
            {
                "id": f"q{number}",
                "question": f"Question {number}?",
                "answers": ["x"],
                "supporting_ids": gold,
                "hops": 2,
                "type": "bridge",
            }
        )
        for name, lines in lists.items():
            ranked = rng.sample(docs, 10)
            lines += [
                f"q{number} Q0 {doc} {rank} {1 / rank!r} {name}"
                for rank, doc in enumerate(ranked, start=1)
            ]
    corpus = [{"id": doc, "title": doc, "text": f"Text of {doc}."} for doc in docs]
    for name, rows in (("corpus", corpus), ("queries", queries)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for name, lines in lists.items():
        (folder / f"{name}.trec").write_text("\n".join(lines) + "\n")
    return folder


def prepared(data: Path, runs: Path) -> Prepared:
    lists = (f"lists.{name}={data / name}.trec" for name in ("dense", "graph", "bm25"))
    given = (
        "dataset=folder",
        f"dataset.path={data}",
        *lists,
        f"paths.runs={runs}",
        "tracking=none",
        "grid=point",
        "+grid.some={fuser:[linear,rrf],fuser.k:[10,60],fuser.alpha:[0.3,0.6]}",
    )
    return Prepared.of(Plan(composed("config", *given), given))


@functools.cache
def composed(command: str, *given: str) -> DictConfig:
    """A configuration; made once, as it is most of a small sweep's time and changes no file."""
    return compose(command, given)


def do_sweep(data: Path, runs: Path) -> None:
    ready = prepared(data, runs)
    sweep(ready, ready.plan.trials())


def do_heldout(data: Path, runs: Path) -> None:
    heldout.run(composed("heldout", f"paths.runs={runs}", "tracking=none"))


def do_report(data: Path, runs: Path) -> None:
    report.run(
        composed(
            "report", f"paths.runs={runs}", f"paths.reports={runs / 'reports'}", "tracking=none"
        )
    )


def do_prepare(data: Path, runs: Path) -> None:
    given = (
        "dataset=folder",
        f"dataset.path={data}",
        f"paths.runs={runs}",
        "tracking=none",
        "encoder=hashed",
        "extractor=offline",
        "extractor.model=null",
    )
    prepare.run(composed("prepare", *given))


def do_track(data: Path, runs: Path) -> None:
    """Export the only sweep, which was made with tracking=none."""
    (name,) = (path.parent.name for path in runs.glob("sweeps/*/config.yaml"))
    update(instantiate(composed("ui", f"paths.runs={runs}").tracking), runs, name)


def in_fork(work: Callable[[], None]) -> Outcome:
    """Run in a fork of this process, which has all modules loaded; one that does not end is a
    fault.
    """
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
    data, deadline = b"", time.monotonic() + LONGEST
    while select.select([reader], [], [], max(0, deadline - time.monotonic()))[0]:
        if not (piece := os.read(reader, 1 << 16)):
            break
        data += piece
    else:
        os.kill(child, signal.SIGKILL)
    os.close(reader)
    _, status = os.waitpid(child, 0)
    if time.monotonic() > deadline:
        return Outcome("hung", f"after {LONGEST} s")
    if os.WIFSIGNALED(status):
        return Outcome("killed", f"signal {os.WTERMSIG(status)}")
    return Outcome(*json.loads(data))
