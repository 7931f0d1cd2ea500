"""Asking a model of many things at once: answers kept, faults listed, tokens counted."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from tqdm import tqdm

from harness.endpoint.answers import Answers
from harness.endpoint.chat import Chat
from harness.endpoint.client import Answer, Away, Endpoint, Refused
from harness.errors import HarnessError

MALFORMED = "malformed.jsonl"
Item = TypeVar("Item")
Result = TypeVar("Result")


class Conversation:
    """One run's questions to a model; several threads share it (list.append under the interpreter's lock).

    wrong: what could not be used, each with why: ``invalid``, ``cut`` or ``refused``.
    """

    def __init__(self, chat: Chat) -> None:
        self.chat, self.kept = chat, Answers(Path(chat.answers))
        self._endpoint: Endpoint | None = None
        self._opening = threading.Lock()
        self.wrong: list[dict[str, Any]] = []
        self.received: list[tuple[Answer, bool]] = []

    def ask(
        self,
        about: Mapping[str, Any],
        prompt: str,
        message: str,
        read: Callable[[str], Result],
        name: str = "",
        form: Mapping[str, Any] | None = None,
    ) -> Result | None:
        """What ``read`` makes of the answer to a message; None, and put down as wrong, where it raises ValueError.

        about: what the message is about, for the list of what was wrong.    prompt: what the message was filled from.
        name, form: see ``Chat.request``.    Raises Away when the endpoint does not answer at all.
        """
        try:
            answer, paid = self.kept.get(prompt, self.chat.request(message, name, form), self._once)
        except Refused as error:
            self.wrong.append({**about, "why": "refused", "reason": str(error), "answer": ""})
            return None
        self.received.append((answer, paid))
        try:
            return read(answer.content)
        except ValueError as error:
            why = "cut" if answer.finish == "length" else "invalid"
            self.wrong.append({**about, "why": why, "reason": str(error), "answer": answer.content})
            return None

    def each(self, items: Sequence[Item], work: Callable[[Item], Result], name: str, unit: str) -> list[Result]:
        """``work`` of every item, ``chat.parallel`` at once. Raises HarnessError when the endpoint stays away."""
        with (
            ThreadPoolExecutor(self.chat.parallel) as executor,
            tqdm(total=len(items), desc=name, unit=unit, leave=False, disable=None) as progress,
        ):
            jobs = [executor.submit(work, item) for item in items]
            found = []
            try:
                for job in jobs:
                    found.append(job.result())
                    progress.update()
            except Away as error:
                executor.shutdown(wait=True, cancel_futures=True)
                raise HarnessError(
                    f"{self.chat.concept}.base_url={self.chat.base_url}: no answer from {self.chat.model} ({error}); "
                    f"{len(self.received)} answers are in {self.chat.answers}, so run the command again when the "
                    "endpoint answers"
                ) from error
            except BaseException:
                executor.shutdown(wait=True, cancel_futures=True)
                raise
        return found

    def facts(self) -> dict[str, Any]:
        """Counts for the manifest. ``paid``: of this run; ``tokens``: of all answers, whenever they were paid for."""
        count = Counter(row["why"] for row in self.wrong)

        def tokens(answers: list[Answer]) -> dict[str, int]:
            return {
                "prompt": sum(answer.prompt for answer in answers),
                "completion": sum(answer.completion for answer in answers),
            }

        every = tokens([answer for answer, _ in self.received])
        paid = tokens([answer for answer, now in self.received if now])
        return {
            "answers": len(self.received),
            "answers_paid": sum(now for _, now in self.received),
            "tokens": every,
            "tokens_paid": paid,
            "cost": self.chat.cost(every),
            "cost_paid": self.chat.cost(paid),
            "malformed": {why: count[why] for why in ("invalid", "cut", "refused")},
        }

    def list_wrong(self, folder: Path) -> list[dict[str, Any]]:
        """What was wrong, in the same order at every run; also written to ``malformed.jsonl`` in the folder."""
        wrong = sorted(self.wrong, key=json.dumps)
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in wrong)
        (folder / MALFORMED).write_text(lines, encoding="utf-8")
        return wrong

    def _once(self, request: dict[str, Any]) -> Answer:
        chat = self.chat
        with self._opening:
            if self._endpoint is None:
                self._endpoint = Endpoint(
                    chat.base_url, chat.key_variable, chat.retries, chat.backoff, chat.timeout, chat.concept
                )
        return self._endpoint.ask(request)
