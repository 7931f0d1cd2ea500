"""The settings of a language model behind an OpenAI-compatible endpoint, which every strategy that
asks one has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, NotRequired

from typing_extensions import TypedDict

from harness.core.configuration import REACHES
from harness.core.errors import HarnessError, bounded, whole_number
from harness.core.identity import LATER, NO_RESULT
from harness.core.table import counted
from harness.plugins.llm.endpoint.client import Server
from harness.work.parts import Stop

LETTERS = 4
"""Letters a token, for estimates of texts that no endpoint has counted yet."""


class Estimate(TypedDict):
    """What answers would take, without asking for them; ``kept``: how many are answered already."""

    requests: int
    kept: NotRequired[int]
    tokens: dict[str, int]
    cost: float


@dataclass(frozen=True, kw_only=True)
class Chat(Server):
    """A base of strategies: the fields of a model that answers messages.

    model: as the endpoint calls it.    temperature, seed, max_tokens: of each answer.    schema:
    ask for answers by a
    JSON schema; false for endpoints that know none.    answers: folder of the raw answers, kept by
    endpoint, model,
    prompt and message; a killed run goes on from them and nothing is paid for twice.    parallel:
    requests at once, of
    each server.    urls: further servers of the same model: each message goes to one
    of them by its hash, and to another while that one is away; the answers are kept as those of
    ``base_url``.
    refresh: number of the set of answers, >= 0; a new number (``true`` is 1) asks for all of them
    again.
    price: of a million tokens, ``prompt`` and ``completion``.    max_tokens_total, max_cost: what a
    run may pay for, in tokens (both kinds together) and in the unit of ``price``; ``null`` for no
    bound.
    """

    together: ClassVar[bool] = True
    model: str
    temperature: float = 0.0
    seed: int = 0
    max_tokens: int = 2048
    schema: bool = True
    urls: Sequence[str] = field(default=(), metadata=NO_RESULT | REACHES)
    refresh: int = field(default=0, metadata=LATER)
    answers: str = field(default="runs/answers", metadata=NO_RESULT | REACHES)
    parallel: int = field(default=16, metadata=NO_RESULT)
    timeout: float = field(default=120, metadata=NO_RESULT)
    price: Mapping[str, float] = field(default_factory=dict, metadata=NO_RESULT)
    max_tokens_total: int | None = field(default=None, metadata=NO_RESULT)
    max_cost: float | None = field(default=None, metadata=NO_RESULT)

    def __post_init__(self) -> None:
        super().__post_init__()
        bounded(f"{self.concept}.temperature", self.temperature, 0, 2)
        whole_number(f"{self.concept}.max_tokens", self.max_tokens, 1)
        if isinstance(self.refresh, bool):
            object.__setattr__(self, "refresh", int(self.refresh))
        whole_number(f"{self.concept}.refresh", self.refresh, 0)
        if isinstance(self.urls, str) or not all(isinstance(url, str) for url in self.urls):
            raise HarnessError(
                f"{self.concept}.urls={self.urls}, expected a list, e.g. [http://127.0.0.1:8001/v1]"
            )
        for url in self.urls:
            self.check_url("urls", url)
        for kind, value in self.price.items():
            bounded(f"{self.concept}.price.{kind}", value, 0)
        for bound in ("max_tokens_total", "max_cost"):
            if getattr(self, bound) is not None:
                bounded(f"{self.concept}.{bound}", getattr(self, bound), 0, open_low=True)
        if self.max_cost is not None and not any(self.price.values()):
            raise HarnessError(
                f"{self.concept}.max_cost={self.max_cost} needs {self.concept}.price, which is 0"
            )

    def request(
        self, message: str, name: str = "", form: Mapping[str, object] | None = None
    ) -> dict[str, object]:
        """The chat request of a message. form: the JSON schema of its answer, called ``name``; None
        for free text.
        """
        request: dict[str, object] = {
            "model": self.model,
            "messages": [{"role": "user", "content": message}],
            "temperature": self.temperature,
            "seed": self.seed,
            "max_tokens": self.max_tokens,
        }
        if self.schema and form is not None:
            schema = {"name": name, "strict": True, "schema": form}
            request["response_format"] = {"type": "json_schema", "json_schema": schema}
        return request

    @cached_property
    def paid(self) -> Counter[str]:
        """The ``prompt`` and ``completion`` tokens that this run has paid for, whatever they were
        asked for.
        """
        return Counter()

    def check_paid(self, shares: int = 1) -> None:
        """Raise Stop where the tokens that were paid for reach a bound of the run, or this
        process's share of it.

        shares: of how many processes this is one, which may pay for an equal part of the bound
        each.
        """
        total, cost = self.paid.total(), self.cost(self.paid)
        for bound, spent, limit in (
            ("max_tokens_total", total, self.max_tokens_total),
            ("max_cost", cost, self.max_cost),
        ):
            if limit is not None and spent >= limit / shares:
                own = f", of which this is one of {shares} shares," if shares > 1 else ""
                raise Stop(
                    f"{self.concept}.{bound}={limit:g}{own} is reached: this run has paid for "
                    f"{total} tokens (cost "
                    f"{cost:g}); the answers are in {self.answers}; the same command with a "
                    "greater bound goes on"
                )

    def check_counted(self) -> None:
        """Raise Stop where a bound cannot be held, since the server counts no tokens."""
        if bound := next(
            (name for name in ("max_tokens_total", "max_cost") if getattr(self, name) is not None),
            None,
        ):
            raise Stop(
                f"{self.concept}.base_url={self.base_url}: its answers count no tokens "
                "(`usage`), so "
                f"{self.concept}.{bound} cannot be held; leave the bound out, or ask a server "
                "that counts"
            )

    def cost(self, tokens: Mapping[str, int]) -> float:
        """What so many ``prompt`` and ``completion`` tokens cost."""
        return round(
            sum(self.price.get(kind, 0.0) / 1e6 * number for kind, number in tokens.items()), 6
        )

    def asked(self, passages: Sequence[str], questions: Sequence[str]) -> str:
        """At most what it is asked of a benchmark, in words, where no answer is kept yet: each
        question once.
        """
        tokens = sum(map(len, questions)) // LETTERS
        return (
            f"{self.model}: {counted(len(questions), 'call')}, {counted(tokens, 'token')} of "
            "text and the prompts"
        )
