"""Score one trial of a finished sweep again, and say whether it gets the same numbers, or which input differs.

The trial is named by what is at hand: its hash (16 digits, or the first 6) as trials.parquet and the site hold it, the
id of its MLflow run, its rank in the latest leaderboard, or its name in a table. It is scored on tune; test stays
untouched. Exit status 2 when the numbers are not those of the sweep, to the bit.

  harness rerun 1f3a9c                                     by hash
  harness rerun 3                                          third of the latest leaderboard
  harness rerun 'rrf k=60' sweep=runs/sweeps/NAME          by name, in that sweep
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from omegaconf import DictConfig


def run(config: DictConfig) -> None:
    """Find, score, compare, and say."""
    from pathlib import Path

    from harness.command import complete, typed
    from harness.core.errors import HarnessError
    from harness.core.table import percent
    from harness.report.tracking import tracker
    from harness.sweep.folder import find_trial
    from harness.sweep.rerun import rerun
    from harness.sweep.trial import Prepared, reopen

    complete(config)
    sweep = Path(config.sweep) if config.sweep else None
    result, place = find_trial(str(config.trial), Path(config.paths.runs), sweep, tracker(config, typed()).locate)
    again = rerun(result, place, Prepared.of(reopen(result.folder, config)), bool(config.trust))
    row = result.trials.iloc[place]
    print(f"trial {row['trial']}, rank {place + 1} of {len(result.trials)} in {result.folder.name}: {again.name}")
    for name, value in again.now.items():
        was = again.then[name]
        print(f"  {name:<12} {percent(value)}" + ("" if value == was else f"   (in the sweep: {percent(was)})"))
    for line in again.inputs or ["no input differs: data, lists, code and libraries are those of the sweep"]:
        print(f"  {line}")
    if not again.same:
        count = "other queries" if again.ranks is None else f"{again.ranks} gold ranks differ"
        why = "; ".join(again.inputs) or "no input differs, which is a bug"
        raise HarnessError(f"{again.name}: not the numbers of {result.folder.name} ({count}): {why}")
    print("same numbers, to the bit")
