"""Settings, prompts and kept answers, which extractor, gate and reader share."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

from harness.endpoint import Answer, Chat
from harness.endpoint.answers import Answers
from harness.endpoint.prompt import fill, listed, read_text
from harness.errors import HarnessError


@dataclass(frozen=True, kw_only=True)
class Asking(Chat):
    concept: ClassVar[str] = "asking"


@pytest.mark.parametrize(
    ("field", "bad"),
    [("temperature", 2.1), ("max_tokens", 0), ("parallel", 0), ("retries", -1), ("backoff", -1), ("timeout", 0)],
)
def test_bounds_name_the_concepts_knob(field: str, bad: float) -> None:
    with pytest.raises(HarnessError, match=rf"^asking\.{field} must be in .*, got {field}={bad}"):
        Asking(model="m", **{field: bad})  # type: ignore[arg-type]
    with pytest.raises(HarnessError, match=r"^asking\.price\.prompt must be in"):
        Asking(model="m", price={"prompt": -1})


def test_requests_and_cost() -> None:
    chat = Asking(model="m", price={"prompt": 2, "completion": 10})
    assert chat.cost({"prompt": 500_000, "completion": 100_000}) == 1 + 1
    assert "response_format" not in chat.request("hello")
    assert "response_format" not in Asking(model="m", schema=False).request("hello", "x", {"type": "object"})
    asked = chat.request("hello", "x", {"type": "object"})
    assert asked["messages"] == [{"role": "user", "content": "hello"}]
    assert asked["response_format"]["json_schema"] == {"name": "x", "strict": True, "schema": {"type": "object"}}


def test_braces_in_a_part_stay() -> None:
    assert fill("{a} {b} {c}", a="{b}", b="2") == "{b} 2 {c}"
    assert listed('so:\n```json\n{"x": [1, "}"]}\n```', "x") == [1, "}"]
    with pytest.raises(ValueError, match="no list under x"):
        listed('{"x": 1}', "x")


def test_a_prompt_holds_its_parts_once(tmp_path: Path) -> None:
    path = tmp_path / "own.txt"
    path.write_text("{facts} {facts} {question}")
    with pytest.raises(HarnessError, match=r"a prompt must hold \{facts\} once, found 2"):
        read_text("gate", "prompt", str(path), "question", "facts")


def test_an_answer_is_found_by_all_that_is_sent(tmp_path: Path) -> None:
    kept, asked = Answers(tmp_path), []

    def ask(request: dict[str, Any]) -> Answer:
        asked.append(request)
        return Answer("yes", "stop", 3, 1)

    request = Asking(model="a/b").request("hello")
    assert kept.found("p", request) is None
    assert kept.get("p", request, ask) == (Answer("yes", "stop", 3, 1), True)
    assert kept.get("p", request, ask) == (kept.found("p", request), False)
    others = [Asking(model="a/c"), Asking(model="a/b", seed=1), Asking(model="a/b", max_tokens=1)]
    assert [kept.found("p", other.request("hello")) for other in others] == [None] * 3
    assert kept.found("q", request) is None
    assert kept.found("p", Asking(model="a/b").request("bye")) is None
    assert len(asked) == 1
