"""Every encoder is enrolled by its configuration; one without a model runs here, the others in
their own files.
"""

import numpy as np
import pytest

from harness.core.configuration.conf_files import names
from harness.core.errors import HarnessError
from harness.core.identity import digest
from harness.model.encoder.embedding import pair_cosines
from harness.model.encoder.sentence_transformer import SentenceTransformer
from harness.testing import Conformance, EncoderConformance


class TestConfigurations(Conformance):
    concept = "encoder"
    names = names("encoder")


class TestHashed(EncoderConformance):
    names = ("hashed",)


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
    with pytest.raises(HarnessError, match=r"^encoder.model=.*nowhere:"):
        SentenceTransformer(str(tmp_path / "nowhere"), device="cpu").open()


def test_a_folder_is_known_by_its_content(tmp_path):
    (tmp_path / "weights").write_text("one")
    encoder = SentenceTransformer(str(tmp_path))
    before = digest(encoder)
    (tmp_path / "weights").write_text("three")
    assert digest(encoder) != before


def test_cosines_of_chosen_pairs():
    left = np.array([[1, 0], [0.6, 0.8]], np.float32)
    right = np.array([[0, 1], [0.8, 0.6], [1, 0]], np.float32)
    found = pair_cosines(left, np.array([0, 1, 1]), right, np.array([2, 0, 1]))
    np.testing.assert_allclose(found, [1, 0.8, 0.96], rtol=1e-6)
