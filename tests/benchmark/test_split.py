"""Splits that the questions carry, that a file of ids says, and what is wrong with either."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from harness.benchmark import load, md5_split
from harness.core.errors import HarnessError
from harness.evaluation.gold import Gold
from tests.world.folder import copy_benchmark

NAMES = ("train", "dev", "validation", "tune", "test")


@pytest.fixture
def folder(bench: Path, tmp_path: Path) -> Path:
    """The 40 questions of ``bench``, of which eight are of each of NAMES, in turn."""
    return carrying(bench, tmp_path / "own", lambda number: NAMES[number % 5])


def carrying(bench, place, name):
    def named(number, row):
        return row if name(number) is None else {**row, "split": name(number)}

    return copy_benchmark(bench, place, named)


TEST = [f"q{number}" for number in range(40) if number % 5 == 4]


def test_the_field_of_the_questions_says_which_are_test(folder, tmp_path):
    data = load(folder, runs=tmp_path / "runs").split_by("given")
    assert [data.query_ids[number].as_py() for number in data.members("test")] == TEST
    assert len(data.members("tune")) == 32
    assert (data.folds >= 0).tolist() == [number % 5 != 4 for number in range(40)]
    for gold in (Gold.of(data), Gold.read(folder / "queries.jsonl")):
        assert gold.split("test", "given").query_ids == TEST
        assert gold.split("test", "given").part == "test (given)"


def test_the_hash_of_the_data_is_the_same_and_that_of_the_split_is_its_own(bench, folder, tmp_path):
    plain, own = (load(place, runs=tmp_path / "runs") for place in (bench, folder))
    assert plain.sha256 == own.sha256
    assert plain.split_facts == {"splitting": "md5"}
    given = own.split_by("given").split_facts
    other = carrying(
        bench, tmp_path / "other", lambda number: ("dev", "dev", "dev", "dev", "test")[number % 5]
    )
    renamed = load(other, runs=tmp_path / "runs").split_by("given").split_facts
    assert given == renamed, "dev and train mean the same"
    moved = carrying(
        bench, tmp_path / "moved", lambda number: ("test", "dev", "dev", "dev", "dev")[number % 5]
    )
    assert (
        load(moved, runs=tmp_path / "runs").split_by("given").split_facts["split_sha256"]
        != given["split_sha256"]
    )


@pytest.mark.parametrize("packed", [False, True])
def test_a_file_of_ids_says_it_too(bench, tmp_path, packed):
    lines = [
        "id\tsplit",
        "",
        *(f"q{number}\t{NAMES[number % 5]}" for number in range(40)),
        "elsewhere dev",
    ]
    path = tmp_path / ("splits.tsv.gz" if packed else "splits.tsv")
    text = ("\n".join(lines) + "\n").encode()
    path.write_bytes(gzip.compress(text) if packed else text)
    data = load(bench, runs=tmp_path / "runs").split_by(str(path))
    assert data.ids(data.members("test")) == TEST
    assert data.split_facts["splitting"] == "given"
    assert Gold.read(bench / "queries.jsonl").split("test", str(path)).query_ids == TEST


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("q0 dev\nq1\n", r"s\.tsv:2: expected `id split`.*found 'q1'"),
        ("q0 dev\nq1 test\n\nq0 test\n", r"s\.tsv:4: .*each id once.*found 'q0 test'"),
        ("q0 dev\nq1 blind\n", r"s\.tsv:2: .*tune, dev, train, validation, test, found 'q1 blind'"),
        (
            "q0 dev\nq3 test\n",
            r"38 of its 40 questions have no split, e\.g\. q1; add it to .*s\.tsv",
        ),
    ],
)
def test_a_file_that_is_wrong_is_named_with_its_line(bench, tmp_path, text, told):
    (tmp_path / "s.tsv").write_text(text)
    with pytest.raises(HarnessError, match=told):
        Gold.read(bench / "queries.jsonl").split("tune", str(tmp_path / "s.tsv"))


def test_questions_without_a_split_are_refused_with_their_count(bench, tmp_path):
    some = carrying(bench, tmp_path / "some", lambda number: "dev" if number else None)
    told = r"1 of its 40 questions have no split, e\.g\. q0; give each a field `split`, or split=FILE of lines `id split`"
    with pytest.raises(HarnessError, match=told):
        load(some, runs=tmp_path / "runs").split_by("given").members("tune")
    with pytest.raises(HarnessError, match=r"40.*40"):
        Gold.read(bench / "queries.jsonl").split("tune", "given")
    with pytest.raises(HarnessError, match=r"splitting=given.*`split`.*gold=queries"):
        Gold.from_dict({"q0": {"a": 1}}).split("tune", "given")


def test_other_names_are_refused_and_the_knob_says_what_they_mean(bench, tmp_path):
    own = carrying(
        bench, tmp_path / "own", lambda number: ("blind", "open", "dev", "dev")[number % 4]
    )
    data = load(own, runs=tmp_path / "runs")
    told = r"split blind \(10\), open \(10\), known: tune, dev, .*test; say what it means: 'split=\{blind: test\}'"
    with pytest.raises(HarnessError, match=told):
        data.split_by("given").members("tune")
    mapped = data.split_by({"blind": "test", "open": "tune"})
    assert np.array_equal(mapped.members("test"), np.arange(0, 40, 4))
    assert mapped.split_facts["splitting"] == "given"
    with pytest.raises(HarnessError, match=r"split\.blind=dev"):
        data.split_by({"blind": "dev"})
    with pytest.raises(HarnessError, match=r"split=disjont.*md5.*disjoint"):
        data.split_by("disjont")


def test_a_split_that_is_carried_and_not_used_is_said(folder, tmp_path, caplog):
    data = load(folder, runs=tmp_path / "runs").split_by("md5")
    assert (
        "own: its questions carry a split (train 8, dev 8, validation 8, tune 8, test 8)"
        in caplog.text
    )
    assert "split=md5 does not use; split=given does" in caplog.text
    assert data.split.tolist() == [md5_split(name) for name in data.query_ids.to_pylist()]
    caplog.clear()
    data.split_by("given")
    assert not caplog.text


def test_only_test_questions_are_no_tune_half(bench, tmp_path):
    own = carrying(bench, tmp_path / "own", lambda number: "test")
    told = "own: no query falls into tune; all 40 are given as test; add some of split tune or dev or train"
    with pytest.raises(HarnessError, match=told):
        load(own, runs=tmp_path / "runs").split_by("given").need_members("tune")
