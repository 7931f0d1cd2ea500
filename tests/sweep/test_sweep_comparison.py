"""Two sweeps' folders, made by hand, held against each other."""

import json
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from harness.core.identity import digest
from harness.sweep.sweep_comparison import Agreement, _with_first
from tests.report.example import A, as_a_list, write


@pytest.fixture
def mine(tmp_path):
    return write(tmp_path / "mine")


def change(result, **facts):
    """The sweep with other facts in its manifest."""
    path = result.folder / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **facts}))
    return type(result)(result.folder)


def last(mine, theirs):
    found = Agreement.of(mine, theirs)
    return found.answer, found.lines[-1]


def test_the_same_sweep_by_another_library_has_the_same_bits(mine, tmp_path):
    theirs = change(write(tmp_path / "theirs"), libraries={"numpy": "2.0.0"})
    found = Agreement.of(mine, theirs)
    assert (found.answer, found.lines[-1]) == ("same bits", "same bits")
    assert "libraries  libraries.numpy: 2.4.6 here, 2.0.0 there" in found.lines
    assert [line.split()[0] for line in found.lines if "trials in both" in line] == ["tune", "test"]


def test_changed_ranks_and_scores_are_measured_and_explained(mine, tmp_path):
    """Of trial 5 (`rrf`) the last hops of q3 and q4 are found: 2 of its 17 gold ranks, 1/4 of
    last_hop@5."""
    theirs = change(write(tmp_path / "theirs"), libraries={"numpy": "2.0.0"}, code="0.2.0+abc")
    ranks = np.load(theirs.folder / "ranks.npy")
    assert (ranks[5, 3:5, 1] == A).all()
    ranks[5, 3:5, 1] = 2
    np.save(theirs.folder / "ranks.npy", ranks)
    assert Agreement.of(mine, type(theirs)(theirs.folder)).answer == "same verdict"
    trials = pd.read_parquet(theirs.folder / "trials.parquet")
    trials.loc[5, "last_hop@5"] += 0.25
    trials.to_parquet(theirs.folder / "trials.parquet")
    found = Agreement.of(mine, theirs)
    assert (
        "ranks      equal in 7 of 8 trials; at least 88.24% of gold ranks are equal" in found.lines
    )
    assert "metrics    greatest differences, in points: last_hop@5 25" in found.lines
    assert last(mine, theirs) == (
        "same verdict",
        "same verdict, scores within 25 points "
        "(other libraries: libraries.numpy: 2.4.6 here, 2.0.0 there)",
    )


def test_a_winner_that_follows_a_list_there_is_another_verdict(mine, tmp_path):
    answer, said = last(mine, as_a_list(write(tmp_path / "theirs")))
    assert answer == "another verdict"
    assert "no input that the manifests name differs" in said


def test_another_winner_of_other_data_is_another_verdict(mine, tmp_path):
    theirs = change(write(tmp_path / "theirs"), data_sha256="0" * 64)
    path = theirs.folder / "winner.lock.json"
    lock = json.loads(path.read_text())
    lock = {key: value for key, value in lock.items() if key != "sha256"}
    lock["winner"] = lock["fusers"][1]
    path.write_text(json.dumps({**lock, "sha256": digest(lock)}))
    answer, said = last(mine, type(theirs)(theirs.folder))
    assert answer == "another verdict"
    assert "other data: data_sha256" in said


def test_as_many_trials_of_which_one_is_another_are_not_the_same_bits(mine, tmp_path):
    theirs = write(tmp_path / "theirs")
    trials = pd.read_parquet(theirs.folder / "trials.parquet")
    assert trials.loc[5, "name"] == "rrf k=60"
    parameters = json.loads(trials.loc[5, "parameters"])
    trials.loc[5, "parameters"] = json.dumps({**parameters, "fuser.k": 7})
    trials.to_parquet(theirs.folder / "trials.parquet")
    found = Agreement.of(mine, type(theirs)(theirs.folder))
    assert "tune       8 questions; trials in both: 7 of 8 here and 8 there" in found.lines
    assert found.answer == "same verdict"


def test_the_same_questions_in_another_order_have_the_same_ranks(mine, tmp_path):
    theirs = write(tmp_path / "theirs")
    ranks = np.load(theirs.folder / "ranks.npy")
    np.save(theirs.folder / "ranks.npy", ranks[:, ::-1])
    frame = pd.read_parquet(theirs.folder / "queries.parquet")
    frame[::-1].reset_index(drop=True).to_parquet(theirs.folder / "queries.parquet")
    found = Agreement.of(mine, type(theirs)(theirs.folder))
    assert any(line.startswith("ranks      equal in 8 of 8 trials") for line in found.lines)
    assert found.answer == "same verdict"


def test_sweeps_of_other_questions_are_not_comparable(mine, tmp_path):
    theirs = change(write(tmp_path / "theirs"), dataset="other")
    path = theirs.folder / "queries.parquet"
    frame = pd.read_parquet(path)
    frame.assign(id="x" + frame["id"]).to_parquet(path)
    answer, said = last(mine, type(theirs)(theirs.folder))
    assert answer == "not comparable"
    assert "other tune questions (other data: dataset: sample here, other there)" in said


def test_compare_and_verify_print_the_same(tmp_path, command):
    """Also the status is that of the answer, and a damaged file is an error of both."""
    for name in ("mine", "theirs"):
        write(tmp_path / "runs" / "sweeps" / name)
    mine, theirs = (tmp_path / "runs" / "sweeps" / name for name in ("mine", "theirs"))
    status, printed, error = command("compare", f"run={mine}", f"baseline={theirs}")
    assert (status, error) == (0, "")
    assert printed.splitlines()[-1] == "same bits"
    assert "2 settings on the test half of sample" in printed
    status, checked, error = command("verify", str(mine), f"against={theirs}")
    assert status == 0, error
    assert checked.endswith(printed)
    with (theirs / "comparisons.parquet").open("ab") as file:
        file.write(b"x")
    for line in (
        ("compare", f"run={mine}", f"baseline={theirs}"),
        ("verify", str(mine), f"against={theirs}"),
    ):
        status, _, error = command(*line)
        assert status == 2
        assert "comparisons.parquet: damaged" in error


def test_less_wins_where_less_is_better() -> None:
    """The second is 1 less on 12 questions, in another order: p = 2 / 2^12. The third has other
    questions.
    """

    def view(first: int, step: int = 1) -> Any:
        ids = [f"q{number}" for number in range(first, first + 12)][::step]
        metric = SimpleNamespace(binary=False, higher_is_better=False)
        return SimpleNamespace(
            metric=metric,
            margin=0.02,
            clusters=np.arange(12),
            queries=pd.DataFrame({"id": ids}),
            evaluation=0,
        )

    values = [np.arange(12) + 1.0, np.arange(12)[::-1] + 0.0, np.full(12, 1.0)]
    found = _with_first([view(0), view(0, -1), view(1)], values)
    assert list(found) == [1]
    assert (found[1].wins, found[1].losses, found[1].finding) == (12, 0, "better")
    assert found[1].decided.p == 2 / 2**12
