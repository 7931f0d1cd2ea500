"""Tracking addresses: which ones MLflow takes, how they are shown, and whether somebody answers there."""

from __future__ import annotations

import importlib.metadata
import re
from pathlib import Path

from harness.core.errors import HarnessError, one_of

DATABASES = ("sqlite", "postgresql", "mysql", "mssql")
SCHEMES = (*DATABASES, "http", "https", "file", "databricks")
SQLITE = "sqlite:///"
MAGIC = b"SQLite format 3\0"


def scheme(uri: str) -> str:
    """``postgresql`` of ``postgresql+psycopg://...``; empty for a path."""
    found = re.match(r"([A-Za-z][\w.-]*)(\+[\w-]+)?:", uri)
    return found[1].lower() if found else ""


def check_uri(uri: str) -> None:
    """Raise HarnessError unless MLflow has a tracking store for the address."""
    if not uri.strip():
        raise HarnessError(
            "tracking.uri is empty; give an address such as sqlite:///runs/mlflow.db or http://host:5000"
        )
    if scheme(uri) not in ("", *SCHEMES):
        plugins = [point.name for point in importlib.metadata.entry_points(group="mlflow.tracking_store")]
        one_of("scheme of tracking.uri", scheme(uri), (*SCHEMES, *plugins))


def is_server(uri: str) -> bool:
    """Whether a tracking server answers there, which keeps artifacts by itself."""
    return scheme(uri) in ("http", "https", "databricks") or uri == "databricks"


def without_secrets(uri: str) -> str:
    """The address without user, password and query."""
    return uri if scheme(uri) in ("", "sqlite", "file") else re.sub("://.*@", "://", uri).partition("?")[0]


def probe(uri: str) -> None:
    """Raise HarnessError when a database does not open. MLflow itself would try again for minutes."""
    if scheme(uri) not in DATABASES:
        return
    if uri.startswith(SQLITE):
        path = Path(uri.removeprefix(SQLITE))
        if not uri.startswith(f"{SQLITE}file:"):
            path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_file():
            with path.open("rb") as stream:
                head = stream.read(len(MAGIC))
            if head not in (b"", MAGIC):
                raise HarnessError(f"{uri}: it is not an SQLite database; move it away or set tracking.uri")
    import sqlalchemy

    engine = sqlalchemy.create_engine(uri, poolclass=sqlalchemy.pool.NullPool)
    with engine.connect():
        pass
