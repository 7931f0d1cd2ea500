"""Where a strategy must stand and none does, the key is named, typed or stored."""

from typing import Any

import pytest
from omegaconf import OmegaConf

from harness.core.configuration import compose
from harness.core.errors import HarnessError
from harness.sweep.trial.plan import Plan

LISTS = (
    "dataset=folder",
    "dataset.path=none",
    *(f"lists.{name}=none.trec" for name in ("dense", "graph", "bm25")),
)


def plan(key: str, value: object) -> Plan:
    config = compose("config", [*LISTS, "grid=point"])
    OmegaConf.update(config, key, value, merge=False)
    return Plan(config, LISTS)


def test_graphs_are_described_where_a_table_asks_for_them() -> None:
    nobody: Any = None  # no benchmark is looked at
    assert Plan(compose("config", [*LISTS, "grid=point"]), LISTS).graphs(nobody) == {}


@pytest.mark.parametrize(
    "key",
    [
        "dataset",
        "fuser",
        "normalizer",
        "temperature",
        "reranker",
    ],
)
@pytest.mark.parametrize(
    "value", [{}, {"a": {"b": 1}}, {"_target_": "x"}, {"_target_": []}, 5, "x", [[1]], None]
)
def test_no_strategy(key: str, value: object) -> None:
    with pytest.raises(HarnessError, match=rf"{key} =.*conf/.*e\.g\. {key}=NAME"):
        plan(key, value)


@pytest.mark.parametrize("value", [None, 5, [], {}, {"a": 1}])
def test_no_retriever(value: object) -> None:
    with pytest.raises(
        HarnessError,
        match=r"lists\.dense.*conf/.*",
    ):
        plan("lists", {"dense": value})


@pytest.mark.parametrize("value", [{}, None, 5, []])
def test_no_lists(value: object) -> None:
    with pytest.raises(HarnessError, match=r"lists ="):
        plan("lists", value)


@pytest.mark.parametrize(
    ("key", "values", "said"),
    [
        (
            "pool.lists",
            [None, -1, "dense", {"a": 1}, [[1]]],
            r"pool\.lists = .*, expected a list of names",
        ),
        (
            "pool.importance",
            [[], {}, -1, True, "nowhere.json"],
            r"pool\.importance=.*: there is no such file",
        ),
    ],
)
def test_no_names_of_lists_and_no_file_of_importance(
    key: str, values: list[object], said: str
) -> None:
    for value in values:
        with pytest.raises(HarnessError, match=said):
            plan(key, value).trials()


def test_a_folder_that_is_called_like_a_number(overrides, bench, tmp_path, monkeypatch):
    from harness.benchmark.dataset.folder import Folder
    from harness.work.store import Store

    (tmp_path / "2024").symlink_to(bench)
    monkeypatch.chdir(tmp_path)
    path = compose("config", [*overrides, "dataset.path=2024"]).dataset.path
    assert path == 2024
    assert len(Folder(path).load(Store(tmp_path / "runs")).query_ids) == 40
