"""Calibrate the protocol: how often it finds effects that do not exist, and effects that do.

A grid is scored once, and worlds with known truth are made from its outcomes: *exchanged* worlds,
in which a coin decides whether the outcomes of each query change sides against the reference list
(dense by default), so no trial has an effect; *planted* ones, in which one trial has an effect of
known size. In each, the whole protocol runs: choose on tune, test once. For comparison, the best
trial is also judged on the queries on which it was chosen. Writes calibrations/NAME.json below
paths.runs.

  harness calibrate grid=wide                                 2,485 trials instead of 428, in 500 worlds
  harness calibrate calibrate.worlds=50                       a quick look
  harness calibrate dataset=musique                           other outcomes

Two more checks have a name. `forecast` splits the benchmark's queries again, at random and by
whole clusters of shared gold, and reports how often the forecast of one half holds on the other.
`clusters` makes worlds with clusters of many shapes (with
calibrate.clusters_of=[NAME]: those of a benchmark), prints for each test and interval, by query and
by the rule that decides, the share of false findings (5% is right) and the coverage (95% is right).

  harness calibrate forecast dataset=musique                  300 re-splits of each kind, a minute
  harness calibrate clusters                                  200 worlds each, minutes: make measure JOB=calibration
  harness calibrate clusters 'calibrate.correlations=[0.9]' calibrate.differs=0.06    clusters that are seldom won
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from omegaconf import DictConfig, OmegaConf

from harness.command import CHOICE, FUSION, LISTS, refuse_unread, typed
from harness.core.errors import HarnessError, bounded, one_of, whole_number

if TYPE_CHECKING:
    from harness.sweep.trial.prepared import Prepared


def run(config: DictConfig) -> None:
    """Run the chosen calibration."""
    refuse_unread("dry_run")
    for key, least in {"splits": 1, "worlds": 1, "n": 1}.items():
        whole_number(f"calibrate.{key}", config.calibrate[key], least)
    bounded("calibrate.differs", config.calibrate.differs, 0, 1, open_low=True)
    what = "protocol" if OmegaConf.is_missing(config, "what") else str(config.what)
    one_of("what", what, tuple(CHECKS))
    check, options = CHECKS[what]
    refuse_unread(*(f"calibrate.{name}" for name in config.calibrate if name not in options))
    if 0 not in config.calibrate.effects:
        raise HarnessError(
            f"calibrate.effects={list(config.calibrate.effects)}: must include 0 (no effect)"
        )
    check(config)


def _protocol(config: DictConfig) -> None:
    from harness.plugins.protocol.calibration_tables import table
    from harness.plugins.protocol.worlds import calibrated

    prepared = _prepared(config)
    rates = calibrated(prepared, config.calibrate)
    name = prepared.benchmark.name
    path = _store(config, name, "rates", rates, dataset=name, data_sha256=prepared.benchmark.sha256)
    print(table(rates).text())
    print(path)


def _forecast(config: DictConfig) -> None:
    import numpy as np

    from harness.benchmark.split import clusters
    from harness.evaluation.statement import blind_spots
    from harness.plugins.protocol.calibration_tables import forecasts
    from harness.plugins.protocol.worlds import resplit
    from harness.sweep.trial.inputs import fitted, retrievers

    prepared = _prepared(config)
    coverages = resplit(prepared, config.calibrate.splits, config.calibrate.seed)
    name, gold = prepared.benchmark.name, prepared.benchmark.gold
    path = _store(
        config, f"{name}-forecast", "forecast", coverages, data_sha256=prepared.benchmark.sha256
    )
    print(forecasts(coverages).text())
    lists = fitted(retrievers(config), prepared.benchmark).items()
    known = {name: strategy.get("seen") or {} for name, strategy in lists}
    for line in blind_spots(known, np.bincount(clusters(gold[prepared.benchmark.members("tune")]))):
        print(line.text)
    print(path)


def _clusters(config: DictConfig) -> None:
    from tqdm import tqdm

    from harness.benchmark import load
    from harness.benchmark.split import clusters
    from harness.plugins.protocol.calibration_tables import behaviours
    from harness.plugins.protocol.clustered import SHAPES, behave, labels_of

    refuse_unread(*LISTS, *FUSION, *CHOICE)
    shapes, options = {name: labels_of(sizes) for name, sizes in SHAPES.items()}, config.calibrate
    if options.clusters_of:
        loaded = {
            name: load(name, config.paths.data, config.paths.runs) for name in options.clusters_of
        }
        shapes = {name: clusters(data.gold[data.members("test")]) for name, data in loaded.items()}
    cells = [
        (name, labels, float(correlation))
        for name, labels in shapes.items()
        for correlation in options.correlations
    ]
    measured = [
        behave(*cell, options.worlds, options.seed, options.differs)
        for cell in tqdm(cells, delay=2, disable=None)
    ]
    path = _store(config, "clusters", "clusters", measured)
    for table in behaviours(measured):
        print(table.text())
    print(path)


def _prepared(config: DictConfig) -> Prepared:
    from harness.sweep.trial.plan import Plan
    from harness.sweep.trial.prepared import Prepared

    return Prepared.of(Plan(config, tuple(typed())))


def _store(config: DictConfig, name: str, key: str, results: Sequence[Any], **facts: str) -> Path:
    from dataclasses import asdict

    from harness.core.files import write_json

    path = Path(config.paths.runs) / "calibrations" / f"{name}.json"
    options = OmegaConf.to_container(config.calibrate)
    write_json(path, {**facts, key: [asdict(result) for result in results], "options": options})
    return path


CHECKS = {
    "protocol": (_protocol, ("worlds", "n", "effects", "seed")),
    "forecast": (_forecast, ("splits", "seed")),
    "clusters": (_clusters, ("clusters_of", "correlations", "differs", "worlds", "seed")),
}
"""The function of each word, and the options that it reads."""
