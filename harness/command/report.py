"""Make tables, figures, a PDF and a page of a sweep, for a paper and for a browser.

Writes into paths.reports (`reports`): tables/*.tex (LaTeX, booktabs), figures/*.pdf and *.png, report.tex that gathers
them, report.pdf where latexmk, pdflatex or tectonic is installed, and index.html, one page that needs nothing else:
sortable tables, the figures, and beside every trial the command that reruns it. The same results give the same bytes.

  harness report                               the latest sweep
  harness report sweep=runs/sweeps/NAME        another one
  harness report paths.reports=paper/results   elsewhere

Before `harness heldout` the tables show tune and say so; afterwards they show test, and which evaluation of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from omegaconf import DictConfig

    from harness.report.figure import Picture
    from harness.sweep.result import SweepResult


def run(config: DictConfig) -> None:
    """Write the report, attach it to the sweep in the tracker, and say what was written."""
    from pathlib import Path

    from harness.configuration import instantiate
    from harness.report.build import build
    from harness.report.calibration import stored
    from harness.sweep.result import SweepResult, latest

    result = SweepResult(Path(config.sweep) if config.sweep else latest(Path(config.paths.runs)))
    folder = Path(config.paths.reports)
    calibration = stored(Path(config.paths.runs), str(result.manifest["dataset"]))
    built = build(result, folder, [_distributions(result, config), *calibration])
    instantiate(config.tracking).log_report(result, folder)
    print(f"{len(built.files)} files in {folder} for sweep {result.folder.name}")
    print(built.pdf)
    print(folder / "index.html")


def _distributions(result: SweepResult, config: DictConfig) -> Picture:
    """The score distributions of the sweep's lists on tune, cut as the winner's pool is."""
    from harness.configuration import names, strategy
    from harness.report.figure.distributions import distributions
    from harness.sweep.plan import Prepared, reopened

    prepared = Prepared.of(reopened(result.folder, config))
    members = prepared.benchmark.members("tune")
    runs = {name: run.take(members) for name, run in prepared.runs.items()}
    normalizers = {name: strategy("normalizer", name) for name in names("normalizer")}
    knobs = result.lock["winner"]["parameters"]
    cut = knobs.get("pool.cap"), knobs.get("pool.capped") or ()
    return distributions(runs, normalizers, prepared.benchmark.name, "tune", *cut)
