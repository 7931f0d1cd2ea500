"""The file beside a run: what made it, by ir_metadata's names, and whether it is of that run."""

import gzip
import hashlib
import json
import os
from pathlib import Path

import pytest
import yaml

import harness
from harness.core.errors import HarnessError
from harness.run import Run
from harness.run.metadata import check_metadata, sidecar
from tests.conftest import Command

LISTS = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 1.0}, "q3": {}}


@pytest.mark.parametrize("name", ["f.trec", "f.trec.gz", "f.json", "f.parquet", "f.csv", "f.jsonl"])
def test_every_form_has_one(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    harness.write(Run.from_dict(LISTS), path)
    assert {one.name for one in tmp_path.iterdir()} == {name, f"{name}.ir-metadata.yml"}
    said = yaml.safe_load(sidecar(path).read_text())
    assert said["run"] == {
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "queries": 2,
        "entries": 3,
    }
    assert {"tag", "implementation", "platform", "run"} == set(said)
    assert said["implementation"]["source"]["repository"].startswith("multihop-harness ")
    assert any(
        line.startswith("numpy ") for line in said["platform"]["software"]["libraries"]["python"]
    )
    hardware = said["platform"]["hardware"]
    assert hardware["cpu"]["number of cores"] == os.cpu_count()
    assert hardware["ram"].endswith(" GiB")
    assert "2 queries, 3 entries" in check_metadata(path, harness.read(path))
    assert harness.read(path).to_dict()["q1"] == LISTS["q1"]


def test_what_was_typed_is_there(tmp_path: Path, command: Command) -> None:
    harness.write(Run.from_dict(LISTS), tmp_path / "a.trec")
    lists = f"lists={{a: {tmp_path}/a.trec}}"
    assert not command("fuse", lists, "fuser=rrf", f"out={tmp_path}/f.trec")[0]
    said = yaml.safe_load((tmp_path / "f.trec.ir-metadata.yml").read_text())
    assert said["implementation"]["executable"]["cmd"].startswith(f"harness fuse {lists} fuser=rrf")
    assert said["method"]["lists"] == {"a": f"{tmp_path}/a.trec"}
    assert "Rrf(k=60)" in said["method"]["name"]


def test_doctor_holds_runs_against_it(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("good.trec.gz", "cut.trec.gz", "bare.trec"):
        harness.write(Run.from_dict(LISTS), name)
    Path("cut.trec.gz").write_bytes(
        gzip.compress(gzip.decompress(Path("cut.trec.gz").read_bytes())[:-1])
    )
    sidecar(Path("bare.trec")).unlink()
    given = ["tracking=none", "paths.runs=runs"]
    assert not command("doctor", "files=[good.trec.gz]", *given)[0]
    status, said, error = command("doctor", "files=[good.trec.gz,cut.trec.gz,bare.trec]", *given)
    lines = [
        line.split(None, 1) for line in said.splitlines() if line.startswith(("file ", "DAMAGED"))
    ]
    assert status == 2
    assert [first for first, _ in lines] == ["file", "DAMAGED", "DAMAGED"]
    assert "good.trec.gz: 2 queries, 3 entries, hash and counts as " in lines[0][1]
    assert "cut.trec.gz: sha256 is " in lines[1][1]
    assert "bare.trec: bare.trec.ir-metadata.yml is missing next to it" in lines[2][1]
    assert "2 of files=" in error


@pytest.mark.parametrize("text", ["{", "- a", "run: 3", "run: {sha256: x}"])
def test_a_damaged_one_is_said_in_one_line(text: str, tmp_path: Path) -> None:
    harness.write(Run.from_dict(LISTS), tmp_path / "f.trec")
    sidecar(tmp_path / "f.trec").write_text(text)
    with pytest.raises(HarnessError, match=r"f\.trec"):
        check_metadata(tmp_path / "f.trec", Run.from_dict(LISTS))


def test_a_winner_s_run_says_what_its_lock_says(
    command: Command, overrides: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert not command("sweep", *overrides, "grid=point", "fuser=rrf")[0]
    assert not command("apply", "paths.runs=runs", "out=w.trec")[0]
    said = yaml.safe_load(Path("w.trec.ir-metadata.yml").read_text())
    lock = json.loads(next(Path("runs/sweeps").glob("*/winner.lock.json")).read_text())
    assert said["method"]["name"] == lock["winner"]["name"]
    assert said["method"]["lock sha256"] == lock["sha256"]
    assert said["data"]["test collection"] == {
        "name": lock["dataset"],
        "sha256": lock["data_sha256"],
    }
    assert said["research goal"]["evaluation"]["reported measures"] == [lock["objective"]]
