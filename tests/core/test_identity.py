"""Identity: what changes a result changes the hash, and nothing else does."""

import dataclasses
import hashlib
import importlib
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from harness.core.configuration.composition import compose
from harness.core.configuration.conf_files import names
from harness.core.configuration.extensions import PLUGINS, missing_plugin
from harness.core.configuration.instantiation import instantiate
from harness.core.identity import (
    LATER,
    NO_RESULT,
    digest,
    files_sha256,
    foreign_versions,
    identity,
    texts_sha256,
    unversioned,
    version_of,
)
from harness.model.encoder.minilm import MiniLM
from harness.sweep.trial import inputs
from harness.work.store import Store

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(-1e300, 1e300) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@dataclass(frozen=True)
class Part:
    size: int = 3


@dataclass(frozen=True)
class Whole:
    part: Part
    rate: float = 0.5
    batch: int = field(default=64, metadata=NO_RESULT)


@dataclass(frozen=True)
class Newer(Part):
    version = 2


def test_fields_that_change_no_result_are_left_out():
    assert digest(Whole(Part(), batch=1)) == digest(Whole(Part(), batch=2))
    assert digest(Whole(Part(), rate=0.4)) != digest(Whole(Part(), rate=0.5))
    assert digest(Whole(Part(4))) != digest(Whole(Part(3)))


@dataclass(frozen=True)
class Grown:
    size: int = 3
    knob: float = field(default=0, metadata=LATER)
    parts: dict[str, int] = field(default_factory=dict, metadata=LATER)


def test_a_later_field_counts_where_it_is_not_its_default():
    before = {**identity(Part()), "_target_": identity(Grown())["_target_"]}
    assert identity(Grown()) == before
    assert identity(Grown(knob=0.5)) == {**before, "knob": 0.5}
    assert identity(Grown(parts={"a": 1})) == {**before, "parts": {"a": 1}}


def test_the_class_and_its_version_are_part_of_it():
    assert identity(Part())["_target_"].endswith(".Part")
    assert identity(Newer())["version"] == 2
    assert digest(Newer()) != digest(Part())


def test_whole_floats_are_integers_and_key_order_is_nothing():
    assert digest({"a": 1.0, "b": [2.0]}) == digest({"b": [2], "a": 1})


def test_what_has_no_identity_is_refused():
    with pytest.raises(TypeError, match="no identity"):
        identity(object())


@given(JSON)
def test_identity_is_idempotent(value):
    assert identity(identity(value)) == identity(value)
    assert digest(identity(value)) == digest(value)


@given(st.lists(st.text()), st.lists(st.text()))
def test_no_two_sequences_of_texts_share_a_hash(one, other):
    assert (texts_sha256(one) == texts_sha256(other)) == (one == other)


def test_texts_hash_by_hand():
    assert texts_sha256(["é"]) == hashlib.sha256(b"\x02\0\0\0\0\0\0\0\xc3\xa9").hexdigest()


def test_the_code_version_follows_the_sources_that_make_results(tmp_path, monkeypatch):
    import shutil

    from harness.core import identity as module

    copy = tmp_path / "harness"
    shutil.copytree(module.PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(module, "PACKAGE", copy)

    def version():
        module.code_version.cache_clear()
        return module.code_version()

    before = version()
    (copy / "report" / "text.py").write_text("")
    (copy / "work" / "progress.py").write_text("changed = True")
    assert version() == before, "what people see and who computes change no number"
    (copy / "fusion" / "fuser" / "rrf.py").write_text("")
    assert version() != before
    module.code_version.cache_clear()


def test_a_class_that_states_no_version_is_known_by_its_file(tmp_path, monkeypatch):
    """An inherited version is that of other code."""
    text = (
        "from dataclasses import dataclass\nfrom harness.retriever.ppr import PPR\n\n\n"
        "@dataclass(frozen=True)\nclass Mine(PPR):\n    pass\n"
    )
    (tmp_path / "outside.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    kind = importlib.import_module("outside").Mine
    assert version_of(kind) == f"sha256:{hashlib.sha256(text.encode()).hexdigest()[:12]}"
    found = {"list": {"_target_": "outside.Mine", "version": version_of(kind)}}
    assert unversioned(foreign_versions(found)) == ["outside.Mine"]
    kind.version = 3
    assert version_of(kind) == 3
    found = [{"_target_": "outside.Mine", "version": 3, "inner": identity(Newer())}]
    assert foreign_versions(found) == {"outside.Mine": "3", f"{__name__}.Newer": "2"}
    assert not unversioned(foreign_versions(found))


def test_a_class_that_was_typed_in_a_session_is_known_to_its_process_alone(monkeypatch):
    monkeypatch.delattr(sys.modules[__name__], "__file__")
    kinds = [dataclass(type("Typed", (), {"__module__": __name__})) for _ in range(2)]
    first, other = map(version_of, kinds)
    assert first.startswith("typed:")
    assert version_of(kinds[0]) == first != other


def test_files_behind_links_count(tmp_path):
    (tmp_path / "pool").mkdir()
    (tmp_path / "model").mkdir()
    (tmp_path / "pool" / "config.json").write_text("mean")
    (tmp_path / "model" / "weights").write_text("w")
    (tmp_path / "model" / "1_Pooling").symlink_to(tmp_path / "pool")
    before = files_sha256(tmp_path / "model")
    (tmp_path / "pool" / "config.json").write_text("cls!")
    assert files_sha256(tmp_path / "model") != before
    assert files_sha256(tmp_path / "pool" / "config.json") == texts_sha256(
        ["config.json", hashlib.sha256(b"cls!").hexdigest()]
    )


@pytest.mark.parametrize(
    ("of", "field"),
    [
        ("extractor.offline.Offline", "model"),
        ("encoder.mpnet.Mpnet", "folder"),
        ("encoder.nv_embed_v2.NvEmbedV2", "model"),
    ],
)
def test_a_model_s_folder_is_known_by_its_files(of, field, tmp_path):
    room = {"extractor": "harness.graph", "encoder": "harness.model"}[of.partition(".")[0]]
    module, _, name = f"{room}.{of}".rpartition(".")
    made = getattr(importlib.import_module(module), name)(**{field: str(tmp_path)})
    (tmp_path / "weights").write_text("1")
    before = identity(made)
    (tmp_path / "weights").write_text("22")
    assert identity(made) != before
    assert "content" not in identity(dataclasses.replace(made, **{field: "elsewhere"}))


STORED: dict[str, Any] = json.loads((Path(__file__).parent / "identities.json").read_text())
CONCEPTS = (
    "normalizer",
    "temperature",
    "fuser",
    "reranker",
    "encoder",
    "extractor",
    "graph",
    "retriever",
    "gate",
    "triplestore",
    "vectorstore",
    "policy",
)
NEEDS_MORE = {
    ("extractor", "llm"),
    ("extractor", "openie_file"),
    ("gate", "llm"),
    ("reader", "llm"),
}


def digests() -> dict[str, str]:
    """The digest of each strategy with the defaults of its file."""
    asked = [
        (concept, name)
        for concept in CONCEPTS
        for name in names(concept)
        if (concept, name) not in NEEDS_MORE and name not in ("fitted", "part", "trec")
    ]
    config = compose(
        "config", [text for concept, name in asked for text in _overrides(concept, name)]
    )
    return {
        f"{concept}={name}": digest(instantiate(config.lists.made[concept][name]))
        for concept, name in asked
    }


def _overrides(concept: str, name: str) -> list[str]:
    """What puts a strategy at ``made.<concept>.<name>``; a policy within the retriever that has
    one.
    """
    place = f"lists.made.{concept}.{name}"
    if concept == "policy":
        return [f"+retriever@{place}=policyrag", f"policy@{place}.policy={name}"]
    return [f"+{concept}@{place}={name}"]


def test_strategies_are_what_they_were() -> None:
    now = digests()
    stored = {
        name: one for name, one in STORED["strategies"].items() if name in now or not _is_gone(name)
    }
    assert {name: now.get(name) for name in stored} == stored


def _is_gone(name: str) -> bool:
    """Whether a plug-in that was deleted brought it."""
    return not PLUGINS.is_dir() or bool(missing_plugin(name.replace("=", "/")))


def keys(dataset: str, runs: Path) -> dict[str, list[str]]:
    config = compose("config", [f"dataset={dataset}", f"paths.runs={runs}"])
    store = Store(runs)
    inputs.runs(inputs.retrievers(config), inputs.benchmark(config), store)
    manifests = sorted((runs / "artifacts").glob("*/*/manifest.json"))
    found: dict[str, list[str]] = {}
    for path in manifests:
        found.setdefault(path.parts[-3], []).append(path.parts[-2])
    return found


REAL = pytest.mark.skipif(
    "HARNESS_DATA" not in os.environ, reason="HARNESS_DATA names no prepared benchmarks"
)


class Drawn:
    """A model of any vectors: keys say what was asked for, not what was computed."""

    dimension = 384
    facts: Mapping[str, Any] = {}

    def encode(
        self, texts: Sequence[str], role: str, advance: Callable[[int], object]
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        vectors = (
            np.random.default_rng(0)
            .standard_normal((len(texts), self.dimension))
            .astype(np.float32)
        )
        return vectors, np.zeros(len(texts), np.bool_)


@pytest.mark.parametrize(
    "dataset", ["sample", pytest.param("2wikimultihopqa", marks=[pytest.mark.slow, REAL])]
)
def test_artifacts_have_the_keys_they_had(
    dataset: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MiniLM, "open", lambda encoder: Drawn())
    assert keys(dataset, tmp_path) == STORED["artifacts"][dataset]
