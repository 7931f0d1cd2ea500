"""PostgreSQL's full text search: the lexical list of the weighted-RRF ADR (extra ``stores``)."""

from __future__ import annotations

import contextlib
import importlib.util
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from harness.benchmark import Benchmark
from harness.core.artifact import Facts
from harness.core.configuration.extras import need
from harness.core.configuration.stored_strategy import REACHES
from harness.core.errors import HarnessError, check_fields
from harness.core.secret import check_address
from harness.run import Run
from harness.work.latency import time_alone
from harness.work.store import Store

ALL = "plainto_tsquery(%(language)s::regconfig, %(question)s)"
ANY = f"replace({ALL}::text, ' & ', ' | ')::tsquery"
RANKED = (
    "SELECT id, ts_rank(words, query) AS score FROM passage, (SELECT {} AS query) AS asked WHERE "
    "words @@ query "
    "ORDER BY score DESC, id LIMIT %(depth)s"
)


@dataclass(frozen=True)
class Postgres:
    """score(q, d) = ts_rank(words of d, plainto_tsquery(q)), over passages that hold all words of q
    (&).

    If fewer than ``least`` passages do, those that hold any word (|) are ranked instead. Words are
    the lexemes of title and text; passages without a match are not listed.

    Args:
        uri: a server in which a temporary table is made; None starts one (``pgserver``) on a Unix
            socket in a temporary folder.
        language: a text search configuration.
        depth: passages of a list, >= 1.
        least: >= 0; 0 never broadens.
    """

    version = 1

    uri: str | None = field(default=None, metadata=REACHES)
    language: str = "english"
    depth: int = 10
    least: int = 1

    def __post_init__(self) -> None:
        check_fields("lists.NAME", self, depth="whole [1, inf)", least="whole [0, inf)")
        if self.uri is not None:
            mend = "put the password into the environment variable PGPASSWORD, or into ~/.pgpass"
            check_address("lists.NAME.uri", self.uri, mend, user=True)

    def retrieve(self, benchmark: Benchmark, store: Store) -> tuple[Run, Facts]:
        """Return the ``depth`` best passages of every question; ``broadened`` counts the broadened
        ones.
        """
        lists: list[list[tuple[int, float]]] = []
        with self._loaded(benchmark) as connection:
            broadened = 0

            def answer(place: int) -> tuple[list[tuple[int, float]], bool]:
                asked = {
                    "language": self.language,
                    "question": _plain(benchmark.questions[place]),
                    "depth": self.depth,
                }
                rows = connection.execute(RANKED.format(ALL), asked).fetchall()
                few = len(rows) < self.least
                return (
                    connection.execute(RANKED.format(ANY), asked).fetchall() if few else rows
                ), few

            for place in range(len(benchmark.questions)):
                rows, few = answer(place)
                lists.append(rows)
                broadened += few
            time_alone(answer, len(benchmark.questions))
            version = connection.info.server_version
        queries = np.repeat(np.arange(len(lists)), [len(rows) for rows in lists])
        flat = [row for rows in lists for row in rows]
        docs, scores = (
            np.array([doc for doc, _ in flat], np.int64),
            np.array([score for _, score in flat], np.float64),
        )
        run = Run.of(benchmark.query_ids, benchmark.doc_ids, queries, docs, scores)
        return run, {"broadened": broadened, "postgresql": version}

    @contextlib.contextmanager
    def _loaded(self, benchmark: Benchmark) -> Iterator[Any]:
        """Yield a connection with the passages in a temporary table ``passage``."""
        psycopg = need("psycopg", "retriever=postgres", "stores")
        with contextlib.ExitStack() as opened:
            address = self.uri or opened.enter_context(_server())
            try:
                connection = opened.enter_context(psycopg.connect(address, autocommit=True))
            except psycopg.OperationalError as error:
                reason = str(error).splitlines()[0]
                raise HarnessError(f"lists.NAME.uri={address}: {reason}") from error
            try:
                connection.execute("CREATE TEMPORARY TABLE source (id int, body text)")
                with connection.cursor().copy("COPY source FROM STDIN") as copy:
                    for place, text in enumerate(benchmark.passages):
                        copy.write_row((place, _plain(text)))
                words = "to_tsvector(%s::regconfig, body) AS words"
                connection.execute(
                    f"CREATE TEMPORARY TABLE passage AS SELECT id, {words} FROM source",
                    (self.language,),
                )
            except psycopg.errors.UndefinedObject as error:
                known = [
                    name
                    for (name,) in connection.execute("SELECT cfgname FROM pg_ts_config ORDER BY 1")
                ]
                raise HarnessError(
                    f"lists.NAME.language={self.language} is no text search configuration; "
                    f"known: {', '.join(known)}"
                ) from error
            except psycopg.Error as error:
                raise HarnessError(f"retriever=postgres: {str(error).splitlines()[0]}") from error
            connection.execute("CREATE INDEX ON passage USING gin (words)")
            connection.execute("ANALYZE passage")
            yield connection


@contextlib.contextmanager
def _server() -> Iterator[str]:
    """Yield the address of a PostgreSQL server that this process starts, on a Unix socket in a
    temporary folder.
    """
    if sys.version_info >= (3, 13) and importlib.util.find_spec("pgserver") is None:
        raise HarnessError(
            "lists.NAME.uri: pgserver, which starts a PostgreSQL server, has no build for Python "
            "3.13 and later; give the address of a server, or use Python 3.12"
        )
    pgserver = need("pgserver", "retriever=postgres", "stores")
    with tempfile.TemporaryDirectory(prefix="harness-postgres-") as folder:
        server = pgserver.get_server(folder)
        try:
            yield server.get_uri()
        finally:
            server.cleanup()


def _plain(text: str) -> str:
    """Return the text without the character 0 and lone surrogates, which PostgreSQL rejects."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode()
