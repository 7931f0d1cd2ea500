"""The ledger: append-only, and every way of touching it is found."""

import json

import pytest

from harness.core.errors import HarnessError
from harness.sweep.heldout.ledger import Ledger, pack_keys

FACTS = {"dataset": "d", "data_sha256": "a" * 64, "split": "test"}


@pytest.fixture
def ledger(tmp_path):
    ledger = Ledger(tmp_path / "ledger.jsonl")
    for number in range(4):
        ledger.append({**FACTS, "evaluation": number + 1, "sweep": f"s{number}"})
    return ledger


def test_an_empty_ledger_is_intact(tmp_path):
    assert Ledger(tmp_path / "none.jsonl").entries() == []


def edited(lines, place):
    lines[place] = lines[place].replace('"sweep": "s', '"sweep": "t')


def forged(lines):
    """The last line has other trials; its link to the one before it is right."""
    lines[3] = json.dumps({**json.loads(lines[3]), "trials": ["other"]}, sort_keys=True)


NO_ENTRIES = ("{broken", "{}", '["previous"]', '"previous"', "1", "null")
DAMAGE = [
    *((edited, (place,), place + 1) for place in range(4)),
    *((list.pop, (place,), place + 1) for place in range(3)),
    (lambda lines: lines.insert(1, lines.pop(2)), (), 2),
    (forged, (), 4),
    *((list.append, (line,), 5) for line in NO_ENTRIES),
]
"""What is done to four lines, with what, and the number of the line that is named."""


@pytest.mark.parametrize(("damage", "given", "number"), DAMAGE)
def test_damage_is_found_in_its_line(ledger, damage, given, number):
    lines = ledger.path.read_text().splitlines()
    damage(lines, *given)
    ledger.path.write_text("\n".join(lines) + "\n")
    with pytest.raises(HarnessError, match=rf"ledger\.jsonl:{number}: "):
        ledger.entries()


def keys(first: int, last: int) -> list[tuple[str, ...]]:
    """The keys of questions: of a text and of an id with gold, 16 hex digits each."""
    return [(f"{number:016x}", f"{number + 2**32:016x}") for number in range(first, last)]


def test_an_evaluation_counts_from_a_tenth_of_the_questions(tmp_path):
    """Of 100 questions 10 were evaluated before: this is the second evaluation; of 101 the first."""
    ledger = Ledger(tmp_path / "ledger.jsonl")
    ledger.append({**FACTS, "evaluation": 1, "questions": pack_keys(keys(0, 10))})
    found = ledger.look(keys(0, 100), "b" * 64)
    assert (found.evaluation, found.seen, found.of) == (2, 10, 100)
    assert ledger.look(keys(0, 101), "b" * 64).evaluation == 1
    ledger.append({**FACTS, "evaluation": 2, "questions": pack_keys(keys(0, 100))})
    assert ledger.look(keys(90, 110), "b" * 64).evaluation == 2
    assert ledger.look(keys(0, 100), "b" * 64).evaluation == 3


def test_either_key_makes_a_question_known(tmp_path):
    """The text under another id, and the id with its gold under another text."""
    ledger = Ledger(tmp_path / "ledger.jsonl")
    ledger.append({**FACTS, "evaluation": 1, "questions": pack_keys(keys(0, 2))})
    (text, gold), other = keys(0, 1)[0], "f" * 16
    for known in ((text, other), (other, gold), (gold,)):
        assert ledger.look([known], "b" * 64).seen == 1
    assert ledger.look([(other, "e" * 16)], "b" * 64).seen == 0


def test_a_line_without_keys_counts_for_the_same_data(ledger):
    assert ledger.look(keys(0, 3), "a" * 64).evaluation == 5
    assert ledger.look(keys(0, 3), "b" * 64).evaluation == 1
