"""What a study costs: the wall and processor seconds of every command that computes results.

``<runs>/compute.jsonl`` has a line when such a command begins and one when it ends, so that a
command that failed, was interrupted or was killed is counted as well.
"""

from __future__ import annotations

import datetime
import functools
import json
import os
import time
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from harness.core.resources import describe_machine

if TYPE_CHECKING:
    from omegaconf import DictConfig

FILE = "compute.jsonl"
Result = TypeVar("Result")


def measured(run: Callable[[DictConfig], Result]) -> Callable[[DictConfig], Result]:
    """Return a command that also notes what it costs; a dry run and ``status=true`` note nothing.

    Processor seconds are user and system time of this process and of the processes that it has
    waited for.
    """

    @functools.wraps(run)
    def noted(config: DictConfig) -> Result:
        if config.get("dry_run") or config.get("status"):
            return run(config)
        path, key = Path(config.paths.runs) / FILE, uuid.uuid4().hex
        begun = {
            "id": key,
            "command": run.__module__.rpartition(".")[2],
            "time": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "hardware": describe_machine()["hardware"],
        }
        _append(path, begun)
        wall, processor = time.monotonic(), _processor_seconds()
        failed = True
        try:
            result = run(config)
            failed = False
            return result
        finally:
            spent = {
                "failed": failed,
                "wall": round(time.monotonic() - wall, 2),
                "processor": round(_processor_seconds() - processor, 2),
            }
            _append(path, {"id": key, **spent})

    return noted


def read_compute(runs: Path) -> list[dict[str, Any]]:
    """Return a record for each command that was begun in a runs folder.

    A record has ``command``, ``time``, ``hardware`` and, unless the command was killed, ``failed``,
    ``wall`` and ``processor`` (seconds). A line that cannot be read is passed over: a machine that
    went down may have cut it.
    """
    found: dict[str, dict[str, Any]] = {}
    try:
        lines = (runs / FILE).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    for line in lines:
        try:
            record = json.loads(line)
            known = found.setdefault(str(record["id"]), {})
        except (ValueError, LookupError, TypeError, RecursionError):
            continue
        known.update(record)
    return [record for record in found.values() if "command" in record]


def _append(path: Path, record: Mapping[str, object]) -> None:
    """Add a line in one write, so that two processes do not mix theirs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{json.dumps(record)}\n")


def _processor_seconds() -> float:
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system
