"""A figure that stands on several pages is the same on each."""

import re
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).parent.parent
PAGES = {
    path.name: " ".join(path.read_text(encoding="utf-8").split())
    for path in (ROOT / "README.md", *sorted((ROOT / "reports/docs/pages").rglob("*.md")))
}


@pytest.mark.parametrize(
    ("what", "pages"),
    [
        (r"chosen on(?:, is significant in| \|) ([\d.]+)%", 2),
        (r"(?:tested once on other questions, in |2\.5% is right\) \| \*\*)([\d.]+)%", 2),
        (r"([\d]+)% of (?:MuSiQue's|its) test questions share a gold passage with tune", 2),
        (
            r"`?fitted`?, by score \| [^|]*\| (57\.8)|alone find (57\.8) on MuSiQue|to (57\.8) last_hop@5 on MuSiQue",
            2,
        ),
        (r"62\.6 / ([\d.]+)", 2),
        (r"(?<!\d)94\.0 / (96\.0)", 2),
    ],
)
def test_a_figure_on_several_pages_is_one_figure(what, pages):
    found = {
        (name, value)
        for name, text in PAGES.items()
        for match in re.finditer(what, text)
        for value in match.groups()
        if value
    }
    assert len({value for _, value in found}) == 1, found
    assert len({name for name, _ in found}) >= pages, found


def test_what_we_found_is_the_same_in_the_readme_and_on_both_pages():
    """Shares of dense, RRF, graph list and best fusion, as `harness report` wrote them, and
    `harness compare` two.
    """

    def shares(name, columns):
        text = (ROOT / name).read_text(encoding="utf-8")
        rows = [
            [cell.strip() for cell in line.strip("|").split("|")]
            for line in text.splitlines()
            if line[:2] == "| "
        ]
        found = {
            row[0]: [re.match(r"[\d.]+", row[at])[0] for at in columns]
            for row in rows
            if "(n " in row[0]
        }
        return {key: found[key] for key in ("2Wiki (n 491)", "MuSiQue (n 417)", "HotpotQA (n 499)")}

    pages = ROOT / "reports/docs/pages"
    readme = shares("README.md", (1, 2, 3, 4))
    assert readme == shares(pages / "results.md", (1, 3, 4, 5))
    full = (
        (pages / "notebook/real-benchmarks.md")
        .read_text(encoding="utf-8")
        .partition("## The main table in full")[2]
    )
    for strategy, column in (
        ("dense", 0),
        ("RRF, k 60, untuned", 1),
        ("graph (`ppr`)", 2),
        ("**winner**", 3),
    ):
        found = re.findall(rf"^\|[^|]*\| {re.escape(strategy)}[^|]*\| ([\d.]+) \|", full, re.M)
        assert found == [row[column] for row in readme.values()]
    reported = (
        pd.read_csv(ROOT / "reports/showcase/found/results.csv", index_col="strategy")
        .mul(100)
        .round(1)
    )
    for name, row in zip(("2Wiki", "MuSiQue", "HotpotQA"), readme.values(), strict=True):
        written = reported.loc[
            ["Dense", "RRF (default)", "Graph", "Boltzmann"], f"{name} last_hop@5"
        ]
        assert [f"{share:.1f}" for share in written] == row
    for name, row in zip(("2wiki", "musique", "hotpotqa"), readme.values(), strict=True):
        written = (ROOT / "reports" / "showcase" / "found" / f"{name}.md").read_text(
            encoding="utf-8"
        )
        cells = re.search(
            r"\| graph \| dense \| last\\_hop\\@5 \| ([\d.]+) \| [^|]* \| ([\d.]+) ", written
        )
        assert cells.groups() == (row[2], row[0])
