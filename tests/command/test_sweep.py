"""`harness sweep`, from nothing: real encoder, real recogniser, real FAISS."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.world.generate import write

AXES = "{fuser:[linear,boltzmann,rrf],fuser.k:[60],normalizer:[pit,minmax],pool.cap:[10,null]}"
SMALL = ["sweep", "dataset=folder", "tracking=none", "grid=point", f"+grid.some={AXES}"]


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """Passages of one sentence each: the encoder takes most of the time."""
    folder = write(tmp_path_factory.mktemp("data") / "world", 200)
    path = folder / "corpus.jsonl.gz"
    rows = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    short = (json.dumps({**row, "text": row["text"].partition(". ")[0]}) for row in rows)
    path.write_bytes(gzip.compress("\n".join(short).encode()))
    return folder


def start(world, runs, **environment):
    return subprocess.Popen(
        [sys.executable, "-m", "harness", *SMALL, f"dataset.path={world}", f"paths.runs={runs}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
        preexec_fn=lambda: signal.signal(
            signal.SIGINT, signal.SIG_DFL
        ),  # a shell's background job ignores it
    )


def finish(process):
    out, err = process.communicate(timeout=400)
    assert process.returncode == 0, err
    return Path(out.splitlines()[-1])


def wait_for_work(runs):
    """Until it encodes or extracts: lists come soon before the end."""
    deadline = time.monotonic() + 120
    while not list(runs.glob("artifacts/e*/*.partial")) and time.monotonic() < deadline:
        time.sleep(0.05)


@pytest.fixture(scope="module")
def swept(world, tmp_path_factory):
    """A sweep from nothing."""
    environment = {
        "OMP_NUM_THREADS": "1",
        "PYTHONHASHSEED": "1",
        "LC_ALL": "C.UTF-8",
        "TZ": "Asia/Kathmandu",
    }
    return finish(start(world, tmp_path_factory.mktemp("one"), **environment))


@pytest.mark.slow
def test_threads_hash_seed_locale_time_zone_and_a_kill_change_no_byte(world, swept, tmp_path):
    environment = {"OMP_NUM_THREADS": "2", "PYTHONHASHSEED": "2", "LC_ALL": "C", "TZ": "UTC"}
    killed = start(world, tmp_path, **environment)
    wait_for_work(tmp_path)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    again = finish(start(world, tmp_path, **environment))
    assert swept.name == again.name
    for name in ("trials.parquet", "ranks.npy", "queries.parquet", "winner.lock.json"):
        assert (swept / name).read_bytes() == (again / name).read_bytes(), name


def test_an_interruption_is_one_line_and_status_130(world, tmp_path):
    process = start(world, tmp_path)
    wait_for_work(tmp_path)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert "the same command continues from there" in err
