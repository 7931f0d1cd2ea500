"""Published benchmarks, from prepared files, files of their publishers, or the Hub, in this
order.
"""

from __future__ import annotations

import dataclasses
import hashlib
import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from harness.benchmark import Benchmark
from harness.benchmark.source.assembly import assemble
from harness.benchmark.source.card import Card, read_card
from harness.benchmark.source.corpus import read_corpus
from harness.benchmark.source.hub import commit, fetch
from harness.benchmark.source.prepared_files import read_prepared
from harness.benchmark.source.records import Record, Records
from harness.benchmark.source.upstream import (
    Contexts,
    CorpusRecords,
    join_passages,
    read_passages,
    read_questions,
)
from harness.core.errors import HarnessError, one_of, whole_number
from harness.core.identity import NO_RESULT, file_sha256
from harness.core.table import counted
from harness.work.store import Store

log = logging.getLogger(__name__)
T = TypeVar("T")


@dataclass(frozen=True)
class Published(ABC):
    """The benchmark of ``datasets/<card>.yaml``.

    A card with a corpus file is looked for in ``data/<card>/``, then in ``data/``, then on the Hub;
    prepared files are looked for in the card's ``folder`` first. A card without one has questions
    with their own contexts, whose union is the corpus.

    A subclass returns the paragraphs of a question, and the query with its gold in hop order.

    Attributes:
        card: the name of the card.
        data: the folder of benchmarks.
        path: questions with contexts: a file, a saved data set, or an id on the Hub; null looks in
            ``data``, then for the card's data set on the Hub.
        configuration: of a data set; null is the card's.
        split: of a data set; null is the card's.
        revision: of a data set; null is the card's.
        sample: number of questions, chosen by the MD5 of their ids; null takes all.
        corpus: ``all`` is the contexts of all questions, ``sample`` those of the chosen ones.
    """

    card: str
    data: str = field(metadata=NO_RESULT)
    path: str | None = None
    configuration: str | None = None
    split: str | None = None
    revision: str | None = None
    sample: int | None = None
    corpus: str = "all"

    def __post_init__(self) -> None:
        one_of("dataset.corpus", self.corpus, ("all", "sample"))
        if self.sample is not None:
            whole_number("dataset.sample", self.sample, 1)

    @abstractmethod
    def query(self, record: Record, passages: CorpusRecords) -> Record:
        """Return the query of an upstream record. LookupError and TypeError mean that the record is
        broken.
        """

    def contexts(self, record: Record) -> Contexts:
        """Return the paragraphs of a question. Errors are those of ``query``."""
        raise TypeError("the questions have no contexts")

    def complete(self, folder: Path, queries: Records) -> Records:
        """Return the prepared queries with fields of further files of their folder."""
        return queries

    def load(self, store: Store) -> Benchmark:
        """Return the benchmark from the first source that has it. Its counts are compared with the
        card.
        """
        card, root = read_card(self.card), Path(self.data).expanduser()
        folder = root / card.name
        if "official" in card.expected:
            return self._official(card, root)
        places = dict.fromkeys((root / (card.folder or card.name), folder))
        for place in places:
            prepared = read_prepared(place, store.root)
            if prepared is not None:
                corpus, queries = prepared[0], self.complete(place, prepared[1])
                made = assemble(card.name, corpus, queries, card.chain)
                return self._checked(card, "prepared", place, made, len(corpus.table))
        wanted = " or ".join(map(str, places))
        tried = [f"prepared files corpus.jsonl[.gz] and queries.jsonl[.gz] in {wanted}"]
        if card.files is not None:
            names = [str(card.files[part]["name"]) for part in ("queries", "corpus")]
            files = [f"{file['name']}{_size(file)}" for file in card.files.values()]
            tried.append(f"upstream files {' and '.join(files)} in {folder} and {root}")
            for place in (folder, root):
                if all((place / name).is_file() for name in names):
                    return self._converted(card, "upstream", place.joinpath)
            hub = card.hub or {}
            try:
                repo, revision = hub.get("repo"), hub.get("revision")
                return self._converted(card, "hub", lambda name: fetch(repo, name, revision))
            except ConnectionError as error:
                tried.append(str(error))
        raise HarnessError(
            f"benchmark {card.name}: no data. Looked for {'; '.join(tried)}. Put prepared or "
            "upstream files there, "
            "set HARNESS_DATA or paths.data=DIR to the folder that holds them, or go online "
            f"({card.source}); a file of the publishers' own: "
            f"dataset={card.name.partition('_')[0]}_dev dataset.path=FILE"
        )

    def _official(self, card: Card, root: Path) -> Benchmark:
        """Return the benchmark of questions with contexts, from a file or a data set."""
        places = card.official_files(root)
        local = next((str(place) for place in places if place.is_file()), None)
        hub = card.hub or {}
        path = self.path or local or hub["repo"]
        ours = hub if path == hub["repo"] else {"split": hub["split"]}
        keys = ("configuration", "split", "revision")
        wanted = {key: getattr(self, key) or ours.get(key) for key in keys}
        try:
            if path is None:
                raise HarnessError(f"datasets/{card.name}.yaml names no repository there")
            questions, origin = read_questions(str(path), **wanted)
        except HarnessError as error:
            if self.path or local:
                raise
            raise HarnessError(
                f"benchmark {card.name}: no data. Looked for {', '.join(map(str, places))}, then "
                f"on the Hub ({error}). Get the file ({card.source}) and put it there, or name "
                "it: dataset.path=FILE"
            ) from error
        return self._converted_official(card, questions, origin)

    def _converted_official(
        self, card: Card, questions: Records, origin: Mapping[str, str]
    ) -> Benchmark:
        total, queries = len(questions.values), self._answerable(questions)
        known = [version["queries"] for version in card.expected["official"]]
        if len(queries.values) not in known:
            log.warning(
                "%s: %s, but datasets/%s.yaml expects %s",
                questions.path,
                counted(len(queries.values), "answerable question"),
                card.name,
                " or ".join(f"{count:,}" for count in known),
            )
        name = card.name
        if self.sample is not None:
            ids = [str(row.get("_id", row.get("id"))) for row in queries.values]
            if self.sample > len(ids):
                raise HarnessError(
                    f"dataset.sample={self.sample}: {questions.path} has {len(ids)} questions"
                )
            hashes = [hashlib.md5(one.encode(), usedforsecurity=False).hexdigest() for one in ids]
            order = sorted(range(len(ids)), key=hashes.__getitem__)
            queries = queries.take(sorted(order[: self.sample]))
            total = self.sample
            name = f"{name}_{self.sample}{'_own' if self.corpus == 'sample' else ''}"
        source = queries if self.corpus == "sample" else questions
        passages = join_passages(
            questions.path,
            card.name,
            [
                (place, title, text)
                for number, place in enumerate(source.places)
                for title, text in self._attempt(source, number, self._paragraphs)
            ],
            questions.unit,
        )
        return self._made(card, name, total, queries, passages, origin)

    def _converted(self, card: Card, way: str, get: Callable[[str], Path]) -> Benchmark:
        assert card.files is not None
        paths = {part: get(str(entry["name"])) for part, entry in card.files.items()}
        for part, entry in card.files.items():
            if entry["sha256"] not in (None, found := file_sha256(paths[part])):
                size = paths[part].stat().st_size
                raise HarnessError(
                    f"{paths[part]}: sha256 {found}, {size} bytes, but datasets/{card.name}.yaml "
                    f"expects another file{_size(entry)}; remove it and get the file again"
                )
        passages = read_passages(paths["corpus"], card.name)
        questions, origin = read_questions(str(paths["queries"]))
        if revision := commit(paths["queries"]):
            origin["revision"] = revision
        asked, total = self._answerable(questions), len(questions.values)
        made = self._made(card, card.name, total, asked, passages, origin)
        answered = dataclasses.replace(made, left_out={})
        self._checked(card, way, paths["queries"], answered, passages.total)
        return made

    def _made(
        self,
        card: Card,
        name: str,
        total: int,
        asked: Records,
        passages: CorpusRecords,
        origin: Mapping[str, str],
    ) -> Benchmark:
        """Return the benchmark of questions, of which there were ``total``, and their passages."""
        queries = self._queries(card, asked, passages)
        made = assemble(name, read_corpus(passages.records), queries, card.chain)
        gold = sum(len(query["supporting_ids"]) for query in queries.values)
        log.info(
            "%s: %s, %s found in the corpus, %s (%s in the file), from %s",
            name,
            counted(len(made.queries), "question"),
            counted(gold, "gold passage"),
            counted(len(made.corpus), "passage"),
            counted(passages.total, "record"),
            asked.path,
        )
        left_out = total - len(made.queries)
        found = {"queries": left_out} if left_out else {}
        return dataclasses.replace(made, origin=origin, left_out=found)

    def _queries(self, card: Card, questions: Records, passages: CorpusRecords) -> Records:
        """Return the questions in our form. If the card says that contexts were retrieved,
        questions whose gold is in no context are left out.
        """
        found: dict[int, Record] = {}
        for number in range(len(questions.values)):
            try:
                found[number] = self._attempt(questions, number, lambda r: self.query(r, passages))
            except HarnessError as error:
                if not (card.retrieved and type(error.__cause__) is LookupError):
                    raise
        if missing := len(questions.values) - len(found):
            log.warning(
                "%s: %d of %d questions have a gold passage in no context; left out",
                questions.path,
                missing,
                len(questions.values),
            )
        return questions.take(list(found)).with_values(list(found.values()))

    def _paragraphs(self, record: Record) -> Contexts:
        """Return ``contexts``. Raise ValueError for a paragraph without title or text."""
        for title, text in (found := list(self.contexts(record))):
            if not (isinstance(title, str) and isinstance(text, str)):
                raise ValueError(
                    f"a paragraph must have a title and a text, found {(title, text)!r:.60}"
                )
        return found

    def _attempt(self, questions: Records, number: int, make: Callable[[Record], T]) -> T:
        """Return the result for a question. Raise HarnessError with its place if a field is missing
        or wrong.
        """
        record = questions.values[number]
        try:
            return make(record)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            what = f"field {error} is missing" if isinstance(error, KeyError) else str(error)
            name = record.get("id", record.get("_id"))
            said = f"{questions.at(number)}{f' ({name})' if name else ''}: {what}"
            raise HarnessError(f"{said}; get the file again") from error

    def _answerable(self, questions: Records) -> Records:
        """Return the questions without those of MuSiQue-Full that have no answer among the
        passages, and so no gold.
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
        self, card: Card, way: str, where: Path, benchmark: Benchmark, total: int
    ) -> Benchmark:
        count = len(benchmark.queries) + benchmark.left_out.get("queries", 0)
        card.check(way, str(where), count, total, benchmark.sha256)
        log.info("benchmark %s: %s, %s", card.name, way, where)
        return benchmark


def _size(file: Mapping[str, Any]) -> str:
    """Return the bytes and the hash of a card's file in brackets, if the card has them."""
    facts = [f"{file['bytes']} bytes"] if "bytes" in file else []
    facts += [f"sha256 {file['sha256']}"] if file["sha256"] else []
    return f" ({', '.join(facts)})" if facts else ""
