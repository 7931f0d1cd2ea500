"""A paper's tables and figures: numbers by hand, names of conf/display, and pages without an
overfull box.
"""

from __future__ import annotations

import dataclasses
import re
import shutil
import subprocess
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.legend import Legend

from harness.core.configuration import compose, defaults, extensions, instantiate, names
from harness.core.errors import HarnessError
from harness.core.table import Column, Layout, Style, Table, typeset
from harness.evaluation.evaluate import evaluate
from harness.evaluation.gold import Gold
from harness.evaluation.metric import metrics
from harness.evaluation.run_comparison import compare_all
from harness.evaluation.system_comparison import comparison_table
from harness.report.display import Display
from harness.report.figure import Page, Picture
from harness.report.output import write_result
from harness.report.paper.build import Paper
from harness.report.paper.entry import signs
from harness.report.paper.results import results_table
from harness.report.pdf import latex as compiler
from harness.report.pdf.document import Section, section
from harness.run import Run
from harness.sweep.folder.result import SweepResult
from harness.sweep.folder.view import View

DISPLAY = Display(**defaults("display", "default"))
UNBOXED = r"\renewcommand{\resizebox}[3]{#3}" + "\n"
"""A table that only fits because it is made smaller is overfull with this."""


@pytest.fixture
def results(example: ModuleType, tmp_path: Path) -> list[SweepResult]:
    """The same sweep as one of ``sample``, held out, and as one of ``musique``, which is not."""
    made = [example.write(tmp_path / "s1"), example.write(tmp_path / "s2", heldout=False)]
    made[1].manifest["dataset"] = "musique"
    return made


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("foo={bar:x}", "display has no foo"),
        ("list.graph=5", "display.list.graph=5: expected a text"),
    ],
)
def test_names_that_are_none(given: str, message: str) -> None:
    with pytest.raises(HarnessError, match=re.escape(message)):
        Display.read(compose("report", [f"++display.{given}"]))


def test_strategies_by_benchmarks_by_hand(results: list[SweepResult]) -> None:
    table = results_table(results, DISPLAY.of(results), ["last_hop@5"])
    style = table.style
    assert table.cells() == [
        ["Graph", "50.0", "62.5"],
        ["Dense", "33.3", "50.0"],
        ["PIT + Boltzmann", "83.3", "75.0"],
        ["Min–max + Linear", "33.3", "62.5"],
        ["RRF", "50.0", "50.0"],
    ]
    assert [column.group for column in table.columns] == ["", "sample (test)", "MuSiQue (tune)"]
    assert style.best == {(2, 1), (2, 2)}
    assert style.second == {(0, 1), (4, 1), (0, 2), (3, 2)}
    assert style.rules == {2}
    assert not style.marks  # six and eight queries show nothing
    assert "No difference is significant." in table.caption
    assert "sample: PIT + Boltzmann (α 0.7, β 0.5, cap 20)" in table.caption


def test_a_caption_names_the_parameters_by_which_tables_differ(
    results: list[SweepResult], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two sweeps of one benchmark as in `report paper=acl sweep=[...]` after `-m`, of two
    depths.
    """
    for result, given in zip(
        results, (["lists.dense.depth=50", "fuser=rrf"], ["lists.dense.depth=200"]), strict=True
    ):
        result.manifest["dataset"] = "sample"
        result.config["given"] = ["dataset=sample", "normalizer=pit", *given]
    monkeypatch.setattr(compiler.shutil, "which", lambda name: None)
    venue = instantiate(compose("report", ("paper=acl",)).paper)
    sections = {
        one.folder.name: (one, Section(one.kind, one.folder.name, {}, [], [])) for one in results
    }
    built = Paper(venue, DISPLAY.of(results), tmp_path / "out").write(sections)
    captions = [
        path.read_text("utf-8") for path in built.files if path.name.endswith("results.tex")
    ]
    assert len(captions) == 2
    why = (
        "2 tables of results, since one holds sweeps that differ in the benchmark alone, and "
        "these differ in "
    )
    assert built.pdf.startswith(f"{why}lists.dense.depth, fuser: tables/")
    assert "Parameters: lists.dense.depth=50, fuser=rrf." in captions[0]
    assert "Parameters: lists.dense.depth=200, fuser as by default." in captions[1]


def test_signs_are_exact_tests_corrected_over_the_rows() -> None:
    """Of 10 queries dense finds none, graph all, ours 9, other 5: 9/0 p .004, 5/0 p .062; to graph
    0/1, 0/5, 0/10.
    """
    found = {"dense": 0, "graph": 10, "ours": 9, "other": 5}
    ranks = np.array(
        [[[1] if query < count else [9] for query in range(10)] for count in found.values()],
        np.int32,
    )
    rows = [
        {
            "name": name,
            "family": "single" if name in ("dense", "graph") else "x",
            "evaluation": 1,
        }
        for name in found
    ]
    view = View("test", rows, ranks, pd.DataFrame({"id": range(10)}), {}, {"best_single": "graph"})
    assert signs(view, "last_hop@5", {row: row for row in range(4)}, "dense") == {
        0: ["worse than the best list"],
        1: ["better than the baseline"],
        2: ["better than the baseline"],
        3: [],
    }
    six = pd.DataFrame({"id": range(10), "cluster": [0, 0, 0, 0, 0, 1, 2, 3, 4, 5]})
    clustered = dataclasses.replace(
        view, queries=six, lock={}
    )  # graph wins six clusters of six: 2 / 2^6, times 2 by Holm
    assert not any(signs(clustered, "last_hop@5", {0: 1, 1: 2}, "dense").values())
    once = signs(clustered, "last_hop@5", {0: 1, 1: 1}, "dense")
    assert (
        once[0] == once[1] == ["better than the baseline"]
    )  # a trial with two roles is one comparison


def test_what_cannot_be_one_table_says_so(results: list[SweepResult]) -> None:
    with pytest.raises(
        HarnessError, match="baseline=colbert is no list of it; it has: graph, dense"
    ):
        results_table(results, DISPLAY, [], "colbert")
    with pytest.raises(HarnessError, match="one sweep a benchmark, got sample, sample"):
        results_table([results[0], results[0]], DISPLAY)


def test_names_of_conf_in_a_paper(results: list[SweepResult]) -> None:
    named = DISPLAY.of(results)
    assert named.cell("rrf k=60") == "RRF (k 60)"
    assert named.cell("graph") == "Graph"
    assert named.text(
        "last_hop@5 of boltzmann pit alpha=0.7 beta=0.5 cap=20 on musique: the graph's"
    ) == ("LastHop@5 of PIT + Boltzmann (α 0.7, β 0.5, cap 20) on MuSiQue: the graph's")
    assert named.text("my_last_hop and musique_train") == "my_last_hop and musique_train"
    assert named.label("dense, pit -1.5") == "Dense, pit −1.5"
    assert Display().strategy("mine_own", "pit") == "pit + mine own"


def test_every_displayed_strategy_is_there() -> None:
    known = defaults("display", "default")
    absent = known["fuser"].keys() - {"reranked"} - {*names("fuser")}
    assert [name for name in absent if not extensions.missing_plugin(f"fuser/{name}")] == []
    assert known["normalizer"].keys() <= {*names("normalizer")}


def test_width_decides_between_a_column_and_the_page() -> None:
    columns = [Column("strategy", "text"), *(Column(f"last_hop@{k} %") for k in range(1, 16))]
    rows = [["a" * 20, *[0.5] * 15]] * 2
    for count, environment, panels in (
        (2, "table", 1),
        (6, "table*", 1),
        (16, "table*", 3),
    ):  # 490 points hold six numbers
        table = Table("t", "T", columns[:count], [row[:count] for row in rows])
        text = typeset(table, Layout(), "s-t")
        assert rf"\begin{{{environment}}}" in text
        assert text.count(r"\begin{tabular}") == panels
        assert text.count("a" * 20) == 2 * panels
        assert text.count(r"\label{tab:s-t}") == 1


def test_bold_underline_marks_and_minus_signs() -> None:
    style = Style(frozenset({(1, 1)}), frozenset({(0, 1)}), {(1, 1): "*†"}, frozenset({1}))
    columns = [Column("a", "text"), Column("d", "points", group="G")]
    table = Table("t", "T", columns, [["x -1 y-1", -0.01], ["z", 0.123]], style=style)
    text = typeset(table, Layout(), "t")
    assert (
        r"x \ensuremath{-}1 y-1 & \ensuremath{-}1.0\llap{\underline{\phantom{\ensuremath{-}1.0}}}\phantom"
        in text
    )
    assert r"z & \textbf{+12.3}\rlap{\textsuperscript{{*}\ensuremath{\dagger}}}" in text
    assert text.count(r"\midrule") == 2
    assert r"\multicolumn{1}{c}{G}" in text


def test_a_result_as_latex_has_the_same_style(tmp_path: Path) -> None:
    write_result(
        str(tmp_path / "my_table.tex"), {}, Table("x", "T", [Column("last_hop@5 %")], [[0.5]])
    )
    text = (tmp_path / "my_table.tex").read_text()
    assert r"\label{tab:my_table}" in text
    assert "LastHop@5 \\% \\\\" in text
    assert "siunitx" not in text


def test_no_legend_lies_over_data(
    results: list[SweepResult], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    saved = Figure.savefig
    seen: list[str] = []

    def check(figure: Figure, *args: object, **given: object) -> None:
        figure.draw_without_rendering()
        legends = figure.findobj(Legend)
        for legend in legends:
            assert not any(
                legend.get_window_extent().overlaps(axes.get_window_extent())
                for axes in figure.axes
            )
        seen.extend("legend" for _ in legends)
        saved(figure, *args, **given)

    monkeypatch.setattr(Figure, "savefig", check)
    for one in section(results[0], [calibration()]).pictures:
        one.save(tmp_path, Page(3.03, "STIXGeneral", DISPLAY.label))
    assert len(seen) >= 2 * 4  # alpha, frontier, ceiling, calibration: PDF and PNG


def of_commands(bench: Path, out: Path) -> list[Path]:
    """What `harness compare out=x.tex` and `harness evaluate out=x.tex` write, into the tables of a
    paper.
    """
    gold = Gold.read(bench / "queries.jsonl")
    runs = {name: Run.from_trec(bench / f"{name}.trec") for name in ("dense", "graph", "bm25")}
    wanted = metrics(["last_hop", "full_sup", "recall", "ndcg"], [5, 10])
    given = {
        f"runs/systems/{name}.trec": (f"runs/systems/{name}.trec", runs[name])
        for name in ("graph", "bm25")
    }
    compared = compare_all(
        given, {"dense": ("runs/systems/dense.trec", runs["dense"])}, gold, wanted, "house"
    )
    scored = evaluate(runs["graph"], gold, wanted, source="runs/systems/graph.trec")
    tables = {"compare": comparison_table(compared), "evaluate": scored.table()}
    for name, table in tables.items():
        write_result(str(out / "tables" / f"{name}.tex"), {}, table)
    return [out / "tables" / f"{name}.tex" for name in tables]


def calibration() -> Picture:
    worlds = [("permuted", 0.0), ("boundary", 0.0), ("boundary", 0.02), ("boundary", 0.05)]
    rates = pytest.importorskip("harness.plugins.protocol.calibration").Rates
    picture = pytest.importorskip("harness.plugins.protocol.picture.calibration").picture
    return picture(
        [rates(name, 8, 6, 100, effect, 0.5, 3, 16, 2, 2, 95, 90) for name, effect in worlds],
        "sample",
    )


@pytest.mark.skipif(not shutil.which("latexmk"), reason="no latexmk")
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] * (n != "acl")) for n in names("paper")]
)
def test_no_box_is_overfull(
    name: str,
    example: ModuleType,
    results: list[SweepResult],
    bench: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of every table and figure: a sweep's, an experiment's, those of `harness compare` and
    `harness evaluate`.
    """
    results[0] = example.of_experiment(results[0])
    venue = instantiate(compose("report", (f"paper={name}",)).paper)
    out = tmp_path / "out"
    sections = {one.folder.name: (one, section(one)) for one in results}
    monkeypatch.setattr(compiler.shutil, "which", lambda name: None)  # compiled below, once
    built = Paper(venue, DISPLAY.of(results), out).write(sections)
    own = of_commands(bench, out)
    labels = [
        label
        for path in [*built.files, *own]
        for label in re.findall(r"\\label\{(.*?)\}", path.read_text("utf-8"))
    ]
    assert len(labels) == len(set(labels)) > 30
    named = {
        "tab:s1-heldout",
        "tab:s2-leaderboard",
        "fig:s1-alpha",
        "tab:s1-phasegraph_main",
        "tab:compare",
    }
    assert named <= set(labels)
    inputs = "".join(rf"\input{{tables/{path.name}}}" + "\n" for path in own)
    for document in ("paper", "appendix"):
        source = (
            (out / f"{document}.tex")
            .read_text()
            .replace(r"\begin{document}", UNBOXED + r"\begin{document}")
        )
        source = source.replace(r"\end{document}", inputs + r"\end{document}")
        (out / f"{document}.tex").write_text(source)
        subprocess.run(
            ["latexmk", "-norc", "-pdf", "-interaction=nonstopmode", document],
            cwd=out,
            check=True,
            capture_output=True,
            timeout=120,
        )
        log = (out / f"{document}.log").read_text(errors="replace")
        assert not re.findall(r"Overfull \\hbox.*|multiply defined|undefined", log)
        fonts = subprocess.run(
            ["pdffonts", f"{document}.pdf"], cwd=out, capture_output=True, text=True, check=True
        )
        rows = fonts.stdout.splitlines()[2:]
        assert rows
        assert not [
            row for row in rows if not re.search(r"(Type 1|TrueType) .* yes (yes|no) ", row)
        ]  # all embedded
