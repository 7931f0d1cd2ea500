"""Endpoints that go wrong: a right answer, none, or one line; never a wrong one, a hang, or a key
that leaves.
"""

from __future__ import annotations

import json
import logging
import os
import random
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

from harness.core.errors import HarnessError
from harness.plugins.llm.endpoint import client
from harness.plugins.llm.endpoint.chat import Chat
from harness.plugins.llm.endpoint.conversation import Conversation
from tests.soak.faults import CANARY, FAULTS, Connection, Faulty, faulty

ITEMS, TIMEOUT, RETRIES = 4, 0.5, 1
SLOWEST = 60.0
"""Seconds that a conversation of so few items may take on a busy machine."""


@dataclass(frozen=True, kw_only=True)
class Asking(Chat):
    concept: ClassVar[str] = "asking"


def endpoint(rounds: int) -> Iterator[str]:
    """Each kind of fault in turn, in one request of two, or in all; then the same questions to a
    sound server.
    """
    before, waits, heard = dict(os.environ), [], Heard()
    os.environ["OPENAI_API_KEY"] = CANARY
    client.time = SimpleNamespace(sleep=waits.append)  # type: ignore[assignment]  (no wait is waited for)
    logging.getLogger("harness").addHandler(heard)
    ends: dict[str, Counter[str]] = {name: Counter() for name in FAULTS}
    faults: list[str] = []
    try:
        with (
            faulty() as elsewhere,
            faulty(f"http://127.0.0.1:{elsewhere.port}/v1/chat/completions") as server,
        ):
            for number in range(rounds):
                name = list(FAULTS)[number % len(FAULTS)]
                end = _round(server, name, number, faults)
                ends[name][end] += 1
            assert elsewhere.keys == 0, f"{elsewhere.keys} requests with the key to another host"
    finally:
        client.time = time
        logging.getLogger("harness").removeHandler(heard)
        os.environ.clear()
        os.environ.update(before)
    for name, found in ends.items():
        yield f"{name}: {found.total()} conversations, {dict(found)}"
    yield (
        f"{rounds} conversations; longest wait {max(waits, default=0):g} s; "
        f"{threading.active_count()} threads left"
    )
    if max(waits, default=0) > client.LONGEST_WAIT:
        faults.append(f"a wait of {max(waits)} s")
    if CANARY in heard.text:
        faults.append("the key is in a log")
    assert not faults, "\n".join(faults)


def _round(server: Faulty, name: str, number: int, faults: list[str]) -> str:
    """One conversation with a server that goes wrong, and one with the same when it is
    sound again.
    """
    server.rng = rng = random.Random(number)
    share = rng.choice((0.5, 1.0))
    server.play = lambda asked: FAULTS[name] if rng.random() < share else Connection.right
    where, begun = f"{name}, round {number}", time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        chat = Asking(
            model="m",
            base_url=f"http://127.0.0.1:{server.port}/v1",
            answers=folder,
            retries=RETRIES,
            backoff=0,
            timeout=TIMEOUT,
            parallel=2,
        )
        found, said, end = _ask(chat)
        if end == "fault":
            faults.append(f"{where}: {said}")
        if any(value not in (None, item) for item, value in enumerate(found)):
            faults.append(f"{where}: wrong answers {found}")
        if time.monotonic() - begun > SLOWEST:
            faults.append(f"{where}: {time.monotonic() - begun:.0f} s")
        server.play = lambda asked: Connection.right
        again, said, _ = _ask(chat)
        if again != list(range(ITEMS)):
            faults.append(f"{where}, then sound: {again} {said}")
        kept = "".join(path.read_text() for path in Path(folder).rglob("*") if path.is_file())
        if CANARY in kept + said:
            faults.append(f"{where}: the key is in an answer or an error")
    return end


def _ask(chat: Asking) -> tuple[list[Any], str, str]:
    """What was answered, what was said, and how it ended: ``answered``, ``in part``, ``error`` or
    ``fault``.
    """
    conversation = Conversation(chat)

    def one(item: int) -> Any:
        return conversation.ask({"item": item}, "prompt", f"item {item}", json.loads)

    try:
        found = conversation.ask_all(range(ITEMS), one, "ask", "item")
    except HarnessError as error:
        return [], str(error), "error"
    except Exception:
        return [], traceback.format_exc(), "fault"
    with tempfile.TemporaryDirectory() as folder:
        said = json.dumps([conversation.facts(), conversation.list_wrong(Path(folder))])
    return found, said, "in part" if None in found else "answered"


class Heard(logging.Handler):
    """All that is logged."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""

    def emit(self, record: logging.LogRecord) -> None:
        self.text += record.getMessage() + "\n"
