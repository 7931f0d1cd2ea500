"""The jobs of one multirun (``harness sweep -m encoder=a,b``) as one experiment, on any launcher.

A job records its sweep, or why it made none. Invalid combinations are left out, a job that fails
does not stop the others, and the table of the finished jobs is always printed.
"""

from __future__ import annotations

import logging
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import starmap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hydra.core.hydra_config import HydraConfig
from hydra.experimental.callback import Callback

from harness.core.configuration.extras import program
from harness.core.errors import CombinationError, HarnessError
from harness.core.files import write_json, write_text
from harness.core.input.read import read_json
from harness.core.table import (
    Column,
    Kind,
    Table,
    counted,
    paragraph,
    shown_lines,
    typeset,
)
from harness.sweep.folder.result import SweepResult
from harness.sweep.sweep_comparison import settings_table

if TYPE_CHECKING:
    from omegaconf import DictConfig

log = logging.getLogger(__name__)
VARIABLE = "HARNESS_MULTIRUN"
"""The environment variable with the folder of a multirun's records: launchers pass it on."""


Job = Mapping[str, Any]
"""The record of a job: ``number``, ``overrides``, and how it ended: ``sweep`` (a folder) with
``evaluated`` (the line on earlier evaluations of test, if any), ``table`` (``columns``, ``rows``),
``left_out`` or ``failed`` (the reason).
"""


class Begin(Callback):
    """The callback of Hydra that names the multirun for its jobs."""

    def on_multirun_start(self, config: DictConfig, **_: Any) -> None:
        """Set the variable."""
        os.environ[VARIABLE] = str(Path(config.hydra.sweep.dir).resolve())


@contextmanager
def experiment() -> Iterator[None]:
    """Run the jobs in this block; print the joint table at its end, also after an error.

    Raises HarnessError if a job failed, or no combination was valid.
    """
    try:
        yield
    finally:
        place = Path(os.environ.pop(VARIABLE, os.devnull))
        jobs = [read_json(path, "a job's note") for path in sorted(place.glob("job-*.json"))]
        results = [SweepResult(Path(job["sweep"])) for job in jobs if job.get("sweep")]
        for line in [*_summary(jobs, results, place)]:  # its files are written first
            print(line)
    _check(jobs)


@contextmanager
def cell(translate: Callable[[ImportError], HarnessError | None]) -> Iterator[None]:
    """Run a job in this block: its end is recorded, and other jobs go on.

    translate: returns a line for a library that is not installed.
    """
    hydra = HydraConfig.get()
    note: dict[str, Any] = {
        "number": int(hydra.job.num),
        "overrides": [text.lstrip("+") for text in hydra.overrides.task],
    }
    log.info("job %d: %s", note["number"] + 1, " ".join(note["overrides"]))
    _write({**note, "failed": "it was ended from outside"})
    ending: dict[str, object] = {}
    try:
        yield
    except CombinationError as error:
        ending["left_out"] = str(error)
    except ImportError as error:
        ending["failed"] = str(translate(error) or _trace())
    except HarnessError as error:
        ending["failed"] = str(error)
    except Exception:  # a bug in one job
        ending["failed"] = _trace()
    _write({**note, **ending, **RESULT})
    RESULT.clear()


RESULT: dict[str, object] = {}
"""The result of the job in this process."""


def note(result: SweepResult | Table, evaluated: str = "") -> None:
    """Record the sweep of this job, or its rows of the joint table.

    Args:
        result: the sweep, or the rows.
        evaluated: the line on earlier evaluations of the sweep's test questions.
    """
    if isinstance(result, SweepResult):
        RESULT["sweep"] = str(result.folder)
        if evaluated:
            RESULT["evaluated"] = evaluated
    else:
        columns = [(column.title, column.kind) for column in result.columns]
        RESULT["table"] = {"columns": columns, "rows": result.rows}


def _write(note: Mapping[str, object]) -> None:
    place = Path(os.environ[VARIABLE])
    place.mkdir(parents=True, exist_ok=True)
    write_json(place / f"job-{note['number']:06d}.json", note)


def _trace() -> str:
    """Return the last line of the current error, and print its traceback."""
    traceback.print_exc(file=sys.stderr)
    return traceback.format_exc().strip().splitlines()[-1]


def _summary(jobs: Sequence[Job], results: Sequence[SweepResult], place: Path) -> Iterator[str]:
    """Yield the table of settings or the joint table, the combinations that were left out, and the
    folders.

    place: the folder to which the table of settings is also written.
    """
    if results:
        table = settings_table(results)
        yield from ["", *shown_lines(table)]
        latex = write_text(place / "settings.tex", typeset(table, "settings"))
        yield f"{latex}, {write_text(place / 'settings.csv', table.csv()).name}"
    if any("table" in job for job in jobs):
        yield from ["", *shown_lines(_joint(jobs))]
    number = sum("left_out" in job for job in jobs)
    if 0 < number < len(jobs):
        message = "left out, since their settings do not go together"
        yield from ["", f"{message}: {counted(number, 'cell')} of {len(jobs)}"]
        for reason in _reasons(jobs, "left_out"):
            yield from paragraph(reason)
    yield from _reasons(jobs, "evaluated")
    if any("sweep" in job and "evaluated" not in job for job in jobs):
        yield f"next: {program('harness')} heldout sweep=DIR    # scores one of these on test, once"
    yield from (str(result.folder) for result in results)


def _joint(jobs: Sequence[Job]) -> Table:
    """Return the rows of all jobs as one table, each with the settings of its job."""
    rows: list[dict[str, Any]] = []
    kinds: dict[str, Kind] = {"job": "text"}
    for job in jobs:
        if "table" in job:
            kinds |= dict(job["table"]["columns"])
            titles = [title for title, _ in job["table"]["columns"]]
            label = {"job": _cell(job, jobs)}
            rows += [label | dict(zip(titles, row, strict=True)) for row in job["table"]["rows"]]
    columns = list(starmap(Column, kinds.items()))
    cells = [list(map(row.get, kinds)) for row in rows]
    return Table("multirun", f"All results of {counted(len(jobs), 'job')}", columns, cells)


def _check(jobs: Sequence[Job]) -> None:
    if not jobs:
        raise HarnessError(
            "there was no job: a key has no value; glob(...) matches names of conf/, and files are "
            "a list, as in -m run=a.trec,b.trec"
        )
    if failed := _reasons(jobs, "failed"):
        print(*(f"failed: {line}" for line in failed), sep="\n", file=sys.stderr)
        error = HarnessError(
            f"{sum('failed' in job for job in jobs)} of {counted(len(jobs), 'job')} failed, as "
            "said above; mend them and type the same command"
        )
        error.exit_code = 1
        raise error
    if all("left_out" in job for job in jobs):
        reasons = "; ".join(_reasons(jobs, "left_out"))
        raise CombinationError(
            f"none of {counted(len(jobs), 'cell')} has settings that go together: {reasons}"
        )


def _reasons(jobs: Sequence[Job], key: str) -> list[str]:
    """Return each reason with the combinations that it excludes."""
    cells_by_reason: dict[str, list[str]] = {}
    for job in jobs:
        if key in job:
            cells_by_reason.setdefault(job[key], []).append(_cell(job, jobs))
    return [f"{', '.join(cells)}: {why}" for why, cells in cells_by_reason.items()]


def _cell(job: Job, jobs: Sequence[Job]) -> str:
    """Return the settings that distinguish the job from the others."""
    common = set(job["overrides"]).intersection(*(other["overrides"] for other in jobs))
    different = [text for text in job["overrides"] if text not in common]
    return " ".join(different or job["overrides"])
