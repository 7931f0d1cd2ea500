"""A user's own benchmark: a folder of prepared files (``dataset=folder dataset.path=DIR``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.benchmark import Benchmark
from harness.benchmark.source.assembly import assemble
from harness.benchmark.source.judgements import (
    join_judgements,
    judged_benchmark,
    judgement_files,
    read_judgements,
)
from harness.benchmark.source.prepared_files import (
    need_file,
    plain_passages,
    read_prepared,
    read_prepared_questions,
)
from harness.benchmark.source.records import Chain, check_chain
from harness.core.errors import HarnessError, MissingFile
from harness.work.store import Store


@dataclass(frozen=True)
class Folder:
    """The benchmark in a folder with ``corpus.jsonl`` and ``queries.jsonl``, plain or ``.gz``,
    named like the folder.

    If the queries name no gold and the folder has ``qrels/*.tsv`` or ``.jsonl``, it is one of BEIR:
    these files are splits of judgements, and no query has a hop order. Neither has a query with
    ``"ordered": false``.

    Attributes:
        path: the folder.
        chain: the questions whose hop order is known, so that they have a last hop: ``all``,
            ``none``, or ``{field: [values]}`` over the query's fields; None: those without
            ``"ordered": false``.
    """

    path: str | None = None
    chain: Chain | None = None

    def __post_init__(self) -> None:
        check_chain("dataset.chain", self.chain)

    def load(self, store: Store) -> Benchmark:
        """Return the benchmark of the present files."""
        folder = self._folder()
        if files := judgement_files(folder):
            return self._judged(folder, files, store)
        prepared = read_prepared(folder, store.root)
        if prepared is None:
            raise MissingFile(
                f"{folder}: "
                f"{'no such folder' if not folder.is_dir() else 'no prepared files here'}; "
                "expected corpus.jsonl and queries.jsonl (or .jsonl.gz)",
                str(self.path),
            )
        corpus, queries = prepared
        return assemble(folder.name, corpus, queries, None, self.chain)

    def _judged(self, folder: Path, files: Sequence[Path], store: Store) -> Benchmark:
        """Return the benchmark of a folder of BEIR."""
        judged, splits = join_judgements((path.stem, read_judgements(path)) for path in files)
        questions = read_prepared_questions(need_file(folder, "queries"))
        asked = {name: question for name, question in questions.items() if name in judged}
        passages = plain_passages(need_file(folder, "corpus"))
        return judged_benchmark(folder.name, passages, asked, judged, store, splits)

    def _folder(self) -> Path:
        if not self.path:
            raise HarnessError(
                "dataset.path is not set; name the folder: dataset=folder dataset.path=DIR"
            )
        # a folder called 2024 is typed as a number
        return Path(str(self.path)).expanduser().resolve()
