"""Settings of the command line and the environment: what cannot be meant is refused in one line
that names it.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Command

FUSE = ("fuse", "lists={dense: a.trec, graph: b.trec}", "out=o.trec")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.trec").write_text("q1 Q0 b 1 3 s\nq1 Q0 a 2 2 s\n")
    (tmp_path / "b.trec").write_text("q1 Q0 a 1 3 s\nq1 Q0 c 2 2 s\n")
    (tmp_path / "gold.jsonl").write_text('{"id": "q1", "supporting_ids": ["a", "b"]}\n')
    return tmp_path


def test_a_mapping_that_is_typed_replaces_the_default(folder: Path, command: Command) -> None:
    """The default names bm25, too. a: 1/62 + .5/61; b: 1/61; c: .5/62."""
    status, _, said = command(*FUSE, "fuser=weighted_rrf", "fuser.weights={dense: 1, graph: .5}")
    assert status == 0, said
    rows = [line.split() for line in (folder / "o.trec").read_text().splitlines()]
    assert [(row[2], float(row[4])) for row in rows] == [
        ("a", pytest.approx(1 / 62 + 0.5 / 61)),
        ("b", pytest.approx(1 / 61)),
        ("c", pytest.approx(0.5 / 62)),
    ]


def test_weights_are_of_the_lists_that_there_are(folder: Path, command: Command) -> None:
    """The default of weighted_rrf is of bm25, dense and graph. a: 2/62 + 1/61; b: 2/61; c: 1/62."""
    fuse = ("fuse", "lists={x: a.trec, y: b.trec}", "out=o.json", "fuser=weighted_rrf")
    status, _, said = command(*fuse, "fuser.weights={x: 2, y: 1}")
    assert status == 0, said
    found = json.loads((folder / "o.json").read_text())["q1"]
    expected = {"a": 2 / 62 + 1 / 61, "b": 2 / 61, "c": 1 / 62}
    assert found == pytest.approx(expected)
    status, _, said = command(*fuse, "fuser.weights.x=2")
    assert (status, "write 'fuser.weights={x: 2, ...}'" in said) == (2, True), said
    assert command(*FUSE, "fuser=weighted_rrf", "fuser.weights.dense=3")[0] == 0


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (["fuser.k=1e400"], "in [0, 1000000000000], got k=inf"),
        (["fuser.k=.inf"], "fuser.k must be a number, got '.inf'"),
        ([f"fuser.k=1{'0' * 400}"], "in [0, 1000000000000], got k=1"),
        (["fuser.weights={dense: 1e999, graph: 1}"], "in [0, inf), got dense=inf"),
        (["fuser.weights=0.5"], "fuser.weights=0.5: expected a mapping, as in {name: value}"),
        (["fuser.weights=[1,2]"], "fuser.weights=[1,2]: expected a mapping, as in {name: value}"),
        (
            ["fuser.k=3", "fuser.k=4"],
            "fuser.k=3 and fuser.k=4: fuser.k is given twice; leave one out",
        ),
        (["--depth", "3", "depth=4"], "depth=3 and depth=4: depth is given twice; leave one out"),
    ],
)
def test_a_value_that_cannot_be_meant(
    folder: Path, command: Command, typed: list[str], message: str
) -> None:
    status, _, said = command(*FUSE, "fuser=weighted_rrf", *typed)
    assert (status, said.count("\n")) == (2, 1), said
    assert message in said
    assert not (folder / "o.trec").exists()


@pytest.mark.parametrize("name", ["runs", "data", "reports", "ledger", "models"])
def test_an_empty_variable_names_no_place(
    folder: Path, command: Command, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(f"HARNESS_{name.upper()}", " ")
    status, _, said = command("evaluate", "run=a.trec", "gold=gold.jsonl")
    assert (status, said) == (
        2,
        f"error: paths.{name} (HARNESS_{name.upper()}) is empty; name a place, or unset the "
        "variable\n",
    )


@pytest.mark.parametrize("typed", ["out=5", "out=[]", "out={a: b}"])
def test_a_file_is_named_by_a_text(folder: Path, command: Command, typed: str) -> None:
    status, _, said = command("compare", "run=a.trec", "baseline=b.trec", "gold=gold.jsonl", typed)
    assert (status, said.count("\n")) == (2, 1), said
    assert ": expected the name of a file" in said


def test_a_device_is_written_to_and_never_replaced(folder: Path, command: Command) -> None:
    status, _, _ = command(*FUSE[:2], "fuser=rrf", "out=/dev/stdout")
    assert (status, Path("/dev/stdout").is_symlink()) == (0, True)
    if Path("/dev/full").is_char_device():
        status, _, said = command(*FUSE[:2], "fuser=rrf", "out=/dev/full")
        assert (status, "cannot write (No space left on device)" in said) == (2, True), said
        assert Path("/dev/full").is_char_device()
        assert not Path("/dev/full.ir-metadata.yml").exists()


@pytest.mark.parametrize(
    ("threads", "status"), [("0", 2), ("-1", 2), ("abc", 2), ("4,2", 0), (" 2 ", 0), ("", 0)]
)
def test_threads(
    folder: Path, command: Command, monkeypatch: pytest.MonkeyPatch, threads: str, status: int
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", threads)
    found, _, said = command(*FUSE, "fuser=rrf")
    assert found == status, said
    if status:
        assert said.startswith(
            f"error: OMP_NUM_THREADS={threads}: expected a whole number from 1 to 4096"
        )


COMPARE = ("compare", "run=a.trec", "baseline=b.trec", "gold=gold.jsonl", "metric=mrr", "out=o.md")


@pytest.mark.parametrize(
    ("arguments", "written", "gone"),
    [
        (COMPARE, ["o.md"], "closed"),
        (
            ("evaluate", "run=a.trec", "gold=gold.jsonl", "out=o.csv"),
            ["o.csv", "o-queries.csv"],
            "full",
        ),
        (FUSE, ["o.trec", "o.trec.ir-metadata.yml"], "closed"),
        (("data", "dataset=folder", "dataset.path=mine", "out=o"), ["o/corpus.jsonl"], "full"),
    ],
)
def test_files_are_written_if_nothing_can_be_printed(
    folder: Path, arguments: list[str], written: list[str], gone: str
) -> None:
    """The reader of standard output has closed its end, or the disk behind it is full."""
    (folder / "mine").mkdir()
    (folder / "mine/corpus.jsonl").write_text('{"id": "a", "title": "A", "text": "one"}\n')
    (folder / "mine/queries.jsonl").write_text(
        '{"id": "q1", "question": "which?", "supporting_ids": ["a"]}\n'
    )
    reader, writer = os.pipe()
    os.close(reader)
    full = os.open("/dev/full", os.O_WRONLY)
    done = subprocess.run(
        [sys.executable, "-m", "harness", *arguments],
        stdout=writer if gone == "closed" else full,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
    )
    os.close(writer)
    os.close(full)
    assert done.returncode == (0 if gone == "closed" else 2), done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    assert gone == "closed" or done.stderr.splitlines()[-1].startswith(
        "error: standard output: cannot write (No space left on device)"
    )
    assert all((folder / name).stat().st_size for name in written)


def test_a_gate_has_its_status_though_one_line_is_read(folder: Path) -> None:
    """a.trec has the gold passage a at rank 2, b.trec at rank 1."""
    gate = " ".join([sys.executable, "-m", "harness", *COMPARE, "gate=no_worse", "margin=1"])
    done = subprocess.run(
        ["bash", "-c", f"{gate} | head -1; exit ${{PIPESTATUS[0]}}"],
        cwd=folder,
        capture_output=True,
    )
    assert done.returncode in (1, 3), done.stderr
    assert done.stdout.count(b"\n") == 1
    assert "gate" in (folder / "o.md").read_text().splitlines()[0]


def test_an_error_about_an_endless_id_is_cut(folder: Path, command: Command) -> None:
    (folder / "long.trec").write_text(f"q1 Q0 {'x' * 100_000} 1 1 s\n")
    status, _, said = command("evaluate", "run=long.trec", "gold=gold.jsonl")
    assert (status, len(said) < 5_000) == (2, True)
    assert said.rstrip().endswith("give files with the same document ids")
