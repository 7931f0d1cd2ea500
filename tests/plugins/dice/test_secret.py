"""No password of a store stands in a configuration."""

import pytest

from harness.core.errors import HarnessError
from harness.plugins.dice.triplestore.neo4j import Neo4j
from harness.plugins.dice.vectorstore.pgvector import Pgvector

CANARY = "hunter2-canary"


def test_stores_keep_no_password() -> None:
    for make in (
        lambda: Pgvector(f"postgresql://me:{CANARY}@host/db"),
        lambda: Neo4j(uri=f"bolt://me:{CANARY}@host"),
    ):
        with pytest.raises(HarnessError, match=r"uri holds a user, password or key") as caught:
            make()
        assert CANARY not in str(caught.value)
    with pytest.raises(HarnessError, match=r"^triplestore\.password"):
        Neo4j(password=CANARY)
