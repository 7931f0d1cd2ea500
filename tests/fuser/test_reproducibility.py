"""The same bytes in another process, with another thread count and another string hash."""

import json
import os
import subprocess
import sys
from pathlib import Path


def reproduce(threads: int, seed: int) -> dict[str, object]:
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "PYTHONHASHSEED": str(seed)}
    script = Path(__file__).parent / "reproduce.py"
    done = subprocess.run([sys.executable, script], env=environment, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def test_two_processes_agree_to_the_byte() -> None:
    first, second = reproduce(threads=1, seed=1), reproduce(threads=2, seed=2)
    assert first["hash"] != second["hash"]
    assert len(first["digests"]) > 50
    assert first["digests"] == second["digests"]
