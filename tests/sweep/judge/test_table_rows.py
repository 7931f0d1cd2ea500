"""Which trials an experiment's rows are about."""

import numpy as np
import pytest

from harness.sweep.folder.lock import Baselines
from harness.sweep.judge.table_rows import find_named, find_rows, matches
from tests.judged import judged

# In the order of a leaderboard.
KNOBS = [
    {"fuser": "linear", "normalizer": "pit", "fuser.alpha": 0.3, "pool.cap": 20},
    {"fuser": "boltzmann", "normalizer": "pit", "fuser.alpha": 0.7, "pool.cap": 20},
    {"fuser": "boltzmann", "normalizer": "minmax", "fuser.alpha": 0.3, "pool.cap": 20},
    {"fuser": "boltzmann", "normalizer": "minmax", "fuser.alpha": 0.7, "pool.cap": 20},
    {"fuser": "rrf", "pool.cap": None, "pool.lists": ["dense", "graph"]},
]
BLOCKS = [["one"], ["one"], ["one", "two"], ["two"], ["baselines"]]
ROWS = [
    judged(str(place), parameters=knobs, blocks=blocks, untuned=place == 4)
    for place, (knobs, blocks) in enumerate(zip(KNOBS, BLOCKS, strict=True))
]
# One question with one gold passage: the third trial has it first, the fourth second.
RANKS = np.array([9, 9, 1, 2, 9], dtype=np.int32).reshape(5, 1, 1)
LISTS = Baselines({"dense": "4"}, "dense", "dense")
BASE = {"label": "base", "where": {"fuser": "boltzmann", "normalizer": "pit"}}
OTHER = {
    "label": "other",
    "where": {"fuser": "boltzmann", "normalizer": "minmax"},
    "as": "base",
    "same": ["fuser.alpha", "pool.cap"],
}


def found(rows, **table):
    return find_rows(table, rows, ROWS, RANKS, LISTS)


def test_a_row_is_the_first_trial_that_matches():
    wheres = [{}, {"fuser": "rrf"}, {"fuser": "x"}]
    rows = [{"label": str(number), "where": where} for number, where in enumerate(wheres)]
    assert found(rows) == [0, 4, None]


def test_a_row_as_another_has_its_knobs():
    assert found([BASE, OTHER]) == [1, 3]


def test_a_row_is_among_the_trials_of_its_tables_blocks_and_the_untuned_ones():
    rows = [{"label": name, "where": {"fuser": name}} for name in ("linear", "boltzmann", "rrf")]
    assert found(rows, blocks=["two"]) == [None, 2, 4]
    assert found(rows, blocks=["one", "two"]) == [0, 1, 4]
    assert found([BASE, OTHER], blocks=["one"]) == [1, None]


def test_a_tables_own_objective_orders_its_trials():
    row = {"label": "best", "where": {"fuser": "boltzmann"}}
    assert found([row]) == [1]
    assert found([row], objective="mrr") == [2]
    # Two trials have it in the first two, both .2 from alpha .5: by name.
    assert found([row], objective="recall@2") == [2]
    assert found([{**row, "where": {}}], objective="recall@1", blocks=["two"]) == [2]


def test_values_lists_of_values_and_null():
    assert matches(KNOBS[4], {"pool.cap": None, "normalizer": None, "fuser": ["rrf", "linear"]})
    assert matches(KNOBS[4], {"pool.lists": [["dense", "graph"]]})
    assert not matches(KNOBS[4], {"pool.lists": [["dense", "bm25"]]})
    assert not matches(KNOBS[0], {"pool.cap": None})


def test_named_trials_are_those_of_all_tables_once():
    best = {"label": "best", "where": {"fuser": "boltzmann"}}
    tables = [
        {"rows": [BASE, OTHER]},
        {"rows": [BASE, {"label": "no", "where": {"fuser": "x"}}]},
        {"summary": []},
        {"rows": [best], "blocks": ["two"]},
    ]
    assert find_named({"tables": tables}, ROWS, RANKS, LISTS) == [1, 3, 2]
    assert find_named(None, ROWS, RANKS, LISTS) == []


def test_a_row_as_one_that_is_not_above_it_is_refused():
    with pytest.raises(ValueError, match=r"'other'.*'base'"):
        found([OTHER])
