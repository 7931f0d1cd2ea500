"""A twin of another benchmark: the same questions, gold, hops and splits over texts that were changed in one way."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from harness.benchmark import Benchmark
from harness.benchmark.load import load_into
from harness.benchmark.records import write_records
from harness.benchmark.source import assemble, read_prepared
from harness.core.artifact import Facts
from harness.core.errors import HarnessError, one_of, whole_number
from harness.core.identity import NO_RESULT, identity, texts_sha256
from harness.plugins.twins.twin import DRAWS_NOTHING, KINDS, Content, describe_changes, measure
from harness.work.store import Store


@dataclass(frozen=True)
class Twin:
    """``of``: a dataset by name, or a folder of prepared files; it is changed by a ``kind``, drawn by a ``seed``.

    kind: ``renamed`` (names become made-up ones), ``untitled`` (titles become numbers), ``unlinked`` (mentions of
    titles become descriptions), ``homonyms`` (others share each bridge's name), ``shuffled`` (sentences in another
    order), ``paraphrased`` (dates and small numbers written the other way).    data: folder of prepared benchmarks. The
    twin is an artifact, with files that ``dataset=folder`` reads too; its card is the manifest's facts and
    ``Benchmark.twin``.
    """

    version: ClassVar[int] = 2
    of: str | None = field(default=None, metadata=NO_RESULT)
    kind: str = "renamed"
    seed: int = 0
    data: str | None = field(default=None, metadata=NO_RESULT)

    def __post_init__(self) -> None:
        one_of("dataset.kind", self.kind, KINDS)
        whole_number("dataset.seed", self.seed, 0)
        if self.seed and self.kind in DRAWS_NOTHING:
            raise HarnessError(f"dataset.seed={self.seed}: dataset.kind={self.kind} draws nothing; leave the seed out")

    def describe(self, data: Benchmark) -> list[str]:
        """What `harness prepare` says of the twin: how much was changed."""
        return describe_changes(data.twin or {})

    def load(self, store: Store) -> Benchmark:
        """The twin. Raises HarnessError where its original cannot be read or has no texts to change."""
        if not self.of:
            raise HarnessError("dataset.of is not set; name a benchmark or a folder: dataset=twin dataset.of=sample")
        original = load_into(store, str(self.of), self.data)
        if original.triples is not None:
            raise HarnessError(f"dataset.of={self.of}: its passages are entities of a graph; take one with texts")

        def build(folder: Path) -> Facts:
            before = Content.of(original)
            after, changes = KINDS[self.kind](before, self.seed)
            write_records(folder / "corpus.jsonl", after.corpus)
            write_records(folder / "queries.jsonl", after.queries)
            return {"changes": changes, "before": measure(before), "after": measure(after)}

        made = store.get("twin", identity(self), {"benchmark": original.sha256}, build, what=f"of {original.name}")
        found = read_prepared(made.path, store.root)
        assert found is not None
        name = "_".join([original.name, self.kind, *([str(self.seed)] if self.seed else [])])
        twin = assemble(name, *found, "all")
        return dataclasses.replace(
            twin.without_order(~original.ordered),
            chain=original.chain,
            sha256=texts_sha256([twin.sha256, original.sha256]),
            twin={"of": original.name, "kind": self.kind, "seed": self.seed, **made.facts},
        )
