"""Prints, as JSON, the SHA-256 of what every fuser makes of random runs under every normalizer that it takes."""

import hashlib
import importlib.util
import json
from pathlib import Path

import harness
from harness.configuration import names
from harness.errors import HarnessError


def digests() -> dict[str, str]:
    spec = importlib.util.spec_from_file_location("lists", Path(__file__).parent.parent / "conftest.py")
    lists = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(lists)
    runs = lists.make_runs(seed=1, names=("dense", "graph"))
    calibrations = {(normalizer, "auto") for normalizer in names("normalizer")}
    calibrations |= {("pit", temperature) for temperature in names("temperature")}
    found = {}
    for normalizer, temperature in sorted(calibrations):
        for fuser in names("fuser"):
            try:
                chosen, scale = lists.teach("fuser", fuser), lists.teach("normalizer", normalizer)
                run = harness.fuse(runs, chosen, scale, 10, temperature=temperature)
            except HarnessError:
                continue
            whole = hashlib.sha256(b"".join(part.tobytes() for part in (run.indptr, run.docs, run.scores)))
            found[f"{fuser} {normalizer} {temperature}"] = whole.hexdigest()
    return found


if __name__ == "__main__":
    print(json.dumps({"hash": hash("dense"), "digests": digests()}))
