"""Settings and kept answers, what an endpoint can do wrong, and that no key leaves the process."""

import itertools
import json
import time
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from harness.core.errors import HarnessError
from harness.core.identity import identity
from harness.plugins.llm.encoder.text_embedding_3_small import TextEmbedding3Small
from harness.plugins.llm.endpoint.answer_store import Answers
from harness.plugins.llm.endpoint.chat import Chat
from harness.plugins.llm.endpoint.client import LONGEST_WAIT, Answer, seconds_of
from harness.plugins.llm.endpoint.conversation import Conversation
from harness.plugins.llm.endpoint.prompt import fill, read_field, read_text
from tests.plugins.llm.endpoint.scripted import Play, served

CANARY = "sk-canary-0123456789"


@dataclass(frozen=True, kw_only=True)
class Asking(Chat):
    concept: ClassVar[str] = "asking"


def asking(url: str, folder: Path, **more: Any) -> Asking:
    kept = {"base_url": url, "answers": str(folder), "retries": 0, "backoff": 0}
    return Asking(**{"model": "m", **kept, **more})


def ask(chat: Asking, items: int = 1) -> tuple[list[Any], Conversation]:
    """Each item's answer, a JSON value."""
    conversation = Conversation(chat)

    def one(item: int) -> Any:
        return conversation.ask({"item": item}, "prompt", f"item {item}", json.loads)

    return conversation.ask_all(range(items), one, "ask", "item"), conversation


@pytest.mark.parametrize("header", [True, False], ids=["header", "body"])
def test_a_server_that_sends_byte_by_byte_is_left_at_the_deadline(
    tmp_path: Path, header: bool
) -> None:
    begun = time.monotonic()
    with (
        served(lambda number, message: ("drip", header)) as endpoint,
        pytest.raises(HarnessError, match=r"0\.5.*1 time\)"),
    ):
        ask(asking(endpoint.url, tmp_path, timeout=0.5))
    assert time.monotonic() - begun < 5


def test_the_deadline_has_the_same_words_where_the_reading_thread_sees_it_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hours = itertools.count(step=3600)
    monkeypatch.setattr(
        "harness.plugins.llm.endpoint.transport.time",
        SimpleNamespace(monotonic=lambda: next(hours)),
    )
    with (
        served(lambda number, message: ("drip", False)) as endpoint,
        pytest.raises(HarnessError, match=r"30.*2 times"),
    ):
        ask(asking(endpoint.url, tmp_path, timeout=30, retries=1))


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (("garbage", b" " * (17 << 20)), "more than 16 MiB"),
        (("garbage", b"[" * 100_000), "RecursionError"),
        (("redirect", "/v1/chat/completions"), "redirects"),
    ],
    ids=["large", "deep", "circle"],
)
def test_what_no_answer_may_be(tmp_path: Path, fault: Any, said: str) -> None:
    with served(lambda number, message: fault) as endpoint, pytest.raises(HarnessError, match=said):
        ask(asking(endpoint.url, tmp_path))
    assert len(endpoint.requests) <= 4, "three redirects at most"


def test_a_deep_answer_within_a_right_one_is_unreadable(tmp_path: Path) -> None:
    with served(lambda number, message: "[" * 100_000) as endpoint:
        found, conversation = ask(asking(endpoint.url, tmp_path))
    assert found == [None]
    assert [row["why"] for row in conversation.wrong] == ["invalid"]


def test_how_long_an_endpoint_may_make_us_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    slept: list[float] = []
    monkeypatch.setattr(
        "harness.plugins.llm.endpoint.client.time", SimpleNamespace(sleep=slept.append)
    )
    with served(lambda number, message: ("wait", "86400") if number == 1 else "1") as endpoint:
        assert ask(asking(endpoint.url, tmp_path, retries=1))[0] == [1]
    assert slept == [LONGEST_WAIT]
    assert "429: Error code: 429" in caplog.text
    assert "slowly" in caplog.text
    assert "waiting 60 seconds (it asked for 86400)" in caplog.text


def test_retry_after_is_a_number() -> None:
    read = [seconds_of(value) for value in ("3", "0.5", "-1", "", "soon")]
    assert read == [3, 0.5, 0, None, None]


def test_an_unreadable_answer_is_asked_again_with_another_seed_and_never_kept(
    tmp_path: Path,
) -> None:
    with served(lambda number, message: "no") as endpoint:
        found, conversation = ask(asking(endpoint.url, tmp_path))
        assert found == [None]
        assert [row["seed"] for row in endpoint.requests] == [0, 1, 2]
        assert [row["answer"] for row in conversation.wrong] == ["no"]
    with served(lambda number, message: "1" if number == 2 else "no", endpoint.port) as endpoint:
        assert ask(asking(endpoint.url, tmp_path))[0] == [1]
        assert len(endpoint.requests) == 2, "what could not be read was asked again"
        assert ask(asking(endpoint.url, tmp_path))[0] == [1]
        assert len(endpoint.requests) == 2, "what can be read is kept"
        assert ask(asking(endpoint.url, tmp_path, refresh=True))[0] == [None]
        assert len(endpoint.requests) == 5, "a new set is asked for"


def test_one_item_is_tried_before_all_are_paid_for(tmp_path: Path) -> None:
    with (
        served(lambda number, message: ("status", 400)) as endpoint,
        pytest.raises(HarnessError, match=r"1 of 1.*1 of 50.*\(400"),
    ):
        ask(asking(endpoint.url, tmp_path), 50)
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize(("items", "most"), [(100, 40), (3, 3)])
def test_a_run_of_refusals_stops(tmp_path: Path, items: int, most: int) -> None:
    def play(number: int, message: str) -> Any:
        return "1" if number == 1 else ("status", 422)

    with (
        served(play) as endpoint,
        pytest.raises(HarnessError, match="nothing is stored as a result"),
    ):
        ask(asking(endpoint.url, tmp_path, parallel=2), items)
    assert len(endpoint.requests) <= most


def test_one_refusal_among_others_is_listed(tmp_path: Path) -> None:
    play = lambda number, message: ("status", 400) if "item 1" in message else "1"  # noqa: E731
    with served(play) as endpoint:
        found, conversation = ask(asking(endpoint.url, tmp_path), 3)
    assert found == [1, None, 1]
    assert [(row["item"], row["why"]) for row in conversation.wrong] == [(1, "refused")]


def test_a_server_of_another_model_is_another_endpoint(tmp_path: Path) -> None:
    """llama.cpp answers to any name: what it says that it serves is part of what answers are kept
    by.
    """
    with served(lambda number, message: "1", models=["small.gguf"]) as endpoint:
        chat = asking(endpoint.url, tmp_path)
        assert [ask(chat)[0], ask(chat)[0]] == [[1], [1]]
        assert len(endpoint.requests) == 1
    with served(lambda number, message: "2", endpoint.port, ["large.gguf"]) as endpoint:
        assert ask(chat)[0] == [2]
    assert ask(chat)[0] == [2], "without a server: the answers of the last one"
    with served(lambda number, message: "3", endpoint.port, ["small.gguf", "m"]) as endpoint:
        assert ask(chat)[0] == [3]
    with served(lambda number, message: "4", endpoint.port, ["small.gguf"]) as endpoint:
        assert ask(chat)[0] == [1]


def test_an_answer_of_another_model_is_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with served(lambda number, message: ("other", "1")) as endpoint:
        _, conversation = ask(asking(endpoint.url, tmp_path))
    assert "asking.model=m: the server says that other-model answers" in caplog.text
    assert conversation.facts()["models"] == {"other-model": 1}


@pytest.mark.parametrize(
    "played",
    [("echo", 401), ("echo", 400), ("echo", 500), f"no json, but {CANARY}"],
    ids=["401", "400", "500", "answer"],
)
def test_no_key_leaves_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, played: Any
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    play: Play = lambda number, message: played  # noqa: E731
    said = ""
    with served(play) as endpoint:
        conversation = Conversation(asking(endpoint.url, tmp_path, retries=1))
        try:
            conversation.ask_all(
                [0], lambda item: conversation.ask({}, "p", "q", json.loads), "ask", "item"
            )
        except HarnessError as error:
            said = str(error)
            assert "***" in said
    (tmp_path / "wrong").mkdir()
    conversation.list_wrong(tmp_path / "wrong")
    written = [path.read_text() for path in tmp_path.rglob("*") if path.is_file()]
    for text in (said, caplog.text, repr(conversation.facts()), *written):
        assert CANARY not in text


@pytest.mark.parametrize(
    "url",
    [
        f"http://user:{CANARY}@127.0.0.1/v1",
        f"http://{CANARY}@127.0.0.1",
        f"http://127.0.0.1/v1?api_key={CANARY}",
    ],
)
def test_a_key_in_an_address_is_refused_and_not_repeated(url: str) -> None:
    for make in (
        lambda: Asking(model="m", base_url=url),
        lambda: TextEmbedding3Small(base_url=url),
    ):
        with pytest.raises(HarnessError, match="base_url") as caught:
            make()
        assert CANARY not in str(caught.value)
    with pytest.raises(HarnessError, match="must be the name of an environment variable") as caught:
        Asking(model="m", key_variable=CANARY)
    assert CANARY not in str(caught.value)


def test_a_run_stops_at_what_it_may_pay_and_goes_on_with_more(tmp_path: Path) -> None:
    """An answer is 100 + 10 tokens."""
    with served(lambda number, message: "1") as endpoint:
        with pytest.raises(HarnessError, match=r"asking.max_tokens_total=500.* 550 tokens"):
            ask(asking(endpoint.url, tmp_path, parallel=1, max_tokens_total=500), 9)
        assert len(endpoint.requests) == 5
        found, conversation = ask(asking(endpoint.url, tmp_path), 9)
        assert found == [1] * 9
        assert len(endpoint.requests) == 9
        assert conversation.facts()["answers_paid"] == 4


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
    chat, form = Asking(model="m"), {"type": "object"}
    assert "response_format" not in chat.request("hello")
    assert "response_format" not in replace(chat, schema=False).request("hello", "x", form)
    asked = chat.request("hello", "x", form)
    assert asked["messages"] == [{"role": "user", "content": "hello"}]
    wanted = {"name": "x", "strict": True, "schema": form}
    assert asked["response_format"]["json_schema"] == wanted


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
    kept, request = Answers.of(chat), chat.request("hello")
    answer = Answer("yes", "stop", 3, 1, "b")
    assert kept.find("p", request) is None
    kept.keep("p", request, answer)
    assert Answers.of(chat).find("p", request) == answer
    changes = {"model": "a/c", "seed": 1, "max_tokens": 1, "refresh": 1}
    for name, value in {**changes, "base_url": "http://127.0.0.1:2/v1"}.items():
        other = replace(chat, **{name: value})
        assert Answers.of(other).find("p", other.request("hello")) is None
    assert kept.find("q", request) is None
    assert kept.find("p", chat.request("bye")) is None
    assert kept.serving("c").find("p", request) is None
    assert Answers.of(chat).served == "c"


def test_another_set_of_answers_is_another_result() -> None:
    first, yes, one = (identity(Asking(model="m", refresh=number)) for number in (0, True, 1))
    assert first == identity(Asking(model="m"))
    assert yes == one != first
