"""The gate `llm`: what is asked, what is kept, what can go wrong."""

import json
from pathlib import Path
from typing import Any

import pytest

from harness.core.errors import HarnessError
from harness.plugins.llm.endpoint.conversation import MALFORMED
from harness.plugins.llm.gate import keep
from harness.plugins.llm.gate.llm import LLM
from harness.work.store import Store
from tests.plugins.llm.endpoint.scripted import local, served

TEXTS = [
    "dune filmed by david lynch",
    "david lynch grew up in missoula",
    "rome is a city with river",
]
QUESTIONS = ["Where did the director of Dune grow up?", "Which city has a river?", "Why?"]
CANDIDATES = [TEXTS, [TEXTS[2], TEXTS[0]], []]
GOOD = [True, True, False, True, False]


def good(number: int, message: str) -> str:
    chosen = TEXTS[:2] if "director" in message else TEXTS[2:]
    return json.dumps({"facts": chosen})


def gate(url: str, folder: Path, **more: Any) -> LLM:
    return LLM(**local(url, folder, timeout=2, **more))


def test_one_request_a_question_that_has_candidates(tmp_path: Path) -> None:
    with served(good) as endpoint:
        alone = gate(endpoint.url, tmp_path, parallel=1)
        passed, facts = keep(alone, QUESTIONS, CANDIDATES, Store(tmp_path))
    assert passed.tolist() == GOOD
    assert len(endpoint.requests) == 2
    body = endpoint.requests[0]
    message = body["messages"][0]["content"]
    assert f"Question: {QUESTIONS[0]}\n" in message
    assert message.rstrip().endswith("Facts:\n" + "\n".join(f"- {text}" for text in TEXTS))
    assert "at most 4" in message
    sent = [body[key] for key in ("model", "temperature", "seed", "max_tokens")]
    assert sent == ["tiny/model", 0, 0, 512]
    form = body["response_format"]["json_schema"]
    assert form["strict"] is True
    assert form["schema"]["properties"]["facts"]["maxItems"] == 4
    assert form["schema"]["additionalProperties"] is False
    wanted = {
        "candidates": 5,
        "kept": 3,
        "dropped": 2,
        "questions_without_candidate": 1,
        "questions_with_nothing_kept": 0,
        "strangers": 0,
        "beyond": 0,
        "answers": 2,
        "answers_paid": 2,
        "tokens": {"prompt": 200, "completion": 20},
        "malformed": {"invalid": 0, "cut": 0, "refused": 0},
    }
    assert {name: facts[name] for name in wanted} == wanted


@pytest.mark.parametrize(
    ("answer", "first", "counts"),
    [
        ({"facts": ["  DUNE filmed  by David Lynch"]}, [True, False, False], (0, 0)),
        ({"facts": ["dune", TEXTS[2], 3, None]}, [False, False, True], (3, 0)),
        ({"facts": [TEXTS[2], TEXTS[2], TEXTS[1], TEXTS[0]]}, [False, True, True], (0, 1)),
        ({"facts": []}, [False, False, False], (0, 0)),
    ],
    ids=["capitals", "strangers", "more-than-most", "nothing"],
)
def test_only_candidates_and_at_most_so_many(
    tmp_path: Path, answer: Any, first: list[bool], counts: Any
) -> None:
    def play(number: int, message: str) -> str:
        return json.dumps(answer) if "director" in message else good(number, message)

    with served(play) as endpoint:
        two = gate(endpoint.url, tmp_path, most=2)
        passed, facts = keep(two, QUESTIONS, CANDIDATES, Store(tmp_path))
    assert passed.tolist() == [*first, True, False]
    assert (facts["strangers"], facts["beyond"]) == counts


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("I am sorry", "invalid"),
        ('{"facts": "dune"}', "invalid"),
        (("cut", '{"facts": ["dune'), "cut"),
    ],
)
def test_malformed_answers_keep_nothing_and_are_listed(
    tmp_path: Path, answer: Any, why: str
) -> None:
    def play(number: int, message: str) -> Any:
        return answer if "director" in message else good(number, message)

    with served(play) as endpoint:
        passed, facts = keep(gate(endpoint.url, tmp_path), QUESTIONS, CANDIDATES, Store(tmp_path))
    assert passed.tolist() == [False, False, False, True, False]
    assert facts["malformed"] == {"invalid": 0, "cut": 0, "refused": 0, why: 1}
    row = json.loads(next(tmp_path.rglob(MALFORMED)).read_text())
    assert (row["question"], row["why"]) == (QUESTIONS[0], why)


def test_what_the_user_can_mend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(HarnessError, match=r"OPENAI_API_KEY.*gate\.key_variable"):
        keep(LLM(model="m", answers=str(tmp_path / "a")), QUESTIONS, CANDIDATES, Store(tmp_path))
    with pytest.raises(HarnessError, match=r"gate\.prompt=kepe:.*keep"):
        keep(LLM(model="m", prompt="kepe"), QUESTIONS, CANDIDATES, Store(tmp_path))
    with pytest.raises(HarnessError, match=r"^gate\.most.*\[1.*most=0"):
        LLM(model="m", most=0)
