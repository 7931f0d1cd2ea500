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
        (r"chosen on(?:, is significant in| \|) ([\d.]+)%", 3),
        (
            r"(?:tested once on other questions, in |once on test \| |2\.5% is right\) \| \*\*)([\d.]+)%",
            3,
        ),
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
    """Shares as `harness report` wrote them of the default grid, and of 0.5.0's, of which
    `harness compare` wrote two.
    """

    def shares(text, columns):
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
        return found

    pages, stored = ROOT / "reports/docs/pages", ROOT / "reports/showcase/found/default"
    readme, present = (
        shares(path.read_text(encoding="utf-8").replace("**", ""), range(1, 6))
        for path in (ROOT / "README.md", pages / "results.md")
    )
    assert readme == present
    benchmarks = {
        "sample": "Weighted RRF",
        "2wikimultihopqa_1000": "Max + Boltzmann",
        "musique_804": "PIT + Boltzmann",
        "hotpotqa_1000": "Max + Boltzmann",
    }
    for (name, winner), row in zip(benchmarks.items(), readme.values(), strict=True):
        table = pd.read_csv(stored / f"{name}.csv", index_col="strategy")["last_hop@5 (share)"]
        (rrf,) = (one for one in table.index if re.match(r"RRF .*graph\+bm25", one))
        written = table.loc[["Dense", "BM25", "Graph", rrf, winner]].mul(100)
        assert [f"{share:.1f}" for share in written] == row
    full = (
        (pages / "notebook/real-benchmarks.md")
        .read_text(encoding="utf-8")
        .partition("## The main table in full")[2]
    )
    reported = (
        pd.read_csv(ROOT / "reports/showcase/found/results.csv", index_col="strategy")
        .mul(100)
        .round(1)
    )
    names = ["2Wiki", "MuSiQue", "HotpotQA"]
    earlier = reported[[f"{name} last_hop@5" for name in names]].map("{:.1f}".format)
    for strategy, row in (
        ("dense", "Dense"),
        ("RRF, k 60, untuned", "RRF (default)"),
        ("graph (`ppr`)", "Graph"),
        ("**winner**", "Boltzmann"),
    ):
        found = re.findall(rf"^\|[^|]*\| {re.escape(strategy)}[^|]*\| ([\d.]+) \|", full, re.M)
        assert found == earlier.loc[row].to_list()
    for name, title in zip(("2wiki", "musique", "hotpotqa"), names, strict=True):
        written = (ROOT / "reports" / "showcase" / "found" / f"{name}.md").read_text(
            encoding="utf-8"
        )
        cells = re.search(
            r"\| graph \| dense \| last\\_hop\\@5 \| ([\d.]+) \| [^|]* \| ([\d.]+) ", written
        )
        lists = earlier.loc[["Graph", "Dense"], f"{title} last_hop@5"]
        assert list(cells.groups()) == lists.to_list()


@pytest.mark.parametrize("metric", ["full_sup@10", "recall@10"])
def test_what_stands_next_to_peers_is_what_heldout_reported(metric):
    """Of tune's choice and of the graph list, on the three benchmarks in the order of the row."""
    text = (ROOT / "reports/docs/pages/results.md").read_text(encoding="utf-8")
    (row,) = re.findall(rf"^\| here: [^|]* \| {metric} \| (.*?) \| [^|]* \|$", text, re.M)
    shown = [cell.split("; ") for cell in row.split(" | ")]
    found = []
    for name in ("hotpotqa_1000", "2wikimultihopqa_1000", "musique_804"):
        path = ROOT / "reports/showcase/found/default" / f"{name}_metrics.csv"
        table = pd.read_csv(path, index_col="strategy")[f"{metric} (share)"].mul(100)
        (winner,) = (one for one in table.index if one.startswith("boltzmann"))
        found.append([f"{table[winner]:.1f}", f"{table['graph']:.1f}"])
    assert shown == found
