"""Importing it lets MLflow make its tables once for all processes of a session: a new SQLite file
gets a copy.

MLflow makes them as its first release did, then migrates them step by step, which takes seconds.
"""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from mlflow.store.db import utils
from sqlalchemy import Engine, create_engine

from tests.process import SHARED

_make_tables = utils._initialize_tables


def make(path: Path) -> None:
    """An SQLite file with MLflow's tables, as MLflow makes it for its first run."""
    utils._initialize_tables(create_engine(f"sqlite:///{path}"))


def _copy_tables(engine: Engine) -> None:
    if engine.dialect.name != "sqlite" or SHARED not in os.environ:
        return _make_tables(engine)
    made = Path(os.environ[SHARED], "mlflow.db")
    if not made.is_file():
        written = made.with_suffix(f".{os.getpid()}")
        _make_tables(create_engine(f"sqlite:///{written}"))
        written.replace(made)
    with sqlite3.connect(made) as source, sqlite3.connect(str(engine.url.database)) as target:
        source.backup(target)


utils._initialize_tables = _copy_tables
