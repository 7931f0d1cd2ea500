"""Check a finished sweep: every file against its hash, and with --rescore every number against a
new computation.

The lock holds the hash of each file of the sweep, the ledger that of each file of its held-out
evaluation; who can write the files can write their hashes, too. With --rescore statsmodels and
SciPy compute every stored metric, W, L, p, corrected p and interval from the gold ranks. Then all
trials are scored and judged on tune again (ranks, rows, order, winner, all that is locked), and the
locked ones scored on test if they were held out before: only whether the numbers are the same is
shown, so it is no new evaluation. Exit status 2 names the first file, or value, that differs.

With against=THEIRS it prints what `harness compare run=MINE baseline=THEIRS` prints of two sweeps:
trials are matched by parameters, questions by id. Exit status 0: the same bits; 1: the same winner,
with the same verdict against the same lists; 2: another winner or verdict, other questions, or an
error. The first cause that is known is named.

  harness verify                             the latest sweep of this user
  harness verify runs/sweeps/NAME            another one
  harness verify runs/sweeps/NAME --rescore  compute it again, too
  harness verify sweep=MINE against=THEIRS   how far two sweeps agree, and why not further

Either may be an archive of `harness report archive=`: only the sweep's files are read from it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from omegaconf import DictConfig, OmegaConf

from harness.command import refuse_unread
from harness.core.errors import HarnessError

if TYPE_CHECKING:
    from harness.sweep.folder.result import SweepResult


def run(config: DictConfig) -> None:
    """Check the sweep, and print what was checked."""
    from harness.sweep.folder.archive import opened
    from harness.sweep.folder.inventory import choose_one, name_origin
    from harness.sweep.folder.result import SweepResult
    from harness.sweep.heldout.ledger import Ledger, ledger_path
    from harness.sweep.recomputation import verify_files, verify_numbers

    if not config.rescore:
        refuse_unread("device", "trust")
    named = None if OmegaConf.is_missing(config, "sweep") else config.sweep
    place = choose_one(Path(config.paths.runs), named)
    if place.is_file() and config.rescore:
        raise HarnessError(
            f"{place}: the numbers of an archive are not computed again; unpack it, look through "
            "its config.yaml, and give the folder below sweep/"
        )
    print(f"sweep      {place}")
    with opened(place) as folder:
        ledger = None if place.is_file() else Ledger(ledger_path(place, config))
        for line in verify_files(folder, ledger):
            print(line)
        if not config.rescore:
            print("numbers    not computed again: add --rescore")
        else:
            from harness.sweep.trial.plan import reopen
            from harness.sweep.trial.prepared import Prepared

            with name_origin(folder):
                prepared = Prepared.of(reopen(folder, config))
                for line in verify_numbers(SweepResult(folder), prepared):
                    print(line)
        if config.against is not None:
            _compare(SweepResult(folder), choose_one(Path(config.paths.runs), config.against))


def _compare(mine: SweepResult, place: Path) -> None:
    """Print another sweep next to this one, and exit with the status of the answer."""
    from harness.sweep.folder.archive import opened
    from harness.sweep.folder.result import SweepResult
    from harness.sweep.sweep_comparison import STATUS, SweepComparison

    with opened(place) as folder:
        comparison = SweepComparison.of([SweepResult(folder), mine])
        print("", *comparison.lines, sep="\n")
    sys.exit(STATUS[comparison.agreements[0].answer])
