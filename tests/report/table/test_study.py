"""The cost of a study, and its checklist."""

import json

import pytest

from harness.report.table.study import study_tables
from harness.work.compute import FILE


@pytest.fixture
def result(example, tmp_path):
    return example.write(tmp_path / "sweeps" / "example")


def note(runs, *records):
    lines = [json.dumps(record) for record in records]
    (runs / FILE).write_text("".join(f"{line}\n" for line in lines))


def test_compute_sums_every_command_also_failed_and_killed_ones(result, tmp_path):
    hardware = {"cpu": {"model": "Fast", "number of cores": 2}, "ram": "8 GiB"}
    note(
        tmp_path,
        {"id": "a", "command": "sweep", "hardware": hardware},
        {"id": "b", "command": "sweep", "hardware": hardware},
        {"id": "a", "failed": False, "wall": 60.0, "processor": 90.0},
        {"id": "b", "failed": True, "wall": 30.0, "processor": 30.0},
        {"id": "c", "command": "heldout", "hardware": hardware},
    )
    compute, checklist = study_tables([result], tmp_path)
    machine = "Fast, 2 cores, 8 GiB"
    assert [list(row) for row in compute.rows] == [
        [machine, "heldout", 1, 1, 0.0, 0.0],
        [machine, "sweep", 2, 1, 2.0, 1.5],
        ["all", "", 3, 2, 2.0, 1.5],
    ]
    assert dict(checklist.rows)["Total compute"].startswith("3 runs (2 failed), 2.0 processor")


def test_checklist_is_filled_in_from_the_sweep(result, tmp_path):
    (checklist,) = study_tables([result], tmp_path)  # no command of this folder noted anything
    answers = dict(checklist.rows)
    manifest = result.manifest
    assert manifest["data_sha256"][:16] in answers["Dataset version"]
    assert f"{len(result.queries)} questions of tune" in answers["Split"]
    assert f"{len(result.trials)} trials" in answers["Hyperparameters tried"]
    assert f"evaluation {result.heldout[0]['evaluation']}" in answers["Evaluations on test"]
    for library, version in manifest["libraries"].items():
        assert f"{library} {version}" in answers["Code and libraries"]


def test_what_sweeps_share_stands_once(result, tmp_path):
    (once,) = study_tables([result], tmp_path)
    (twice,) = study_tables([result, result], tmp_path)
    assert once.rows == twice.rows
