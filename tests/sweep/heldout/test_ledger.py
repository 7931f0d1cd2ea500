"""The ledger: append-only, and every way of touching it is found."""

import json

import pytest

from harness.core.errors import HarnessError
from harness.sweep.heldout.ledger import Ledger

FACTS = {"dataset": "d", "data_sha256": "a" * 64, "split": "test"}


@pytest.fixture
def ledger(tmp_path):
    ledger = Ledger(tmp_path / "ledger.jsonl")
    for number in range(4):
        ledger.append({**FACTS, "sweep": f"s{number}"})
    return ledger


def test_evaluations_are_counted_by_data_and_split(ledger):
    assert [entry["evaluation"] for entry in ledger.entries()] == [1, 2, 3, 4]
    assert len(ledger.of("a" * 64)) == 4
    assert ledger.of("b" * 64) == []
    assert ledger.append({**FACTS, "data_sha256": "b" * 64})["evaluation"] == 1


def test_an_empty_ledger_is_intact(tmp_path):
    assert Ledger(tmp_path / "none.jsonl").entries() == []


@pytest.mark.parametrize("line", [0, 1, 2, 3])
def test_a_changed_line_is_found(ledger, line):
    lines = ledger.path.read_text().splitlines()
    lines[line] = lines[line].replace('"sweep": "s', '"sweep": "t')
    ledger.path.write_text("\n".join(lines) + "\n")
    with pytest.raises(HarnessError, match=rf"ledger.jsonl:{line + 1}: .*changed"):
        ledger.entries()


@pytest.mark.parametrize("line", [0, 1, 2])
def test_a_removed_line_is_found(ledger, line):
    lines = ledger.path.read_text().splitlines()
    del lines[line]
    ledger.path.write_text("\n".join(lines) + "\n")
    with pytest.raises(HarnessError, match=rf"ledger.jsonl:{line + 1}: "):
        ledger.entries()


def test_two_lines_that_changed_places_are_found(ledger):
    lines = ledger.path.read_text().splitlines()
    lines[1], lines[2] = lines[2], lines[1]
    ledger.path.write_text("\n".join(lines) + "\n")
    with pytest.raises(HarnessError, match=r"ledger.jsonl:2: "):
        ledger.entries()


@pytest.mark.parametrize("line", ["{broken", "{}", '["previous"]', '"previous"', "1", "null"])
def test_a_line_that_is_no_entry_is_found(ledger, line):
    ledger.path.write_text(f"{ledger.path.read_text()}{line}\n")
    with pytest.raises(HarnessError, match=r"ledger.jsonl:5: "):
        ledger.entries()


def test_a_line_forged_with_a_matching_link_is_found_by_its_own_hash(ledger):
    lines = ledger.path.read_text().splitlines()
    entry = json.loads(lines[3])
    entry["trials"] = ["other"]
    lines[3] = json.dumps(entry, sort_keys=True)
    ledger.path.write_text("\n".join(lines) + "\n")
    with pytest.raises(HarnessError, match=r"ledger.jsonl:4: "):
        ledger.entries()
