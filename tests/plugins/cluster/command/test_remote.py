"""`paths.shared=s3://...`: machines without a common folder share artifacts through a server of
S3's protocol.
"""

import logging
import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.world.generate import write

MANIFESTS = "artifacts/*/*/manifest.json"


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An empty bucket of a server on this machine, to which the environment leads."""
    pytest.importorskip("s3fs", reason="the extra `s3` is not installed")
    server = pytest.importorskip(
        "moto.server", reason="moto, a server of S3's protocol, is not installed"
    )
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    started = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    started.start()
    host, port = started.get_host_and_port()
    for name, value in {
        "AWS_ENDPOINT_URL_S3": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "tester",
        "AWS_SECRET_ACCESS_KEY": "sk-canary-0123456789",
        "AWS_DEFAULT_REGION": "us-east-1",
    }.items():
        monkeypatch.setenv(name, value)
    import s3fs

    name = f"shared-{uuid.uuid4().hex}"
    s3fs.S3FileSystem(skip_instance_cache=True).mkdir(name)
    yield f"s3://{name}/harness"
    started.stop()


def prepare(world: Path, runs: Path, *more: str) -> subprocess.CompletedProcess[str]:
    line = [
        "prepare",
        "dataset=folder",
        f"dataset.path={world}",
        "encoder=hashed",
        "extractor.model=null",
        *more,
    ]
    return subprocess.run(
        [sys.executable, "-m", "harness", *line, f"paths.runs={runs}", "tracking=none"],
        capture_output=True,
        text=True,
        env=os.environ.copy(),
        cwd=world,
        check=False,
    )


def content(runs: Path) -> dict[str, bytes]:
    """Every file of every artifact."""
    found = (
        path for made in runs.glob(MANIFESTS) for path in made.parent.rglob("*") if path.is_file()
    )
    return {str(path.relative_to(runs)): path.read_bytes() for path in found}


@pytest.mark.slow
def test_two_machines_share_a_bucket(tmp_path: Path, bucket: str) -> None:
    """What one has built the other fetches, to the byte, manifests with their seconds too; no key
    is written.
    """
    world = write(tmp_path / "world", 300)
    first = prepare(world, tmp_path / "one", f"paths.shared={bucket}")
    assert first.returncode == 0, first.stderr
    second = prepare(world, tmp_path / "two", f"paths.shared={bucket}")
    assert second.returncode == 0, second.stderr
    assert f"fetched from {bucket}" in second.stderr
    assert "begins" not in second.stderr
    lists = [
        line.replace(str(tmp_path / "two"), str(tmp_path / "one"))
        for line in second.stdout.splitlines()
    ]
    assert lists == first.stdout.splitlines()
    ones, twos = content(tmp_path / "one"), content(tmp_path / "two")
    assert twos.items() <= ones.items(), (
        "what the lists are made of is fetched where it is asked for"
    )
    assert any(name.startswith("artifacts/retrieve/") for name in twos)
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or b"sk-canary" not in path.read_bytes()


@pytest.mark.slow
def test_a_bucket_that_is_not_there_is_one_line(tmp_path: Path, bucket: str) -> None:
    world = write(tmp_path / "world", 300)
    ended = prepare(world, tmp_path / "one", "paths.shared=s3://elsewhere/harness")
    assert ended.returncode == 2
    (line,) = [line for line in ended.stderr.splitlines() if line.startswith("error: ")]
    assert line.startswith(
        "error: paths.shared=s3://elsewhere/harness: FileNotFoundError: there is no bucket "
        "'elsewhere'"
    )
    assert "Traceback" not in ended.stderr


@pytest.mark.slow
def test_a_server_that_is_away_is_one_line(
    tmp_path: Path, bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:9")
    ended = prepare(write(tmp_path / "world", 300), tmp_path / "one", f"paths.shared={bucket}")
    assert ended.returncode == 2
    assert f"error: paths.shared={bucket}: " in ended.stderr
    assert "Traceback" not in ended.stderr
