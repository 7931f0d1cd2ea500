"""Every encoder is enrolled by its configuration."""

import dataclasses
import pickle

import numpy as np
import pytest

from harness.configuration import defaults, names, strategy
from harness.encoder import Encoder
from harness.encoder.cosine import cosine_blocks
from harness.encoder.sentence_transformer import SentenceTransformer
from harness.errors import HarnessError
from harness.identity import digest


@pytest.mark.parametrize("name", names("encoder"))
def test_configuration_names_its_module_and_all_fields(name):
    fields = defaults("encoder", name)
    assert fields.pop("_target_").startswith(f"harness.encoder.{name}.")
    encoder = strategy("encoder", name)
    assert isinstance(encoder, Encoder)
    assert set(fields) == {field.name for field in dataclasses.fields(encoder)}
    assert digest(encoder) == digest(strategy("encoder", name))
    assert hash(encoder) == hash(pickle.loads(pickle.dumps(encoder)))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"batch_size": 0}, "encoder.batch_size must be in .*got batch_size=0"),
        ({"backend": "opnvino"}, "did you mean openvino"),
        ({"dtype": "int8"}, "encoder.dtype=int8 is not known"),
        ({"max_seq_length": 1}, "got max_seq_length=1"),
    ],
)
def test_bounds(wrong, message):
    with pytest.raises(HarnessError, match=message):
        SentenceTransformer("some/model", **wrong)


def test_a_model_that_is_not_there_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(HarnessError, match=r"^encoder.model=.*nowhere: cannot be loaded"):
        SentenceTransformer(str(tmp_path / "nowhere"), device="cpu").open()


def test_a_folder_is_known_by_its_content(tmp_path):
    (tmp_path / "weights").write_text("one")
    encoder = SentenceTransformer(str(tmp_path))
    before = digest(encoder)
    (tmp_path / "weights").write_text("three")
    assert digest(encoder) != before


def test_cosine_blocks_cover_all_pairs():
    random = np.random.default_rng(0)
    left, right = (random.standard_normal((n, 16)).astype(np.float32) for n in (600, 5000))
    blocks = list(cosine_blocks(left, right))
    assert np.concatenate([np.arange(600)[rows] for rows, _ in blocks]).tolist() == list(range(600))
    np.testing.assert_allclose(np.concatenate([block for _, block in blocks]), left @ right.T, atol=1e-4)
