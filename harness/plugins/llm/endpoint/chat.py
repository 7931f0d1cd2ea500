"""The settings of a language model behind an OpenAI-compatible endpoint."""

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
"""Letters per token, to estimate texts whose tokens no endpoint has counted."""


class Estimate(TypedDict):
    """The requests, tokens and cost of answers still to be asked for; ``kept``: stored ones."""

    requests: int
    kept: NotRequired[int]
    tokens: dict[str, int]
    cost: float


@dataclass(frozen=True, kw_only=True)
class Chat(Server):
    """The fields of a model that answers messages, a base of strategies.

    Args:
        model: name of the model at the endpoint.
        temperature: of each answer, 0 to 2.
        seed: of each answer.
        max_tokens: longest answer in tokens, >= 1.
        schema: whether to ask for answers by a JSON schema; false if the endpoint has no schemas.
        refresh: number of the set of answers, >= 0; a new number (``true`` is 1) asks for all of
            them again.
        answers: folder of the raw answers, stored by endpoint, model, prompt and message. A killed
            run continues from them, and no answer is paid for twice.
        price: price of a million ``prompt`` and ``completion`` tokens.
        max_tokens_total: tokens of both kinds that a run may pay for, > 0; None for no bound.
        max_cost: the same bound in the unit of ``price``.
    """

    together: ClassVar[bool] = True
    model: str
    temperature: float = 0.0
    seed: int = 0
    max_tokens: int = 2048
    schema: bool = True
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
        """Return the chat request of a message.

        Args:
            message: the text.
            name: name of the JSON schema.
            form: JSON schema of the answer; None for free text.
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
        """Number of ``prompt`` and ``completion`` tokens that this run has paid for."""
        return Counter()

    def check_paid(self, shares: int = 1) -> None:
        """Check the bounds of the run against the tokens that it has paid for.

        Args:
            shares: number of processes, each of which may pay for an equal part of a bound.

        Raises:
            Stop: a bound, or this process's part of it, is reached.
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
        """Raise Stop if a bound is set, for a server that counts no tokens."""
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
        """Return the cost of a number of ``prompt`` and ``completion`` tokens."""
        return round(
            sum(self.price.get(kind, 0.0) / 1e6 * number for kind, number in tokens.items()), 6
        )

    def asked(self, passages: Sequence[str], questions: Sequence[str]) -> str:
        """Return, in words, the most that a benchmark's questions can take if none is answered."""
        tokens = sum(map(len, questions)) // LETTERS
        return (
            f"{self.model}: {counted(len(questions), 'call')}, {counted(tokens, 'token')} of "
            "text and the prompts"
        )
