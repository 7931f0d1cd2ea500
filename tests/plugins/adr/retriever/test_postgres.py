"""PostgreSQL's full text search against ts_rank worked by hand, and its way from all words
to any.
"""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from harness.benchmark import Benchmark
from harness.core.errors import HarnessError
from harness.plugins.adr.retriever import postgres
from harness.plugins.adr.retriever.postgres import Postgres
from harness.testing import RetrieverConformance
from harness.work.store import Store

PASSAGES = {
    "Rivers": "The river crosses towns.",
    "Towns": "A town.",
    "Ships": "Ships cross the sea\0.",
    "Sky": "Blue.",
}
QUESTIONS = ["Which town does the river cross?", "Do ships cross rivers?", "Who?", "blue"]
WEIGHT = 0.1
"""Of a word without a label, PostgreSQL's default {D, C, B, A} = {0.1, 0.2, 0.4, 1.0}."""
ZETA = 1.64493406685
"""ts_rank's normalising constant, pi^2 / 6, for the words of an OR."""


@pytest.fixture
def world(titled: Callable[..., Benchmark], one_postgres: None) -> Benchmark:
    pytest.importorskip("psycopg", reason="the extra `stores` is not installed")
    return titled(PASSAGES, QUESTIONS)


@pytest.mark.usefixtures("one_postgres")
class TestPostgres(RetrieverConformance):
    names = ("postgres",)


def test_all_words_then_any(world: Benchmark, tmp_path: Path) -> None:
    """q0: river and town and cross are all in the first passage alone. q1: no passage has ships,
    cross and rivers, so those with any: the first (rivers twice, cross once) and the third (ships
    twice, cross once), which tie, then nothing. q2: stop words alone. q3: the fourth; one word once
    scores weight / zeta.
    """
    run, facts = Postgres(depth=10).retrieve(world, Store(tmp_path))
    found = run.to_dict()
    assert list(found["q0"]) == ["d000"]
    twice = WEIGHT * (1 + 1 / 4)  # of a word that stands twice: w / 1 + w / 2^2
    assert found["q1"] == pytest.approx(
        {"d000": (twice + WEIGHT) / ZETA / 3, "d002": (twice + WEIGHT) / ZETA / 3}
    )
    assert list(found["q1"]) == ["d000", "d002"]
    assert found["q2"] == {}
    assert found["q3"] == pytest.approx({"d003": WEIGHT / ZETA})
    assert facts["broadened"] == 2
    strict, _ = Postgres(least=0, depth=1).retrieve(world, Store(tmp_path))
    assert strict.lengths().tolist() == [1, 0, 0, 1]


def test_mistakes_are_named(world: Benchmark, tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match=r"lists\.NAME\.language=klingon"):
        Postgres(language="klingon").retrieve(world, Store(tmp_path))
    with pytest.raises(HarnessError, match=r"lists\.NAME\.depth"):
        Postgres(depth=0)


def test_a_python_without_a_build_of_the_server_is_one_line(
    titled: Callable[..., Benchmark], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without = SimpleNamespace(util=SimpleNamespace(find_spec=lambda name: None))
    monkeypatch.setattr(postgres, "sys", SimpleNamespace(version_info=(3, 13)))
    monkeypatch.setattr(postgres, "importlib", without)
    with pytest.raises(HarnessError, match=r"lists\.NAME\.uri.*Python 3\.12"):
        Postgres().retrieve(titled(PASSAGES, QUESTIONS), Store(tmp_path))
