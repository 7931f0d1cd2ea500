"""Several servers of one model: who is asked, who answers when one is away, and what is said."""

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

from harness.core.errors import HarnessError
from harness.plugins.llm.endpoint import Chat, Conversation
from harness.plugins.llm.endpoint.fleet import Fleet
from tests.plugins.llm.endpoint.scripted import Scripted, served

ITEMS = range(40)


@dataclass(frozen=True, kw_only=True)
class Asking(Chat):
    concept: ClassVar[str] = "asking"


def play(number: int, message: str) -> str:
    return message.rpartition(" ")[2]


@pytest.fixture
def servers() -> Iterator[list[Scripted]]:
    with ExitStack() as stack:
        yield [stack.enter_context(served(play)) for _ in range(3)]


def asking(servers: Sequence[Scripted], folder: Path, **given: Any) -> Asking:
    first, *others = (server.url for server in servers)
    settings = {"retries": 0, "backoff": 0, "timeout": 5, "parallel": 2, **given}
    return Asking(model="m", base_url=first, urls=others, answers=str(folder), **settings)


def answers(conversation: Conversation, items: Sequence[int] = ITEMS) -> list[int | None]:
    def one(item: int) -> int | None:
        return conversation.ask({"item": item}, "prompt", f"item {item}", json.loads)

    return conversation.ask_all(items, one, "ask", "item")


def messages(server: Scripted) -> set[str]:
    return {body["messages"][0]["content"] for body in server.requests}


def test_each_message_is_asked_once_of_the_server_that_its_hash_prefers(
    servers: list[Scripted], tmp_path: Path
) -> None:
    conversation = Conversation(asking(servers, tmp_path))
    assert answers(conversation) == list(ITEMS)
    asked = [messages(server) for server in servers]
    assert sum(map(len, asked)) == sum(len(server.requests) for server in servers) == len(ITEMS)
    assert all(asked)
    assert sorted(conversation.facts()["answered_by"].values()) == sorted(map(len, asked))
    again = Conversation(asking(servers[:2], tmp_path / "new"))
    assert answers(again) == list(ITEMS)
    assert [
        before <= messages(server) for before, server in zip(asked[:2], servers[:2], strict=True)
    ] == [True, True]
    assert len(servers[0].requests) + len(servers[1].requests) == 2 * len(ITEMS) - len(asked[2])


def test_answers_are_kept_as_those_of_the_first_address(
    servers: list[Scripted], tmp_path: Path
) -> None:
    answers(Conversation(asking(servers, tmp_path)))
    paid = sum(len(server.requests) for server in servers)
    assert answers(Conversation(asking(servers[:1], tmp_path))) == list(ITEMS)
    assert sum(len(server.requests) for server in servers) == paid


def test_while_one_is_away_the_others_answer(
    servers: list[Scripted], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    servers[1].server.shutdown()
    servers[1].server.server_close()
    assert answers(Conversation(asking(servers, tmp_path))) == list(ITEMS)
    assert f"{servers[1].url}: no answer; its messages go to the other servers" in caplog.text
    assert not servers[1].requests


def test_one_that_ends_in_the_middle_is_replaced(
    servers: list[Scripted], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    servers[2].play = lambda number, message: (
        play(number, message) if number < 3 else ("status", 503)
    )
    assert answers(Conversation(asking(servers, tmp_path))) == list(ITEMS)
    assert caplog.text.count(f"{servers[2].url}: no answer (503") in (1, 2), (
        "then it rests; two were asked at once"
    )


def test_when_all_are_away_it_is_one_line(servers: list[Scripted], tmp_path: Path) -> None:
    for server in servers:
        server.play = lambda number, message: ("status", 503)
    with pytest.raises(
        HarnessError, match=r"no answer from m \(503.*run the command again"
    ) as caught:
        answers(Conversation(asking(servers, tmp_path)))
    assert "\n" not in str(caught.value)


def test_servers_of_different_models_are_refused(tmp_path: Path) -> None:
    with served(play, models=["a"]) as one, served(play, models=["b"]) as other:
        with pytest.raises(
            HarnessError, match=r"asking\.urls: the servers serve different models \(a at .*, b at "
        ):
            answers(Conversation(asking([one, other], tmp_path)))
        assert not one.requests


def test_a_server_that_rested_is_asked_again(
    servers: list[Scripted], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fleet = Fleet(asking(servers, tmp_path))
    request = fleet.chat.request("item 7")
    first = fleet.order(request)[0]
    first.rest()
    assert fleet.ask(request).content == "7"
    assert fleet.answered[first.url] == 0
    monkeypatch.setattr("harness.plugins.llm.endpoint.fleet.REST", 0.0)
    first.rest()
    assert fleet.ask(request).content == "7"
    assert fleet.answered[first.url] == 1


@pytest.mark.parametrize("urls", ["http://127.0.0.1:1/v1", [5], [["http://127.0.0.1:1/v1"]]])
def test_no_list_of_addresses(urls: Any) -> None:
    with pytest.raises(HarnessError, match=r"asking\.urls=.*, expected a list, e\.g\. \[http"):
        Asking(model="m", urls=urls)


def test_a_key_in_one_of_the_addresses_is_refused() -> None:
    with pytest.raises(HarnessError, match=r"asking\.urls holds a user, password or key"):
        Asking(model="m", urls=["http://me:sk-canary-0123@127.0.0.1:1/v1"])
