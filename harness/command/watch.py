"""Follow what is running below the runs folder: stages, how far, time left, the best trial so far.

Shows every `harness sweep` and `prepare` that writes into paths.runs, on this machine or on others that share the
folder (the jobs of a cluster), below them the parts of unfinished stages, and ends when no process is running. A
process that has not been heard of for 30 seconds is said to be silent; one that is known to have ended is left out.

  harness watch
  harness watch once=true                 what is running now
  harness watch paths.runs=/scratch/runs  other runs
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from omegaconf import DictConfig

CLEAR = "\x1b[H\x1b[J"


def run(config: DictConfig) -> None:
    """Print a table, again and again, until nothing is running."""
    from harness.core.errors import bounded
    from harness.report.console import running, watch_table
    from harness.work.status import unfinished

    bounded("seconds", config.seconds, 0.1)
    runs, seen = Path(config.paths.runs), False
    while True:
        found, parts = running(runs), [str(one) for one in unfinished(runs)]
        if not found:
            print("\n".join(parts), end="\n" if parts else "")
            print("nothing is running any longer" if seen else f"nothing is running in {runs}")
            return
        seen = True
        if sys.stdout.isatty() and not config.once:
            sys.__stdout__.write(CLEAR)  # type: ignore[union-attr]
        print("\n".join([watch_table(found, time.time()).text(), *parts]), flush=True)
        if config.once:
            return
        time.sleep(float(config.seconds))
