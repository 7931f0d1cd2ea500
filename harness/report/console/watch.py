"""What processes below a runs folder are doing, as a table."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.core.table import Column, Table
from harness.work.progress import FOLDER

SILENT = 30
"""Seconds after which a process is said to be silent."""


def running(runs: Path) -> list[Mapping[str, Any]]:
    """The states that processes have written, the oldest first; without those of this machine that have ended."""
    found = []
    for path in (runs / FOLDER).glob("*.json"):
        try:
            state = json.loads(path.read_text(encoding="utf-8"))
            if state["host"] != socket.gethostname() or _lives(int(state["process"])):
                found.append(state)
        except (OSError, ValueError, KeyError, TypeError):
            continue  # just being removed, or not ours
    return sorted(found, key=lambda state: (state["started"], state["process"]))


def watch_table(states: Sequence[Mapping[str, Any]], now: float) -> Table:
    """A row a process.    now: seconds since the epoch."""
    rows = [
        [state["what"], f"{state['host']} {state['process']}", clock(now - state["started"]), *_work(state),
         state["best"] or "", _heard(now - state["updated"])]
        for state in states
    ]  # fmt: skip
    titles = ("command", "process", "for", "stages", "now", "left", "best so far", "")
    return Table("running", f"{len(rows)} running", [Column(title, "text") for title in titles], rows)


def clock(seconds: float) -> str:
    """``75`` as ``1:15``, ``3700`` as ``1:01:40``."""
    minutes, rest = divmod(max(0, round(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def _work(state: Mapping[str, Any]) -> tuple[str, str, str]:
    """Stages that are done with their time, what is being done, and the time that is left of it."""
    done = ", ".join(f"{name} {clock(took)}" for name, took in state["stages"].items() if took is not None)
    now = next((name for name, took in reversed(state["stages"].items()) if took is None), "")
    bar = state["bar"]
    if not bar or not bar["total"] or bar["done"] >= bar["total"]:
        return done, now, ""
    left = bar["seconds"] * (bar["total"] - bar["done"]) / bar["done"] if bar["done"] else None
    share = f"{bar['name']} {100 * bar['done'] / bar['total']:.0f}%"
    return done, f"{now} ({share})" if now else share, clock(left) if left is not None else ""


def _heard(silence: float) -> str:
    return f"silent for {clock(silence)}" if silence > SILENT else ""


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
