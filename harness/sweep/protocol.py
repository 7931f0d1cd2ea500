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

import re
from collections.abc import Sequence
from pathlib import Path

from omegaconf import open_dict

from harness.core.configuration.command_line import CommandLine
from harness.core.configuration.composition import compose
from harness.core.errors import HarnessError, described, path_of, texts_of, unused
from harness.sweep.dataset import use_gold
from harness.sweep.folder.result import SweepResult
from harness.sweep.heldout.locked_trials import heldout
from harness.sweep.trial import inputs
from harness.sweep.trial.plan import Plan, reopen
from harness.sweep.trial.prepared import Prepared
from harness.sweep.tune import sweep


def run_sweep(*overrides: str) -> SweepResult:
    """Score the grid on tune and lock the winner.

    Args:
        overrides: as on the command line, e.g. ``dataset=musique``.

    Returns:
        The sweep, with its rows and its lock.

    Raises:
        HarnessError: an error that the user can fix, if possible before anything is built.
    """
    typed = _typed("sweep", overrides, "explain")
    config = compose("sweep", typed)
    with open_dict(config):
        config.pop("explain")
    if config.dry_run:
        raise HarnessError("dry_run=true prints what `harness sweep` would do; leave it out here")
    inputs.check_lists(config)
    use_gold(config, typed)
    plan = Plan(config, typed)
    trials = plan.trials()
    plan.check_used(trials)
    plan.grid.log_left_out()
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
    if not isinstance(again, bool):  # "no" is true
        raise HarnessError(f"again: expected True or False, got {described(again)}")
    folder = result.folder if isinstance(result, SweepResult) else path_of("result", result)
    runs = folder.resolve().parent.parent
    typed = _typed("heldout", overrides, "explain", "sweep", "heldout")
    config = compose("heldout", [f"paths.runs='{runs}'", *typed])
    return heldout(SweepResult(folder), Prepared.of(reopen(folder, config)), again)


def _typed(command: str, overrides: Sequence[str], *unread: str) -> tuple[str, ...]:
    """Return overrides as a command line has them, with file names in quotes.

    unread: sections that the command reads and Python does not.
    """
    line = CommandLine.read(command, texts_of("overrides", overrides))
    if line.is_for_hydra:
        raise HarnessError(
            f"{' '.join(overrides)}: flags of Hydra are for the command line; call this once for "
            "each value"
        )
    for text in line.overrides:
        if re.match(r"\+*tracking\b(?!=none)", text):
            raise HarnessError(unused(text, f"`harness {command}` exports to a tracker"))
        if re.match(rf"\+*(?:{'|'.join(unread)})[.=]", text):
            raise HarnessError(unused(text, f"`harness {command}` does"))
    return line.overrides
