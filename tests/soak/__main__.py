"""``python -m tests.soak [campaign ...] [--scale S]``: all campaigns, or some; S times their usual
size.
"""

from __future__ import annotations

import argparse
import os
import sys
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")  # a fork of a process that has threads may hang

from tests.soak import endpoint, files, fuzz, together, warm

CAMPAIGNS = {
    "kill": (files.kill, 400),
    "full": (files.full, 400),
    "limit": (files.limit, 60),
    "together": (together.together, 30),
    "fuzz": (fuzz.fuzz, 100_000),
    "endpoint": (endpoint.endpoint, 1_000),
    "warm": (warm.warm, 2_000),
}
"""Each campaign with its usual size."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="campaign", help=f"of {', '.join(CAMPAIGNS)} (all if none)"
    )
    parser.add_argument("--scale", type=float, default=1.0)
    given = parser.parse_args()
    if unknown := sorted(set(given.names) - set(CAMPAIGNS)):
        parser.error(f"no campaign {unknown[0]}; there are {', '.join(CAMPAIGNS)}")
    failed = 0
    for name in given.names or CAMPAIGNS:
        run, size = CAMPAIGNS[name]
        started = time.monotonic()
        try:
            for line in run(max(2, int(size * given.scale))):
                print(f"{name:9} {line}", flush=True)
        except AssertionError as error:
            failed += 1
            print(f"{name:9} FAILED: {error}", flush=True)
        print(f"{name:9} {time.monotonic() - started:.0f} s", flush=True)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
