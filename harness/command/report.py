r"""Make tables, figures and a PDF of a sweep, for a paper.

  harness report                               the latest sweep
  harness report sweep=runs/sweeps/NAME        another one; 'sweep=[DIR,DIR]' several
  harness report sweep=all                     the latest of every experiment and benchmark
  harness report sweep=sweep.zip               from an archive, without its runs folder
  harness report archive=sweep.zip             also everything of a sweep in an archive
  harness report table=NAME                    one table, on the screen

Writes into paths.reports (`reports`):

  tables/main.tex               the table of a paper: lists, untuned RRF, best of each fuser
  tables/NAME/main.tex          the same of one sweep, and by_hops.tex, details.tex
  tables/NAME/more/             cost, ablation, ceilings, headroom, an experiment's tables
  tables/more/                  compute.tex, and checklist.tex on reproducibility
  figures/NAME/                 PDF and PNG, one column of a paper wide
  report.pdf                    all of it, where latexmk, pdflatex or tectonic is installed

NAME is benchmark, encoder and objective, such as sample-minilm-last_hop-5. Next to each .tex is its
.csv. A document that inputs tables needs \usepackage{booktabs,tabularx}; report.pdf takes geometry,
graphicx, inputenc and multicol, too (Debian: texlive-latex-recommended). Before `harness heldout`
tables show tune and say so; afterwards they show test. The same results give the same bytes, also
in an archive. An archive has the sweep's files, its lists, and a README with the command for each
claim.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from omegaconf import DictConfig

from harness.core.configuration import extensions
from harness.core.errors import HarnessError, path_of

if TYPE_CHECKING:
    from harness.sweep.folder.result import SweepResult


log = logging.getLogger(__name__)
CHECKED = "only hashes were checked, `harness verify --rescore` computes the numbers again"


def run(config: DictConfig) -> None:
    """Write the report, and print what was written."""
    from harness.core.files import remove_partials
    from harness.sweep.folder.archive import opened
    from harness.sweep.folder.inventory import newest

    site = (
        extensions.load("addition", "report", "")
        if "report" in extensions.modules("addition")
        else None
    )
    if site is not None:
        site.check(config)
    folder = Path(config.paths.reports)
    remove_partials(folder)  # of an interrupted report
    for name in ("tables", "figures", "site"):
        remove_partials(folder / name, "**/*.partial")
    with contextlib.ExitStack() as unpacked:
        requested = config.sweep
        if requested not in (None, "all"):
            names = [requested] if isinstance(requested, str) else requested
            archives = {str(name): Path(str(name)) for name in names if Path(str(name)).is_file()}
            folders = {
                name: str(unpacked.enter_context(opened(place))) for name, place in archives.items()
            }
            requested = [folders.get(str(name), name) for name in names] if folders else requested
        results = newest(Path(config.paths.runs), requested)
        if config.get("table") is not None:
            print(*_shown(results, str(config.table)), sep="\n")
            return
        if requested == "all":
            results = {title: result for title, result in results.items() if _is_shown(result)}
        lines = _write(config, results)
        if site is not None:
            lines.append(str(site.build(config, list(results.values()))))
    print(*lines, sep="\n")


def _shown(results: Mapping[str, SweepResult], name: str) -> list[str]:
    """Return the lines of one table of the experiment of each sweep."""
    from harness.core.table import shown_lines
    from harness.report.console import terminal

    tables = [terminal.experiment_table(result, name) for result in results.values()]
    return [line for table in tables for line in shown_lines(table)][:-1]


def _is_shown(result: SweepResult) -> bool:
    """Return whether a sweep's tables can be made. Log why not."""
    from harness.report.experiment import build_experiment

    try:
        build_experiment(result)
    except HarnessError as error:
        log.warning("left out: %s", error)
        return False
    return True


def _write(config: DictConfig, results: Mapping[str, SweepResult]) -> list[str]:
    """Write tables, figures, PDF and, if asked for, an archive, and return the lines about them."""
    from harness.report.archive_contents import write_archive
    from harness.report.display import Display
    from harness.report.pdf.document import write
    from harness.sweep.heldout.ledger import Ledger, ledger_path

    archive = config.get("archive")
    if archive is not None:
        path_of("archive", archive)
    if archive is not None and len(results) > 1:
        raise HarnessError(f"archive={archive}: expected one sweep, got {len(results)}")
    for result in results.values():
        if not result.heldout:
            Ledger(ledger_path(result.folder, config)).check_whole(
                result.folder, str(result.lock["sha256"])
            )
        log.info(
            "report of %s, %s: %s", result.folder.name, result.manifest["dataset"], _state(result)
        )
    display = Display.read(config).of(list(results.values()))
    folder = Path(config.paths.reports)
    written = write(results, Path(config.paths.runs), folder, display)
    names = ", ".join(result.folder.name for result in results.values())
    if archive is not None:
        (result,) = results.values()
        write_archive(Path(archive), result, ledger_path(result.folder, config), folder)
    lines = [f"report of {names}: {CHECKED}", *map(str, written)]
    if archive is not None:
        lines.append(f"{archive}: check it with `harness verify {archive}`")
    return lines


def _state(result: SweepResult) -> str:
    """Return which split and how many queries the tables show."""
    if result.heldout:
        row = result.heldout[0]
        return f"test, n = {row['n']}, evaluation {row['evaluation']}"
    return f"tune, n = {result.manifest['n']}; test has not been evaluated"
