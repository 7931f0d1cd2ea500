"""`harness linkage` as it is typed: the sample, a folder with and without queries, what is refused."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from matplotlib.figure import Figure
from PIL import Image

from harness.core.configuration import compose
from harness.plugins.twins.console.linkage_figure import linkage_picture
from tests.conftest import Command

WORLD = {"Dune": "A film by David Lynch.", "David Lynch": "He grew up in Missoula.", "Missoula": "A city."}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [{"id": f"p{n}", "title": title, "text": text} for n, (title, text) in enumerate(WORLD.items())]
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def ask(folder: Path, **fields: object) -> None:
    row = {"id": "q", "question": "Where did the director of Dune grow up?", "answers": ["Missoula"], **fields}
    (folder / "queries.jsonl").write_text(json.dumps(row) + "\n")


def test_the_sample(command: Command, tmp_path: Path) -> None:
    out = tmp_path / "linkage.json"
    status, said, _ = command("linkage", f"paths.runs={tmp_path}", f"out={out}")
    found = json.loads(out.read_text())
    assert status == 0
    assert said.startswith("sample, split tune: ")
    assert said.rstrip().endswith(str(out))
    ways = found["gold"]["ways"]
    assert ways["title"]["joined"] <= ways["either"]["joined"] <= ways["either, two steps"]["joined"] <= 1
    assert sum(found["gold"]["by_hops"].values()) == found["gold"]["questions"] == 294


def test_a_folder_without_queries(command: Command, folder: Path) -> None:
    """Dune - David Lynch - Missoula is a path: 1, 2 and 1 links."""
    status, said, _ = command("linkage", "dataset=folder", f"dataset.path={folder}")
    assert status == 0
    assert "gold passage" not in said
    assert ["title", "100.0", "1", "1.8", "2", "100.0"] in [line.split() for line in said.splitlines()]
    assert sorted(path.name for path in folder.iterdir()) == ["corpus.jsonl"]


def test_questions_without_gold(command: Command, folder: Path) -> None:
    ask(folder)
    status, said, _ = command("linkage", "dataset=folder", f"dataset.path={folder}", "split=all")
    assert (status, "gold passage" in said) == (0, False)


def test_a_folder_with_gold(command: Command, folder: Path) -> None:
    """Pairs Dune - David Lynch and David Lynch - Missoula are joined by titles; four of four reached are gold."""
    ask(folder, supporting_ids=["p0", "p1", "p2"])
    status, said, _ = command("linkage", "dataset=folder", f"dataset.path={folder}", "split=all")
    lines = [line.split() for line in said.splitlines()]
    assert (status, lines[0][1:]) == (0, ["split", "all:", "2", "gold", "pairs", "of", "1", "question"])
    assert ["title", "100.0", "1", "1.8", "100.0"] in lines
    assert ["1", "0.0", "2", "2", "100.0"] in lines
    assert ["2", "100.0", "3", "3", "100.0"] in lines
    assert "100.0% of the questions name the title of a gold passage" in said


def test_another_question_of_the_same_id_is_no_look(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`q` is of test; as `evaluate` knows questions, by their id and their gold."""
    monkeypatch.setenv("HARNESS_LOOKS", str(folder / "looks.jsonl"))
    looks = []
    for gold in (["p0", "p1"], ["p1", "p2"], ["p0", "p1"]):
        ask(folder, supporting_ids=gold)
        _, said, err = command("linkage", "dataset=folder", f"dataset.path={folder}", "split=test")
        looks.append(" ".join(said.split()).partition("a test question; look ")[2][:1])
    assert looks == ["1", "1", "2"], err


def test_figures_have_the_panels_that_there_is_gold_for(command: Command, folder: Path) -> None:
    """Without queries one panel; with gold the steps (Missoula is two from Dune) and the gain, 0 at no share."""
    status, said, _ = command("linkage", "dataset=folder", f"dataset.path={folder}", f"figure={folder / 'bare.png'}")
    assert (status, said.splitlines()[-1]) == (0, str(folder / "bare.png"))
    ask(folder, supporting_ids=["p0", "p1", "p2"], hops=3)
    asked = ("dataset=folder", f"dataset.path={folder}", "split=all")
    status, said, _ = command("linkage", *asked, f"figure={folder / 'gold.png'}", f"out={folder / 'gold.json'}")
    assert status == 0
    bare, gold = (Image.open(folder / f"{name}.png").size for name in ("bare", "gold"))
    assert bare[0] == gold[0]
    assert gold[1] > 3 * bare[1]
    found = json.loads((folder / "gold.json").read_text())
    shown = linkage_picture(found, "static", "gold")
    assert shown.caption.startswith(f"{found['dataset']}, 3 passages: ")
    assert "last hops of 1 question (split all)" in shown.caption
    assert "what they let expect here, +0.0 points" in shown.caption
    figure = Figure()
    shown.draw(figure)
    heights = [[bar.get_height() for bar in axes.patches] for axes in figure.axes]
    assert heights == [[100.0, 0.0, 100.0], [0.0, 0.0, 100.0, 0.0], []]
    status, _, told = command("linkage", *asked, "figure=gold.gif")
    assert status == 2
    assert "figure=gold.gif: ending .gif is not known" in told


def test_the_share_of_a_measured_benchmark_is_what_is_found(command: Command, tmp_path: Path) -> None:
    """``sample`` is expected by the others alone: b = sum(x y) / sum(x^2) of five."""
    status, said, _ = command("linkage", "explain=true", f"out={tmp_path / 'x.json'}")
    assert status == 0
    found = json.loads((tmp_path / "x.json").read_text())
    known = compose("linkage").measured.benchmarks
    assert round(found["start"]["steps"]["1"]["last"], 3) == known.sample.share
    others = [one for name, one in known.items() if name != "sample"]
    slope = sum(one.share * (one.graph - one.dense) for one in others) / sum(one.share**2 for one in others)
    assert found["expected"]["sample"]["expected"] == pytest.approx(slope * found["start"]["steps"]["1"]["last"])
    assert "Measured on tune of sample: +24.8 points, outside the interval of what is expected below." in said
    assert "Expected of graph over dense (encoder=static) by last_hop@5: +44.7 points (95% +34.2 to +55.2)" in said
    assert "a line through 5 other measured benchmarks. Each of the 6 left out in turn" in " ".join(said.split())
    assert [line.split()[:3] for line in said.splitlines()].count(["sample", "52.7", "+24.8"]) == 1


def test_nothing_is_expected_where_the_links_are_others(command: Command) -> None:
    status, said, _ = command("linkage", "rare=20")
    assert status == 0
    assert "Of graph over dense nothing is expected: others were measured at rare=10." in said


def test_tables_in_other_forms(command: Command, folder: Path) -> None:
    ask(folder, supporting_ids=["p0", "p1"])
    for ending, words in ((".tex", r"\label{tab:x}"), (".csv", "link,joined"), (".txt", "1 gold pair of 1 question")):
        out = folder / f"x{ending}"
        assert command("linkage", "dataset=folder", f"dataset.path={folder}", "split=all", f"out={out}")[0] == 0
        assert words in out.read_text()


@pytest.mark.parametrize(
    ("titles", "more", "words"),
    [
        (["", "", ""], [], "none of 3 passages has a title; fill in the field title"),
        ([], [], "corpus.jsonl: the file is empty"),
        (list(WORLD), ["rare=1"], "rare must be in [2, inf), got rare=1"),
        (list(WORLD), ["out=x.doc"], "out=x.doc: ending .doc is not known"),
    ],
)
def test_what_is_refused(command: Command, folder: Path, titles: list[str], more: list[str], words: str) -> None:
    rows = [{"id": f"p{n}", "title": title, "text": "A city."} for n, title in enumerate(titles)]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    status, _, error = command("linkage", "dataset=folder", f"dataset.path={folder}", *more)
    assert (status, error.count("\n")) == (2, 1)
    assert words in error


@pytest.mark.slow
def test_a_folder_needs_no_further_library(folder: Path) -> None:
    """In a process of its own: neither PyTorch nor anything else that the light installation lacks."""
    ask(folder, supporting_ids=["p0", "p1"])
    script = (
        "import sys; from harness.__main__ import main; "
        f"sys.argv = ['harness', 'linkage', 'dataset=folder', 'dataset.path={folder}', 'split=all']; main(); "
        "print(*{'torch', 'datasets', 'numba', 'spacy', 'sklearn', 'matplotlib', 'bm25s'} & set(sys.modules), 'end')"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=folder)
    assert done.stdout.splitlines()[-1] == "end", done.stdout + done.stderr
