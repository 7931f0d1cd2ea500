"""A signed ledger that is rewritten with right hashes contradicts its tag."""

import subprocess

import pytest

from harness.core.errors import HarnessError
from harness.sweep.heldout.ledger import Ledger
from harness.sweep.heldout.signature import check_signatures, sign

FACTS = {"dataset": "d", "data_sha256": "a" * 64, "split": "test"}


def write(path, *sweeps):
    ledger = Ledger(path)
    for sweep in sweeps:
        ledger.append({**FACTS, "sweep": sweep, "time": "2026-01-01T00:00:00+00:00"})
    return ledger


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "paper"
    for command in (
        ["init", "-q", str(folder)],
        ["-C", str(folder), "config", "user.email", "a@b.example"],
        ["-C", str(folder), "config", "user.name", "A"],
        ["-C", str(folder), "commit", "-q", "--allow-empty", "-m", "begin"],
    ):
        subprocess.run(["git", *command], check=True)
    return folder


def test_a_signed_ledger_agrees_and_may_grow(tmp_path, repository):
    ledger = write(tmp_path / "ledger.jsonl", "s1", "s2")
    tag = sign(ledger, repository)
    assert tag == f"harness-ledger/{ledger.entries()[0]['sha256'][:12]}/2"
    assert sign(ledger, repository) == tag
    write(ledger.path, "s3")
    assert sign(ledger, repository).endswith("/3")
    assert list(check_signatures(ledger, repository)) == [
        "signatures 2 tags of this ledger agree; 0 are of other ledgers"
    ]


def test_a_rewritten_ledger_is_found_by_its_tag(tmp_path, repository):
    sign(write(tmp_path / "ledger.jsonl", "s1", "s2"), repository)
    for path in tmp_path.glob("ledger.*"):
        path.unlink()
    other = write(tmp_path / "ledger.jsonl", "s1", "another")
    assert len(other.entries()) == 2, "its own hashes hold"
    with pytest.raises(HarnessError, match=r"line 2 is .*rewritten after it was signed"):
        list(check_signatures(other, repository))
    for path in tmp_path.glob("ledger.*"):
        path.unlink()
    with pytest.raises(HarnessError, match="only 1 lines"):
        list(check_signatures(write(tmp_path / "ledger.jsonl", "s1"), repository))


def test_a_ledger_of_another_start_is_said_not_to_be_signed(tmp_path, repository):
    sign(write(tmp_path / "ledger.jsonl", "s1"), repository)
    other = write(tmp_path / "other.jsonl", "x")
    assert list(check_signatures(other, repository)) == [
        "signatures 0 tags of this ledger agree; 1 are of other ledgers"
    ]


def test_without_a_repository_or_a_line(tmp_path, repository):
    ledger = write(tmp_path / "ledger.jsonl", "s1")
    assert list(check_signatures(ledger, tmp_path)) == []
    with pytest.raises(HarnessError, match=r"not a git repository.*repository=DIR"):
        sign(ledger, tmp_path)
    with pytest.raises(HarnessError, match="no line to sign"):
        sign(Ledger(tmp_path / "none.jsonl"), repository)
