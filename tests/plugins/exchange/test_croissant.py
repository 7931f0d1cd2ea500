"""`harness data out=DIR`: files that others load by their Croissant description, and that are the benchmark."""

import json
from pathlib import Path

import pytest

import harness
from tests.conftest import Command


@pytest.fixture
def folder(tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    status, said, _ = command("data", "dataset=sample", "out=world", "paths.runs=runs")
    assert not status
    assert said.splitlines()[-3:] == ["world/corpus.jsonl", "world/queries.jsonl", "world/croissant.json"]
    assert "licence: Apache-2.0" in said
    return tmp_path / "world"


def test_its_validator_reads_every_record(folder: Path) -> None:
    import mlcroissant

    described = mlcroissant.Dataset(jsonld=folder / "croissant.json")
    assert described.metadata.issues.errors == set()
    sample = harness.load("sample")
    found = {kind: list(described.records(kind)) for kind in ("passages", "questions")}
    assert [row["passages/id"].decode() for row in found["passages"]] == sample.doc_ids.to_pylist()
    first = found["questions"][0]
    assert first["questions/question"].decode() == sample.questions[0]
    assert [one.decode() for one in first["questions/supporting_ids"]] == sample.queries["supporting_ids"][0]
    assert len(found["questions"]) == 600
    assert described.metadata.license == ["Apache-2.0"]


def test_it_is_the_same_benchmark(folder: Path, command: Command) -> None:
    """By the hash, under the rule of the card for what is a chain."""
    rule = "dataset.chain={type: [chain2, chain3, chain4]}"
    status, said, _ = command("data", "dataset=folder", f"dataset.path={folder}", rule, "paths.runs=runs")
    assert not status
    assert f"600 questions, sha256 {harness.load('sample').sha256}" in said
    unordered = ("data", "dataset=folder", f"dataset.path={folder}", "paths.runs=runs")
    status, said, _ = command(*unordered, "dataset.chain=none", "out=again")
    assert not status
    assert command("data", "dataset=folder", "dataset.path=again", "paths.runs=runs")[1].split()[-1] == said.split()[6]
    assert not harness.load("again", runs="runs").ordered.any()


def test_doctor_says_what_differs(folder: Path, command: Command) -> None:
    asked = ("doctor", "files=[world/croissant.json]", "tracking=none", "paths.runs=runs")
    status, said, _ = command(*asked)
    assert (status, said.count("world/croissant.json: sample, 2,000 passages, 600 questions")) == (0, 1)
    corpus = (folder / "corpus.jsonl").read_text()
    (folder / "corpus.jsonl").write_text(corpus.replace("e", "a", 1))
    assert "corpus.jsonl: sha256 is " in command(*asked)[2]
    (folder / "corpus.jsonl").write_text("".join(corpus.splitlines(keepends=True)[:-1]))
    assert "corpus.jsonl: has 1999 passages, and croissant.json says 2000" in command(*asked)[2]
    (folder / "corpus.jsonl").unlink()
    assert "corpus.jsonl is missing beside it" in command(*asked)[2]
    for damaged in ("[]", "{}", json.dumps({"name": 1, "distribution": [1], "recordSet": []})):
        (folder / "croissant.json").write_text(damaged)
        status, _, error = command(*asked)
        assert status == 2
        assert error.count("\n") == 1


def test_the_files_of_another_are_not_written_over(folder: Path, command: Command) -> None:
    (folder / "croissant.json").unlink()
    before = (folder / "corpus.jsonl").read_bytes()
    status, _, said = command("data", "dataset=folder", f"dataset.path={folder}", f"out={folder}", "paths.runs=runs")
    assert (status, (folder / "corpus.jsonl").read_bytes()) == (2, before)
    assert "already there" in said
