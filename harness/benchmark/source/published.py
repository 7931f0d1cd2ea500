"""Published benchmarks, from prepared files, files of their publishers, or the Hub, in this
order.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from harness.benchmark import Benchmark
from harness.benchmark.source.assembly import assemble
from harness.benchmark.source.card import Card, read_card
from harness.benchmark.source.hub import HubError, commit, fetch
from harness.benchmark.source.prepared_files import read_prepared
from harness.benchmark.source.records import Chain, Record, Records, check_chain
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
NO_REPOSITORY = "its card names no repository"
"""The reason why a benchmark cannot be had from the Hub at all."""


@dataclass(frozen=True)
class Published(ABC):
    """The benchmark of ``datasets/<card>.yaml``.

    It is looked for as prepared files, as the publishers' questions with their own contexts, whose
    union is the corpus, then as HippoRAG's questions and corpus; in ``data``, then on the Hub. A
    card with a list of ids takes these questions, in the order of the list.

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
        chain: the questions that last_hop counts: ``all``, ``none`` or ``{field: [values]}``; None:
            those without ``"ordered": false``.
    """

    gold: ClassVar[str] = "supporting_facts"
    """The field of the publishers' questions that names the gold."""

    card: str
    data: str = field(metadata=NO_RESULT)
    path: str | None = None
    configuration: str | None = None
    split: str | None = None
    revision: str | None = None
    sample: int | None = None
    corpus: str = "all"
    chain: Chain | None = None

    def __post_init__(self) -> None:
        check_chain("dataset.chain", self.chain)
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
        """Return the benchmark from the first source that has it, under another name if its content
        is not the card's.
        """
        card = read_card(self.card)
        files: list[str] = []
        for sought, benchmark in self._sources(card, store):
            if benchmark is not None:
                return benchmark
            files.append(sought)
        hub = files.pop()
        elsewhere = ", or name it with dataset.path=FILE" if card.official else ""
        downloads = (
            ""
            if hub == NO_REPOSITORY
            else (
                f". Where there is a network, `harness data dataset={card.name} out=DIR` writes "
                "corpus.jsonl and queries.jsonl"
            )
        )
        raise HarnessError(
            f"benchmark {card.name}: no data in {self.data}, nor on the Hub ({hub}). Put there "
            f"{'; or '.join(files)}. Or set HARNESS_DATA or paths.data=DIR to the folder that has "
            f"it{elsewhere}{downloads}"
        )

    def _sources(self, card: Card, store: Store) -> Iterator[tuple[str, Benchmark | None]]:
        """Yield what is looked for in each source, and the benchmark if the source has it.

        The last one is the Hub, with the reason why it has none.
        """
        official, root = card.official, Path(self.data).expanduser()
        folders = [] if card is official else card.folders(root)
        if self.path is not None and official is not None:
            yield "", self._from_contexts(card, official, self.path)
        if folders:
            benchmarks = (self._from_prepared(card, place, store) for place in folders)
            names = " or ".join(f"{folder.name}/" for folder in folders)
            yield (
                f"{names} with corpus.jsonl and queries.jsonl",
                next(filter(None, benchmarks), None),
            )
        if official is not None:
            path = next((path for path in card.official_files(root) if path.is_file()), None)
            yield (
                f"{' or '.join(official.files['queries']['names'])} of {official.source}",
                self._from_contexts(card, official, str(path)) if path else None,
            )
        if folders and card.files:
            names = " and ".join(file["name"] for file in card.files.values())
            yield f"HippoRAG's {names}", self._hipporags_pair(card, [*folders, root])
        try:
            yield "", self._from_hub(card, official)
        except HubError as error:
            yield error.reason, None

    def _hipporags_pair(self, card: Card, places: Sequence[Path]) -> Benchmark | None:
        """Return the benchmark of HippoRAG's files, or None if no place has both."""
        for place in places:
            if all((place / file["name"]).is_file() for file in card.files.values()):
                return self._from_pair(card, place.joinpath)
        return None

    def _from_prepared(self, card: Card, place: Path, store: Store) -> Benchmark | None:
        """Return the benchmark of a folder of prepared files, or None if it has none."""
        if (prepared := read_prepared(place, store.root)) is None:
            return None
        corpus, queries = prepared[0], self.complete(place, prepared[1])
        return card.named(assemble(card.name, corpus, queries, card.chain, self.chain), str(place))

    def _from_hub(self, card: Card, official: Card | None) -> Benchmark:
        """Return the benchmark of the Hub. Raise HubError if it cannot be had there."""
        if card.hub is not None and card is not official:
            repo, revision = str(card.hub["repo"]), card.hub["revision"]
            return self._from_pair(card, lambda name: fetch(repo, name, revision))
        if official is not None and (official.hub or {}).get("repo"):
            return self._from_contexts(card, official, None)
        raise HubError(NO_REPOSITORY, NO_REPOSITORY)

    def _from_contexts(self, card: Card, official: Card, path: str | None) -> Benchmark:
        """Return the benchmark of questions with contexts.

        Args:
            card: its card.
            official: the card of the publishers' questions.
            path: a file or a data set; None for that of the card on the Hub.
        """
        questions, origin = self._read(official, path)
        asked, total, name = _answerable(questions), len(questions.values), card.name
        # the paragraphs of unanswerable questions are in the corpus
        source = questions if self.corpus == "all" else asked
        if card.ids is not None:
            source, asked = _listed(card, asked)
            total = len(asked.values)
        if self.sample is not None:
            total, asked = self.sample, _sample(asked, self.sample)
            name = f"{name}_{self.sample}{'_own' if self.corpus == 'sample' else ''}"
            source = asked if self.corpus == "sample" else source

        def paragraphs() -> Iterator[tuple[int, str, str]]:
            for number, place in enumerate(source.places):
                with _placed(source, number):
                    contexts = list(self.contexts(source.values[number]))
                yield from ((place, title, text) for title, text in contexts)

        passages = join_passages(
            questions.path, card.alias or card.name, paragraphs(), questions.unit
        )
        benchmark = self._benchmark(card, name, total, asked, passages, origin)
        if self.sample is not None:
            return benchmark
        return card.named(benchmark, str(questions.path))

    def _read(self, official: Card, path: str | None) -> tuple[Records, dict[str, str]]:
        """Return the publishers' questions, and where they are from. ``path`` as in
        ``_from_contexts``.

        Raises:
            HarnessError: no question has gold.
        """
        hub = official.hub or {}
        usual = hub if path in (None, hub.get("repo")) else {"split": hub.get("split")}
        keys = ("configuration", "split", "revision")
        wanted = {key: getattr(self, key) or usual.get(key) for key in keys}
        questions, origin = read_questions(str(path or hub["repo"]), **wanted)
        if not any(record.get(self.gold) for record in questions.values):
            raise HarnessError(
                f"{questions.path}: no question has {self.gold}, so this is a test file, which has "
                f"no gold; use the dev file ({' or '.join(official.files['queries']['names'])})"
            )
        return questions, origin

    def _from_pair(self, card: Card, get: Callable[[str], Path]) -> Benchmark:
        """Return the benchmark of HippoRAG's questions and corpus. Raise HarnessError if they have
        other hashes than the card's.
        """
        paths = {part: get(str(entry["name"])) for part, entry in card.files.items()}
        for part, entry in card.files.items():
            if entry["sha256"] not in (None, sha256 := file_sha256(paths[part])):
                size = paths[part].stat().st_size
                raise HarnessError(
                    f"{paths[part]}: sha256 {sha256}, {size} bytes, but datasets/{card.name}.yaml "
                    f"expects another file{_size(entry)}; remove it and get the file again"
                )
        passages = read_passages(paths["corpus"], card.alias or card.name)
        questions, origin = read_questions(str(paths["queries"]))
        if revision := commit(paths["queries"]):
            origin["revision"] = revision
        asked = _answerable(questions)
        benchmark = self._benchmark(card, card.name, len(questions.values), asked, passages, origin)
        return card.named(benchmark, str(paths["queries"]))

    def _benchmark(
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
        queries: dict[int, Record] = {}
        for number, record in enumerate(asked.values):
            try:
                with _placed(asked, number):
                    queries[number] = self.query(record, passages)
            except HarnessError as error:
                if not (card.retrieved and type(error.__cause__) is LookupError):
                    raise
        _warn(asked, len(queries), "have a gold passage in no context")
        records = asked.take(list(queries)).with_values(list(queries.values()))
        benchmark = assemble(name, passages.records, records, card.chain, self.chain)
        read = f"{counted(total, 'question')}, {counted(passages.total, 'context')}"
        log.info("%r from %s: %s", benchmark, asked.path, read)
        left_out = total - len(benchmark.queries)
        counts = {"queries": left_out} if left_out else {}
        return dataclasses.replace(benchmark, origin=origin, left_out=counts)


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
    answerable = [n for n, record in enumerate(questions.values) if record.get("answerable", True)]
    _warn(questions, len(answerable), "are not answerable")
    return questions.take(answerable)


def _warn(questions: Records, count: int, reason: str) -> None:
    total = len(questions.values)
    if count < total:
        log.warning(
            "%s: %d of %d questions %s; left out", questions.path, total - count, total, reason
        )


def _listed(card: Card, questions: Records) -> tuple[Records, Records]:
    """Return the questions of the card's list of ids, in its order, and those that are asked.

    Raises:
        HarnessError: some are missing.
    """
    listed = card.ids or {}
    places = {_id(record): number for number, record in enumerate(questions.values)}
    if missing := [name for name in listed if name not in places]:
        raise HarnessError(
            f"{questions.path}: {len(missing)} of the {len(listed)} questions of "
            f"datasets/ids/{card.name}.txt are missing, the first is {missing[0]}; get the "
            f"whole file of the publishers ({card.source}), or take questions of your own with "
            f"dataset={card.of} dataset.path=FILE"
        )
    asked = [places[name] for name, is_asked in listed.items() if is_asked]
    return questions.take([places[name] for name in listed]), questions.take(asked)


def _id(record: Record) -> str:
    return str(record.get("_id", record.get("id")))


def _sample(queries: Records, size: int) -> Records:
    """Return ``size`` queries, chosen by the MD5 of their ids, in their order."""
    ids = [_id(row) for row in queries.values]
    if size > len(ids):
        raise HarnessError(f"dataset.sample={size}: {queries.path} has {len(ids)} questions")
    hashes = [hashlib.md5(name.encode(), usedforsecurity=False).hexdigest() for name in ids]
    return queries.take(sorted(sorted(range(len(ids)), key=hashes.__getitem__)[:size]))


def _size(file: Mapping[str, Any]) -> str:
    """Return the bytes and the hash of a card's file in brackets, if the card has them."""
    size = f"{file['bytes']} bytes, " if "bytes" in file else ""
    return f" ({size}sha256 {file['sha256'] or 'unknown'})"
