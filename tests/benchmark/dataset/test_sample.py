from __future__ import annotations

import gzip
import os
import re
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

import harness
from harness.benchmark import Benchmark
from harness.benchmark.content import content_sha256
from harness.benchmark.dataset.sample import Sample
from harness.benchmark.source.card import read_card
from harness.work.store import Store
from tests.world.dice import Dice
from tests.world.generate import generate
from tests.world.names import Names
from tests.world.places import _adjective

ROOT = Path(harness.__file__).parent.parent
SHIPPED = ROOT / "datasets" / "sample"


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    return Sample().load(Store(tmp_path_factory.mktemp("runs")))


def test_the_card_pins_what_is_shipped(sample: Benchmark) -> None:
    assert read_card("sample").expected["content"] == content_sha256(sample)
    assert sample.name == "sample"
    assert (len(sample.corpus), len(sample.queries)) == (2000, 600)


def test_the_generator_makes_the_files_that_are_shipped(tmp_path: Path) -> None:
    """Whatever the hash seed is: that of the process is another one each time."""
    environment = {**os.environ, "PYTHONHASHSEED": "random", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "tests.world.generate", str(tmp_path / "world")]
    subprocess.run(command, env=environment, cwd=tmp_path, check=True)
    for name in ("corpus.jsonl.gz", "queries.jsonl.gz"):
        made, shipped = (
            gzip.decompress((place / name).read_bytes()) for place in (tmp_path / "world", SHIPPED)
        )
        assert made == shipped


def test_files_that_changed_are_another_benchmark(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sample").mkdir()
    for path in SHIPPED.iterdir():
        content = gzip.decompress(path.read_bytes()).replace(b"river", b"brook", 1)
        (tmp_path / "sample" / path.name).write_bytes(gzip.compress(content))
    monkeypatch.setattr("harness.benchmark.dataset.sample.package_folder", lambda name: tmp_path)
    assert re.fullmatch("sample_[0-9a-f]{8}", Sample().load(store).name)


def test_size_and_seed() -> None:
    corpus, queries = generate(300, 1)
    assert (len(corpus), len(queries)) == (300, 90)
    assert generate(300, 1) == (corpus, queries)
    assert generate(300, 2) != (corpus, queries)


def test_types_hops_and_chains(sample: Benchmark) -> None:
    types, hops = sample.queries["type"][:], sample.queries["hops"][:]
    assert Counter(types) == {"chain2": 270, "chain3": 110, "chain4": 60, "comparison": 160}
    assert all(
        hop == (2 if kind == "comparison" else int(kind[-1]))
        for kind, hop in zip(types, hops, strict=True)
    )
    assert sample.chain.tolist() == [kind != "comparison" for kind in types]
    assert ((sample.gold >= 0).sum(axis=1) == hops).all()


def test_ids_and_titles_and_questions_are_unique(sample: Benchmark) -> None:
    for values in (sample.corpus["title"][:], sample.corpus["text"][:], sample.questions):
        assert len(set(values)) == len(values)


def names(title: str, text: str) -> set[str]:
    """The name of a passage's entity, and the alias that its own text gives."""
    name = title.partition(" (")[0]
    alias = re.search(
        re.escape(name)
        + r"(?: \(|, )?[^.]*?(?:name|as|also|formerly|called) ([A-Z][^,.)]*(?:\. [A-Z][^,)]*)*)[,)]",
        text,
    )
    return {name} | ({alias[1]} if alias else set())


def test_a_chain_leads_from_passage_to_passage_to_its_answer(sample: Benchmark) -> None:
    titles, texts = sample.corpus["title"][:], sample.corpus["text"][:]
    for row, gold in zip(sample.queries, sample.gold.tolist(), strict=True):
        if row["type"] == "comparison":
            continue
        hops = [number for number in gold if number >= 0]
        for here, there in pairwise(hops):
            assert any(name in texts[here] for name in names(titles[there], texts[there])), row[
                "question"
            ]
        assert any(name in row["question"] for name in names(titles[hops[0]], texts[hops[0]])), row[
            "question"
        ]
        assert any(answer in texts[hops[-1]] for answer in row["answers"]), row["question"]
        for number in hops[1:]:
            assert titles[number].partition(" (")[0] not in row["question"]
        assert not any(answer in row["question"] for answer in row["answers"])


def test_comparisons_are_answered_by_one_of_two(sample: Benchmark) -> None:
    titles = sample.corpus["title"][:]
    for row, gold in zip(sample.queries, sample.gold.tolist(), strict=True):
        if row["type"] == "comparison":
            pair = [titles[number].partition(" (")[0] for number in gold if number >= 0]
            assert all(name in row["question"] for name in pair)
            assert row["answers"][0] in pair


def test_the_world_has_homonyms_aliases_and_hubs(sample: Benchmark) -> None:
    titles, texts = sample.corpus["title"][:], sample.corpus["text"][:]
    alike = Counter(title.partition(" (")[0] for title in titles)
    assert sum(count > 1 for count in alike.values()) > 60
    assert sum("formerly" in text or "also" in text or "known" in text for text in texts) > 200
    whole = "\n".join(texts)
    mentions = sorted(whole.count(title) for title in titles[:300])
    assert mentions[-1] > 40 * max(1, mentions[len(mentions) // 2])


def test_draws_are_those_of_python() -> None:
    dice = Dice(0, "x")
    draws = [dice.below(1000) for _ in range(5000)]
    assert abs(sum(draws) / 5000 - 499.5) < 15
    assert sorted(Dice(1, "y").shuffled(range(9))) == list(range(9))
    assert Dice(1, "y").shuffled(range(9)) != Dice(2, "y").shuffled(range(9))
    assert {Dice(n, "z").between(3, 5) for n in range(40)} == {3, 4, 5}


def test_a_world_larger_than_its_names_takes_surnames_to_them() -> None:
    drawn = []

    def country() -> str:
        drawn.append(1)
        return "Veldonia"

    names = Names(Dice(0, "x"))
    found = [names.fresh(country) for _ in range(200)]
    assert found[0] == "Veldonia"
    assert len(set(found)) == 200
    assert len(drawn) < 3000, "900 draws in vain are not made again for each of the 200 names"
    assert _adjective("Karsland") == "Karslandic"
    assert _adjective("Karsland Fenby") == "Karsland Fenbyan"
