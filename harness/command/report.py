"""Make tables, figures and a PDF of a sweep, for a paper.

Writes into paths.reports (`reports`): tables/*.tex (LaTeX, booktabs) and *.csv, figures/*.pdf and
*.png, report.tex that gathers them, and report.pdf where latexmk, pdflatex or tectonic is
installed. The same results give the same bytes.

  harness report                               the latest sweep
  harness report sweep=runs/sweeps/NAME        another one
  harness report sweep=all                     the latest sweep of every experiment on every benchmark, in one report
  harness report 'sweep=[DIR,DIR]'             these, in one report, with the joint figure of an experiment that has one
  harness report paths.reports=paper/results   elsewhere
  harness report paper=acl sweep=all           tables and figures for a paper (also neurips, plain), see below
  harness report paper=acl sweep=all 'metrics=[last_hop@5]' baseline=bm25

A sweep that was copied here, or whose data are elsewhere, is reported from its folder alone.
Of sweeps that differ in the benchmark alone the table `results` comes first: strategies by
benchmarks, the best bold. Of sweeps of one benchmark `knobs` says which knob matters over all, with
what was typed (encoder=a,b). Where they were held out, one sentence says on how many benchmarks at
least the winner differs from the best list (partial conjunction), and the table `replication` has
the benchmarks. Before `harness heldout` the tables show tune and say so; afterwards they show test,
and which evaluation of it.

With paper=acl (or neurips, plain) only paths.reports/paper is written: one table of the strategies
on all benchmarks (best in bold, second underlined, signs where exact tests find a difference from
`baseline` and from the best single list), every other table, and figures of the venue's width and
letters, one file each to input (LaTeX packages array, booktabs, graphicx). paper.pdf shows the
table and the main figures, appendix.pdf everything. Names are those of conf/display;
`+display.fuser.greatest=Greatest` adds one.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from omegaconf import DictConfig

from harness.command import python_value, warn_unread
from harness.core.configuration import extensions

if TYPE_CHECKING:
    from harness.report.display import Display
    from harness.report.pdf import Built, Section
    from harness.sweep.folder import SweepResult


log = logging.getLogger(__name__)
CHECKED = "only hashes were checked, `harness verify --rescore` computes the numbers again"


def run(config: DictConfig) -> None:
    """Write the report, or a paper's tables and figures, and say what was written."""
    from harness.core.table import counted
    from harness.report.display import Display
    from harness.report.figure import brought_pictures
    from harness.report.pdf import section
    from harness.sweep.folder import newest
    from harness.work.progress import over

    paper = config.get("paper")
    warn_unread(*(("traces",) if paper else ("metrics", "baseline")))
    site = (
        extensions.load("addition", "report", "")
        if "report" in extensions.modules("addition")
        else None
    )
    if site is not None:
        site.check(config)
    runs = Path(config.paths.runs)
    folder = Path(config.paths.reports) / ("paper" if paper else "")
    _clean(folder)
    results = newest(runs, config.sweep)
    _check(results.values(), config)
    display = Display.read(config).of(list(results.values()))
    sections = {
        title: section(
            results[title], brought_pictures(runs, str(results[title].manifest["dataset"]))
        )
        for title in over("tables", list(results))
    }
    material = Material(config, folder, display, results, sections)
    built, said = material.write_paper() if paper else material.write_report()
    names = ", ".join(result.folder.name for result in results.values())
    print(f"{counted(len(built.files), 'file')} in {folder} for sweep {names}: {CHECKED}")
    print(*said, built.pdf, sep="\n")
    if site is not None and not paper:
        print(site.build(config, list(results.values())), flush=True)


def _clean(folder: Path) -> None:
    """Remove what an interrupted report left."""
    from harness.core.files import remove_partials

    remove_partials(folder)
    for name in ("tables", "figures", "site"):
        remove_partials(folder / name, "**/*.partial")


def _check(results: Iterable[SweepResult], config: DictConfig) -> None:
    """Hold what was not held out against the ledger, and say which split each report shows."""
    from harness.sweep.heldout import Ledger

    for result in results:
        if not result.heldout:
            Ledger(Path(config.paths.ledger)).check_whole(result.folder, str(result.lock["sha256"]))
        log.info(
            "report of %s, %s: %s", result.folder.name, result.manifest["dataset"], _state(result)
        )


@dataclass(frozen=True)
class Material:
    """What a report is made of: the sweeps, and the section of each, by title."""

    config: DictConfig
    folder: Path
    display: Display
    results: Mapping[str, SweepResult]
    sections: Mapping[str, Section]

    def write_paper(self) -> tuple[Built, list[str]]:
        """The tables and figures of a paper."""
        from harness.core.configuration import instantiate
        from harness.evaluation.metric import metrics as parsed
        from harness.report.paper import Paper

        of_sweeps = {title: (self.results[title], one) for title, one in self.sections.items()}
        wanted = python_value(self.config.metrics)
        metrics = [str(metric) for metric in parsed(wanted, None)] if wanted else []
        paper = Paper(instantiate(self.config.paper), self.display, self.folder)
        return paper.write(of_sweeps, metrics, self.config.baseline), []

    def write_report(self) -> tuple[Built, list[str]]:
        """The report, and what its sweeps find together."""
        from harness.report.paper import several
        from harness.report.pdf import write
        from harness.report.table import findings

        results = list(self.results.values())
        built = write(
            {**several(results, self.display), **self.sections}, self.folder, self.display
        )
        return built, findings(results)


def _state(result: SweepResult) -> str:
    """Which split and how many queries the tables show."""
    if result.heldout:
        row = result.heldout[0]
        return f"test, n = {row['n']}, evaluation {row['evaluation']}"
    return f"tune, n = {result.manifest['n']}; test has not been evaluated"
