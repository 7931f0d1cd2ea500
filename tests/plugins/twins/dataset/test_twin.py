from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from harness.benchmark import Benchmark
from harness.benchmark.dataset.folder import Folder
from harness.core.errors import HarnessError
from harness.graph.entity import Entity
from harness.graph.extractor.offline import Offline
from harness.model.encoder.hashed import Hashed
from harness.plugins.mentions.retriever.mention_walk import MentionWalk
from harness.plugins.twins.dataset.twin import Twin
from harness.plugins.twins.twin import DRAWS_NOTHING, KINDS
from harness.retriever import Retriever
from harness.retriever.bm25 import BM25
from harness.retriever.ppr import PPR
from harness.retriever.walk import Walk
from harness.work.store import Store
from tests.world.folder import copy_benchmark
from tests.world.generate import write


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return Store(tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder as ``sample`` is made, of a quarter of its passages."""
    return str(write(tmp_path_factory.mktemp("data") / "world", 500))


@pytest.fixture(scope="module")
def original(world: str, kept: Store) -> Benchmark:
    return Folder(world).load(kept)


@pytest.mark.parametrize("kind", KINDS)
def test_questions_gold_hops_and_splits_are_those_of_the_original(
    kind: str, world: str, original: Benchmark, kept: Store
) -> None:
    twin = Twin(world, kind).load(kept)
    assert twin.name == f"world_{kind}"
    for name in ("id", "supporting_ids", "hops", "type", "extra"):
        assert twin.queries[name][:] == original.queries[name][:]
    ids, own = (np.array(one.doc_ids.to_pylist()) for one in (original, twin))
    assert (ids[original.gold] == own[twin.gold]).all()
    assert (twin.split == original.split).all()
    assert (twin.chain == original.chain).all()
    assert twin.sha256 != original.sha256
    assert twin.sha256 == Twin(world, kind).load(kept).sha256
    if kind not in DRAWS_NOTHING:
        assert twin.sha256 != Twin(world, kind, 1).load(kept).sha256
    assert twin.twin is not None
    assert twin.twin["of"] == "world"


@pytest.mark.parametrize("kind", ["renamed", "untitled", "paraphrased"])
def test_gold_answers_as_often_as_before(kind: str, world: str, kept: Store) -> None:
    card = Twin(world, kind).load(kept).twin
    assert card is not None
    name = "questions with an answer in a gold passage"
    assert card["after"][name] == card["before"][name] == 150


NAMES = Offline(model=None)
PATHS = PPR(
    Entity(NAMES, Hashed(), synonym=None), Hashed(), Walk(synonym=0.0), passage_weight=0.0, passages=0, link=None
)


@pytest.mark.parametrize("retriever", [PATHS, BM25(depth=50)], ids=["ppr", "bm25"])
def test_what_reads_names_alone_ranks_the_renamed_like_the_original(
    retriever: Retriever, world: str, original: Benchmark, kept: Store
) -> None:
    """No formula of theirs reads a word's letters; ties are broken by the passage. BM25 sums words in another order."""
    old, new = (retriever.retrieve(one, kept)[0] for one in (original, Twin(world, "renamed").load(kept)))
    assert old.indptr.tolist() == new.indptr.tolist()
    assert len(old.docs) > 1200
    assert old.docs.tolist() == new.docs.tolist()
    np.testing.assert_allclose(old.scores, new.scores, rtol=1e-12)


def test_what_reads_titles_alone_ranks_the_paraphrased_like_the_original(
    world: str, original: Benchmark, kept: Store
) -> None:
    """Every text names the same titles in the same order; a date is a capitalised span, so spans are left out."""
    names = Offline(model=None, spans=False)
    reads = PPR(
        Entity(names, Hashed(), synonym=None), Hashed(), Walk(synonym=0.0), passage_weight=0.0, passages=0, link=None
    )
    twin = Twin(world, "paraphrased").load(kept)
    assert twin.twin is not None
    assert twin.twin["changes"]["passages with another text"] > 25
    old, new = (reads.retrieve(one, kept)[0] for one in (original, twin))
    assert len(old.docs) > 1200
    assert old.docs.tolist() == new.docs.tolist()
    assert old.scores.tolist() == new.scores.tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_the_size_stays_within_bounds(kind: str, world: str, kept: Store) -> None:
    """Words a passage, before and after: titles go from ``untitled``, at most a tenth comes or goes."""
    card = Twin(world, kind).load(kept).twin
    assert card is not None
    then, now = (card[when]["words"] / card[when]["passages"] for when in ("before", "after"))
    assert 0.9 < now / then < 1.1


def test_a_walk_from_named_titles_reaches_the_same_passages(world: str, original: Benchmark, kept: Store) -> None:
    walk = MentionWalk(NAMES, Hashed(), passages=0, steps=2)
    twin = Twin(world, "renamed").load(kept)
    old, new = (
        {q: set(found) for q, found in walk.retrieve(one, kept)[0].to_dict().items()} for one in (original, twin)
    )
    assert old == new
    assert sum(map(len, old.values())) > 250


def test_of_a_folder_of_the_user(bench: Path, store: Store) -> None:
    original, twin = Folder(str(bench)).load(store), Twin(str(bench), "untitled").load(store)
    assert twin.name == "tiny_untitled"
    assert twin.gold.tolist() == original.gold.tolist()
    assert all(title.isdigit() for title in twin.corpus["title"][:])


def test_hop_order_that_is_unknown_stays_so(bench: Path, store: Store, tmp_path: Path) -> None:
    folder = copy_benchmark(bench, tmp_path / "mine", lambda n, row: {**row, "split": "dev" if n % 2 else "test"})
    twin = Twin(str(folder), "untitled").load(store).split_by("given")
    assert twin.split.tolist() == ["tune" if n % 2 else "test" for n in range(40)]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"of": "sample", "kind": "renmed"}, r"dataset.kind=renmed is not known \(did you mean renamed\?\); known: "),
        ({"of": "sample", "seed": -1}, r"dataset.seed must be in \[0, inf\), got seed=-1"),
        ({"of": "sample", "kind": "unlinked", "seed": 1}, "dataset.seed=1: dataset.kind=unlinked draws nothing"),
        ({"of": "sample", "kind": "paraphrased", "seed": 1}, "dataset.kind=paraphrased draws nothing"),
        ({}, "dataset.of is not set"),
        ({"of": "sampel"}, r"benchmark sampel: neither a known name \(did you mean sample\?\) nor a folder"),
        ({"of": "twin"}, "dataset.of is not set"),
    ],
)
def test_mistakes(fields: dict[str, object], words: str, store: Store) -> None:
    with pytest.raises(HarnessError, match=words) as caught:
        Twin(**fields).load(store)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


SMALL = ("encoder=hashed", "extractor.model=null", "extractor.spans=false", "grid=point", "tracking=none")


def test_the_command_line_shows_the_card(command: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    lists = ("~lists.graph", "~lists.bm25", "reference=dense")
    status, out, _ = command("prepare", "dataset=twin", "dataset.of=sample", f"paths.runs={tmp_path}", *SMALL, *lists)
    assert status == 0
    assert "sample_renamed: 2,000 passages, 600 questions (294 tune, 306 test)\n" in out
    assert "twin of sample, renamed, seed 0:\n  words of names: 1,444\n" in out
    assert "  places of old names afterwards: 0\n" in out
    assert "  words: 96,305, as before\n" in out


def test_the_command_line_lists_the_kinds(command: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    options = ("dataset=twin", "dataset.of=sample", "dataset.kind=untitld", f"paths.runs={tmp_path}", *SMALL)
    status, _, said = command("sweep", *options)
    assert status == 2
    assert said.count("\n") == 1
    assert f"(did you mean untitled?); known: {', '.join(KINDS)}" in said
