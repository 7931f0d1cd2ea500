"""A sweep travels as one file: the same bytes, the same sweep, and nothing but plain files of it is unpacked."""

import io
import os
import subprocess
import sys
import tarfile
from types import SimpleNamespace

import pyarrow as pa
import pytest

from harness.core.errors import HarnessError
from harness.sweep.folder import archive as archive_module
from harness.sweep.folder.archive import export_sweep, import_sweep


@pytest.fixture
def sweep(example, tmp_path):
    example.write(tmp_path / "runs" / "sweeps" / "s2")
    return tmp_path / "runs" / "sweeps" / "s2"


def packed(path, *members):
    """An archive of (TarInfo, bytes)."""
    with pa.CompressedOutputStream(str(path), "zstd") as stream, tarfile.open(fileobj=stream, mode="w|") as tar:
        for member, content in members:
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return path


def special(name, kind, target=""):
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, target
    return member, b""


def test_there_and_back_byte_by_byte(sweep, tmp_path):
    one = export_sweep(sweep, tmp_path / "one.tar.zst")
    two = export_sweep(sweep, tmp_path / "two.tar.zst")
    assert one.read_bytes() == two.read_bytes()
    folder = import_sweep(one, tmp_path / "elsewhere")
    assert folder == tmp_path / "elsewhere" / "sweeps" / "s2"
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {
        path.name: path.read_bytes() for path in sweep.iterdir()
    }
    with pytest.raises(HarnessError, match="there is such a sweep already"):
        import_sweep(one, tmp_path / "elsewhere")


@pytest.mark.parametrize(
    "member",
    [
        (tarfile.TarInfo("../outside.txt"), b"x"),
        (tarfile.TarInfo("/etc/outside.txt"), b"x"),
        (tarfile.TarInfo("s2/../../outside.txt"), b"x"),
        (tarfile.TarInfo("s2/deep/file"), b"x"),
        (tarfile.TarInfo("s2/..\\outside"), b"x"),
        (tarfile.TarInfo("latest/file"), b"x"),
        (tarfile.TarInfo("s2.partial/file"), b"x"),
        special("s2/link", tarfile.SYMTYPE, "/etc/passwd"),
        special("s2/hard", tarfile.LNKTYPE, "s2/config.yaml"),
        special("s2/device", tarfile.CHRTYPE),
        special("s2/pipe", tarfile.FIFOTYPE),
    ],
    ids=lambda member: member[0].name,
)
def test_what_is_no_plain_file_of_the_sweep_is_refused(member, tmp_path):
    archive = packed(tmp_path / "bad.tar.zst", member)
    with pytest.raises(HarnessError, match="refused: only plain files SWEEP/FILE"):
        import_sweep(archive, tmp_path / "runs")
    assert not list((tmp_path / "runs").rglob("*.txt"))
    assert [path.name for path in (tmp_path / "runs" / "sweeps").iterdir()] == []
    assert not (tmp_path / "outside.txt").exists()


def test_a_header_of_a_gigabyte_is_not_read(tmp_path):
    """Packed it has some kilobytes; tarfile would hold it in memory three times over."""
    header = tarfile.TarInfo("PaxHeaders/x")
    header.type, header.size = tarfile.XHDTYPE, 1 << 30
    path = tmp_path / "header.tar.zst"
    with pa.CompressedOutputStream(str(path), "zstd") as stream:
        stream.write(header.tobuf())
        stream.write(bytes(1 << 20))
    with pytest.raises(HarnessError, match=r"no archive of a sweep .a header of 1073741824 bytes, at most 65536"):
        import_sweep(path, tmp_path / "runs")


@pytest.mark.parametrize(("name", "most"), [("MEMBER", 10), ("WHOLE", 25)])
def test_a_member_and_a_sweep_have_a_largest_size(tmp_path, monkeypatch, name, most):
    size = 11 if name == "MEMBER" else 9
    members = [(tarfile.TarInfo(f"s2/{letter}"), bytes(size)) for letter in "abc"]
    monkeypatch.setattr(archive_module, name, most)
    with pytest.raises(HarnessError, match="a sweep has at most"):
        import_sweep(packed(tmp_path / "large.tar.zst", *members), tmp_path / "runs")
    assert not list((tmp_path / "runs" / "sweeps").iterdir())


def test_two_sweeps_a_damaged_one_and_no_archive_are_refused(tmp_path):
    two = packed(tmp_path / "two.tar.zst", (tarfile.TarInfo("a/x"), b"1"), (tarfile.TarInfo("b/y"), b"2"))
    with pytest.raises(HarnessError, match="expected the files of one sweep"):
        import_sweep(two, tmp_path / "runs")
    with pytest.raises(HarnessError, match=r"trials\.parquet"):
        import_sweep(packed(tmp_path / "none.tar.zst", (tarfile.TarInfo("a/x"), b"1")), tmp_path / "runs")
    (tmp_path / "text.tar.zst").write_text("no archive")
    with pytest.raises(HarnessError, match="no archive of a sweep"):
        import_sweep(tmp_path / "text.tar.zst", tmp_path / "runs")
    with pytest.raises(HarnessError, match="there is no such file"):
        import_sweep(tmp_path / "missing.tar.zst", tmp_path / "runs")
    assert not list((tmp_path / "runs" / "sweeps").iterdir())


def test_of_two_that_unpack_the_same_at_once_one_wins(sweep, tmp_path, monkeypatch):
    archive, check = export_sweep(sweep, tmp_path / "s2.tar.zst"), archive_module.SweepResult.check

    def meanwhile(result):
        check(result)
        monkeypatch.setattr(archive_module.SweepResult, "check", check)
        monkeypatch.setattr(archive_module.os, "getpid", lambda: 1)
        import_sweep(archive, tmp_path / "elsewhere")

    monkeypatch.setattr(archive_module.SweepResult, "check", meanwhile)
    with pytest.raises(HarnessError, match="there is such a sweep already"):
        import_sweep(archive, tmp_path / "elsewhere")
    assert [path.name for path in (tmp_path / "elsewhere" / "sweeps").iterdir()] == ["s2"]


def test_what_a_killed_one_left_is_removed_and_a_long_name_is_no_mistake(sweep, tmp_path):
    archive = export_sweep(sweep, tmp_path / "s2.tar.zst").rename(tmp_path / ("x" * 246 + ".tar.zst"))
    left = tmp_path / "elsewhere" / "sweeps" / ".import.999999999.partial"
    left.mkdir(parents=True)
    import_sweep(archive, tmp_path / "elsewhere")
    assert not left.exists()


def test_what_would_not_fit_is_refused_before_it_is_written(sweep, tmp_path, monkeypatch):
    archive = export_sweep(sweep, tmp_path / "s2.tar.zst")
    monkeypatch.setattr(archive_module.shutil, "disk_usage", lambda folder: SimpleNamespace(free=10))
    with pytest.raises(HarnessError, match=r"s2/\S+: \d+ bytes, but 10 are free"):
        import_sweep(archive, tmp_path / "elsewhere")


def test_a_sweep_that_travelled_is_listed_and_reported_where_its_data_are_not(sweep, tmp_path):
    archive = export_sweep(sweep, tmp_path / "s2.tar.zst")
    place = tmp_path / "another machine"
    place.mkdir()
    moved = {"HARNESS_RUNS": f"{place}/r", "HARNESS_REPORTS": f"{place}/out", "HARNESS_DATA": f"{place}/none"}

    def harness(*arguments):
        command = [sys.executable, "-m", "harness", *arguments]
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=place, env={**os.environ, **moved}, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    folder = harness("import", str(archive)).splitlines()[-1]
    assert folder == f"{place}/r/sweeps/s2"
    assert "s2" in harness("list")
    harness("report", f"sweep={folder}", "tracking=none")
    assert (place / "out" / "site" / "index.html").is_file()
    assert sorted(path.name for path in place.iterdir()) == ["out", "r"]
