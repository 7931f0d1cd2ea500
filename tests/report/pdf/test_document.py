"""The report as a whole: the same bytes again, elsewhere and under other settings; it compiles;
nothing stale stays.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from unittest.mock import Mock

import pytest
import yaml

from harness.core.configuration.conf_files import defaults
from harness.core.errors import HarnessError
from harness.core.table import Column, Table, typeset
from harness.report.display import Display
from harness.report.pdf import compile as compiler
from harness.report.pdf.compile import fill
from harness.report.pdf.document import write
from harness.sweep.folder.inventory import newest
from harness.sweep.folder.result import SweepResult

LATEX = next((name for name in compiler.COMMANDS if shutil.which(name)), None)
BUILD = (
    "import sys; from pathlib import Path; from harness.report.display import Display\n"
    "from harness.report.pdf.document import write\n"
    "from harness.sweep.folder.result import SweepResult\n"
    "out = Path(sys.argv[2])\n"
    "write({'': SweepResult(Path(sys.argv[1]))}, out, out, Display())\n"
)
NAME = "sample-last_hop-5"


def report(result: SweepResult, out: Path, display: Display | None = None) -> list[str]:
    return write({"": result}, out, out, display or Display())


def hashes(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }


@pytest.fixture(scope="module")
def built(example: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a held-out sweep."""
    folder = tmp_path_factory.mktemp("built")
    report(example.write(folder / "s1"), folder / "out")
    return folder / "out"


@pytest.mark.slow
def test_the_same_bytes_again(example: ModuleType, built: Path, tmp_path: Path) -> None:
    result = example.write(tmp_path / "s1")
    (tmp_path / "matplotlibrc").write_text(
        "font.size: 20\nfont.family: serif\naxes.facecolor: black\n"
    )
    other = {
        "PYTHONHASHSEED": "7",
        "MPLBACKEND": "svg",
        "MATPLOTLIBRC": str(tmp_path),
        "TZ": "Asia/Tokyo",
        "LC_ALL": "C",
    }
    command = [sys.executable, "-c", BUILD, str(result.folder), str(tmp_path / "else" / "where")]
    subprocess.run(command, env={**os.environ, **other}, check=True, timeout=120)
    there = hashes(tmp_path / "else" / "where")
    assert hashes(built) == there
    assert {
        "tables/main.tex",
        f"tables/{NAME}/by_hops.tex",
        f"figures/{NAME}/outcomes_dense.pdf",
        f"figures/{NAME}/alpha.png",
        "report.tex",
    } <= there.keys()
    assert ("report.pdf" in there) == (LATEX is not None)


@pytest.mark.usefixtures("undrawn")
def test_names_are_those_of_conf_display(example: ModuleType, tmp_path: Path) -> None:
    result = example.write(tmp_path / "s1")
    display = Display(**defaults("display", "default")).of([result])
    report(result, tmp_path / "out", display)
    table, document = (
        (tmp_path / "out" / name).read_text()
        for name in (f"tables/{NAME}/more/headroom.tex", f"tables/{NAME}/details.tex")
    )
    for text in (table, document):
        assert "PIT + Boltzmann" in text
        assert "LastHop" in text
        assert "boltzmann pit" not in text


def test_no_time_and_no_version_in_figures(built: Path) -> None:
    for path in (built / "figures" / NAME).iterdir():
        content = path.read_bytes()
        assert b"CreationDate" not in content
        assert b"atplotlib" not in content


@pytest.mark.usefixtures("undrawn")
def test_tables_keep_their_names_and_nothing_of_another_sweep_changes(
    example: ModuleType, built: Path, tmp_path: Path
) -> None:
    """Another sweep of the same benchmark, encoder and objective gets a folder of its own; what the
    first one has no more goes.
    """
    out = Path(shutil.copytree(built, tmp_path / "out"))
    before = hashes(out / "tables" / NAME)
    lines = report(example.write(tmp_path / "s2", heldout=False), out)
    assert hashes(out / "tables" / NAME) == before
    (own,) = {path.name for path in (out / "tables").iterdir() if path.is_dir()} - {NAME, "more"}
    assert own.startswith(f"{NAME}-")
    assert any(
        line.startswith(f"{out / 'tables' / own}: by_hops.csv, by_hops.tex") for line in lines
    )
    assert "nothing held out yet" in (out / "tables" / own / "details.tex").read_text()
    assert rf"\label{{tab:{NAME}-main}}" in (out / "tables" / own / "main.tex").read_text()
    assert "the tune half of sample" in (out / "tables" / "main.tex").read_text()
    (out / "tables" / NAME / "more" / "stale.tex").write_text("x")
    report(example.write(tmp_path / "again" / "s1"), out)
    assert hashes(out / "tables" / NAME) == before


@pytest.mark.slow
def test_several_sweeps_in_one_report_each_in_its_folder(
    example: ModuleType, tmp_path: Path
) -> None:
    first, second = example.write(tmp_path / "s1"), example.write(tmp_path / "s2", heldout=False)
    out = tmp_path / "out"
    lines = write({"one sample": first, "two sample x.y=3": second}, out, out, Display())
    folders = {path.name for path in (out / "tables").iterdir() if path.is_dir()}
    assert len(folders) == 3  # more/ has what is of both
    assert {NAME, "more"} < folders
    assert (out / "tables" / "more" / "settings_sample.tex").is_file()
    assert rf"\input{{tables/{NAME}/main.tex}}" in (out / "report.tex").read_text()
    assert LATEX is None or lines[-1] == str(out / "report.pdf")


@pytest.mark.skipif(LATEX is None, reason="no latexmk, pdflatex or tectonic: the PDF is not made")
def test_the_pdf(example: ModuleType, tmp_path: Path) -> None:
    result = example.write(tmp_path / "s1")
    awkward = 'awkward_name 50% & #1 $x$ {a} ~ ^ \\ <b> "q" `c` -- é 漢'
    names = result.trials["name"].where(
        result.trials["trial"] != result.lock["winner"]["trial"], awkward
    )
    result.__dict__["trials"] = result.trials.assign(name=names)
    pdf = report(result, tmp_path / "out")[-1]
    assert pdf == str(tmp_path / "out" / "report.pdf")
    assert (tmp_path / "out" / "report.pdf").read_bytes().startswith(b"%PDF")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "figures",
        "report.pdf",
        "report.tex",
        "tables",
    ]
    if reader := shutil.which("pdftotext"):
        text = subprocess.run([reader, pdf, "-"], capture_output=True, text=True, check=True).stdout
        assert re.search(
            "awkward[_ ]name 50% & #1 \\$x\\$ {a}", text
        )  # _ is a drawn line in some fonts
        assert text.count("\f") <= 6
        first = re.sub(r"\s+", " ", text.split("\f")[0])
        assert "recall@5 on the test half of sample (6 questions)." in first
        assert "Figure 1:" in first


@pytest.mark.parametrize(
    ("rows", "lengths"), [(0, [0]), (40, [40]), (41, [21, 20]), (90, [30, 30, 30])]
)
def test_a_long_table_goes_on_with_the_same_number(rows: int, lengths: list[int]) -> None:
    table = Table(
        "long", "Long", [Column("row", "count")], [[n] for n in range(rows)], marked=frozenset({0})
    )
    text = typeset(table, "long")
    pages = [page.partition(r"\midrule")[2] for page in text.split(r"\begin{table}")[1:]]
    assert [page.count(r" \\") for page in pages] == lengths
    assert (
        text.count(r"\addtocounter{table}{-1}")
        == text.count("Long, continued.")
        == len(lengths) - 1
    )
    assert text.count(r"\label") == 1
    assert text.count(r"\rlap{\textsuperscript{\ensuremath{\dagger}}}") == min(rows, 1)


@pytest.mark.usefixtures("undrawn")
def test_without_latex_it_says_so_and_leaves_no_old_pdf(
    example: ModuleType, tmp_path: Path
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "report.pdf").write_bytes(b"of another sweep")
    (*_, pdf) = report(example.write(tmp_path / "s1"), tmp_path / "out")
    assert pdf.startswith("no PDF: none of latexmk, pdflatex, tectonic is installed")
    assert "\n" not in pdf
    assert not (tmp_path / "out" / "report.pdf").exists()
    assert (tmp_path / "out" / "report.tex").exists()


@pytest.mark.skipif(LATEX is None, reason="no latexmk, pdflatex or tectonic: nothing to fail")
def test_a_failing_document_names_its_mistake(tmp_path: Path) -> None:
    (tmp_path / "report.tex").write_text(
        r"\documentclass{article}\begin{document}\wrong\end{document}"
    )
    said = compiler.compile_pdf(tmp_path)
    assert said.startswith(f"no PDF: {LATEX} failed (! Undefined control sequence")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report.tex"]


def test_no_space_for_the_pdf_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = tmp_path / "bin" / "latexmk"
    tool.parent.mkdir()
    steps = 'case $given in -outdir=*) echo %PDF >"${given#*=}/report.pdf" ;; esac'
    tool.write_text(f'#!/bin/sh\nfor given in "$@"; do {steps}; done\n')
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}{os.pathsep}{os.environ['PATH']}")
    (tmp_path / "report.tex").write_text("x")
    monkeypatch.setattr(
        compiler.shutil,
        "copyfile",
        Mock(side_effect=OSError(errno.ENOSPC, "No space left on device")),
    )
    with pytest.raises(HarnessError, match="No space left on device"):
        compiler.compile_pdf(tmp_path)
    assert not (tmp_path / "report.pdf").exists()


def test_a_template_with_a_missing_value_is_an_error() -> None:
    from jinja2 import UndefinedError

    with pytest.raises(UndefinedError):
        fill("report.tex.j2", title="x")


def test_all_is_the_last_sweep_of_every_title(example: ModuleType, tmp_path: Path) -> None:
    sweeps = [("old", ["experiment=e"]), ("new", ["experiment=e", "paths.runs=x"]), ("c", [])]
    for age, (name, given) in enumerate(sweeps):
        made = example.write(tmp_path / "sweeps" / name)
        path = made.folder / "config.yaml"
        path.write_text(
            yaml.safe_dump({**yaml.safe_load(path.read_text()), "given": [*given, "k=1"]})
        )
        os.utime(made.folder / "winner.lock.json", (age, age))
    titles = {title: result.folder.name for title, result in newest(tmp_path, "all").items()}
    assert titles == {"e sample k=1": "new", "sweep sample k=1": "c"}
    assert [result.folder.name for result in newest(tmp_path, None).values()] == ["c"]
    several = newest(tmp_path, [str(tmp_path / "sweeps" / "c"), str(tmp_path / "sweeps" / "old")])
    assert [result.folder.name for result in several.values()] == ["old", "c"]
    twice = newest(tmp_path, [str(tmp_path / "sweeps" / name) for name in ("old", "new")])
    assert list(twice) == ["e sample k=1", "e sample k=1 new"]
