"""What every gate is asked and answers: ragged candidates in, a mask over them and counts out."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from omegaconf import OmegaConf

from harness.core.configuration.conf_files import defaults, names
from harness.core.configuration.instantiation import instantiate
from harness.plugins.llm.gate import Candidates, FactGate, Kept, keep
from harness.plugins.llm.gate.none import Open
from harness.work.store import Store

RAGGED = [["g h i", "a b c", "a b c"], [], ["d e f", "a b c"]]


@dataclass(frozen=True)
class Fixed:
    """Keeps the facts of these texts."""

    texts: tuple[str, ...]

    def decide(
        self, questions: Sequence[str], candidates: Candidates, folder: Path, store: Store
    ) -> Kept:
        kept = [text in self.texts for own in candidates for text in own]
        return np.array(kept, dtype=np.bool_), {"own": 1}


def test_equal_texts_stand_or_fall_together_and_count_once(tmp_path: Path) -> None:
    passed, facts = keep(Fixed(("a b c",)), ["x", "y", "z"], RAGGED, Store(tmp_path))
    assert passed.tolist() == [False, True, True, False, True]
    assert facts == {
        "candidates": 4,
        "kept": 2,
        "dropped": 2,
        "questions_without_candidate": 1,
        "questions_with_nothing_kept": 0,
        "own": 1,
    }


def test_a_question_with_nothing_kept_is_counted(tmp_path: Path) -> None:
    passed, facts = keep(Fixed(("d e f",)), ["x", "y", "z"], RAGGED, Store(tmp_path))
    assert passed.tolist() == [False, False, False, True, False]
    assert (facts["questions_without_candidate"], facts["questions_with_nothing_kept"]) == (1, 1)


def test_what_is_decided_is_kept_by_questions_and_candidates(tmp_path: Path) -> None:
    keep(Open(), ["x", "y", "z"], RAGGED, Store(tmp_path))
    assert keep(Open(), ["x", "y", "z"], RAGGED, Store(tmp_path))[0].tolist() == [True] * 5
    assert len(list((tmp_path / "artifacts" / "gate").glob("*/manifest.json"))) == 1
    keep(Open(), ["x", "y", "w"], RAGGED, Store(tmp_path))
    keep(Open(), ["x", "y", "z"], RAGGED[::-1], Store(tmp_path))
    assert len(list((tmp_path / "artifacts" / "gate").glob("*/manifest.json"))) == 3


def test_no_questions_and_no_candidates(tmp_path: Path) -> None:
    assert keep(Open(), [], [], Store(tmp_path))[0].shape == (0,)
    assert (
        keep(Open(), ["x", "y"], [[], []], Store(tmp_path))[1]["questions_without_candidate"] == 2
    )


@pytest.mark.parametrize("name", names("gate"))
def test_every_configuration_makes_a_gate_of_its_module(name: str) -> None:
    fields = defaults("gate", name)
    own = {"encoder": defaults("encoder", "hashed"), "model": "m", "answers": "answers"}
    made = instantiate(OmegaConf.create(fields | {key: own[key] for key in own.keys() & fields}))
    assert isinstance(made, FactGate)
    assert type(made).__module__ == f"harness.plugins.llm.gate.{name}"
