"""What every gate is asked and answers: ragged candidates in, a mask over them and counts out."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from omegaconf import OmegaConf

from harness.core.configuration import defaults, instantiate, names
from harness.plugins.llm.gate import Candidates, FactGate, Kept, keep
from harness.plugins.llm.gate.none import Open
from harness.work.store import Store

TEXTS = ["a b c", "d e f", "a b c", "g h i"]
RAGGED = Candidates(TEXTS, np.array([0, 3, 3, 5]), np.array([3, 0, 2, 1, 2]))
"""q0: g, a, a (the same text twice); q1: none; q2: d, a."""


@dataclass(frozen=True)
class Fixed:
    """Keeps the facts of these texts."""

    texts: tuple[str, ...]

    def decide(
        self, questions: Sequence[str], candidates: Candidates, folder: Path, store: Store
    ) -> Kept:
        return np.array(
            [candidates.texts[fact] in self.texts for fact in candidates.fact], dtype=np.bool_
        ), {"own": 1}


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


def test_what_is_decided_is_kept_and_texts_that_are_no_candidate_do_not_matter(
    tmp_path: Path,
) -> None:
    keep(Open(), ["x", "y", "z"], RAGGED, Store(tmp_path))
    more = Candidates(["unused", *TEXTS], RAGGED.indptr, RAGGED.fact + 1)
    assert keep(Open(), ["x", "y", "z"], more, Store(tmp_path))[0].tolist() == [True] * 5
    assert len(list((tmp_path / "artifacts" / "gate").glob("*/manifest.json"))) == 1
    keep(Open(), ["x", "y", "w"], RAGGED, Store(tmp_path))
    keep(
        Open(),
        ["x", "y", "z"],
        Candidates(TEXTS, RAGGED.indptr, RAGGED.fact[::-1]),
        Store(tmp_path),
    )
    keep(
        Open(),
        ["x", "y", "z"],
        Candidates(TEXTS, np.array([0, 2, 3, 5]), RAGGED.fact),
        Store(tmp_path),
    )
    assert len(list((tmp_path / "artifacts" / "gate").glob("*/manifest.json"))) == 4


def test_no_questions_and_no_candidates(tmp_path: Path) -> None:
    nothing = Candidates([], np.zeros(1, np.int64), np.empty(0, np.int32))
    assert keep(Open(), [], nothing, Store(tmp_path))[0].shape == (0,)
    bare = Candidates([], np.zeros(3, np.int64), np.empty(0, np.int32))
    assert keep(Open(), ["x", "y"], bare, Store(tmp_path))[1]["questions_without_candidate"] == 2


def test_as_many_rows_as_questions(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"3 questions.*2 questions"):
        keep(Open(), ["x", "y"], RAGGED, Store(tmp_path))


@given(
    st.lists(st.lists(st.integers(0, 5), max_size=6), max_size=5),
    st.lists(st.sampled_from("abc"), min_size=6),
)
def test_distinct_candidates_name_what_was_there(rows: list[list[int]], texts: list[str]) -> None:
    indptr = np.cumsum([0, *map(len, rows)])
    whole = Candidates(
        texts, indptr, np.array([fact for row in rows for fact in row], dtype=np.int64)
    )
    clean, back = whole.distinct()
    assert len(set(clean.texts)) == len(clean.texts)
    for question, row in enumerate(rows):
        assert clean.of(question) == list(dict.fromkeys(texts[fact] for fact in row))
    assert [clean.texts[clean.fact[i]] for i in back] == [
        texts[fact] for row in rows for fact in row
    ]
    assert clean.question[back].tolist() == whole.question.tolist()


@pytest.mark.parametrize("name", names("gate"))
def test_every_configuration_makes_a_gate_of_its_module(name: str) -> None:
    fields = defaults("gate", name)
    own = {"encoder": defaults("encoder", "hashed"), "model": "m", "answers": "answers"}
    made = instantiate(OmegaConf.create(fields | {key: own[key] for key in own.keys() & fields}))
    assert isinstance(made, FactGate)
    assert type(made).__module__ == f"harness.plugins.llm.gate.{name}"
