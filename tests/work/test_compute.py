"""Notes of what commands cost, also of those that fail or are killed."""

import json
import os
import signal
import time

import pytest
from omegaconf import OmegaConf

from harness.work import compute
from harness.work.compute import FILE, measured, read_compute


@pytest.fixture
def config(tmp_path):
    return OmegaConf.create({"paths": {"runs": str(tmp_path)}, "busy": 0.0})


@measured
def work(config):
    end = time.process_time() + config.busy
    while time.process_time() < end:
        pass
    if config.get("wrong"):
        raise ValueError("wrong")
    return 7


def test_a_command_that_ends_notes_its_seconds_and_returns(config, tmp_path):
    config.busy = 0.2  # seconds of the processor
    assert work(config) == 7
    (record,) = read_compute(tmp_path)
    assert record["command"] == "test_compute"
    assert record["failed"] is False
    assert record["processor"] >= 0.19
    assert record["wall"] >= 0.19
    assert record["hardware"]["cpu"]["number of cores"] == os.cpu_count()


@pytest.fixture
def at_once(monkeypatch):
    monkeypatch.setattr(compute, "SECONDS", 0.0)


def test_a_command_that_fails_at_once_is_not_counted(config, tmp_path):
    config.wrong = True
    with pytest.raises(ValueError, match="wrong"):
        work(config)
    assert read_compute(tmp_path) == []


@pytest.mark.usefixtures("at_once")
def test_a_command_that_fails_later_is_noted_and_its_error_goes_on(config, tmp_path):
    config.wrong, config.busy = True, 0.2
    with pytest.raises(ValueError, match="wrong"):
        work(config)
    (record,) = read_compute(tmp_path)
    assert record["failed"] is True


@pytest.mark.usefixtures("at_once")
def test_a_killed_command_is_counted_without_seconds(config, tmp_path):
    child = os.fork()
    if child == 0:
        config.busy = 60.0
        work(config)
        os._exit(0)
    while not read_compute(tmp_path):
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    (record,) = read_compute(tmp_path)
    assert record.keys() >= {"command", "time"}
    assert "wall" not in record


@pytest.mark.parametrize("key", ["dry_run", "status"])
def test_what_computes_nothing_notes_nothing(config, tmp_path, key):
    config[key] = True
    assert work(config) == 7
    assert not (tmp_path / FILE).exists()


def test_a_line_that_was_cut_is_passed_over(config, tmp_path):
    work(config)
    with (tmp_path / FILE).open("a") as file:
        file.write('{"id": "cut", "comm')
    assert len(read_compute(tmp_path)) == 1
    assert json.loads((tmp_path / FILE).read_text().splitlines()[0])["command"] == "test_compute"
