"""Which trials an experiment's rows are about."""

import pytest

from harness.sweep.judge.choice import find_named, find_trials, matches

# In the order of a leaderboard.
TRIALS = [
    {"fuser": "linear", "normalizer": "pit", "fuser.alpha": 0.3, "pool.cap": 20},
    {"fuser": "boltzmann", "normalizer": "pit", "fuser.alpha": 0.7, "pool.cap": 20},
    {"fuser": "boltzmann", "normalizer": "minmax", "fuser.alpha": 0.3, "pool.cap": 20},
    {"fuser": "boltzmann", "normalizer": "minmax", "fuser.alpha": 0.7, "pool.cap": 20},
    {"fuser": "rrf", "pool.cap": None, "pool.lists": ["dense", "graph"]},
]
BASE = {"label": "base", "where": {"fuser": "boltzmann", "normalizer": "pit"}}
OTHER = {
    "label": "other",
    "where": {"fuser": "boltzmann", "normalizer": "minmax"},
    "as": "base",
    "same": ["fuser.alpha", "pool.cap"],
}


def test_a_row_is_the_first_trial_that_matches():
    wheres = [{}, {"fuser": "rrf"}, {"fuser": "x"}]
    rows = [{"label": str(number), "where": where} for number, where in enumerate(wheres)]
    assert find_trials(rows, TRIALS) == [0, 4, None]


def test_a_row_as_another_has_its_knobs():
    assert find_trials([BASE, OTHER], TRIALS) == [1, 3]


def test_values_lists_of_values_and_null():
    assert matches(TRIALS[4], {"pool.cap": None, "normalizer": None, "fuser": ["rrf", "linear"]})
    assert matches(TRIALS[4], {"pool.lists": [["dense", "graph"]]})
    assert not matches(TRIALS[4], {"pool.lists": [["dense", "bm25"]]})
    assert not matches(TRIALS[0], {"pool.cap": None})


def test_named_trials_are_those_of_all_tables_once():
    tables = [
        {"rows": [BASE, OTHER]},
        {"rows": [BASE, {"label": "no", "where": {"fuser": "x"}}]},
        {"summary": []},
    ]
    assert find_named({"tables": tables}, TRIALS) == [1, 3]
    assert find_named(None, TRIALS) == []


def test_a_row_as_one_that_is_not_above_it_is_refused():
    with pytest.raises(ValueError, match=r"'other'.*'base'"):
        find_trials([OTHER], TRIALS)
