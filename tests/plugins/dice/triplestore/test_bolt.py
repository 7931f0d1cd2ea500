"""Up to the border: what is sent to a server, and what is said when none answers."""

import contextlib
import socket
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from harness.core.configuration import strategy
from harness.core.errors import HarnessError
from harness.plugins.dice.triplestore import BOTH, OUT, TripleTable
from harness.plugins.dice.triplestore.bolt import Bolt, content

FACTS = TripleTable(
    ["a", "b"], ["knows", "is"], np.array([0, 1, 0]), np.array([0, 1, 1]), np.array([1, 0, 0])
)
FREE = ("neo4j", "memgraph")


class Driver:
    """Answers like Neo4j's driver: keeps what it is asked, knows a graph once it was created."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Any, Any]] = []
        self.entities = self.triples = 0

    def execute_query(self, statement: str, parameters_: Any, database_: Any) -> Any:
        self.asked.append((statement, parameters_, database_))
        rows = parameters_.get("rows", ())
        if "CREATE (:Entity" in statement:
            self.entities += len(rows)
        if "[:Triple {" in statement:
            self.triples += len(rows)
        answer = [[self.entities, self.triples]] if "count(" in statement else []
        if "$seeds" in statement:
            answer = [[0], [2]]
        return type(
            "Result",
            (),
            {"records": [type("Record", (), {"values": lambda _, a=a: a})() for a in answer]},
        )


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> Driver:
    one = Driver()

    @contextlib.contextmanager
    def given(_: Bolt) -> Iterator[Driver]:
        yield one

    monkeypatch.setattr(Bolt, "_driver", given)
    return one


@pytest.mark.parametrize("name", FREE)
def test_a_graph_is_sent_once_and_asked_in_the_one_text(driver: Driver, name: str) -> None:
    store = strategy("triplestore", name, database="own", batch=2)
    for inward, query in ((True, BOTH), (False, OUT)):
        with store.open(FACTS, inward) as expand:
            assert expand(np.array([0])).tolist() == [0, 2]
        assert driver.asked[-1] == (query, {"seeds": [f"{content(FACTS)}-0"]}, "own")
    sent = [parameters["rows"] for statement, parameters, _ in driver.asked if "rows" in parameters]
    graph = content(FACTS)
    assert sent == [
        [
            {"id": f"{graph}-0", "graph": graph, "name": "a"},
            {"id": f"{graph}-1", "graph": graph, "name": "b"},
        ],
        [
            {"number": 0, "subject": f"{graph}-0", "relation": "knows", "object": f"{graph}-1"},
            {"number": 1, "subject": f"{graph}-1", "relation": "is", "object": f"{graph}-0"},
        ],
        [{"number": 2, "subject": f"{graph}-0", "relation": "is", "object": f"{graph}-0"}],
    ]


def test_another_graph_has_another_name() -> None:
    other = TripleTable(
        ["a", "b"], ["knows", "is"], np.array([0, 1, 0]), np.array([0, 1, 1]), np.array([1, 0, 1])
    )
    assert content(other) != content(FACTS)


def test_no_server_is_one_line_that_names_the_mend() -> None:
    pytest.importorskip("neo4j", reason="the extra `stores` is not installed")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    store = strategy("triplestore", "neo4j", uri=f"bolt://127.0.0.1:{port}")
    with (
        pytest.raises(HarnessError, match=r"(?s)^triplestore\.uri=bolt.*start") as caught,
        store.open(FACTS, True),
    ):
        pass
    assert "\n" not in str(caught.value)


def test_a_user_needs_a_password(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("neo4j", reason="the extra `stores` is not installed")
    monkeypatch.delenv("SECRET", raising=False)
    store = strategy("triplestore", "neo4j", user="ada", password="SECRET")
    with (
        pytest.raises(HarnessError, match=r"triplestore\.user=ada:.*SECRET"),
        store.open(FACTS, True),
    ):
        pass
