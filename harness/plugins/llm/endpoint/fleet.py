"""Several servers of one model: each message goes to one of them by its hash, and to another while
that one is away.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter

from harness.core.errors import HarnessError
from harness.core.identity import digest
from harness.plugins.llm.endpoint.chat import Chat
from harness.plugins.llm.endpoint.client import Answer, Away, Endpoint

log = logging.getLogger(__name__)
REST = 30.0
"""Seconds that a server which gave no answer is left alone."""


class Fleet:
    """The servers at ``chat.base_url`` and ``chat.urls``, of which each answers ``chat.parallel``
    requests at once.

    A message always prefers the same server, so its cached prefixes are used again; another address
    moves only the messages that prefer it (rendezvous hashing).
    """

    def __init__(self, chat: Chat) -> None:
        self.chat = chat
        self.servers = [Server(chat, url) for url in dict.fromkeys([chat.base_url, *chat.urls])]
        self.answered: Counter[str] = Counter()

    def ask(self, request: dict[str, object]) -> Answer:
        """The answer of the first server that gives one. Raises Away when none does, else as
        ``Endpoint.ask``.
        """
        order = self.order(request)
        up = [server for server in order if not server.rests()]
        for server in up or order:
            last = server is (up or order)[-1]
            try:
                with server.turns:
                    if up and server.rests() and not last:  # since this message waited for its turn
                        continue
                    answer = server.endpoint.ask(request)
            except Away as error:
                server.rest()
                if last:
                    raise
                log.warning(
                    "%s: no answer (%s); its messages go to the other servers", server.url, error
                )
                continue
            self.answered[server.url] += 1
            return answer
        raise Away("there is no server")

    def order(self, request: dict[str, object]) -> list[Server]:
        """All servers, the one that a message prefers first."""
        message = digest(request["messages"])
        return sorted(self.servers, key=lambda server: digest([server.url, message]))

    def served(self, model: str) -> str | None:
        """What the servers call the model (see ``Endpoint.served``); those that do not answer rest.

        Raises HarnessError where two of them serve different models.
        """
        found = {server.url: server.endpoint.served(model) for server in self.servers}
        away = [server for server in self.servers if found[server.url] is None]
        if len(away) == len(self.servers):
            return None
        for server in away:
            server.rest()
            log.warning("%s: no answer; its messages go to the other servers", server.url)
        names = {name: url for url, name in found.items() if name}
        if len(names) > 1:
            said = ", ".join(f"{name} at {url}" for name, url in sorted(names.items()))
            raise HarnessError(
                f"{self.chat.concept}.urls: the servers serve different models ({said}); give "
                "those of one model"
            )
        return next(iter(names), "")


class Server:
    """One of them. ``turns``: how many requests it may have at once."""

    def __init__(self, chat: Chat, url: str) -> None:
        self.url, self.turns, self._until = url, threading.Semaphore(chat.parallel), 0.0
        self.endpoint = Endpoint(chat, url)

    def rest(self) -> None:
        """Leave it alone for ``REST`` seconds."""
        self._until = time.monotonic() + REST

    def rests(self) -> bool:
        """Whether it is left alone still."""
        return time.monotonic() < self._until
