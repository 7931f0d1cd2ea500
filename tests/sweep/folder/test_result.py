"""A sweep's folder with a file that is missing or damaged: one line that names it; the others are
reported.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

from harness.benchmark import UNORDERED
from harness.core.errors import HarnessError
from harness.sweep.folder.files import ENTRY, NAMES
from harness.sweep.folder.inventory import newest
from harness.sweep.folder.lock import read_lock
from harness.sweep.folder.result import SweepResult

UNCHECKED = {"comparisons.parquet", "scores.parquet", "heldout_comparisons.parquet", ENTRY}
FILES = [name for name in NAMES if name not in UNCHECKED]


def refuse(folder: Path, name: str) -> None:
    with pytest.raises(HarnessError) as caught:
        SweepResult(folder).check()
    said = str(caught.value)
    assert str(folder / name) in said or (name == "trials.parquet" and str(folder) in said)
    assert "\n" not in said
    assert len(said) < 500


def test_a_whole_folder(example: ModuleType, tmp_path: Path) -> None:
    example.write(tmp_path / "s1").check()
    example.write(tmp_path / "s2", heldout=False).check()


GARBAGE = (
    *(b"", b"\x00\xff garbage", b"[[1]]", b"[" * 100_000, b"9" * 5000),
    *(b"PK\x03\x04", b"'", b"{", b"null"),
)


@pytest.mark.parametrize("name", FILES)
def test_missing_or_garbage(example: ModuleType, tmp_path: Path, name: str) -> None:
    path = example.write(tmp_path / "s1").folder / name
    for content in GARBAGE:
        path.write_bytes(content)
        refuse(path.parent, name)
    if name != "heldout.json":
        path.unlink()
        refuse(path.parent, name)


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        (["experiment=many", "gold=gold.jsonl"], "many"),
        (["experiment=many", "dataset=musique", "encoder=hashed"], "many encoder=hashed"),
        (["dataset=folder", "dataset.path=mine", "encoder=hashed"], "sweep encoder=hashed"),
    ],
)
def test_sweeps_of_a_derived_benchmark_are_of_one_kind(
    example: ModuleType, tmp_path: Path, given: list[str], kind: str
) -> None:
    result = example.write(tmp_path / "s1")
    vars(result)["config"] = {"given": given}
    assert (result.kind, result.title) == (
        kind,
        kind.replace(kind.split()[0], f"{kind.split()[0]} sample", 1),
    )


def test_views_are_of_the_queries_that_the_objective_counts(
    example: ModuleType, tmp_path: Path
) -> None:
    """last_hop counts no query whose hop order is unknown."""
    folder = example.write(tmp_path / "s1", heldout=False).folder
    ranks = np.load(folder / "ranks.npy")
    ranks[:, 3, -1] = UNORDERED
    np.save(folder / "ranks.npy", ranks)
    view = SweepResult(folder).whole
    assert (view.n, view.in_split, view.ranks.shape[1]) == (7, 8, 7)
    assert list(view.queries["id"]) == ["q0", "q1", "q2", "q4", "q5", "q6", "q7"]


def drop_column(folder: Path) -> None:
    path = folder / "trials.parquet"
    pd.read_parquet(path).drop(columns="overrides").to_parquet(path)


def drop_query(folder: Path) -> None:
    path = folder / "queries.parquet"
    pd.read_parquet(path).iloc[1:].to_parquet(path)


def widen_ranks(folder: Path) -> None:
    np.save(folder / "ranks.npy", np.load(folder / "ranks.npy").astype(np.int64))


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (drop_column, "trials.parquet: damaged (no column overrides)"),
        (drop_query, "ranks.npy: damaged (expected int32[8, 7, hops], got int32[8, 8, 3])"),
        (widen_ranks, "ranks.npy: damaged (expected int32[8, 8, hops], got int64[8, 8, 3])"),
    ],
)
def test_files_that_do_not_fit_each_other(
    example: ModuleType, tmp_path: Path, damage: Callable[[Path], None], words: str
) -> None:
    damage(example.write(tmp_path / "s1").folder)
    with pytest.raises(HarnessError) as caught:
        SweepResult(tmp_path / "s1").check()
    assert words in str(caught.value)


def test_all_leaves_out_what_is_damaged_and_names_it(
    example: ModuleType, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for age, name in enumerate(("good", "bad", "cut")):
        example.write(tmp_path / "sweeps" / name)
        os.utime(tmp_path / "sweeps" / name / "winner.lock.json", (age, age))
    (tmp_path / "sweeps" / "bad" / "ranks.npy").write_bytes(b"x")
    (tmp_path / "sweeps" / "cut" / "winner.lock.json").unlink()
    assert [result.folder.name for result in newest(tmp_path, "all").values()] == ["good"]
    assert "bad/ranks.npy: damaged" in caplog.text
    assert "cut/winner.lock.json: there is no lock" in caplog.text
    shutil.rmtree(tmp_path / "sweeps" / "good")
    with pytest.raises(HarnessError, match="none of 2 sweeps can be read"):
        newest(tmp_path, "all")


def test_a_lock_that_is_not_there(tmp_path: Path) -> None:
    """Next to a configuration its sweep did not end; elsewhere it is another file."""
    for said in ("no such file; expected", "interrupted before it chose"):
        with pytest.raises(HarnessError, match=said):
            read_lock(tmp_path / "winner.lock.json")
        (tmp_path / "config.yaml").touch()
