"""Questions with subgraphs in the RoG form: ``id, question, answer, q_entity, a_entity, graph``.

``graph`` is a list of ``[subject, relation, object]``; ``answer``, ``q_entity`` and ``a_entity``
are lists of names.
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field
from typing_extensions import TypedDict

from harness.benchmark import Benchmark
from harness.benchmark.source.card import Card, read_card
from harness.benchmark.source.records import Record, Records, read_lines
from harness.core.errors import HarnessError
from harness.core.identity import NO_RESULT
from harness.core.input.hub import hub_or_cache
from harness.core.input.stored import misfit
from harness.plugins.dice.dataset.knowledge import Triple, knowledge
from harness.work.store import Store

log = logging.getLogger(__name__)
ENDINGS = ("*.parquet", "*.jsonl", "*.jsonl.gz")


class Form(TypedDict):
    """The fields of a record."""

    id: str
    question: str
    answer: list[object]
    q_entity: list[object]
    a_entity: list[object]
    graph: list[Annotated[list[object], Field(min_length=3, max_length=3)]]


@dataclass(frozen=True)
class Rog(ABC):
    """The benchmark of ``datasets/<card>.yaml``, from the files in ``data/<card>/`` or from the
    Hub.

    The graph is the union of all questions' subgraphs, each triple once. Every entity in it is a
    candidate, and its text is its name. Gold is ``a_entity``; a question without gold in the graph
    is left out and counted. A subclass gives the type of a question.

    Args:
        card: name of the card.
        data: folder of the data.
    """

    card: str
    data: str = field(metadata=NO_RESULT)

    @abstractmethod
    def kind(self, record: Record) -> str | None:
        """Return the question's type. Raise HarnessError if the record does not have one."""

    def load(self, store: Store) -> Benchmark:
        """Return the benchmark."""
        card = read_card(self.card)
        way, where, parts = self._parts(card)
        triples: dict[Triple, None] = {}
        queries: list[Record] = []
        # a part at a time: the subgraphs overlap, and together they are many times their union
        for records in parts:
            for number, record in enumerate(records.values):
                if message := misfit(record, Form):
                    raise HarnessError(
                        f"{records.at(number)}: {message}; expected the RoG form: "
                        f"{', '.join(Form.__annotations__)}"
                    )
                triples.update(((str(s), str(r), str(o)), None) for s, r, o in record["graph"])
                try:
                    kind = self.kind(record)
                except HarnessError as error:
                    raise HarnessError(f"{records.at(number)}: {error}") from error
                queries.append(_query(record, kind))
        asked = Records(where, queries, range(len(queries)), ": question ")
        benchmark, left_out = knowledge(card.name, triples, asked, {}, card.chain)
        log.info(
            "benchmark %s: %s, %d questions without gold in the graph left out",
            card.name,
            way,
            left_out,
        )
        return card.named(benchmark, str(where))

    def _parts(self, card: Card) -> tuple[str, Path, Iterable[Records]]:
        """Return the kind of source, its place, and its records, one file or split at a time."""
        folder = Path(self.data).expanduser() / card.name
        files = sorted(path for ending in ENDINGS for path in folder.glob(ending))
        if files:
            return "local", folder, map(_rows, files)
        tried = f"{', '.join(ENDINGS)} in {folder}"
        if card.hub is not None and card.hub["repo"] is not None:
            try:
                return "hub", Path(card.hub["repo"]), _hub(card.hub["repo"], card.hub["revision"])
            except (ConnectionError, OSError) as error:
                tried += (
                    f"; the Hub's {card.hub['repo']} "
                    f"({(str(error) or type(error).__name__).splitlines()[0]})"
                )
        raise HarnessError(
            f"benchmark {card.name}: no data. Looked for {tried}. Put its files there, set "
            "HARNESS_DATA or "
            f"paths.data=DIR to the folder that holds {card.name}/, or go online ({card.source})"
        )


def _query(record: Record, kind: str | None) -> Record:
    return {
        "id": record["id"],
        "question": record["question"],
        "answers": [str(answer) for answer in record["answer"]],
        "gold": [str(entity) for entity in record["a_entity"]],
        "type": kind,
        "q_entity": [str(entity) for entity in record["q_entity"]],
    }


def _rows(path: Path) -> Records:
    if path.suffix != ".parquet":
        return read_lines(path)
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        values = pq.read_table(path).to_pylist()
    except (pa.ArrowException, OSError) as error:
        raise HarnessError(
            f"{path}: not a whole Parquet file ({str(error).splitlines()[0]}); get it again"
        ) from error
    return Records(path, values, range(len(values)), ": record ")


def _hub(repo: str, revision: str | None) -> Iterable[Records]:
    """Return all splits of a repository, in the order train, validation, test."""
    from datasets import load_dataset

    with hub_or_cache():
        splits: Any = load_dataset(repo, revision=revision)
    order = [name for name in ("train", "validation", "test") if name in splits]
    return (
        Records(Path(repo) / name, list(splits[name]), range(len(splits[name])), ": record ")
        for name in order
    )
