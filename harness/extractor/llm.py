"""Open information extraction by a language model behind an OpenAI-compatible endpoint: entities, then triples."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from tqdm import tqdm

from harness.benchmark import Benchmark
from harness.errors import HarnessError, bounded
from harness.extractor import Extractor
from harness.extractor.answers import Answers
from harness.extractor.endpoint import Away, Endpoint, Refused
from harness.extractor.extraction import Extraction
from harness.extractor.openie import Said, opened
from harness.extractor.prompt import Prompt, read_prompt
from harness.identity import NO_RESULT, digest

MALFORMED = "malformed.jsonl"
TRUSTED = 0.5


@dataclass(frozen=True)
class LLM:
    """What ``base`` finds, with the entities and triples that a model names in each passage (two requests a passage).

    model: as the endpoint calls it.    entities, triples: prompts of ``conf/extractor/prompts/``, or files.
    schema: ask for answers by a JSON schema.    answers: folder of the raw answers, kept by model, prompt and passage;
    a killed run goes on from them and nothing is paid for twice.    parallel, retries, backoff, timeout: see Endpoint.
    price: of a million tokens, ``prompt`` and ``completion``.

    An answer that is not what was asked for (``invalid``), was cut (``cut``) or refused (``refused``) gives nothing;
    it is counted and listed in ``malformed.jsonl`` of the artifact. When that befalls more than half of the passages,
    nothing is built.
    """

    version: ClassVar[int] = 1
    base: Extractor
    model: str
    entities: str = field(default="entities", metadata=NO_RESULT)
    triples: str = field(default="triples", metadata=NO_RESULT)
    temperature: float = 0.0
    seed: int = 0
    max_tokens: int = 2048
    schema: bool = True
    base_url: str = field(default="https://api.openai.com/v1", metadata=NO_RESULT)
    key_variable: str = field(default="OPENAI_API_KEY", metadata=NO_RESULT)
    answers: str = field(default="runs/answers", metadata=NO_RESULT)
    parallel: int = field(default=16, metadata=NO_RESULT)
    retries: int = field(default=6, metadata=NO_RESULT)
    backoff: float = field(default=0.5, metadata=NO_RESULT)
    timeout: float = field(default=120, metadata=NO_RESULT)
    price: Mapping[str, float] = field(default_factory=dict, metadata=NO_RESULT)

    def __post_init__(self) -> None:
        bounded("extractor.temperature", self.temperature, 0, 2)
        bounded("extractor.max_tokens", self.max_tokens, 1)
        bounded("extractor.parallel", self.parallel, 1)
        bounded("extractor.retries", self.retries, 0)
        bounded("extractor.backoff", self.backoff, 0)
        bounded("extractor.timeout", self.timeout, 0, open_low=True)
        for kind, value in self.price.items():
            bounded(f"extractor.price.{kind}", value, 0)

    def content(self) -> str:
        """Hash of the prompts' texts."""
        return digest([prompt.text for prompt in self._prompts()])

    def extract(self, benchmark: Benchmark, folder: Path) -> tuple[Extraction, Mapping[str, Any]]:
        """Ask of every passage, count, and join to what ``base`` finds."""
        reader = _Reader(self, *self._prompts())
        said = reader.all(benchmark.passages, f"extractor.base_url={self.base_url}")
        ids = benchmark.doc_ids.to_pylist()
        wrong = sorted(({"passage": ids[place], **rest} for place, rest in reader.wrong), key=json.dumps)
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in wrong)
        (folder / MALFORMED).write_text(lines, encoding="utf-8")
        hurt = len({row["passage"] for row in wrong})
        if hurt > TRUSTED * len(said):
            raise HarnessError(
                f"extractor.model={self.model}: {hurt} of {len(said)} passages have answers that cannot be used, the "
                f"first: {wrong[0]['stage']} of {wrong[0]['passage']}, {wrong[0]['why']} ({wrong[0]['reason']}); try "
                "another prompt or model, or more extractor.max_tokens. The answers are kept"
            )
        (folder / "base").mkdir(exist_ok=True)
        base, facts = self.base.extract(benchmark, folder / "base")
        extraction, found = opened(base, said, benchmark)
        return extraction, {**facts, **found, **reader.facts()}

    def _prompts(self) -> tuple[Prompt, Prompt]:
        return read_prompt("entities", self.entities), read_prompt("triples", self.triples)


class _Reader:
    """Asks a model of passages; several threads share it (list.append and Counter under the interpreter's lock)."""

    def __init__(self, settings: LLM, entities: Prompt, triples: Prompt) -> None:
        self.settings, self.prompts = settings, (entities, triples)
        self.kept = Answers(Path(settings.answers))
        self.endpoint = Endpoint(
            settings.base_url, settings.key_variable, settings.retries, settings.backoff, settings.timeout
        )
        self.wrong: list[tuple[int, dict[str, str]]] = []
        self.received: list[tuple[int, int, bool]] = []

    def all(self, passages: Sequence[str], where: str) -> list[Said]:
        """What is said of each passage. Raises HarnessError when the endpoint stays away; answers so far are kept."""
        with (
            ThreadPoolExecutor(self.settings.parallel) as executor,
            tqdm(total=len(passages), desc="extract triples", unit="passage", leave=False, disable=None) as progress,
        ):
            jobs = [executor.submit(self._read, place, passage) for place, passage in enumerate(passages)]
            found = []
            try:
                for job in jobs:
                    found.append(job.result())
                    progress.update()
            except Away as error:
                executor.shutdown(wait=True, cancel_futures=True)
                raise HarnessError(
                    f"{where}: no answer from {self.settings.model} ({error}); {len(self.received)} answers are in "
                    f"{self.settings.answers}, so run the command again when the endpoint answers"
                ) from error
            except BaseException:
                executor.shutdown(wait=True, cancel_futures=True)
                raise
        return found

    def facts(self) -> dict[str, Any]:
        """Counts for the manifest. ``paid``: of this run; ``tokens``: of all answers, whenever they were paid for."""
        count = Counter(row["why"] for _, row in self.wrong)
        price = {kind: self.settings.price.get(kind, 0.0) / 1e6 for kind in ("prompt", "completion")}

        def tokens(paid: bool) -> dict[str, int]:
            rows = [row for row in self.received if row[2] or not paid]
            return {"prompt": sum(row[0] for row in rows), "completion": sum(row[1] for row in rows)}

        def cost(paid: bool) -> float:
            return round(sum(price[kind] * number for kind, number in tokens(paid).items()), 6)

        return {
            "answers": len(self.received),
            "answers_paid": sum(row[2] for row in self.received),
            "tokens": tokens(False),
            "tokens_paid": tokens(True),
            "cost": cost(False),
            "cost_paid": cost(True),
            "malformed": {why: count[why] for why in ("invalid", "cut", "refused")},
        }

    def _read(self, place: int, passage: str) -> Said:
        entities = self._ask(place, self.prompts[0], self.prompts[0].fill(passage))
        named = [entity for entity in entities if isinstance(entity, str)]
        return Said.of(entities, self._ask(place, self.prompts[1], self.prompts[1].fill(passage, named)))

    def _ask(self, place: int, prompt: Prompt, message: str) -> list[Any]:
        """The list that the model answers with; empty, and put down as wrong, when it does not."""
        settings = self.settings
        request: dict[str, Any] = {
            "model": settings.model,
            "messages": [{"role": "user", "content": message}],
            "temperature": settings.temperature,
            "seed": settings.seed,
            "max_tokens": settings.max_tokens,
        }
        if settings.schema:
            form = {"name": prompt.stage, "strict": True, "schema": prompt.schema}
            request["response_format"] = {"type": "json_schema", "json_schema": form}
        try:
            answer, paid = self.kept.get(prompt.text, request, self.endpoint.ask)
        except Refused as error:
            self._put(place, prompt, "refused", str(error), "")
            return []
        self.received.append((answer.prompt, answer.completion, paid))
        try:
            return prompt.read(answer.content)
        except ValueError as error:
            why = "cut" if answer.finish == "length" else "invalid"
            self._put(place, prompt, why, str(error), answer.content)
            return []

    def _put(self, place: int, prompt: Prompt, why: str, reason: str, content: str) -> None:
        row = {"stage": prompt.stage, "why": why, "reason": reason, "answer": content}
        self.wrong.append((place, row))
