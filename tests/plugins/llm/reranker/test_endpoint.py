"""A reranker behind a server, against stand-ins of TEI and vLLM, as a user types it."""

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from harness.benchmark import md5_split
from harness.core.errors import HarnessError
from harness.plugins.llm.reranker.endpoint import EndpointReranker
from harness.sweep.folder.result import SweepResult
from tests import process
from tests.plugins.llm.endpoint.text_server import TextServer, serving

pytestmark = pytest.mark.skipif(
    find_spec("openai") is None, reason="the extra `openai` is not installed"
)


def shared(question: str, passage: str) -> float:
    """How many words they share: a score that a person counts."""
    return float(len(set(question.split()) & set(passage.split())))


@pytest.fixture
def server() -> Iterator[tuple[TextServer, str]]:
    one = TextServer(shared)
    with serving(one) as url:
        yield one, url


@pytest.mark.parametrize(("api", "path"), [("tei", ""), ("rerank", "/v1"), ("score", "/v1")])
def test_scores_are_by_index_and_long_pairs_are_cut_and_counted(
    server: tuple[TextServer, str], api: str, path: str
) -> None:
    one, url = server
    one.failures = [503, 429]
    long = "x " * 11 + "who"
    pairs = [
        ("who is it", "no"),
        ("who is it", "who knows"),
        ("what now", "now"),
        ("who is it", "it is who"),
        ("who is it", long),
    ]
    judge = EndpointReranker("m", base_url=url + path, api=api, backoff=0.0, parallel=1)
    model = judge.open()
    found, cut = model.score(pairs, lambda done: None)
    assert found.tolist() == [0, 1, 1, 3, 0], "the server read 12 words, so not the last one"
    assert cut.tolist() == [False, False, False, False, True]
    asked = len(one.requests)
    assert "tokens" in model.spent()
    with pytest.raises(HarnessError, match=r"refuses a text \(4.* type reranker\.truncate=true"):
        replace(judge, truncate=False).open().score(pairs[-1:], lambda done: None)
    assert len(one.requests) == asked + 1, "what is refused is not asked again"


def test_tei_says_its_model_and_its_batch(server: tuple[TextServer, str]) -> None:
    one, url = server
    one.most = 2
    pairs = [("who is it", word) for word in ("a", "b", "who", "d", "is it")]
    model = EndpointReranker("m", base_url=url).open()
    assert model.score(pairs, lambda done: None)[0].tolist() == [0, 0, 1, 0, 2]
    assert sorted(len(body["texts"]) for _, body in one.requests) == [1, 2, 2]
    with pytest.raises(HarnessError, match=r"the server at .* serves m; type reranker\.model=m"):
        EndpointReranker("other", base_url=url).open()


def test_a_batch_that_is_refused_is_halved(
    server: tuple[TextServer, str], caplog: pytest.LogCaptureFixture
) -> None:
    one, url = server
    one.most, one.tells_most = 3, False
    pairs = [("who is it", word) for word in ("a", "b", "who", "d", "is it")]
    found, cut = (
        EndpointReranker("m", base_url=url, parallel=1).open().score(pairs, lambda done: None)
    )
    assert found.tolist() == [0, 0, 1, 0, 2]
    assert not cut.any()
    assert [len(body["texts"]) for _, body in one.requests] == [5, 2, 3]
    assert "a smaller reranker.batch_size" in caplog.text


def typed(folder: Path, bench: Path, url: str, *more: str) -> subprocess.CompletedProcess[str]:
    lists = [f"lists.{name}={bench / name}.trec" for name in ("dense", "graph", "bm25")]
    own = [
        "reranker=endpoint",
        "reranker.model=m",
        f"reranker.base_url={url}",
        "reranker.retries=0",
        "grid=point",
    ]
    shape = ["fuser=single", "fuser.list=graph", "tracking=none", "metrics=[last_hop@5,full_sup@2]"]
    place = ["sweep", "dataset=folder", f"dataset.path={bench}", *lists, *shape]
    return process.harness(
        *place, *own, *more, cwd=folder, env={**os.environ, "ENDPOINT_API_KEY": "a-key"}
    )


@pytest.mark.slow
def test_a_sweep_reranks_by_it_once_and_goes_on_without_it(bench: Path, tmp_path: Path) -> None:
    """The server prefers gold: full_sup@2 is then the share of questions with both among the list's
    first ten.
    """
    rows = [json.loads(line) for line in (bench / "queries.jsonl").read_text().splitlines()]
    gold = {row["question"]: row["supporting_ids"] for row in rows}
    one = TextServer(lambda question, passage: float(any(doc in passage for doc in gold[question])))
    with serving(one) as url:
        first = typed(tmp_path, bench, url)
        assert first.returncode == 0, first.stderr
        asked = len(one.requests)
        assert f"m at {url}: {asked} requests, " in first.stderr
        assert one.keys == {"Bearer a-key"}
    again = typed(tmp_path, bench, url, "reranker.m=5")
    assert again.returncode == 0, "what was scored is kept; the server is gone"
    more = typed(tmp_path, bench, url, "reranker.m=11")
    assert more.returncode == 2
    assert more.stderr.splitlines()[-1].startswith(
        f"error: reranker.base_url={url}: no answer from m "
    )
    (trial,) = [
        row
        for row in SweepResult(tmp_path / first.stdout.splitlines()[-1]).whole.rows
        if row["parameters"].get("reranker") == "endpoint"
    ]
    ranked: dict[str, list[str]] = {}
    for line in (bench / "graph.trec").read_text().splitlines():
        query, _, doc, *_ = line.split()
        ranked.setdefault(query, []).append(doc)
    tune = [row for row in rows if md5_split(row["id"]) == "tune"]
    both = [set(row["supporting_ids"]) <= set(ranked[row["id"]][:10]) for row in tune]
    assert trial["full_sup@2"] == pytest.approx(sum(both) / len(both))
    assert 0 < sum(both) < len(both)


@pytest.mark.parametrize(
    ("field", "said"),
    [
        (
            {"model": "other"},
            "reranker.model=other: the server at URL serves m; type reranker.model=m,",
        ),
        ({"base_url": "URL/v2"}, "reranker.base_url=URL/v2: 404: "),
        (
            {"base_url": "http://127.0.0.1:9"},
            "reranker.base_url=http://127.0.0.1:9: no answer from m ",
        ),
        ({"api": "cohere"}, "reranker.api=cohere is not known"),
        (
            {"api": "rerank", "model": "other", "base_url": "URL/v1"},
            "The model `other` does not exist",
        ),
        ({"price": -1.0}, "reranker.price must be"),
    ],
)
def test_mistakes_name_the_address_the_status_and_the_mend(
    server: tuple[TextServer, str], field: dict[str, Any], said: str
) -> None:
    _, url = server
    given = {
        name: value.replace("URL", url) if isinstance(value, str) else value
        for name, value in field.items()
    }
    with pytest.raises(HarnessError) as found:
        EndpointReranker(**{"model": "m", "base_url": url, "retries": 0, **given}).open().score(
            [("who", "me")], lambda done: None
        )
    assert said.replace("URL", url) in str(found.value)
    assert "\n" not in str(found.value)
