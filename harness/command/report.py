"""Make tables, figures, a PDF and a page of a sweep, for a paper and for a browser.

Writes into paths.reports (`reports`): tables/*.tex (LaTeX, booktabs), figures/*.pdf and *.png, report.tex that gathers
them, report.pdf where latexmk, pdflatex or tectonic is installed, and index.html, one page that needs nothing else:
sortable tables, the figures, and beside every trial the command that reruns it. The same results give the same bytes.

  harness report                               the latest sweep
  harness report sweep=runs/sweeps/NAME        another one
  harness report sweep=all                     the latest sweep of every experiment on every benchmark, in one report
  harness report 'sweep=[DIR,DIR]'             these, in one report
  harness report paths.reports=paper/results   elsewhere

Before `harness heldout` the tables show tune and say so; afterwards they show test, and which evaluation of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from omegaconf import DictConfig

    from harness.report.figure import Picture
    from harness.sweep.result import SweepResult

COLUMNS = 8
"""The most lists whose score distributions stand side by side."""


def run(config: DictConfig) -> None:
    """Write the report, attach it to the sweep in the tracker, and say what was written."""
    from pathlib import Path

    from harness.configuration import instantiate
    from harness.report.build import build, gather, section
    from harness.sweep.result import newest

    results = newest(Path(config.paths.runs), config.sweep)
    folder = Path(config.paths.reports)
    if len(results) == 1:
        (result,) = results.values()
        built = build(result, folder, _more(result, config))
        instantiate(config.tracking).log_report(result, folder)
    else:
        built = gather({name: section(result, _more(result, config)) for name, result in results.items()}, folder)
    print(f"{len(built.files)} files in {folder} for sweep {', '.join(one.folder.name for one in results.values())}")
    print(built.pdf)
    print(folder / "index.html")


def _more(result: SweepResult, config: DictConfig) -> list[Picture]:
    """Score distributions of the lists on tune, cut as the winner's pool is, and the benchmark's calibration.

    Of more than ``COLUMNS`` lists only those that the winner fuses: more panels in a row cannot be read.
    """
    from pathlib import Path

    from harness.configuration import names, strategy
    from harness.learned import lacks
    from harness.report.calibration import stored
    from harness.report.figure import scales
    from harness.report.figure.distributions import distributions
    from harness.sweep.plan import Prepared, reopened

    prepared = Prepared.of(reopened(result.folder, config))
    members = prepared.benchmark.members("tune")
    runs = {name: run.take(members) for name, run in prepared.runs.items()}
    known = {name: strategy("normalizer", name) for name in names("normalizer")}
    normalizers = {name: normalizer for name, normalizer in known.items() if not lacks(normalizer)}
    knobs = result.lock["winner"]["parameters"]
    cap, capped = knobs.get("pool.cap"), knobs.get("pool.capped") or ()
    fused = {name: runs[name].top(cap) if name in capped else runs[name] for name in knobs["pool.lists"]}
    where = f"{prepared.benchmark.name}, tune split, n = {len(members)} queries, the pool of the winner"
    shown = runs if len(runs) <= COLUMNS else {name: runs[name] for name in fused}
    return [
        distributions(shown, normalizers, prepared.benchmark.name, "tune", cap, capped),
        scales.raw(fused, where),
        scales.calibrated(fused, {name: normalizers[name] for name in ("pit", "minmax")}, where),
        *stored(Path(config.paths.runs), str(result.manifest["dataset"])),
    ]
