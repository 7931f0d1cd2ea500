"""Names from data that are commands of TeX, HTML or a terminal: they are printed, and nothing of
them runs.
"""

from __future__ import annotations

import io
import shutil
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

from harness.core.errors import HarnessError
from harness.core.escape import printable
from harness.report.console import terminal
from harness.report.display import Display
from harness.report.figure import Picture
from harness.report.pdf import compile as compiler
from harness.report.pdf.document import section, write
from harness.sweep.folder.result import SweepResult

TYPES = (
    r"^^5cinput{secret}",
    r"\input{secret}",
    r"} \input{secret} {",
    r"\csname input\endcsname{secret}",
    "$x$ % # & ~ [2cm] * \x1b[2J",
    "<script>alert(1)</script>",
    "\\",
)
"""The types of the eight tune questions; the last stands twice."""


def hostile(example: ModuleType, folder: Path) -> SweepResult:
    result: SweepResult = example.write(folder, heldout=False)
    result.queries["type"] = [*TYPES, TYPES[-1]]
    result.trials.loc[3, "name"] = "<script>alert(2)</script>\x1b]0;owned\x07 ^^5cinput{secret}"
    result.trials.loc[0, "name"] = "\x9b2J winner \u202e"
    result.lock["winner"]["name"] = "$ \x1b[31m \\input{secret}"
    result.manifest["dataset"] = "../../data $ \x1b]52;c;x\x07 ^^5cinput{secret}"  # type: ignore[index]
    return result


@pytest.mark.skipif(
    not shutil.which("latexmk") or not shutil.which("pdftotext"), reason="no latexmk, no pdftotext"
)
def test_latex_reads_no_file_that_data_names(example: ModuleType, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "secret.tex").write_text(
        "LEAKED"
    )  # inside the folder, where TeX may read: only the escape is in the way
    pdf = write({"": hostile(example, tmp_path / "s1")}, tmp_path, out, Display())[-1]
    assert pdf == str(out / "report.pdf")
    text = subprocess.run(
        ["pdftotext", pdf, "-"], capture_output=True, text=True, check=True
    ).stdout
    assert "LEAKED" not in text
    assert "5cinput{secret}" in text.replace(" ", "")


def test_the_terminal_gets_no_control_characters(example: ModuleType, tmp_path: Path) -> None:
    stream = io.StringIO()
    print(
        terminal.leaderboard(hostile(example, tmp_path / "s1")), file=printable(stream)
    )  # as the command line does
    text = stream.getvalue()
    assert "owned" in text
    assert not [
        letter for letter in text if (ord(letter) < 32 and letter != "\n") or letter in "\x9b\u202e"
    ]


def test_a_stored_experiment_cannot_name_a_file_elsewhere(
    example: ModuleType, tmp_path: Path
) -> None:
    result = example.write(tmp_path / "s1", heldout=False)
    table = {"name": "../../x", "title": "t", "summary": [{"label": "a", "where": {}}]}
    result.config["experiment"] = {"source": "s", "differs": "d", "tables": [table]}
    with pytest.raises(HarnessError, match=r"table '../../x'"):
        section(result, Display())
    with pytest.raises(ValueError, match="figure"):
        Picture("../x", "", lambda figure: None)


@pytest.mark.skipif(not shutil.which("latexmk"), reason="no latexmk")
@pytest.mark.parametrize("command", [r"\input{../secret}", r"\input{SECRET}", r"\input{.hidden}"])
def test_latex_is_confined_to_its_folder(tmp_path: Path, command: str) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    for path in (tmp_path / "secret.tex", folder / ".hidden.tex"):
        path.write_text("LEAKED")
    command = command.replace("SECRET", str(tmp_path / "secret"))
    (folder / "report.tex").write_text(
        rf"\documentclass{{article}}\begin{{document}}x{command}\end{{document}}"
    )
    assert compiler.compile_pdf(folder).startswith("no PDF: latexmk failed (! LaTeX Error: File")
    assert not (folder / "report.pdf").exists()


@pytest.mark.skipif(not shutil.which("latexmk"), reason="no latexmk")
def test_latex_runs_no_command_and_no_settings_file(tmp_path: Path) -> None:
    (tmp_path / ".latexmkrc").write_text('system("touch from_settings");')
    (tmp_path / "report.tex").write_text(
        r"\documentclass{article}\begin{document}x\immediate\write18{touch from_shell}\end{document}"
    )
    assert compiler.compile_pdf(tmp_path) == str(tmp_path / "report.pdf")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        ".latexmkrc",
        "report.pdf",
        "report.tex",
    ]
