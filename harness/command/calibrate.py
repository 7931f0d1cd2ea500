"""Judge the harness by itself: how often its protocol finds what is not there, and what is there.

Scores a grid (667 trials) once, and makes worlds of the outcomes in which the truth is known: *exchanged* worlds, where
the outcomes of each query change sides against dense by a coin, so no trial has an effect; *planted* ones, where one
trial has an effect of known size; and *permuted* ones, where the lists but dense belong to other queries. In each, the
whole protocol runs: choose on tune, test once. Shown beside it is what goes wrong without it: the best trial judged on
the queries that it was chosen on. Writes calibration.json, and the figure into paths.reports.

  harness calibrate                                          500 worlds, minutes
  harness calibrate calibrate.worlds=50 calibrate.permuted=5 a quick look
  harness calibrate dataset=musique grid=default             other outcomes
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from omegaconf import DictConfig


def run(config: DictConfig) -> None:
    """Score, judge, print, draw, and write."""
    import dataclasses
    from pathlib import Path

    from hydra.core.hydra_config import HydraConfig

    from harness.files import write_json
    from harness.report.calibration import picture, table
    from harness.sweep.plan import Plan, Prepared
    from harness.sweep.world import calibrated

    plan = Plan(config, tuple(HydraConfig.get().overrides.task))
    prepared = Prepared.of(plan)
    rates = calibrated(prepared, config.calibrate)
    name = prepared.benchmark.name
    path = Path(config.paths.runs) / "calibrations" / f"{name}.json"
    facts = {"dataset": name, "data_sha256": prepared.benchmark.sha256, **config.calibrate}
    facts["effects"] = list(config.calibrate.effects)
    write_json(path, {**facts, "rates": [dataclasses.asdict(rate) for rate in rates]})
    print(table(rates).text())
    for made in picture(rates, name).save(Path(config.paths.reports) / "figures"):
        print(made)
    print(path)
