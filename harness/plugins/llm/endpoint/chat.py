"""The settings of a language model behind an OpenAI-compatible endpoint."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from typing_extensions import TypedDict

from harness.core.configuration.stored_strategy import REACHES
from harness.core.errors import check_fields
from harness.core.identity import LATER, NO_RESULT
from harness.core.table import counted
from harness.plugins.llm.endpoint.client import Server
from harness.work.parts import Stop

LETTERS = 4
"""Letters per token, to estimate texts whose tokens no endpoint has counted."""


class Estimate(TypedDict):
    """The requests, those of them that are answered already, and the tokens of the others."""

    requests: int
    kept: int
    prompt: int
    completion: int


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
        max_tokens_total: tokens, asked and answered, that a run may pay for, > 0; None for no
            bound.
    """

    model: str
    temperature: float = 0.0
    seed: int = 0
    max_tokens: int = 2048
    schema: bool = True
    refresh: int = field(default=0, metadata=LATER)
    answers: str = field(default="runs/answers", metadata=NO_RESULT | REACHES)
    parallel: int = field(default=16, metadata=NO_RESULT)
    timeout: float = field(default=120, metadata=NO_RESULT)
    max_tokens_total: int | None = field(default=None, metadata=NO_RESULT)

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.refresh, bool):
            object.__setattr__(self, "refresh", int(self.refresh))
        check_fields(
            self.concept,
            self,
            temperature="[0, 2]",
            max_tokens="whole [1, inf)",
            refresh="whole [0, inf)",
            max_tokens_total="(0, inf) or null",
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

    def check_paid(self) -> None:
        """Raise Stop if this run has paid for as many tokens as it may."""
        total, limit = self.paid.total(), self.max_tokens_total
        if limit is not None and total >= limit:
            raise Stop(
                f"{self.concept}.max_tokens_total={limit:g} is reached: this run has paid for "
                f"{total} tokens; the answers are in {self.answers}; the same command with a "
                "greater bound goes on"
            )

    def asked(self, passages: Sequence[str], questions: Sequence[str]) -> str:
        """Return, in words, the most that a benchmark's questions can take if none is answered."""
        tokens = sum(map(len, questions)) // LETTERS
        return (
            f"{self.model}: {counted(len(questions), 'call')}, {counted(tokens, 'token')} of "
            "text and the prompts"
        )
