"""TEI's own /embed, against a stand-in whose vectors are hashed words."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from harness.core.artifact import MANIFEST, read_manifest
from harness.core.errors import HarnessError
from harness.model.encoder import embed
from harness.model.encoder.hashed import Hashed
from harness.plugins.llm.encoder.tei import Tei
from harness.work.store import Store
from tests.plugins.llm.endpoint.text_server import WORDS, TextServer, serving

pytestmark = pytest.mark.skipif(
    find_spec("openai") is None, reason="the extra `openai` is not installed"
)


@pytest.fixture
def server() -> Iterator[tuple[TextServer, str]]:
    one = TextServer(lambda question, passage: 0.0)
    with serving(one) as url:
        yield one, url


def test_vectors_of_batches_with_prompts_and_of_texts_that_are_cut(
    server: tuple[TextServer, str], tmp_path: Path
) -> None:
    one, url = server
    one.failures, one.most = [503], 8
    texts = [f"text {number} about foxes" for number in range(20)] + [f"{'word ' * WORDS}and more"]
    encoder = Tei(model="m", base_url=url, question_prompt="query", backoff=0.0)
    passages = embed(encoder, texts, "passage", Store(tmp_path))
    read = [*texts[:-1], " ".join(["word"] * WORDS)]
    np.testing.assert_allclose(
        passages, embed(Hashed(64), read, "passage", Store(tmp_path)), atol=1e-6
    )
    assert max(len(body["inputs"]) for _, body in one.requests) == 8
    manifests = [
        read_manifest(path) for path in (tmp_path / "artifacts/encode").glob(f"*/{MANIFEST}")
    ]
    assert [
        found["facts"]["truncated"]
        for found in manifests
        if found and found["facts"].get("backend") == "tei"
    ] == [1]
    questions = embed(encoder, texts[:2], "question", Store(tmp_path))
    named = [f"query: {text}" for text in texts[:2]]
    np.testing.assert_allclose(
        questions, embed(Hashed(64), named, "question", Store(tmp_path)), atol=1e-6
    )


def test_what_is_refused_is_named(server: tuple[TextServer, str], tmp_path: Path) -> None:
    _, url = server
    with pytest.raises(
        HarnessError, match=rf"encoder.model=x: the server at {url} serves m; type encoder.model=m"
    ):
        embed(Tei(model="x", base_url=url), ["a"], "passage", Store(tmp_path))
    with pytest.raises(HarnessError, match=r"refuses a text \(413: .*encoder.truncate=true"):
        embed(
            Tei(model="m", base_url=url, truncate=False), ["word " * 20], "passage", Store(tmp_path)
        )
