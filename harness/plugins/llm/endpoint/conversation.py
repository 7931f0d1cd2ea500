"""Many messages to a language model. Answers are stored, faults listed and tokens counted."""

from __future__ import annotations

import json
import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from harness.core.errors import HarnessError
from harness.core.files import write_text
from harness.plugins.llm.endpoint.answer_store import Answers
from harness.plugins.llm.endpoint.chat import Chat
from harness.plugins.llm.endpoint.client import Answer, Away, Endpoint, Refused
from harness.work.parts import Stop
from harness.work.progress import Progress

log = logging.getLogger(__name__)
MALFORMED = "malformed.jsonl"
TRIES = 3
"""How often one message is sent if its answer cannot be read."""
ENOUGH = 10
"""Number of items after which a run stops if more than half were refused."""
TRUSTED = 0.5
"""Largest share of units with unusable answers for which a result is built."""
SHOWN = 200
"""Number of letters of an unusable answer that an error shows."""
Item = TypeVar("Item")
Result = TypeVar("Result")


class Conversation:
    """The messages of one run to a model. Threads may share it.

    Attributes:
        patience: number of messages in a row without a usable answer after which ``ask_all`` stops;
            None for any number.
        wrong: the answers that could not be used, each with ``why``: invalid, cut or refused.
        received: the answers, and whether this run paid for each.
    """

    def __init__(self, chat: Chat, patience: int | None = None) -> None:
        self.chat, self.answer_store, self.patience = chat, Answers.of(chat), patience
        self._in_a_row = 0
        self._at = f"{chat.concept}.base_url={chat.base_url}"
        self._endpoint: Endpoint | None = None
        self._opening = threading.Lock()
        self.wrong: list[dict[str, object]] = []
        self.received: list[tuple[Answer, bool]] = []
        self._sent = False

    def ask(
        self,
        about: Mapping[str, object],
        prompt: str,
        message: str,
        read: Callable[[str], Result],
        name: str = "",
        form: Mapping[str, object] | None = None,
    ) -> Result | None:
        """Return what ``read`` makes of the answer to a message.

        If ``read`` raises ValueError, the message is sent again with the next seed, ``TRIES`` times
        in all. The first answer that can be read is stored.

        Args:
            about: description of the message for the list of unusable answers.
            prompt: the template of the message.
            message: the text.
            read: reader of the answer's text.
            name: see ``Chat.request``.
            form: see ``Chat.request``.

        Returns:
            The result of ``read``, or None if no answer can be used; that is added to ``wrong``.

        Raises:
            Away: the endpoint does not answer.
        """
        request = self.chat.request(message, name, form)
        stored = self.answer_store.find(prompt, request)
        first = 0 if stored is None else -1
        for attempt in range(first, TRIES):
            try:
                answer = stored or self._send(request | {"seed": self.chat.seed + attempt})
            except Refused as error:
                self.wrong.append({**about, "why": "refused", "reason": str(error), "answer": ""})
                self._in_a_row += 1
                return None
            self.received.append((answer, stored is None))
            try:
                result = read(answer.content)
            except (ValueError, RecursionError) as error:
                why, reason = "cut" if answer.finish == "length" else "invalid", str(error)
                stored = None
                continue
            if stored is None:
                self.answer_store.keep(prompt, request, answer)
            self._in_a_row = 0
            return result
        self.wrong.append({**about, "why": why, "reason": reason, "answer": answer.content})
        self._in_a_row += 1
        return None

    def ask_all(
        self, items: Sequence[Item], work: Callable[[Item], Result], name: str, unit: str
    ) -> list[Result]:
        """Return the result of ``work`` for each item.

        After the first request, ``chat.parallel`` items run at once.

        Raises:
            Stop: the endpoint does not answer.
            HarnessError: the endpoint refuses the first request, or more than half of all or of
                ``ENOUGH`` or more; or ``patience`` ended.
        """
        try:
            served = self._open().served(self.chat.model)
        except HarnessError:  # no key: an error only if something has to be asked
            served = None
        if served is not None:
            self.answer_store = self.answer_store.serving(served)
        completed: list[Result] = []
        waiting = iter(items)

        def results() -> Iterator[Result]:
            """Yield results, one at a time until something is sent."""
            for item in waiting:
                yield work(item)
                if self._sent:
                    break
            yield from executor.map(work, waiting)

        with (
            ThreadPoolExecutor(self.chat.parallel) as executor,
            Progress(name, len(items), f"{unit}s") as progress,
        ):
            try:
                for result in results():
                    completed.append(result)
                    progress.update()
                    self._check_refusals(len(completed), len(items), unit)
                    self._check_patience(len(completed), len(items), unit)
            except BaseException as error:
                executor.shutdown(wait=True, cancel_futures=True)
                if not isinstance(error, Away):
                    raise
                raise Stop(
                    f"{self._at}: no answer from "
                    f"{self.chat.model} ({error}); {len(self.received)} answers are in "
                    f"{self.chat.answers}, so run the command again when the endpoint answers"
                ) from error
        if others := {answer.model for answer, _ in self.received} - {"", self.chat.model}:
            asked, answering = f"{self.chat.concept}.model={self.chat.model}", sorted(others)
            log.warning("%s: the server says that %s answers", asked, ", ".join(answering))
        return completed

    def _check_refusals(self, done: int, whole: int, unit: str) -> None:
        refused = [row["reason"] for row in self.wrong if row["why"] == "refused"]
        requests = len(refused) + len(self.received)
        first = refused and not any(paid for _, paid in self.received)
        if first or (2 * len(refused) > requests and (done >= ENOUGH or done == whole)):
            raise HarnessError(
                f"{self._at}: {self.chat.model} refuses "
                f"{len(refused)} of {requests} requests, after {done} of {whole} {unit}s "
                f"({refused[0]}); nothing is stored as a result; mend what the server names, and "
                "run the command again"
            )

    def _check_patience(self, done: int, whole: int, unit: str) -> None:
        if self.patience is None or self._in_a_row < self.patience:
            return
        last = self.wrong[-1]
        raise HarnessError(
            f"{self.chat.concept}.model={self.chat.model}: {self._in_a_row} answers in a row "
            f"cannot be used, after {done} of {whole} {unit}s, the last one: {last['why']} "
            f"({last['reason']}): {str(last['answer'])[:SHOWN]!r}; try another prompt or model, or "
            f"more {self.chat.concept}.max_tokens. Usable answers are kept"
        )

    def facts(self) -> dict[str, object]:
        """Return the counts for the manifest.

        ``tokens`` are of all answers; ``*_paid`` are of those that this run paid for.
        """
        count = Counter(row["why"] for row in self.wrong)
        return {
            "answers": len(self.received),
            "answers_paid": sum(now for _, now in self.received),
            "tokens": _tokens([answer for answer, _ in self.received]),
            "tokens_paid": _tokens([answer for answer, now in self.received if now]),
            "models": dict(sorted(Counter(answer.model for answer, _ in self.received).items())),
            "malformed": {why: count[why] for why in ("invalid", "cut", "refused")},
        }

    def list_wrong(self, folder: Path, unit: str = "", whole: int = 0) -> list[dict[str, object]]:
        """Return the unusable answers in a fixed order, and write them to ``malformed.jsonl``.

        Args:
            folder: folder of the file.
            unit: key of ``about`` that names what a message is about; empty for no bound.
            whole: number of units.

        Raises:
            HarnessError: more than ``TRUSTED`` of the units have an answer that cannot be used.
        """
        wrong = sorted(self.wrong, key=json.dumps)
        write_text(
            folder / MALFORMED, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in wrong)
        )
        hurt = len({row[unit] for row in wrong}) if unit else 0
        if hurt > TRUSTED * whole:
            concept, first = self.chat.concept, wrong[0]
            stage = f"{first['stage']} of " if "stage" in first else ""
            raise HarnessError(
                f"{concept}.model={self.chat.model}: {hurt} of {whole} {unit}s have answers that "
                f"cannot be used, the first: {stage}{first[unit]}, {first['why']} "
                f"({first['reason']}); try another prompt or model, or more "
                f"{concept}.max_tokens. The answers are kept"
            )
        return wrong

    def _send(self, request: dict[str, object]) -> Answer:
        self._sent = True
        self.chat.check_paid()
        answer = self._open().ask(request)
        with self._opening:
            self.chat.paid.update(prompt=answer.prompt, completion=answer.completion)
        if self.chat.max_tokens_total is not None and not (answer.prompt or answer.completion):
            raise Stop(
                f"{self._at}: its answers count no tokens "
                f"(`usage`), so {self.chat.concept}.max_tokens_total cannot be held; leave the "
                "bound out, or ask a server that counts"
            )
        return answer

    def _open(self) -> Endpoint:
        with self._opening:
            if self._endpoint is None:
                self._endpoint = Endpoint(self.chat)
        return self._endpoint


def _tokens(answers: Sequence[Answer]) -> dict[str, int]:
    return {
        "prompt": sum(answer.prompt for answer in answers),
        "completion": sum(answer.completion for answer in answers),
    }
