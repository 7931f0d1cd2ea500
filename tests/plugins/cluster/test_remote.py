"""A remote store: whole artifacts come from it, go to it once, and damage there is found."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.core.artifact import Artifact
from harness.core.errors import HarnessError
from harness.plugins.cluster.store.remote import Remote
from harness.work.parts import Share, sharing
from harness.work.store import SENT, Store, open_shared


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    """Of a store in this process's memory."""
    import fsspec

    files = fsspec.filesystem("memory")
    yield f"memory://{tmp_path.name}/prefix"
    files.store.clear()


def get(runs: Path, url: str | None, built: list[str]) -> Artifact:
    def build(folder: Path) -> dict[str, int]:
        built.append(runs.name)
        (folder / "deep").mkdir()
        (folder / "deep" / "data.txt").write_text("one")
        (folder / "top.txt").write_text("two")
        return {"files": 2}

    return Store(runs, open_shared(url)).get("stage", {}, {"data": "x"}, build)


def stored(url: str) -> dict[str, bytes]:
    """What the store holds, by path."""
    import fsspec

    files, root = fsspec.url_to_fs(url)
    return {name.removeprefix(root).strip("/"): files.cat_file(name) for name in files.find(root)}


def content(made: Artifact) -> dict[str, bytes]:
    return {
        str(path.relative_to(made.path)): path.read_bytes()
        for path in made.path.rglob("*")
        if path.is_file()
    }


def test_one_machine_builds_and_the_other_fetches(tmp_path: Path, url: str) -> None:
    built: list[str] = []
    first, second = get(tmp_path / "one", url, built), get(tmp_path / "two", url, built)
    with sharing(Share(2, 3)):
        get(tmp_path / "three", url, built)
    assert built == ["one"]
    assert content(first) == content(second)
    assert second.manifest == first.manifest
    assert sorted(stored(url)) == [
        f"stage/{first.key}/{name}" for name in ("deep/data.txt", "manifest.json", "top.txt")
    ]
    assert not list(tmp_path.rglob("*.partial"))


def test_what_was_built_before_there_was_a_store_is_sent_once(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[str] = []
    get(tmp_path / "one", None, built)
    made = get(tmp_path / "one", url, built)
    assert made.path.with_suffix(SENT).read_text() == url
    assert len(stored(url)) == 3
    monkeypatch.setattr(Remote, "send", lambda *given: pytest.fail("sent again"))
    get(tmp_path / "one", url, built)
    assert built == ["one"]


def outside(manifest: dict[str, Any]) -> None:
    manifest["files"]["../../../evil.txt"] = {"sha256": "0", "bytes": 1}


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("top.txt", b"owt"),
        ("top.txt", None),
        ("manifest.json", b"{"),
        ("manifest.json", outside),
        ("manifest.json", lambda manifest: manifest.update(inputs={"data": "y"})),
    ],
)
def test_what_is_damaged_there_is_named_and_built_here(
    tmp_path: Path, url: str, name: str, data: Any, caplog: pytest.LogCaptureFixture
) -> None:
    import fsspec

    built: list[str] = []
    made = get(tmp_path / "one", url, built)
    files, root = fsspec.url_to_fs(url)
    place = f"{root}/stage/{made.key}/{name}"
    if callable(data):
        manifest = json.loads(files.cat_file(place))
        data(manifest)
        data = json.dumps(manifest).encode()
    files.rm_file(place)
    if data is not None:
        files.pipe_file(place, data)
    again = get(tmp_path / "two", url, built)
    assert built == ["one", "two"]
    assert f"{url}/stage/{made.key} is damaged" in caplog.text
    assert content(again).keys() == content(made).keys()
    assert not list(tmp_path.rglob("evil.txt"))
    files.invalidate_cache()
    get(tmp_path / "three", url, built)
    assert built == ["one", "two"], "the one that found it damaged has mended it"


def test_what_was_sent_in_part_is_not_there(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The manifest is last: a killed sender leaves none, and the same command sends the rest."""
    built: list[str] = []
    with monkeypatch.context() as patched:
        patched.setattr("harness.plugins.cluster.store.remote.MANIFEST", "never.json")
        with pytest.raises(HarnessError, match=r"paths.shared=memory://.*FileNotFoundError"):
            get(tmp_path / "one", url, built)
    get(tmp_path / "two", url, built)
    get(tmp_path / "one", url, built)
    assert built == ["one", "two"]
    assert len(stored(url)) == 3


@pytest.mark.parametrize(
    ("given", "said"),
    [("nothing://x/y", "Protocol not known: nothing"), ("memory", ""), ("", None), (None, None)],
)
def test_addresses(
    tmp_path: Path, given: str | None, said: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if said:
        with pytest.raises(HarnessError, match=rf"paths.shared={given}: .*{said}"):
            get(tmp_path / "one", given, [])
    else:
        get(tmp_path / "one", given, [])


def test_a_store_that_refuses_is_one_line_and_the_work_is_kept(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fsspec

    def refuse(*given: Any, **more: Any) -> None:
        raise PermissionError("Access Denied")

    built: list[str] = []
    with monkeypatch.context() as patched:
        patched.setattr(fsspec.filesystem("memory"), "put_file", refuse)
        with pytest.raises(
            HarnessError, match="PermissionError: Access Denied; mend its address or its keys"
        ):
            get(tmp_path / "one", url, built)
    get(tmp_path / "one", url, built)
    assert built == ["one"]
    assert len(stored(url)) == 3
