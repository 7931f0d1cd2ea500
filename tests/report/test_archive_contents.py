"""The archive of a sweep: the same bytes, held against the sweep itself, and refused where it is
odd.
"""

import json
import zipfile

import pytest

from harness.core.errors import HarnessError
from harness.report.archive_contents import write_archive
from harness.report.display import Display
from harness.report.pdf.document import write as write_report
from harness.sweep.agreement import Agreement
from harness.sweep.folder.archive import opened, pack
from harness.sweep.folder.result import SweepResult
from tests.report.example import write


@pytest.fixture
def result(tmp_path):
    made = write(tmp_path / "runs" / "sweeps" / "sample-0")
    config = made.folder / "config.yaml"
    config.write_text(f"{config.read_text()}paths: {{runs: /home/me}}\ndevice: cuda\n")
    return SweepResult(made.folder)


@pytest.fixture
def archive(result, tmp_path):
    path = tmp_path / "sweep.zip"
    pack(path, result.folder, {"README.md": b"read me", "environment.txt": b"none"})
    return path


@pytest.mark.usefixtures("undrawn")
def test_an_archive_has_the_sweep_and_the_same_bytes(result, tmp_path):
    archive, again = tmp_path / "sweep.zip", tmp_path / "again.zip"
    for path in (archive, again):
        reports = tmp_path / path.stem
        write_report({result.title: result}, tmp_path / "runs", reports, Display())
        write_archive(path, result, tmp_path / "ledger.jsonl", reports)
    assert again.read_bytes() == archive.read_bytes()
    with opened(archive) as folder:
        assert folder.name == "sample-0"
        assert "/home/me" not in (folder / "config.yaml").read_text()
        assert Agreement.of(result, SweepResult(folder)).answer == "same bits"
    with zipfile.ZipFile(archive) as files:
        assert "tables/main.tex" in files.namelist()
        readme = files.read("README.md").decode()
    assert "harness sweep dataset=sample grid=point fuser=boltzmann" in readme
    assert "Licence: Apache-2.0" in readme


def altered(archive, change):
    """The archive with other files."""
    with zipfile.ZipFile(archive) as files:
        content = {name: files.read(name) for name in files.namelist()}
    change(content)
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as files:
        for name, data in content.items():
            files.writestr(name, data)


def of_form(content, form):
    index = {**json.loads(content["archive.json"]), "form": form}
    content["archive.json"] = json.dumps(index).encode()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda files: files.update({"../up": b"x"}), "leads out of it"),
        (lambda files: files.update({"/etc/x": b"x"}), "leads out of it"),
        (lambda files: files.update({"zeros": bytes(100 << 20)}), "more than 10000 files or"),
        (lambda files: files.update({"zeros": bytes(32 << 20)}), "zeros is missing or was added"),
        (lambda files: files.update({"environment.txt": b"x"}), r"environment\.txt was changed"),
        (lambda files: files.update({"more.py": b"x"}), r"more\.py is missing or was added"),
        (lambda files: files.pop("README.md"), r"README\.md is missing or was added"),
        (lambda files: files.pop("archive.json"), "no archive of `harness report archive=`"),
        (lambda files: of_form(files, 2), "form 2 of another version"),
    ],
)
def test_an_odd_archive_is_refused_in_one_line(archive, change, told):
    altered(archive, change)
    with pytest.raises(HarnessError, match=told) as caught, opened(archive):
        pass
    assert "\n" not in str(caught.value)


def test_an_archive_that_lacks_a_file_is_named(archive):
    """Its index fits, the sweep is not whole; the temporary folder is in no message."""

    def without_ranks(files):
        index = json.loads(files["archive.json"])
        (name,) = (name for name in files if name.endswith("/ranks.npy"))
        del files[name], index["files"][name]
        files["archive.json"] = json.dumps(index).encode()

    altered(archive, without_ranks)
    with (
        pytest.raises(HarnessError, match=r"sweep\.zip/ranks\.npy: ") as caught,
        opened(archive) as folder,
    ):
        _ = SweepResult(folder).ranks
    assert str(folder) not in str(caught.value)


def test_what_is_no_zip_archive_is_refused(archive):
    archive.write_bytes(archive.read_bytes()[:-40])
    with pytest.raises(HarnessError, match="damaged"), opened(archive):
        pass


@pytest.mark.usefixtures("undrawn")
def test_a_report_is_made_from_an_archive(archive, command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, out, error = command("report", f"sweep={archive}", "paths.reports=out", "paths.runs=no")
    assert status == 0, error
    assert "report of sample-0" in out
    assert list((tmp_path / "out" / "tables").glob("*/main.tex"))
