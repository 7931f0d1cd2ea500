"""The protocol from Python: sweep on tune and lock, then the locked trials on test, once.

    import harness
    result = harness.run_sweep("dataset=sample", "fuser=rrf")
    result.trials[["name", "last_hop@5", "wins", "losses", "p_holm"]]
    result.lock["winner"]["name"], result.lock["expected"]
    harness.run_heldout(result).heldout

Both do what `harness sweep` and `harness heldout` do, and write the same files; nothing is exported
to a tracker.
"""

from __future__ import annotations

import logging
from pathlib import Path

from harness.core.configuration import compose
from harness.core.errors import path_of, texts_of
from harness.sweep.folder.result import SweepResult
from harness.sweep.heldout import heldout
from harness.sweep.trial.plan import Plan, reopen
from harness.sweep.trial.prepared import Prepared
from harness.sweep.tune import sweep

log = logging.getLogger(__name__)


def run_sweep(*overrides: str) -> SweepResult:
    """Score the grid on tune and lock the winner.

    Args:
        overrides: as on the command line, e.g. ``dataset=musique``.

    Returns:
        The sweep, with its rows and its lock.

    Raises:
        HarnessError: an error that the user can fix, if possible before anything is built.
    """
    texts_of("overrides", overrides)
    plan = Plan(compose("config", overrides), overrides)
    trials = plan.trials()
    for line in plan.unused(trials):
        log.warning("%s", line)
    return sweep(Prepared.of(plan), trials)


def run_heldout(
    result: SweepResult | str | Path, *overrides: str, again: bool = False
) -> SweepResult:
    """Score the locked trials of a sweep on test, once.

    Args:
        result: the sweep, or its folder.
        overrides: of ``conf/heldout.yaml``, e.g. ``paths.ledger=FILE``; the runs folder is that of
            the sweep.
        again: evaluate a test split that has been evaluated before.

    Returns:
        The sweep; its ``heldout`` has the rows.

    Raises:
        HarnessError: test has been evaluated and ``again`` is not set, or data, code or lock
            changed since the sweep.
    """
    folder = result.folder if isinstance(result, SweepResult) else path_of("result", result)
    runs = folder.resolve().parent.parent
    texts_of("overrides", overrides)
    config = compose("heldout", [f"paths.runs='{runs}'", "tracking=none", *overrides])
    return heldout(SweepResult(folder), Prepared.of(reopen(folder, config)), again)
