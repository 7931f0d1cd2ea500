"""Settings, prompts and kept answers, which extractor, gate and reader share."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import pytest

from harness.core.errors import HarnessError
from harness.core.identity import identity
from harness.plugins.llm.endpoint import Answer, Chat
from harness.plugins.llm.endpoint.answer_store import Answers
from harness.plugins.llm.endpoint.prompt import fill, read_field, read_text


@dataclass(frozen=True, kw_only=True)
class Asking(Chat):
    concept: ClassVar[str] = "asking"


@pytest.mark.parametrize(
    ("field", "bad"),
    [
        ("temperature", 2.1),
        ("max_tokens", 0),
        ("parallel", 0),
        ("retries", -1),
        ("backoff", -1),
        ("timeout", 0),
        ("max_tokens_total", 0),
    ],
)
def test_bounds_name_the_concepts_knob(field: str, bad: float) -> None:
    with pytest.raises(HarnessError, match=rf"^asking\.{field}.*got {field}={bad}"):
        Asking(model="m", **{field: bad})  # type: ignore[arg-type]


def test_requests() -> None:
    chat = Asking(model="m")
    assert "response_format" not in chat.request("hello")
    assert "response_format" not in Asking(model="m", schema=False).request(
        "hello", "x", {"type": "object"}
    )
    asked = chat.request("hello", "x", {"type": "object"})
    assert asked["messages"] == [{"role": "user", "content": "hello"}]
    assert asked["response_format"]["json_schema"] == {
        "name": "x",
        "strict": True,
        "schema": {"type": "object"},
    }


def test_braces_in_a_part_stay() -> None:
    assert fill("{a} {b} {c}", a="{b}", b="2") == "{b} 2 {c}"
    assert read_field('so:\n```json\n{"x": [1, "}"]}\n```', "x", list) == [1, "}"]
    with pytest.raises(ValueError, match="no list under x"):
        read_field('{"x": 1}', "x", list)


def test_a_prompt_holds_its_parts_once(tmp_path: Path) -> None:
    path = tmp_path / "own.txt"
    path.write_text("{facts} {facts} {question}")
    with pytest.raises(HarnessError, match=r"\{facts\}.*2"):
        read_text("gate", "prompt", str(path), "question", "facts")


def test_an_answer_is_found_by_all_that_is_sent(tmp_path: Path) -> None:
    chat = Asking(model="a/b", base_url="http://127.0.0.1:1/v1", answers=str(tmp_path))
    kept, request, answer = (
        Answers.of(chat),
        chat.request("hello"),
        Answer("yes", "stop", 3, 1, "b"),
    )
    assert kept.find("p", request) is None
    kept.keep("p", request, answer)
    assert Answers.of(chat).find("p", request) == answer
    others = [
        replace(chat, model="a/c"),
        replace(chat, seed=1),
        replace(chat, max_tokens=1),
        replace(chat, refresh=1),
    ]
    others.append(replace(chat, base_url="http://127.0.0.1:2/v1"))
    assert [Answers.of(other).find("p", other.request("hello")) for other in others] == [None] * 5
    assert kept.find("q", request) is None
    assert kept.find("p", chat.request("bye")) is None
    assert kept.serving("c").find("p", request) is None
    assert Answers.of(chat).served == "c"


def test_another_set_of_answers_is_another_result() -> None:
    chat = Asking(model="m")
    assert identity(replace(chat, refresh=0)) == identity(chat)
    assert (
        identity(replace(chat, refresh=True))
        == identity(replace(chat, refresh=1))
        != identity(chat)
    )
