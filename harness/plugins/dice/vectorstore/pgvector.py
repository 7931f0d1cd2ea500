"""PostgreSQL with pgvector, in a server that this process starts (extra ``stores``)."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from harness.core.arrays import Float32Array
from harness.core.configuration import REACHES, need
from harness.core.errors import HarnessError
from harness.core.secret import check_address
from harness.plugins.dice.vectorstore import Search, rank_candidates

NEAREST = "SELECT id FROM item ORDER BY embedding <#> %s, id LIMIT %s"


@dataclass(frozen=True)
class Pgvector:
    """A table without an index, which PostgreSQL scans, so that the search is exact.

    Args:
        uri: a server with the extension ``vector``, in which a temporary table is made. None starts
            one (``pgserver``) that listens only on a Unix socket in a temporary folder and is
            stopped afterwards.
    """

    uri: str | None = field(default=None, metadata=REACHES)

    def __post_init__(self) -> None:
        if self.uri is not None:
            mend = "put the password into the environment variable PGPASSWORD, or into ~/.pgpass"
            check_address("vectorstore.uri", self.uri, mend, user=True)

    @contextlib.contextmanager
    def open(self, vectors: Float32Array) -> Iterator[Search]:
        """Load the vectors and yield their search. See ``Vectorstore``."""
        with connect(self.uri, "vectorstore=pgvector", "vectorstore.uri") as connection:
            pgvector = need("pgvector.psycopg", "vectorstore=pgvector", "stores")
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
            pgvector.register_vector(connection)
            connection.execute(
                "CREATE TEMPORARY TABLE item (id int PRIMARY KEY, embedding "
                f"vector({vectors.shape[1]}))"
            )
            with connection.cursor().copy("COPY item FROM STDIN WITH (FORMAT BINARY)") as copy:
                copy.set_types(["int4", "vector"])
                for place, vector in enumerate(np.asarray(vectors)):
                    copy.write_row((place, vector))
            connection.execute("ANALYZE item")

            def near(question: Float32Array, width: int) -> list[int]:
                return [
                    name for (name,) in connection.execute(NEAREST, (question, width)).fetchall()
                ]

            yield lambda questions, depth: rank_candidates(vectors, questions, depth, near)


@contextlib.contextmanager
def connect(uri: str | None, user: str, knob: str) -> Iterator[Any]:
    """Yield a connection to a PostgreSQL server, which is started if ``uri`` is None.

    Args:
        uri: address of the server.
        user: the strategy that needs it, for errors.
        knob: the setting of ``uri``, for errors.
    """
    psycopg = need("psycopg", user, "stores")
    with _server(uri, user) as address:
        try:
            connection = psycopg.connect(address, autocommit=True)
        except psycopg.OperationalError as error:
            raise HarnessError(f"{knob}={address}: {str(error).splitlines()[0]}") from error
        with connection:
            yield connection


@contextlib.contextmanager
def _server(uri: str | None, user: str) -> Iterator[str]:
    if uri is not None:
        yield uri
        return
    pgserver = need("pgserver", user, "stores")
    with tempfile.TemporaryDirectory(prefix="harness-postgres-") as folder:
        server = pgserver.get_server(folder)
        try:
            yield server.get_uri()
        finally:
            server.cleanup()
