"""A table in every form, written out by hand."""

from __future__ import annotations

import doctest

import pytest

from harness.core import table as module
from harness.core.errors import HarnessError
from harness.core.table import TWO_COLUMNS, Column, Table, typeset

TABLE = Table(
    "demo/scores",
    "A_title",
    [Column("list", "text"), Column("hit@5 %"), Column("95%", "span"), Column("W", "count")],
    [["dense", 0.5, [-0.1, 0.2], None], ["[a] <b>_^^5cinput\x1b[2J", 1 / 3, None, 3]],
    marked=frozenset({1}),
    commands=["run 'a'", "run b"],
)


def test_text() -> None:
    assert str(TABLE).splitlines() == [
        "A_title",
        "",
        "  list                  hit@5             95%  W",
        "------------------------------------------------",
        "  dense                  50.0  -10.0 to +20.0  –",
        "> [a] <b>_^^5cinput[2J   33.3               –  3",
    ]


def test_a_long_cell_loses_its_middle() -> None:
    table = Table("a", "a", [Column("x", "text")], [["x" * 60 + " the end of it"]])
    assert table.lines(30)[2] == "x" * 16 + "…the end of it"


def test_different_cells_do_not_look_alike_when_they_are_cut():
    names = [
        f"learned penalty=1 features=rank+score {chosen}cap=50 dense+graph+fitted"
        for chosen in ("", "relational m=30 ")
    ]
    table = Table("t", "T", [Column("strategy", "text")], [[name] for name in (*names, "graph", "graph")])
    assert table.lines(30)[2:] == ["learned …", "learned … relational m=30", "graph", "graph"]
    assert table.lines(200)[2:] == [*names, "graph", "graph"]


def test_csv_is_exact() -> None:
    assert TABLE.csv().splitlines()[:2] == ["list,hit@5,95%,W", 'dense,0.5,"[-0.1, 0.2]",']


def test_csv_holds_no_formula_of_data() -> None:
    table = Table("a", "a", [Column("=1", "text"), Column("x", "percent")], [['=HYPERLINK("http://x")', -0.25]])
    assert table.csv().splitlines() == ["'=1,x", '"\'=HYPERLINK(""http://x"")",-0.25']


def test_html_sorts_by_values_and_runs_nothing() -> None:
    lines = TABLE.html().splitlines()
    assert lines[1].endswith('<th class="count">W</th><th class="text">rerun with</th></tr></thead>')
    assert lines[3] == (
        '<tr><td class="text">dense</td><td class="share" data-key="0.5">50.0</td><td class="span" data-key="-0.1">'
        '-10.0 to +20.0</td><td class="count">–</td><td class="text"><code>run &#x27;a&#x27;</code></td></tr>'
    )
    assert lines[4].startswith('<tr class="winner"><td class="text">[a] &lt;b&gt;_^^5cinput[2J</td>')


def test_latex() -> None:
    text = typeset(TABLE, TWO_COLUMNS, "demo-scores")
    assert r"\caption{A\_title}" in text
    assert r"\label{tab:demo-scores}" in text
    assert r"\begin{tabular}{lS[table-format=2.1,mode=text,detect-weight]rr}" in text
    assert "dense & 50.0 & \\ensuremath{-}10.0 to +20.0 & \\textendash{} \\\\\n" in text
    assert r"\bfseries 33.3" in text
    assert r"\textbf{{[}a{]} \textless{}b\textgreater{}\_\textasciicircum{}\textasciicircum{}5cinput{[}2J}" in text


def test_select() -> None:
    assert TABLE.select(["W", "list"]).cells() == [["–", "dense"], ["3", "[a] <b>_^^5cinput\x1b[2J"]]


@pytest.mark.parametrize("name", ["../x", "a b", "", "/etc/x", "a//b", "é"])
def test_a_name_cannot_leave_its_folder(name: str) -> None:
    with pytest.raises(HarnessError, match="expected a name of letters, digits"):
        Table(name, "x", [], [])


def test_the_example_of_the_documentation() -> None:
    assert doctest.testmod(module).failed == 0
