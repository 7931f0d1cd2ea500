"""A user's own benchmark: a folder of prepared files (``dataset=folder dataset.path=DIR``)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from harness.benchmark import Benchmark
from harness.benchmark.source.assembly import assemble
from harness.benchmark.source.chain import Chain, check_chain
from harness.benchmark.source.lock import Lock
from harness.benchmark.source.prepared import read_prepared
from harness.core.errors import HarnessError
from harness.work.store import Store


@dataclass(frozen=True)
class Folder:
    """The benchmark in ``path``: ``corpus.jsonl`` and ``queries.jsonl``, plain or ``.gz``; named like the folder.

    chain: of which questions the hop order is known, so that they have a last hop: ``all``, ``none``, or
    ``{field: [values]}`` over the query's fields.
    """

    path: str | None = None
    chain: Chain = "all"

    def __post_init__(self) -> None:
        check_chain("dataset.chain", self.chain)

    def load(self, store: Store) -> Benchmark:
        """The benchmark; its hash is remembered in the runs and checked from then on."""
        if not self.path:
            raise HarnessError("dataset.path is not set; name the folder: dataset=folder dataset.path=DIR")
        folder = Path(str(self.path)).expanduser().resolve()  # typed, a folder called 2024 is a number
        found = read_prepared(folder, store.root)
        if found is None:
            raise HarnessError(
                f"{folder}: {'no such folder' if not folder.is_dir() else 'no prepared files here'}; "
                "expected corpus.jsonl and queries.jsonl (or .jsonl.gz)"
            )
        benchmark = assemble(folder.name, *found, self.chain)
        name = str(folder) if self.chain == "all" else f"{folder} chain={self.chain}"  # the hash covers the rule
        Lock.of(store).hold(name, {"sha256": benchmark.sha256}, f"the benchmark in {folder}")
        return benchmark.without_order(~benchmark.chain)
