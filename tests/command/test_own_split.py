"""A benchmark's own split, through the command line: sweep, heldout, verify, by
`evaluate` and `trace`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from harness.run import Run
from tests.conftest import Command
from tests.world.folder import copy_benchmark

NAMES = ("train", "dev", "validation", "test")
IDS = [f"q{number}" for number in range(40)]
TEST = [name for number, name in enumerate(IDS) if number % 4 == 3]


@pytest.fixture
def place(bench: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory: `own` is ``bench`` with a field ``split``, dev.jsonl its dev
    questions, splits.tsv.
    """
    monkeypatch.chdir(tmp_path)
    write(bench, tmp_path / "own", lambda number: NAMES[number % 4])
    lines = (tmp_path / "own" / "queries.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "dev.jsonl").write_text("".join(line for line in lines if '"split": "dev"' in line))
    (tmp_path / "splits.tsv").write_text(
        "".join(f"{q}\t{NAMES[n % 4]}\n" for n, q in enumerate(IDS))
    )
    return tmp_path


def write(bench: Path, folder: Path, split: Callable[[int], str]) -> None:
    copy_benchmark(bench, folder, lambda number, row: {**row, "split": split(number)})


def asked(bench: Path, *more: str) -> list[str]:
    lists = [f"lists.{name}={bench}/{name}.trec" for name in ("dense", "graph", "bm25")]
    return [
        "sweep",
        "dataset=folder",
        "dataset.path=own",
        *lists,
        "tracking=none",
        "grid=point",
        "fuser=rrf",
        *more,
    ]


def read(path: Path) -> Any:
    return json.loads(path.read_text())


def test_sweep_heldout_and_verify_go_by_the_split_that_the_questions_carry(
    bench: Path, place: Path, command: Command
) -> None:
    status, out, err = command(*asked(bench, "split=given"))
    assert status == 0, err
    folder = place / out.splitlines()[-1]
    assert set(pd.read_parquet(folder / "queries.parquet")["id"]) == set(IDS) - set(TEST)
    assert out.startswith("own, tune split (n = 30), split=given: ")
    lock = read(folder / "winner.lock.json")
    assert (lock["splitting"], lock["n"], lock["expected"]["n"]) == ("given", 30, 10)

    status, out, err = command("heldout", "tracking=none")
    assert status == 0, err
    assert set(pd.read_parquet(folder / "heldout_queries.parquet")["id"]) == set(TEST)
    (entry,) = [
        json.loads(line) for line in (place / "runs" / "ledger.jsonl").read_text().splitlines()
    ]
    assert (entry["splitting"], entry["split_sha256"]) == ("given", lock["split_sha256"])
    assert (entry["dataset"], entry["evaluation"]) == ("own", 1)

    status, out, err = command("verify", "rescore=true")
    assert status == 0, err
    assert "scored again: the same files, to the bit" in out

    for path in folder.glob("heldout*"):
        path.unlink()
    for line in (("verify",), ("report", f"paths.reports={place}/reports")):
        status, _, err = command(*line)
        assert status == 2
        assert "evaluation 1 of test" in err
        assert "runs/ledger.jsonl" in err
    assert "files are gone" in " ".join(command("list")[1].split())
    assert command("heldout", "tracking=none")[0] == 0
    assert command("verify")[0] == 0


def test_test_questions_that_another_sweep_chose_on_are_told_of(
    bench: Path, place: Path, command: Command
) -> None:
    """The same questions, tune and test changed for each other in the file."""
    other = {"train": "test", "dev": "test", "validation": "test", "test": "tune"}
    (place / "swapped.tsv").write_text(
        "".join(f"{q}\t{other[NAMES[n % 4]]}\n" for n, q in enumerate(IDS))
    )
    folders = []
    for file in ("splits.tsv", "swapped.tsv"):
        status, out, err = command(*asked(bench, f"split={file}"))
        assert status == 0, err
        folders.append(place / out.splitlines()[-1])
    said = "other sweeps of this folder chose on 30 of these 30 test questions, by another split"
    status, out, err = command("heldout", "tracking=none")
    assert (status, said in " ".join(out.split())) == (0, True), err
    assert {row["chosen_on"] for row in read(folders[1] / "heldout.json")} == {30}
    status, out, err = command("verify", "rescore=true")
    assert (status, "scored again: the same files, to the bit" in out) == (0, True), err

    status, out, err = command(
        "heldout", f"sweep={folders[0]}", "tracking=none", "heldout.again=true"
    )
    assert (status, "chose on 10 of these 10 test questions" in " ".join(out.split())) == (
        0,
        True,
    ), err


def test_another_split_of_the_same_data_is_another_sweep_and_the_lock_notices(
    bench: Path, place: Path, command: Command
) -> None:
    def swept(*more: str) -> Path:
        status, out, err = command(*asked(bench, *more))
        assert status == 0, err
        return place / out.splitlines()[-1]

    given, by_file, md5 = swept("split=given"), swept("split=splits.tsv"), swept()
    assert given == by_file != md5
    mapped = swept("split={dev: test, test: tune}")
    assert mapped not in (given, md5)
    assert read(mapped / "winner.lock.json")["n"] == 30

    write(bench, place / "own", lambda number: NAMES[(number + 1) % 4])
    status, _, err = command("heldout", f"sweep={mapped}", "tracking=none")
    assert status == 2
    assert "winner.lock.json: the split changed since locking" in err
    status, _, err = command("verify", f"sweep={mapped}", "rescore=true")
    assert status == 2
    assert "ranks.npy: not what is computed now" in err
    assert swept("split=given") != given


def test_a_sweep_without_questions_to_choose_on_is_refused_in_a_sentence(
    bench: Path, place: Path, command: Command
) -> None:
    write(bench, place / "own", lambda number: "test")
    status, _, err = command(*asked(bench, "split=given"))
    assert status == 2
    assert err.strip().splitlines()[-1] == (
        "error: own: no query falls into tune; all 40 are given as test; add some of "
        "split tune or dev or "
        "train or validation"
    )


def test_fuse_takes_the_half_that_a_file_or_the_gold_gives(
    bench: Path, place: Path, command: Command
) -> None:
    lists = f"lists={{dense: {bench}/dense.trec, graph: {bench}/graph.trec}}"
    for more in (["splitting=splits.tsv"], ["splitting=given", "gold=own/queries.jsonl"]):
        status, out, err = command("fuse", lists, "fuser=rrf", "split=test", *more, "out=f.trec")
        assert status == 0, err
        assert "(split test (given))" in out
        assert set(Run.from_trec(place / "f.trec").to_dict()) == set(TEST)
    status, _, err = command("fuse", lists, "fuser=rrf", "splitting=splits.tsv", "out=f.trec")
    assert status == 2
    assert "does not use splitting=" in err
    status, _, err = command(
        "fuse", lists, "fuser=rrf", "split=test", "splitting=given", "out=f.trec"
    )
    assert status == 2
    assert "splitting=given needs questions with a field `split`; give gold=queries.jsonl" in err
