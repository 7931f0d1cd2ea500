"""Published benchmarks: prepared files, else files as upstream publishes them, else the Hub."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from harness.benchmark import Benchmark
from harness.benchmark.source.assembly import assemble
from harness.benchmark.source.card import Card, read_card
from harness.benchmark.source.corpus import Corpus, read_corpus
from harness.benchmark.source.hub import download
from harness.benchmark.source.lock import Lock
from harness.benchmark.source.prepared import read_prepared
from harness.benchmark.source.records import Record, Records
from harness.benchmark.source.upstream import Passages, read_passages, read_questions
from harness.core.errors import HarnessError
from harness.core.identity import NO_RESULT, file_sha256
from harness.core.table import counted
from harness.work.store import Store

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Published(ABC):
    """The benchmark of ``datasets/<card>.yaml``, looked for in ``data/<card>/``, then in ``data/``,
    then on the Hub.

    Prepared files are looked for in the card's ``folder`` first.

    A subclass says how a question as upstream publishes it becomes a query, with its gold in hop
    order.
    """

    card: str
    data: str = field(metadata=NO_RESULT)

    @abstractmethod
    def query(self, record: Record, passages: Passages) -> Record:
        """The query of an upstream record. LookupError and TypeError mean that the record is not
        what it should be.
        """

    def complete(self, folder: Path, queries: Records) -> Records:
        """The prepared queries, with what stands in further files of their folder."""
        return queries

    def load(self, store: Store) -> Benchmark:
        """The benchmark from the first way in that has it: its counts and its hash are checked."""
        card, lock = read_card(self.card), Lock.of(store)
        root = Path(self.data).expanduser()
        folder = root / card.name
        places = dict.fromkeys((root / (card.folder or card.name), folder))
        for place in places:
            prepared = read_prepared(place, store.root)
            if prepared is not None:
                corpus, queries = prepared[0], self.complete(place, prepared[1])
                return self._checked(
                    card, lock, "prepared", place, corpus, queries, len(corpus.table)
                )
        wanted = " or ".join(map(str, places))
        tried = [f"prepared files corpus.jsonl[.gz] and queries.jsonl[.gz] in {wanted}"]
        if card.files is not None:
            names = {part: str(entry["name"]) for part, entry in card.files.items()}
            tried.append(
                f"upstream files {names['queries']} and {names['corpus']} in {folder} and {root}"
            )
            for place in (folder, root):
                if all((place / name).is_file() for name in names.values()):
                    return self._converted(card, lock, "upstream", place.joinpath)
            try:
                return self._converted(
                    card, lock, "hub", download(card, lock, store.root / "downloads" / card.name)
                )
            except ConnectionError as error:
                tried.append(str(error))
        raise HarnessError(
            f"benchmark {card.name}: no data. Looked for {'; '.join(tried)}. Put prepared or "
            "upstream files there, "
            "set HARNESS_DATA or paths.data=DIR to the folder that holds them, or go online "
            f"({card.source})"
            f"{_wanted(card, folder)}"
        )

    def _converted(self, card: Card, lock: Lock, way: str, get: Callable[[str], Path]) -> Benchmark:
        assert card.files is not None
        paths = {part: get(str(entry["name"])) for part, entry in card.files.items()}
        for part, entry in card.files.items():
            if entry["sha256"] not in (None, found := file_sha256(paths[part])):
                size = f" ({entry['bytes']} bytes)" if "bytes" in entry else ""
                at_hand = f"{found} ({paths[part].stat().st_size} bytes)"
                raise HarnessError(
                    f"{paths[part]}: sha256 {at_hand}, but datasets/{card.name}.yaml expects "
                    f"{entry['sha256']}{size}; remove it and get the file again"
                )
            seen = entry.get("seen")
            if seen and seen["sha256"] != found:
                log.warning(
                    "%s: sha256 %s; the copy in %s has %s (%s bytes)",
                    paths[part],
                    found,
                    seen["repository"],
                    seen["sha256"],
                    seen["bytes"],
                )
        passages, questions = (
            read_passages(paths["corpus"], card.name),
            read_questions(paths["queries"]),
        )
        questions = self._answerable(questions)
        queries = [
            self._query(number, questions, passages) for number in range(len(questions.values))
        ]
        converted = questions.with_values(queries)
        corpus = read_corpus(passages.records)
        gold = sum(len(query["supporting_ids"]) for query in queries)
        log.info(
            "%s: %s, %s found in the corpus, %s (%s in the file)",
            card.name,
            counted(len(queries), "question"),
            counted(gold, "gold passage"),
            counted(len(passages.records.values), "passage"),
            counted(passages.total, "record"),
        )
        return self._checked(card, lock, way, paths["queries"], corpus, converted, passages.total)

    def _query(self, number: int, questions: Records, passages: Passages) -> Record:
        """A question in our form. Raises HarnessError with its place where a field is missing or
        wrong.
        """
        record = questions.values[number]
        try:
            return self.query(record, passages)
        except (LookupError, TypeError, ValueError) as error:
            what = f"field {error} is missing" if isinstance(error, KeyError) else str(error)
            name = record.get("id", record.get("_id"))
            said = f"{questions.at(number)}{f' ({name})' if name else ''}: {what}"
            raise HarnessError(f"{said}; get the file again") from error

    def _answerable(self, questions: Records) -> Records:
        """The questions without those of MuSiQue-Full that have no answer among the passages, and
        so no gold.
        """
        kept = [
            number
            for number, record in enumerate(questions.values)
            if record.get("answerable", True)
        ]
        if left_out := len(questions.values) - len(kept):
            log.warning(
                "%s: %d of %d questions are not answerable; left out",
                questions.path,
                left_out,
                len(questions.values),
            )
        return questions.take(kept)

    def _checked(
        self,
        card: Card,
        lock: Lock,
        way: str,
        where: Path,
        corpus: Corpus,
        queries: Records,
        total: int,
    ) -> Benchmark:
        benchmark = assemble(card.name, corpus, queries, card.chain)
        card.check(way, str(where), len(queries.values), total, benchmark.sha256)
        lock.hold(
            f"{card.name}/{way}", {"sha256": benchmark.sha256}, f"{card.name} ({way}, {where})"
        )
        log.info("benchmark %s: %s, %s", card.name, way, where)
        return benchmark


def _wanted(card: Card, folder: Path) -> str:
    """Which files to get, and where from, where the card knows their hashes and mirrors."""
    if not card.mirrors or card.files is None:
        return ""
    files = [
        f"{one['name']} ({one['bytes']} bytes, sha256 {one['sha256']})"
        for one in card.files.values()
    ]
    return f"; by hand: put {' and '.join(files)} of {' or '.join(card.mirrors)} into {folder}"
