"""`harness watch`: what runs is shown, what has ended is not."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from omegaconf import OmegaConf

from harness.command import watch
from harness.core.errors import HarnessError
from harness.report.console.watch import clock, running, watch_table
from harness.sweep.trial.engine import Leader

SEEN = {
    "what": "sweep dataset=musique", "host": socket.gethostname(), "process": os.getpid(), "started": 100.0,
    "updated": 199.0, "stages": {"encode": 75.2, "score": None}, "best": "best rrf 50.0 (2 of 3 trials complete)",
    "bar": {"name": "trials", "done": 25, "total": 100, "seconds": 10.0},
}  # fmt: skip


def write(runs: Path, name: str, **changed: object) -> None:
    (runs / "progress").mkdir(parents=True, exist_ok=True)
    (runs / "progress" / f"{name}.json").write_text(json.dumps({**SEEN, **changed}))


def test_a_row_a_process_with_the_time_that_is_left() -> None:
    # A quarter took 10 seconds, so 30 are left; begun 100 seconds ago.
    (row,) = watch_table([SEEN], 200.0).cells()
    assert row[0] == "sweep dataset=musique"
    assert row[2:] == [
        "1:40",
        "encode 1:15",
        "score (trials 25%)",
        "0:30",
        "best rrf 50.0 (2 of 3 trials complete)",
        "",
    ]
    (silent,) = watch_table([{**SEEN, "bar": None, "best": None}], 300.0).cells()
    assert silent[4:] == ["score", "", "", "silent for 1:41"]
    assert clock(3700) == "1:01:40"


def test_the_dead_the_damaged_and_other_machines(tmp_path: Path) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    write(tmp_path, "mine", started=3.0)
    write(tmp_path, "dead", process=dead.pid)
    write(tmp_path, "far", host="node7", process=dead.pid, started=1.0)
    (tmp_path / "progress" / "damaged.json").write_text("{")
    assert [state["host"] for state in running(tmp_path)] == ["node7", socket.gethostname()]


def test_the_command_ends_when_nothing_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = OmegaConf.create({"paths": {"runs": str(tmp_path)}, "once": True, "seconds": 2})
    watch.run(config)
    assert capsys.readouterr().out == f"nothing is running in {tmp_path}\n"
    write(tmp_path, "mine")
    watch.run(config)
    assert "score (trials 25%)" in capsys.readouterr().out
    config.seconds = 0
    with pytest.raises(HarnessError, match="seconds"):
        watch.run(config)


def test_the_leader_is_the_best_of_the_complete_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    # a finds 1 of 2 queries, b both but is not complete, c none.
    ranks = np.array([[[1], [9]], [[1], [1]], [[9], [9]]], dtype=np.int32)
    monkeypatch.setattr("harness.sweep.trial.engine.PAUSE", 0.0)
    leader = Leader(["a", "b", "c"], "last_hop@5", ranks)
    assert leader.describe() is None
    leader.note([0, 2], 2)
    leader.note([1], 1)
    assert leader.describe() == "best a 50.0 (2 of 3 trials complete)"
    leader.note([1], 1)
    assert leader.describe() == "best b 100.0 (3 of 3 trials complete)"
