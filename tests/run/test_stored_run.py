"""Runs of ours: folders of the store, read as any other run."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from harness.core.errors import HarnessError
from harness.run import Run
from harness.run import io as lists
from harness.run.stored_run import keep_ids
from harness.work.store import Store
from tests.world.few import few


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """The run {q0: b over a, q1: nothing} as an artifact."""
    benchmark = few(["a", "b", "c"], ["?", "??"], ["a", "b", "c"])
    run = Run.of(["q0", "q1"], ["a", "b", "c"], [0, 0], [0, 1], [0.25, 0.5])
    store = Store(tmp_path)
    keep_ids(benchmark, store)
    inputs = {"benchmark": benchmark.sha256}
    return store.get("retrieve", {"k": 1}, inputs, lambda folder: run.save(folder)).path


def test_a_folder_of_ours_is_a_run(stored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert lists.read(stored).to_dict() == {"q0": {"b": 0.5, "a": 0.25}, "q1": {}}
    monkeypatch.chdir(stored.parent)
    assert lists.read(stored.name).query_ids.equals(pa.array(["q0", "q1"]))


def test_a_folder_of_ours_is_not_written(stored: Path) -> None:
    with pytest.raises(HarnessError, match="name a file"):
        lists.write(lists.read(stored), stored)


def test_folders_that_are_no_runs(stored: Path, tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match="without a readable manifest"):
        lists.read(tmp_path)
    with pytest.raises(HarnessError, match="an artifact of the stage ids"):
        lists.read(next((tmp_path / "artifacts" / "ids").glob("*[!k]")))
    manifest = json.loads((stored / "manifest.json").read_text())
    manifest["inputs"]["benchmark"] = "other"
    (stored / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(HarnessError, match="`harness prepare`"):
        lists.read(stored)
    assert not list((tmp_path / "artifacts" / "ids").glob("*.partial"))


def test_a_damaged_run_is_said(stored: Path) -> None:
    (stored / "docs.npy").write_bytes(b"nothing")
    with pytest.raises(HarnessError, match="damaged run"):
        lists.read(stored)


@pytest.mark.parametrize("name", [*(f"{name}.npy" for name in Run.ARRAYS), "manifest.json"])
def test_every_flipped_byte_of_a_run_is_named(stored: Path, name: str) -> None:
    path = stored / name
    whole = bytearray(path.read_bytes())
    for place in range(0, len(whole), 7 if name == "manifest.json" else 1):
        changed = whole.copy()
        changed[place] ^= 0x10
        path.write_bytes(changed)
        try:
            found = lists.read(stored).to_dict()
        except HarnessError:
            continue
        assert name == "manifest.json", place
        assert found == {"q0": {"b": 0.5, "a": 0.25}, "q1": {}}


@pytest.mark.parametrize("name", ["docs.npy", "queries.arrow"])
def test_a_folder_of_a_stranger_that_does_not_hold_arrays(stored: Path, name: str) -> None:
    """Its manifest fits its files: an array of Python objects is never loaded."""
    (ids,) = (stored.parents[1] / "ids").glob("*[!k]")
    place = stored if name == "docs.npy" else ids
    with (place / name).open("wb") as stream:
        np.save(stream, np.array([{"a": 1}, None], object), allow_pickle=True)
    manifest = json.loads((place / "manifest.json").read_text())
    content = (place / name).read_bytes()
    manifest["files"][name] = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    (place / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(HarnessError, match=name if place == stored else "Arrow files") as caught:
        lists.read(stored)
    assert "\n" not in str(caught.value)
