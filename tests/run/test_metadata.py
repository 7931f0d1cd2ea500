"""The file beside a run: what made it, by ir_metadata's names, and whether it is of that run."""

import hashlib
import json
import os
from pathlib import Path

import pytest
import yaml

import harness
from harness.run import Run
from harness.run.metadata import sidecar
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
    assert harness.read(path).to_dict()["q1"] == LISTS["q1"]


def test_what_was_typed_is_there_without_passwords(tmp_path: Path, command: Command) -> None:
    harness.write(Run.from_dict(LISTS), tmp_path / "a.trec")
    lists = f"lists={{a: {tmp_path}/a.trec}}"
    secret = "gold='s3://me:word@host/x'"
    assert not command("fuse", lists, "fuser=rrf", f"out={tmp_path}/f.trec", secret)[0]
    said = yaml.safe_load((tmp_path / "f.trec.ir-metadata.yml").read_text())
    assert said["implementation"]["executable"]["cmd"].startswith(f"harness fuse {lists} fuser=rrf")
    assert said["method"]["lists"] == {"a": f"{tmp_path}/a.trec"}
    assert "Rrf(k=60)" in said["method"]["name"]
    assert "word" not in str(said)


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
