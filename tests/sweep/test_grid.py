"""A grid's points: which knobs multiply which trials, what reruns them, and what is refused."""

import pytest

from harness.configuration import defaults
from harness.errors import HarnessError
from harness.sweep.grid import Grid, literal


def grid(axes, given=(), **changes):
    config = {
        "fuser": defaults("fuser", "boltzmann"),
        "normalizer": defaults("normalizer", "pit"),
        "temperature": defaults("temperature", "auto"),
        "reranker": defaults("reranker", "none"),
        "pool": {"lists": ["dense", "graph"], "cap": None, "capped": ["graph"]},
        "lists": ["dense", "graph", "bm25"],
        "grid": {"only": axes},
        **changes,
    }
    return Grid(config, given)


def names(axes, **changes):
    trials = grid(axes, **changes).trials()
    return [trial.name for trial in trials][4:]


def test_the_untuned_baselines_always_stand_first():
    trials = grid({}).trials()
    assert [trial.name for trial in trials[:4]] == ["dense", "graph", "bm25", "rrf k=60"]
    assert [trial.pool.lists for trial in trials[:4]] == [("dense",), ("graph",), ("bm25",), ("dense", "graph")]


def test_no_axes_is_the_one_point_of_the_configuration():
    assert names({}) == ["boltzmann alpha=0.7 beta=0.5 pit auto"]


def test_an_axis_multiplies_only_the_fusers_that_have_its_knob():
    assert names({"fuser": ["rrf", "linear"], "fuser.alpha": [0.3, 0.5], "fuser.k": [10]}) == [
        "rrf k=10",
        "linear alpha=0.3 beta=0 pit",
        "linear alpha=0.5 beta=0 pit",
    ]


def test_an_axis_that_a_fuser_does_not_read_does_not_multiply_it():
    axes = {"fuser": ["rrf", "linear", "boltzmann"], "normalizer": ["pit", "max"], "temperature.T": [0.3, 1],
            "temperature": ["fixed"], "fuser.k": [10]}  # fmt: skip
    assert names(axes) == [
        "rrf k=10",
        "linear alpha=0.7 beta=0 pit",
        "linear alpha=0.7 beta=0 max",
        "boltzmann alpha=0.7 beta=0.5 pit fixed T=0.3",
        "boltzmann alpha=0.7 beta=0.5 pit fixed T=1",
        "boltzmann alpha=0.7 beta=0.5 max fixed T=0.3",
        "boltzmann alpha=0.7 beta=0.5 max fixed T=1",
    ]


def test_a_cap_that_cuts_nothing_is_no_other_trial():
    axes = {"fuser": ["rrf"], "fuser.k": [10], "pool.cap": [5, None], "pool.lists": [["dense", "bm25"]]}
    assert names(axes) == ["rrf k=10 dense+bm25"]


def test_a_trials_overrides_describe_it_whole():
    trial = grid(
        {"fuser": ["linear"], "pool.cap": [20]}, given=("dataset=musique", "fuser.beta=1", "paths.runs=x")
    ).trials()[-1]
    assert trial.overrides == (
        "dataset=musique", "fuser=linear", "fuser.alpha=0.7", "fuser.beta=0.0", "fuser.weights=null", "normalizer=pit",
        "normalizer.kind=weak", "reranker=none", "pool.lists=[dense,graph]", "pool.cap=20", "pool.capped=[graph]",
        "grid=point",
    )  # fmt: skip


def test_own_fields_are_the_base_of_every_point():
    fuser = {**defaults("fuser", "boltzmann"), "beta": 2.0}
    assert names({"fuser": ["boltzmann", "linear"]}, fuser=fuser) == [
        "boltzmann alpha=0.7 beta=2 pit auto",
        "linear alpha=0.7 beta=0 pit",
    ]


def test_hashes_differ_by_data_lists_and_knobs_and_nothing_else():
    first, second = grid({"fuser": ["linear"], "fuser.alpha": [0.3, 0.5]}).trials()[-2:]
    lists = {"dense": {"depth": 10}, "graph": {"a": 0.5}, "bm25": {}}
    assert first.sha256("x", lists) == first.sha256("x", {**lists, "bm25": {"other": 1}})
    different = {first.sha256("x", lists), first.sha256("y", lists), second.sha256("x", lists),
                 first.sha256("x", {**lists, "dense": {"depth": 20}})}  # fmt: skip
    assert len(different) == 4


@pytest.mark.parametrize(
    ("axes", "message"),
    [
        ({"fuser": ["linear"], "fuser.alpha": [0.5, 2, 3]}, "2 mistakes.*alpha=2.*alpha=3"),
        ({"fuser": ["rff"]}, r"fuser=rff is not known \(did you mean rrf\?\)"),
        ({"fuser": ["rrf"], "fuser.alpha": [0.5]}, "grid.only: fuser.alpha is no knob of these points"),
        ({"dataset": ["musique"]}, "dataset"),
        ({"pool.lists": [["dense", "grap"]]}, r"pool.lists names grap \(did you mean graph\?\)"),
        ({"pool.cap": [0]}, "pool.cap must be a whole number >= 1 or null, got cap=0"),
        ({"fuser": ["boltzmann"], "normalizer": ["zscore"]}, r"boltzmann.*zscore|zscore.*boltzmann|normalizer"),
    ],
)
def test_every_mistake_is_found_before_anything_runs(axes, message):
    with pytest.raises(HarnessError, match=message):
        grid(axes).trials()


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "null"), (True, "true"), (0.5, "0.5"), (["a", "b"], "[a,b]"), ({"a": 1.0, "b": None}, "{a:1.0,b:null}")],
)
def test_values_are_written_as_hydra_reads_them(value, text):
    from hydra.core.override_parser.overrides_parser import OverridesParser

    assert literal(value) == text
    assert OverridesParser.create().parse_override(f"x={text}").value() == value


def test_a_list_that_is_reranked_is_no_baseline_and_is_not_called_as_the_list_is():
    axes = {"fuser": ["single"], "fuser.list": ["graph"], "reranker": ["ising"], "reranker.J": [2.0]}
    trial = grid(axes).trials()[-1]
    assert trial.family == "reranked"
    assert trial.name == "graph ising J=2 T=1 blend=0.2 m=20"
    assert [each.name for each in grid(axes).trials() if each.family == "single"] == ["dense", "graph", "bm25"]
