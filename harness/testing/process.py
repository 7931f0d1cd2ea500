"""Fusions of random lists in another process: ``python -m harness.testing.process FOLDER NAME
...``.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import harness
from harness.core.configuration.conf_files import names
from harness.core.configuration.extensions import search
from harness.core.errors import HarnessError
from harness.testing.lists import random_runs, trained


def digests_elsewhere(
    fusers: Sequence[str], conf: str | Path | None, threads: int, seed: int
) -> dict[str, object]:
    """Return ``digests`` and the ``hash`` of a string from a process with that hash seed and
    threads.
    """
    paths = os.pathsep.join(path for path in sys.path if path)
    environment = {
        **os.environ,
        "PYTHONPATH": paths,
        "OMP_NUM_THREADS": str(threads),
        "PYTHONHASHSEED": str(seed),
    }
    command = [sys.executable, "-P", "-m", "harness.testing.process", str(conf or ""), *fusers]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    digest_of: dict[str, object] = json.loads(done.stdout)
    return digest_of


def digests(fusers: Sequence[str]) -> dict[str, str]:
    """Return the SHA-256 of every fuser's run, and for each normalizer and temperature those of
    one fuser of each kind of input, by name.
    """
    runs = random_runs(seed=1, names=("dense", "graph"))
    calibrations = {(normalizer, "auto") for normalizer in names("normalizer")}
    calibrations |= {("pit", temperature) for temperature in names("temperature")}
    chosen = {fuser: trained("fuser", fuser) for fuser in fusers}
    alike = {(fuser.reads, fuser.unit): name for name, fuser in reversed(chosen.items())}
    digest_of = {}
    for normalizer, temperature in sorted(calibrations):
        plain = (normalizer, temperature) == ("pit", "auto")
        for fuser in fusers if plain else alike.values():
            try:
                run = harness.fuse(runs, chosen[fuser], normalizer, 10, temperature=temperature)
            except HarnessError:
                continue
            whole = hashlib.sha256(
                b"".join(part.tobytes() for part in (run.indptr, run.docs, run.scores))
            )
            digest_of[f"{fuser} {normalizer} {temperature}"] = whole.hexdigest()
    return digest_of


if __name__ == "__main__":
    if sys.argv[1]:
        search(sys.argv[1])
    print(json.dumps({"hash": hash("dense"), "digests": digests(sys.argv[2:])}))
