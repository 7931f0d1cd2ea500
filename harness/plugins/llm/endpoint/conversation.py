"""Asking a model of many things at once: answers kept, faults listed, tokens counted."""

from __future__ import annotations

import json
import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from harness.core.errors import HarnessError
from harness.core.files import write_text
from harness.plugins.llm.endpoint.answer_store import Answers
from harness.plugins.llm.endpoint.chat import Chat
from harness.plugins.llm.endpoint.client import Answer, Away, Refused
from harness.plugins.llm.endpoint.fleet import Fleet
from harness.work.parts import Stop, shares
from harness.work.progress import Progress
from harness.work.shared_rows import map_rows

log = logging.getLogger(__name__)
MALFORMED = "malformed.jsonl"
TRIES = 3
"""How often one message is asked, where the answer cannot be read."""
ENOUGH = 10
"""Items after which more than half refused is taken for all."""
TRUSTED = 0.5
"""The greatest share of units whose answers cannot be used with which something is built."""
PART = 64
"""Items of a part, where several processes ask."""
Item = TypeVar("Item")
Result = TypeVar("Result")


class Conversation:
    """One run's questions to a model; several threads share it (list.append under the interpreter's
    lock).

    wrong: what could not be used, each with why: ``invalid``, ``cut`` or ``refused``.    answered:
    answers by server.
    """

    def __init__(self, chat: Chat) -> None:
        self.chat, self.kept = chat, Answers.of(chat)
        self._fleet: Fleet | None = None
        self._opening = threading.Lock()
        self.wrong: list[dict[str, object]] = []
        self.received: list[tuple[Answer, bool]] = []
        self.answered: Counter[str] = Counter()
        self._sent = False
        self._shares = shares()

    def ask(
        self,
        about: Mapping[str, object],
        prompt: str,
        message: str,
        read: Callable[[str], Result],
        name: str = "",
        form: Mapping[str, object] | None = None,
    ) -> Result | None:
        """What ``read`` makes of the answer to a message; None, and put down as wrong, where it
        raises ValueError.

        An answer that cannot be read is asked for again, ``TRIES`` times in all, each with the next
        seed; the first one that can be read is kept.
        about: what the message is about, for the list of what was wrong.    prompt: what the
        message was filled from.
        name, form: see ``Chat.request``.    Raises Away when the endpoint does not answer at all.
        """
        request = self.chat.request(message, name, form)
        found = self.kept.find(prompt, request)
        for attempt in range(-1 if found is not None else 0, TRIES):
            try:
                answer = (
                    found
                    if attempt < 0 and found
                    else self._send(request | {"seed": self.chat.seed + attempt})
                )
            except Refused as error:
                self.wrong.append({**about, "why": "refused", "reason": str(error), "answer": ""})
                return None
            self.received.append((answer, attempt >= 0))
            try:
                result = read(answer.content)
            except (ValueError, RecursionError) as error:
                why, reason = "cut" if answer.finish == "length" else "invalid", str(error)
                continue
            if attempt >= 0:
                self.kept.keep(prompt, request, answer)
            return result
        self.wrong.append({**about, "why": why, "reason": reason, "answer": answer.content})
        return None

    def ask_all(
        self, items: Sequence[Item], work: Callable[[Item], Result], name: str, unit: str
    ) -> list[Result]:
        """``work`` of every item, in parts of ``PART`` items where several processes build an
        artifact.

        ``chat.parallel`` at once a server, after the first one that has to be asked. What ``work``
        returns is made of what JSON knows. Raises HarnessError when the endpoint stays away, when
        it refuses that first one, and when it refuses more than half of at least ``ENOUGH``, or of
        all.
        """
        self._identify()

        def asked(part: slice) -> tuple[NDArray[np.uint8]]:
            wrong, received, answered = len(self.wrong), len(self.received), self._answered()
            found = self._ask_each(items[part], work, name, unit)
            told = [
                (answer.prompt, answer.completion, answer.model, now)
                for answer, now in self.received[received:]
            ]
            kept = [found, self.wrong[wrong:], told, self._answered() - answered]
            return (np.frombuffer(f"{json.dumps(kept)}\n".encode(), dtype=np.uint8),)

        (lines,) = map_rows(name, asked, len(items), PART)
        found: list[Result] = []
        self.wrong, self.received, self.answered = [], [], Counter()
        for line in lines.tobytes().splitlines():
            results, wrong, told, answered = json.loads(line)
            found += results
            self.wrong += wrong
            self.received += [(Answer("", "", *counts), now) for *counts, now in told]
            self.answered.update(answered)
        self._report()
        return found

    def _ask_each(
        self, items: Sequence[Item], work: Callable[[Item], Result], name: str, unit: str
    ) -> list[Result]:
        found: list[Result] = []
        with (
            ThreadPoolExecutor(self.chat.parallel * (1 + len(self.chat.urls))) as executor,
            Progress(name, len(items), f"{unit}s") as progress,
        ):
            try:
                for item in items:
                    found.append(work(item))
                    progress.update()
                    self._check_refusals(len(found), len(items), unit)
                    if self._sent:
                        break
                for job in [executor.submit(work, item) for item in items[len(found) :]]:
                    found.append(job.result())
                    progress.update()
                    self._check_refusals(len(found), len(items), unit)
            except Away as error:
                executor.shutdown(wait=True, cancel_futures=True)
                raise Stop(
                    f"{self.chat.concept}.base_url={self.chat.base_url}: no answer from "
                    f"{self.chat.model} ({error}); "
                    f"{len(self.received)} answers are in {self.chat.answers}, so run the "
                    "command again when the "
                    "endpoint answers"
                ) from error
            except BaseException:
                executor.shutdown(wait=True, cancel_futures=True)
                raise
        return found

    def _answered(self) -> Counter[str]:
        return Counter(self._fleet.answered) if self._fleet else Counter()

    def _check_refusals(self, done: int, whole: int, unit: str) -> None:
        refused = [row["reason"] for row in self.wrong if row["why"] == "refused"]
        requests = len(refused) + len(self.received)
        first = len(refused) > 0 and not any(paid for _, paid in self.received)
        if first or (2 * len(refused) > requests and (done >= ENOUGH or done == whole)):
            raise HarnessError(
                f"{self.chat.concept}.base_url={self.chat.base_url}: {self.chat.model} refuses "
                f"{len(refused)} of "
                f"{requests} requests, after {done} of {whole} {unit}s ({refused[0]}); nothing "
                "is stored as a result; "
                "mend what the server names, and run the command again"
            )

    def _report(self) -> None:
        others = {answer.model for answer, _ in self.received} - {"", self.chat.model}
        if others:
            log.warning(
                "%s.model=%s: the answers are of %s, as the server says",
                self.chat.concept,
                self.chat.model,
                ", ".join(sorted(others)),
            )

        uncounted = any(
            now and not (answer.prompt or answer.completion) for answer, now in self.received
        )
        if uncounted and any(self.chat.price.values()):
            log.warning(
                "%s.base_url=%s: answers come without `usage`, the tokens that they took, so "
                "costs are not all known",
                self.chat.concept,
                self.chat.base_url,
            )

    def facts(self) -> dict[str, object]:
        """Counts for the manifest. ``paid``: of this run; ``tokens``: of all answers, whenever they
        were paid for.
        """
        count = Counter(row["why"] for row in self.wrong)
        every = _tokens(answer for answer, _ in self.received)
        paid = _tokens(answer for answer, now in self.received if now)
        several = (
            {"answered_by": dict(sorted(self.answered.items()))}
            if self.chat.urls and self.answered
            else {}
        )
        return {
            **several,
            "answers": len(self.received),
            "answers_paid": sum(now for _, now in self.received),
            "tokens": every,
            "tokens_paid": paid,
            "cost": self.chat.cost(every),
            "cost_paid": self.chat.cost(paid),
            "models": dict(sorted(Counter(answer.model for answer, _ in self.received).items())),
            "malformed": {why: count[why] for why in ("invalid", "cut", "refused")},
        }

    def list_wrong(self, folder: Path, unit: str = "", whole: int = 0) -> list[dict[str, object]]:
        """What was wrong, in the same order at every run; also written to ``malformed.jsonl`` in
        the folder.

        unit: by which name it is listed what a message is about. Raises HarnessError where more
        than ``TRUSTED`` of the ``whole`` units have an answer that cannot be used; without a unit
        none is too many.
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
                "cannot be used, the "
                f"first: {stage}{first[unit]}, {first['why']} ({first['reason']}); try another "
                "prompt or model, or "
                f"more {concept}.max_tokens. The answers are kept"
            )
        return wrong

    def _identify(self) -> None:
        """Kept answers are those of the model that the server serves now; without a server, those
        of the last time.
        """
        try:
            fleet = self._open()
        except HarnessError:  # without a key: said when something has to be asked
            return
        served = fleet.served(self.chat.model)
        self.kept = self.kept if served is None else self.kept.serving(served)

    def _send(self, request: dict[str, object]) -> Answer:
        self._sent = True
        self.chat.check_paid(self._shares)
        answer = self._open().ask(request)
        with self._opening:
            self.chat.paid.update(prompt=answer.prompt, completion=answer.completion)
        if not answer.prompt and not answer.completion:
            self.chat.check_counted()
        return answer

    def _open(self) -> Fleet:
        with self._opening:
            if self._fleet is None:
                self._fleet = Fleet(self.chat)
        return self._fleet


def _tokens(answers: Iterable[Answer]) -> dict[str, int]:
    """``prompt`` and ``completion`` tokens of some answers."""
    pairs = [(answer.prompt, answer.completion) for answer in answers]
    return {
        "prompt": sum(prompt for prompt, _ in pairs),
        "completion": sum(completion for _, completion in pairs),
    }
