"""Artifacts: same key same bytes, nothing half-written, damage found, one builder."""

import errno
import json
import multiprocessing
import time
from unittest.mock import Mock

import pytest

from harness.core.artifact import MANIFEST, check_artifact, open_artifact
from harness.core.errors import HarnessError
from harness.work.part_notes import PLAN, RECORDS
from harness.work.store import Store, forget


def _write(text):
    def build(folder):
        (folder / "data.txt").write_text(text)
        return {"texts": 1}

    return build


def _never(folder):
    raise AssertionError("built again")


def test_it_is_built_once_and_then_read(tmp_path):
    store = Store(tmp_path)
    made = store.get("stage", {"a": 1}, {"data": "x"}, _write("one"))
    found = store.get("stage", {"a": 1.0}, {"data": "x"}, _never)
    assert found == made
    for config, inputs in (({"a": 2}, {"data": "x"}), ({"a": 1}, {"data": "y"})):
        assert store.get("stage", config, inputs, _write("two")).key != made.key
    assert (found.path / "data.txt").read_text() == "one"
    assert found.facts == {"texts": 1}


def test_the_manifest_tells_what_made_it(tmp_path):
    made = Store(tmp_path).get("stage", {"a": 1}, {"data": "x"}, _write("one"))
    manifest = json.loads((made.path / MANIFEST).read_text())
    assert manifest["config"] == {"a": 1}
    assert manifest["inputs"] == {"data": "x"}
    assert manifest["files"]["data.txt"] == {
        "bytes": 3,
        # sha256sum of "one"
        "sha256": "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed",
    }
    assert {"code", "libraries", "seconds"} <= manifest.keys()


@pytest.mark.parametrize(
    "damage", [("data.txt", "eno"), ("data.txt", None), (MANIFEST, "{"), ("data.txt", "on")]
)
def test_a_damaged_one_is_named_and_built_again(tmp_path, caplog, damage):
    store = Store(tmp_path)
    made = store.get("stage", {}, {}, _write("one"))
    name, text = damage
    (made.path / name).unlink()
    if text is not None:
        (made.path / name).write_text(text)
    again = store.get("stage", {}, {}, _write("one"))
    assert (again.path / "data.txt").read_text() == "one"
    assert name in caplog.text


def test_what_a_class_without_a_version_makes_can_be_forgotten(tmp_path):
    store, made_by = Store(tmp_path), {"_target_": "own.Mine", "version": "typed:1"}

    def read(text):
        made = store.get("stage", made_by, {}, _write(text))
        return (made.path / "data.txt").read_text()

    assert [read("one"), read("two")] == ["one", "one"]
    forget()
    assert read("two") == "two"
    assert not (tmp_path / "artifacts").exists()


def test_a_failed_build_leaves_nothing_to_read(tmp_path):
    store = Store(tmp_path)

    def fail(folder):
        (folder / "data.txt").write_text("half")
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError):
        store.get("stage", {}, {}, fail)
    made = store.get("stage", {}, {}, _write("whole"))
    assert [path.name for path in sorted(made.path.iterdir())] == ["data.txt", MANIFEST]


def test_a_resumable_build_finds_what_was_left(tmp_path):
    store = Store(tmp_path)

    def build(folder):
        shards = sorted(path.name for path in folder.glob("shard*"))
        (folder / f"shard{len(shards)}").write_text("x")
        if len(shards) < 2:
            raise KeyboardInterrupt
        return {"resumed_from": len(shards)}

    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            store.get("stage", {}, {}, build, resumable=True)
    assert store.get("stage", {}, {}, build, resumable=True).facts == {"resumed_from": 2}


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS])
def test_a_full_disk_is_one_clear_line(tmp_path, code):
    def full(folder):
        raise OSError(code, "No space left on device")

    with pytest.raises(HarnessError, match=r"device\).*paths\.runs"):
        Store(tmp_path).get("stage", {}, {}, full)
    assert not list(tmp_path.rglob("*.partial"))


def _slow(root, queue):
    def build(folder):
        queue.put("built")
        time.sleep(0.3)
        (folder / "data.txt").write_text("one")

    Store(root).get("stage", {}, {}, build)


def test_of_two_processes_one_builds_and_the_other_waits(tmp_path):
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    workers = [context.Process(target=_slow, args=(tmp_path, queue)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
        assert worker.exitcode == 0
    assert queue.get(timeout=5) == "built"
    assert queue.empty()


@pytest.mark.parametrize("resumable", [True, False])
def test_the_next_build_removes_what_a_killed_one_left(tmp_path, resumable):
    store = Store(tmp_path)
    left = (
        store.place("stage", {}, {}).with_suffix(".partial") / "shards" / "a.npz.999999999.partial"
    )
    left.parent.mkdir(parents=True)
    left.write_text("half")
    made = store.get("stage", {}, {}, _write("one"), resumable=resumable)
    assert set(made.manifest["files"]) == {"data.txt"}
    assert not list(tmp_path.rglob("*.partial"))


def test_a_build_killed_while_it_removed_what_was_told_of_parts_leaves_none_of_it(
    tmp_path, monkeypatch
):
    store = Store(tmp_path)
    monkeypatch.setattr("harness.work.store.shutil.rmtree", Mock(side_effect=KeyboardInterrupt))

    def build(folder):
        (folder / RECORDS).mkdir(exist_ok=True)
        (folder / RECORDS / PLAN).write_text("{}")
        (folder / "data.txt").write_text("one")

    with pytest.raises(KeyboardInterrupt):
        store.get("stage", {}, {}, build, resumable=True)
    monkeypatch.undo()
    made = store.get("stage", {}, {}, build, resumable=True)
    assert [path.name for path in sorted(made.path.rglob("*"))] == ["data.txt", MANIFEST]


def _claim(place, **other):
    """Rewrite a manifest so that all its hashes are right."""
    path = place / MANIFEST
    path.write_text(json.dumps({**json.loads(path.read_text()), **other}))


@pytest.mark.parametrize(
    "other", [{"stage": "index"}, {"config": {"a": 2}}, {"inputs": {"data": "y"}}]
)
def test_another_artifact_under_a_key_is_refused(tmp_path, caplog, other):
    """Its files and their hashes are whole; it is just not what its key says."""
    store = Store(tmp_path)
    made = store.get("stage", {"a": 1}, {"data": "x"}, _write("one"))
    _claim(made.path, **other)
    assert open_artifact(made.path, made.path.name) is None
    assert "are not those of the key" in caplog.text
    with pytest.raises(HarnessError, match="missing or damaged"):
        check_artifact(made.path, "make it anew")
    again = store.get("stage", {"a": 1}, {"data": "x"}, _write("two"))
    assert (again.path / "data.txt").read_text() == "two"


def test_a_manifest_of_another_form_is_damaged(tmp_path, caplog):
    store = Store(tmp_path)
    made = store.get("stage", {}, {}, _write("one"))
    for content in (
        "[]",
        '{"files": [1]}',
        '{"files": {"data.txt": 1}}',
        "[" * 100_000,
        '"\\ud800"',
        "\xff",
    ):
        (made.path / MANIFEST).write_text(content, encoding="latin-1")
        assert open_artifact(made.path, made.path.name) is None
        with pytest.raises(HarnessError, match=r"manifest\.json:"):
            check_artifact(made.path, "make it anew")
