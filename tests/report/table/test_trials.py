"""A column of trials that is described in one place is on every medium."""

from pathlib import Path
from types import ModuleType

import pytest

from harness.core.table import Column, Field
from harness.report.console import terminal
from harness.report.display import Display
from harness.report.pdf.document import write
from harness.report.table import trials
from harness.report.tracking.entry import run_group
from harness.sweep.folder.result import SweepResult, View


@pytest.mark.usefixtures("undrawn")
def test_an_added_column_is_in_text_tex_html_csv_and_mlflow(
    example: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All 8 questions of tune and all 6 of test count."""
    described = trials.trial_fields

    def with_one_more(result: SweepResult, view: View) -> list[Field[int]]:
        column = Column("asked", "count", name="n")
        faces = ("screen", "paper", "tracker")
        added = Field(column, lambda place: view.rows[place].n, faces=faces)
        return [*described(result, view), added]

    monkeypatch.setattr(trials, "trial_fields", with_one_more)
    result = example.write(tmp_path / "s1")
    head, _, winner = terminal.leaderboard(result).splitlines()[3:6]
    assert (head.split()[-1], winner.split()[-1]) == ("asked", "8")
    assert '<th class="count">asked</th>' in trials.heldout(result).html()
    write({"s": result}, tmp_path, tmp_path / "out", Display())
    tables = tmp_path / "out" / "tables"
    names, *rows = (tables / "main.csv").read_text().splitlines()
    assert names.endswith(",asked")
    assert {row.rpartition(",")[2] for row in rows} == {"6"}
    tex = (tables / "main.tex").read_text()
    assert r"& asked \\" in tex
    assert tex.count(r"6 \\") + tex.count(r"6} \\") == len(rows)
    group = run_group(result, result.whole, "0")
    assert [one.metrics["n"] for one in group.children] == [8] * 8
