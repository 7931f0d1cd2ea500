"""The reader `llm`: what is asked, what is taken, what can go wrong, and a real model on
127.0.0.1.
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.core.configuration.composition import compose
from harness.core.configuration.instantiation import instantiate
from harness.core.errors import HarnessError
from harness.core.identity import identity
from harness.plugins.llm.endpoint.conversation import MALFORMED
from harness.plugins.llm.reader import Reader, read
from harness.plugins.llm.reader.llm import LLM
from harness.work.store import Store
from tests.plugins.llm.endpoint.model import smollm2
from tests.plugins.llm.endpoint.scripted import local, served

QUESTIONS = ["Who filmed Dune?", "Where does Missoula lie?"]
CONTEXTS = [
    ["Dune (film)\nDune was filmed by David Lynch.", "Missoula\nMissoula lies on the Clark Fork."],
    [],
]
GOOD = ["David Lynch", "on the Clark Fork"]


def good(number: int, message: str) -> str:
    return json.dumps({"answer": GOOD[0] if "Dune?" in message else f"{GOOD[1]}\n"})


def reader(url: str, folder: Path, **more: Any) -> LLM:
    return LLM(**{"timeout": 2, **local(url, folder, **more)})


def test_passages_in_their_order_and_none_in_the_closed_prompt(tmp_path: Path) -> None:
    with served(good) as endpoint:
        alone = reader(endpoint.url, tmp_path, parallel=1)
        answers, facts = read(alone, QUESTIONS, CONTEXTS, Store(tmp_path))
    assert answers == GOOD
    opened, closed = (body["messages"][0]["content"] for body in endpoint.requests)
    assert "[1] Dune (film)\nDune was filmed by David Lynch.\n\n[2] Missoula\n" in opened
    assert opened.rstrip().endswith("Question: Who filmed Dune?")
    assert "assage" not in closed
    assert (endpoint.requests[0]["temperature"], endpoint.requests[0]["seed"]) == (0, 0)
    form = endpoint.requests[0]["response_format"]["json_schema"]
    assert (form["strict"], form["schema"]["required"]) == (True, ["answer"])
    wanted = {
        "questions": 2,
        "without_answer": 0,
        "answers": 2,
        "answers_paid": 2,
        "tokens": {"prompt": 200, "completion": 20},
        "malformed": {"invalid": 0, "cut": 0, "refused": 0},
    }
    assert {name: facts[name] for name in wanted} == wanted


def test_evidence_first_takes_the_last_text(tmp_path: Path) -> None:
    mine = {"prompt": "evidence", "form": ["evidence", "answer"]}
    both = '{"evidence": "It says so.", "answer": "David Lynch"}'
    with served(lambda number, message: both) as endpoint:
        first = reader(endpoint.url, tmp_path, **mine)
        answers, _ = read(first, QUESTIONS, CONTEXTS, Store(tmp_path))
    assert answers == ["David Lynch"] * 2
    schema = endpoint.requests[0]["response_format"]["json_schema"]["schema"]
    assert list(schema["properties"]) == ["evidence", "answer"]


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("I am\nsorry", "invalid"),
        ("a " * 13, "invalid"),
        ("", "invalid"),
        ('{"answer": 3}', "invalid"),
        (("cut", '{"answer": "Dav'), "cut"),
    ],
)
def test_what_cannot_be_used_is_an_empty_answer_counted_and_listed(
    tmp_path: Path, answer: Any, why: str
) -> None:
    def play(number: int, message: str) -> Any:
        return answer if "Dune?" in message else good(number, message)

    with served(play) as endpoint:
        answers, facts = read(reader(endpoint.url, tmp_path), QUESTIONS, CONTEXTS, Store(tmp_path))
    assert answers == ["", GOOD[1]]
    assert facts["without_answer"] == 1
    assert facts["malformed"] == {"invalid": 0, "cut": 0, "refused": 0, why: 1}
    row = json.loads(next(tmp_path.rglob(MALFORMED)).read_text())
    assert (row["question"], row["why"]) == (QUESTIONS[0], why)


def test_a_killed_run_pays_only_for_the_rest(tmp_path: Path) -> None:
    many = [f"Where is {n}?" for n in range(6)]
    none: list[list[str]] = [[]] * 6
    dead = ("half", None)
    with (
        served(lambda number, message: dead if number > 4 else good(number, message)) as endpoint,
        pytest.raises(HarnessError, match=r"^reader\.base_url=http.*:.*tiny/model .*4"),
    ):
        read(reader(endpoint.url, tmp_path, parallel=1), many, none, Store(tmp_path))
    mine = reader(endpoint.url, tmp_path, max_tokens=256)
    estimate = mine.estimate(many, none)
    letters = len(mine._message(many[5], [])[1])
    asked = 2 * -(-letters // 4)
    assert estimate == {"requests": 6, "kept": 4, "prompt": asked, "completion": 512}
    with served(good, endpoint.port) as endpoint:
        _, facts = read(mine, many, none, Store(tmp_path))
    assert (facts["answers"], facts["answers_paid"], len(endpoint.requests)) == (6, 2, 2)


def test_configuration(tmp_path: Path) -> None:
    made = instantiate(compose("answer", ["run=x", "reader.model=m", "paths.runs=r"]).reader)
    assert isinstance(made, Reader)
    assert (made.model, made.answers) == ("m", "r/answers")
    assert identity(made) == identity(LLM(model="m"))
    assert identity(replace(made, prompt="evidence")) != identity(made)
    with pytest.raises(HarnessError, match=r"reader\.form=\['answer'.*'answer'\]"):
        LLM(model="m", form=["answer", "answer"])
    with pytest.raises(HarnessError, match=r"reader\.closed=closd:.*closed"):
        identity(LLM(model="m", closed="closd"))


@pytest.mark.parametrize("answer", ["David Lynch", '"David  Lynch"\n'])
def test_a_bare_name_is_an_answer(tmp_path: Path, answer: str) -> None:
    with served(lambda number, message: answer) as endpoint:
        answers, _ = read(reader(endpoint.url, tmp_path), QUESTIONS, CONTEXTS, Store(tmp_path))
    assert answers == ["David Lynch"] * 2


def test_twenty_unusable_answers_in_a_row_end_it_and_one_is_shown(tmp_path: Path) -> None:
    questions = [f"Who filmed Dune {number}?" for number in range(40)]
    none: list[list[str]] = [[] for _ in questions]
    with served(lambda number, message: "no { object") as endpoint:
        mine = reader(endpoint.url, tmp_path, parallel=1)
        with pytest.raises(HarnessError, match=r"20 answers in a row.*no \{ object"):
            read(mine, questions, none, Store(tmp_path))
    assert len(endpoint.requests) < 3 * 25


@pytest.mark.slow
def test_a_real_model(tmp_path: Path) -> None:
    """What SmolLM2-135M answers is poor; that it does, by the schema, and the same again, is what
    is proved.
    """
    with smollm2() as url:
        mine = reader(url, tmp_path, model="smollm2-135m", parallel=1, max_tokens=64, timeout=900)
        answers, facts = read(mine, QUESTIONS, CONTEXTS, Store(tmp_path / "one"))
        fresh = replace(mine, answers=str(tmp_path / "again"))
        again, _ = read(fresh, QUESTIONS, CONTEXTS, Store(tmp_path / "two"))
    assert facts["answers_paid"] == 2
    assert sum(facts["malformed"].values()) <= 1
    assert any(answers)
    assert again == answers
