"""``sample``: a made-up world and questions about it, stored in ``datasets/sample``, for a first
look and for tests.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from harness.benchmark import Benchmark
from harness.benchmark.source.assembly import assemble
from harness.benchmark.source.card import read_card
from harness.benchmark.source.prepared_files import read_prepared
from harness.core.concepts import package_folder
from harness.core.errors import HarnessError
from harness.work.store import Store


@dataclass(frozen=True)
class Sample:
    """2,000 passages about people, places, works and organisations that do not exist, and 600
    questions.
    """

    card: ClassVar[str] = "sample"

    def load(self, store: Store) -> Benchmark:
        """Return the benchmark."""
        card, folder = read_card(self.card), package_folder("datasets") / "sample"
        prepared = read_prepared(folder)
        if prepared is None:
            raise HarnessError(
                f"{folder}: the files of the sample are missing; install the package again"
            )
        return card.named(assemble(card.name, *prepared, card.chain), str(folder))
