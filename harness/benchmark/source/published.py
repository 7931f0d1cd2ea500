"""Published benchmarks, from prepared files, files of their publishers, or the Hub, in this
order.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

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
            if (prepared := read_prepared(place, store.root)) is None:
                continue
            corpus, queries = prepared[0], self.complete(place, prepared[1])
            made = assemble(card.name, corpus, queries, card.chain)
            count = len(made.queries) + made.left_out.get("queries", 0)
            card.check("prepared", str(place), count, len(corpus.table), made.sha256)
            log.info("benchmark %s: prepared, %s", card.name, place)
            return made
        wanted = " or ".join(map(str, places))
        tried = f"prepared files corpus.jsonl[.gz] and queries.jsonl[.gz] in {wanted}"
        if card.files is not None:
            names = [str(file["name"]) for file in card.files.values()]
            for place in (folder, root):
                if all((place / name).is_file() for name in names):
                    return self._converted(card, "upstream", place.joinpath)
            hub = card.hub or {}
            try:
                repo, revision = hub.get("repo"), hub.get("revision")
                return self._converted(card, "hub", lambda name: fetch(repo, name, revision))
            except ConnectionError as error:
                files = " and ".join(f"{file['name']}{_size(file)}" for file in card.files.values())
                tried += f"; upstream files {files} in {folder} and {root}; {error}"
        raise HarnessError(
            f"benchmark {card.name}: no data. Looked for {tried}. Put prepared or upstream files "
            "there, set HARNESS_DATA or paths.data=DIR to the folder that holds them, or go online "
            f"({card.source}); a file of the publishers' own: "
            f"dataset={card.name.partition('_')[0]}_dev dataset.path=FILE"
        )

    def _official(self, card: Card, root: Path) -> Benchmark:
        """Return the benchmark of questions with contexts, from a file or a data set."""
        questions, origin = self._read_official(card, root)
        total, queries, name = len(questions.values), _answerable(questions), card.name
        known = [version["queries"] for version in card.expected["official"]]
        if len(queries.values) not in known:
            found = counted(len(queries.values), "answerable question")
            expected = f"datasets/{name}.yaml expects {' or '.join(f'{one:,}' for one in known)}"
            log.warning("%s: %s, but %s", questions.path, found, expected)
        if self.sample is not None:
            total, queries = self.sample, _sample(queries, self.sample)
            name = f"{name}_{self.sample}{'_own' if self.corpus == 'sample' else ''}"
        source = queries if self.corpus == "sample" else questions
        paragraphs: list[tuple[int, str, str]] = []
        for number, place in enumerate(source.places):
            with _placed(source, number):
                for title, text in self.contexts(source.values[number]):
                    if not (isinstance(title, str) and isinstance(text, str)):
                        raise ValueError(
                            f"a paragraph must have a title and a text, found {(title, text)!r:.60}"
                        )
                    paragraphs.append((place, title, text))
        passages = join_passages(questions.path, card.name, paragraphs, questions.unit)
        return self._made(card, name, total, queries, passages, origin)

    def _read_official(self, card: Card, root: Path) -> tuple[Records, dict[str, str]]:
        """Return the questions of the typed file, of a file in a known place, or of the Hub, and
        where they are from.
        """
        places, hub = card.official_files(root), card.hub or {}
        local = next((str(place) for place in places if place.is_file()), None)
        path = self.path or local
        ours = hub if path in (None, hub["repo"]) else {"split": hub["split"]}
        keys = ("configuration", "split", "revision")
        wanted = {key: getattr(self, key) or ours.get(key) for key in keys}
        if path is not None:
            return read_questions(path, **wanted)
        problem = f"datasets/{card.name}.yaml names no repository there"
        if hub["repo"] is not None:
            try:
                return read_questions(hub["repo"], **wanted)
            except HarnessError as error:
                problem = str(error)
        raise HarnessError(
            f"benchmark {card.name}: no data. Looked for {', '.join(map(str, places))}, then "
            f"on the Hub ({problem}). Get the file ({card.source}) and put it there, or name "
            "it: dataset.path=FILE"
        )

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
        asked = _answerable(questions)
        made = self._made(card, card.name, len(questions.values), asked, passages, origin)
        count = len(made.queries)
        card.check(way, str(paths["queries"]), count, passages.total, made.sha256)
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
        """Return the benchmark of questions, of which there were ``total``, and their passages.

        If the card says that contexts were retrieved, questions whose gold is in no context are
        left out.
        """
        found: dict[int, Record] = {}
        for number, record in enumerate(asked.values):
            try:
                with _placed(asked, number):
                    found[number] = self.query(record, passages)
            except HarnessError as error:
                if not (card.retrieved and type(error.__cause__) is LookupError):
                    raise
        _warn(asked, len(found), "have a gold passage in no context")
        queries = asked.take(list(found)).with_values(list(found.values()))
        made = assemble(name, read_corpus(passages.records), queries, card.chain)
        log.info("%r from %s, of %s", made, asked.path, counted(passages.total, "record"))
        left_out = total - len(made.queries)
        return dataclasses.replace(
            made, origin=origin, left_out={"queries": left_out} if left_out else {}
        )


@contextlib.contextmanager
def _placed(questions: Records, number: int) -> Iterator[None]:
    """Raise HarnessError with the place of a question for a field that is missing or wrong."""
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        what = f"field {error} is missing" if isinstance(error, KeyError) else str(error)
        record = questions.values[number]
        name = record.get("id", record.get("_id"))
        place = f"{questions.at(number)}{f' ({name})' if name else ''}"
        raise HarnessError(f"{place}: {what}; get the file again") from error


def _answerable(questions: Records) -> Records:
    """Return the questions without those of MuSiQue-Full that have no answer among the passages,
    and so no gold.
    """
    kept = [n for n, record in enumerate(questions.values) if record.get("answerable", True)]
    _warn(questions, len(kept), "are not answerable")
    return questions.take(kept)


def _warn(questions: Records, kept: int, reason: str) -> None:
    total = len(questions.values)
    if kept < total:
        log.warning(
            "%s: %d of %d questions %s; left out", questions.path, total - kept, total, reason
        )


def _sample(queries: Records, size: int) -> Records:
    """Return ``size`` queries, chosen by the MD5 of their ids, in their order."""
    ids = [str(row.get("_id", row.get("id"))) for row in queries.values]
    if size > len(ids):
        raise HarnessError(f"dataset.sample={size}: {queries.path} has {len(ids)} questions")
    hashes = [hashlib.md5(one.encode(), usedforsecurity=False).hexdigest() for one in ids]
    return queries.take(sorted(sorted(range(len(ids)), key=hashes.__getitem__)[:size]))


def _size(file: Mapping[str, Any]) -> str:
    """Return the bytes and the hash of a card's file in brackets, if the card has them."""
    size = f"{file['bytes']} bytes, " if "bytes" in file else ""
    return f" ({size}sha256 {file['sha256'] or 'unknown'})"
