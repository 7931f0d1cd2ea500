"""A grid's points: which knobs multiply which trials, what reruns them, and what is refused."""

import pytest

from harness.core.configuration.conf_files import defaults
from harness.core.errors import HarnessError
from harness.sweep.trial.grid import Grid
from harness.sweep.trial.override import ineffective, literal

CACHE = {}
"""The strategies of all grids of these tests, by their fields: Hydra takes 3 ms to make one."""


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
    return Grid(config, given, CACHE)


def names(axes, **changes):
    trials = grid(axes, **changes).trials()
    return [trial.name for trial in trials][4:]


LISTS = ["dense", "graph", "bm25"]


def test_the_untuned_baselines_always_stand_first():
    trials = grid({}).trials()
    assert [trial.name for trial in trials[:4]] == [*LISTS, "rrf k=60"]
    pools = [("dense",), ("graph",), ("bm25",), ("dense", "graph")]
    assert [trial.pool.lists for trial in trials[:4]] == pools


def test_nothing_was_chosen_for_lists_and_for_rrf_at_60_on_the_whole_pool():
    axes = {"fuser": ["rrf", "combsum"], "fuser.k": [10, 60], "pool.cap": [None, 5]}
    made = grid(axes)
    alone = [trial.name for trial in made.trials() if made.untuned(trial)]
    assert alone == [*LISTS, "rrf k=60"]
    pool = {"lists": ["graph"], "cap": None, "capped": []}
    alone = grid({"fuser": ["single"]}, pool=pool).trials()
    assert [trial.name for trial in alone] == LISTS  # of one list there is no RRF


def test_no_axes_is_the_one_point_of_the_configuration():
    assert names({}) == ["boltzmann alpha=0.7 beta=0.5 pit auto"]


def test_an_axis_multiplies_only_the_fusers_that_have_its_knob():
    assert names({"fuser": ["rrf", "linear"], "fuser.alpha": [0.3, 0.5], "fuser.k": [10]}) == [
        "rrf k=10",
        "linear alpha=0.3 beta=0 pit",
        "linear alpha=0.5 beta=0 pit",
    ]


def test_an_axis_that_a_fuser_does_not_read_does_not_multiply_it():
    axes = {
        "fuser": ["rrf", "linear", "boltzmann"],
        "normalizer": ["pit", "max"],
        "temperature.T": [0.3, 1],
        "temperature": ["fixed"],
        "fuser.k": [10],
    }
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
    axes = {"fuser": ["rrf"], "fuser.k": [10], "pool.cap": [5, None]}
    assert names({**axes, "pool.lists": [["dense", "bm25"]]}) == ["rrf k=10"]


def test_a_trials_overrides_describe_it_whole():
    trial = grid(
        {"fuser": ["linear"], "pool.cap": [20]},
        given=("dataset=musique", "fuser.beta=1", "paths.runs=x"),
        fuser={**defaults("fuser", "boltzmann"), "beta": 1.0},
    ).trials()[-1]
    assert trial.overrides == (
        "dataset=musique",
        "fuser=linear",
        "fuser.alpha=0.7",
        "fuser.beta=1.0",
        "fuser.weights=null",
        "normalizer=pit",
        "normalizer.kind=weak",
        "reranker=none",
        "pool.lists=[dense,graph]",
        "pool.cap=20",
        "pool.capped=[graph]",
        "grid=point",
    )


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
    different = {
        first.sha256("x", lists),
        first.sha256("y", lists),
        second.sha256("x", lists),
        first.sha256("x", {**lists, "dense": {"depth": 20}}),
    }
    assert len(different) == 4


@pytest.mark.parametrize(
    ("axes", "message"),
    [
        ({"fuser": ["linear"], "fuser.alpha": [0.5, 2, 3]}, "2 mistakes.*alpha=2.*alpha=3"),
        ({"fuser": ["rff"]}, r"fuser=rff is not known \(did you mean rrf\?\)"),
        (
            {"fuser": ["rrf"], "fuser.alpha": [0.5]},
            "grid.only: fuser.alpha is no knob of these points",
        ),
        ({"dataset": ["musique"]}, "dataset"),
        (
            {"pool.lists": [["dense", "grap"]]},
            r"unknown list grap in pool.lists \(did you mean graph\?\)",
        ),
        ({"pool.capped": [[[1]]]}, r"pool\.capped = \[\[1\]\], expected a list of names"),
        ({"pool.capped": ["graph"]}, r"pool\.capped = graph, expected a list of names"),
        ({"pool.lists": [1]}, r"pool\.lists = 1, expected a list of names"),
        ({"pool.cap": [0]}, r"pool\.cap must be in \[1, inf\), got cap=0"),
        (
            {"fuser": ["boltzmann", "combsum"], "normalizer": ["zscore"]},
            r"boltzmann.*zscore|zscore.*boltzmann|normalizer",
        ),
    ],
)
def test_every_mistake_is_found_before_anything_runs(axes, message):
    with pytest.raises(HarnessError, match=message):
        grid(axes).trials()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (0.5, "0.5"),
        (["a", "b"], "[a,b]"),
        ({"a": 1.0, "b": None}, "{a:1.0,b:null}"),
        ({"BM25 (k1=0.9)": 1, "tf,idf": 2, "a@b": 3}, r"{BM25 \(k1\=0.9\):1,tf\,idf:2,a@b:3}"),
    ],
)
def test_values_are_written_as_hydra_reads_them(value, text):
    from hydra.core.override_parser.overrides_parser import OverridesParser

    assert literal(value) == text
    assert OverridesParser.create().parse_override(f"x={text}").value() == value


@pytest.mark.plugin("phasegraph")
def test_a_list_that_is_reranked_is_no_baseline_and_is_not_called_as_the_list_is():
    axes = {"fuser": ["single"], "fuser.list": ["graph"], "reranker": ["ising"]}
    trials = grid({**axes, "reranker.J": [2.0]}).trials()
    assert trials[-1].family == "reranked"
    assert trials[-1].name == "graph ising J=2 T=1 blend=0.2 m=20"
    assert [each.name for each in trials if each.family == "single"] == LISTS


def test_a_fusers_own_list_is_one_of_the_pool():
    axes = {"fuser": ["rrf_anchored"], "fuser.k": [10]}
    own = {"pool": {"lists": ["bm25", "graph"], "cap": None, "capped": []}}
    assert names(axes) == ["rrf_anchored k=10"]
    assert names(axes, **own) == ["rrf_anchored k=10 list=bm25"]
    assert names(axes, **own, reference="graph") == ["rrf_anchored k=10 list=graph"]
    with pytest.raises(HarnessError, match=r"fuser.list=dense:.*bm25"):
        names({**axes, "fuser.list": ["dense"]}, **own)


OWN = {
    "pool": {"lists": ["mine", "graph"], "cap": None, "capped": []},
    "lists": ["mine", "graph", "dense", "bm25"],
}


def test_a_list_that_the_default_weights_do_not_name_has_weight_1():
    axes = {"fuser": ["weighted_rrf"], "fuser.k": [10]}
    own = dict(OWN)
    (trial,) = [each for each in grid(axes, **own).trials() if each.family == "weighted_rrf"]
    assert dict(trial.fuser.weights) == {"mine": 1.0, "graph": 0.35}
    assert trial.name == "weighted_rrf k=10 weights=1:0.35 bonus=0"
    assert "pool.importance" not in trial.settings
    typed = {**axes, "fuser.weights": [{"graph": 0.5}]}
    (trial,) = [each for each in grid(typed, **own).trials() if each.family == "weighted_rrf"]
    assert dict(trial.fuser.weights) == {
        "graph": 0.5
    }  # refused where it scores: what was typed stays


def test_points_whose_normalizer_must_know_more_of_a_list_are_told_and_left_out(caplog):
    axes = {"fuser": ["linear"], "normalizer": ["pit", "tmm"]}
    own = dict(OWN)
    found = grid(axes, **own)
    assert [each.name for each in found.trials() if each.family == "linear"] == [
        "linear alpha=0.7 beta=0 pit"
    ]
    assert not caplog.text
    found.log_left_out()
    said = "tmm is not tried: it needs the lowest possible score of mine and graph; add"
    assert caplog.text.count(said) == 1
    own["least"] = {"graph": 0.0}
    own["normalizer"] = defaults("normalizer", "tmm")
    with pytest.raises(HarnessError, match=r"score of mine; add.*minimum=\{graph: 0, mine: 0\}"):
        grid(axes, ("normalizer=tmm",), **own).trials()
    own["normalizer"] = {**own["normalizer"], "minimum": {"mine": -2}}
    given = ("normalizer=tmm", "normalizer.minimum={mine: -2}")
    trial = grid(axes, given, **own).trials()[-1]
    assert dict(trial.normalizer.minimum) == {"graph": 0, "mine": -2}
    assert not list(ineffective(grid(axes, given, **own).typed, [trial]))


def test_alpha_is_of_two_lists(caplog):
    three = {"pool": {"lists": ["dense", "graph", "bm25"], "cap": None, "capped": []}}
    axes = {"fuser": ["rrf", "linear"], "fuser.k": [10], "fuser.alpha": [0.3, 0.5]}
    found = grid(axes, **three)
    assert [each.name for each in found.trials()][4:] == ["rrf k=10"]
    found.log_left_out()
    said = "linear is not tried: alpha weighs two lists, and the pool has 3; add 'fuser.weights="
    assert caplog.text.count(said) == 1
    with pytest.raises(HarnessError, match=r"fuser.weights="):
        names({"fuser": ["linear"]}, **three)  # nothing else is left
    with pytest.raises(HarnessError, match=r"fuser.weights="):
        grid(axes, ("fuser=linear",), **three, fuser=defaults("fuser", "linear")).trials()


BLOCKS = {
    "ranks": {"fuser": ["rrf", "weighted_rrf"], "fuser.k": [10, 60]},
    "counts": {"fuser": ["combsum"], "normalizer": ["pit", "zscore"]},
    "values": {
        "fuser": ["linear"],
        "normalizer": ["pit", "minmax"],
        "fuser.alpha": [0.3, 0.5],
        "pool.cap": [20, 50],
    },
}


def typed(*given, **changes):
    """Names of the trials after the four baselines, when these overrides were typed."""
    return [trial.name for trial in grid({}, given, grid=BLOCKS, **changes).trials()][4:]


def test_a_typed_knob_restricts_the_axis_that_varies_it():
    rrf = {**defaults("fuser", "rrf")}
    assert typed("fuser=rrf", fuser=rrf) == ["rrf k=10"]  # k=60 is a baseline
    five = {**defaults("fuser", "boltzmann"), "k": 5}  # as `harness sweep fuser.k=5` composes it
    found = typed("fuser.k=5", fuser=five)
    assert found[:2] == ["rrf k=5", "weighted_rrf k=5 bonus=0"]
    assert not [name for name in found if "k=10" in name or "k=60" in name]
    half = {**defaults("fuser", "boltzmann"), "alpha": 0.6}  # no value of the axis
    found = [name for name in typed("fuser.alpha=.6", fuser=half) if name.startswith("linear")]
    ends = [f"{normalizer} cap={cap}" for normalizer in ("pit", "minmax") for cap in (20, 50)]
    assert found == [f"linear alpha=0.6 beta=0 {end}" for end in ends]


@pytest.mark.plugin("mentions")
def test_a_typed_strategy_keeps_the_blocks_that_have_it_and_replaces_where_none_has():
    zscore = typed("normalizer=zscore", normalizer=defaults("normalizer", "zscore"))
    assert zscore[-1] == "combsum zscore"
    assert typed("fuser=learned", fuser=defaults("fuser", "learned"))[0].startswith("learned")


def test_a_typed_cap_restricts_every_block():
    pool = {"lists": ["dense", "graph"], "cap": 30, "capped": ["graph"]}
    assert all(name.endswith("cap=30") for name in typed("pool.cap=30", pool=pool))


def test_a_capped_list_that_there_is_not_is_refused():
    pool = {"lists": ["dense", "graph"], "cap": 5, "capped": ["grahp", "graph"]}
    with pytest.raises(HarnessError, match=r"pool.capped=grahp.*graph"):
        typed("pool.capped=[grahp,graph]", pool=pool)


@pytest.mark.parametrize(
    ("given", "changes", "message"),
    [
        pytest.param(
            "fuser.penalty=1",
            {"fuser": {**defaults("fuser", "boltzmann"), "penalty": 1.0}},
            "fuser.penalty=1.0: penalty is read by fuser=learned",
            marks=pytest.mark.plugin("mentions"),
        ),
        (
            "temperature=fixed",
            {"temperature": defaults("temperature", "fixed")},
            "temperature=fixed; leave it out",
        ),
    ],
)
def test_a_typed_knob_that_no_trial_reads_is_named(given, changes, message):
    made = grid({}, (given,), **{"grid": BLOCKS, **changes})
    (line,) = ineffective(made.typed, made.trials())
    assert line.startswith(f"this command does not use {message}")


def test_a_cap_is_a_whole_number():
    with pytest.raises(HarnessError, match=r"pool\.cap.*cap=True"):
        grid({}, pool={"lists": ["dense", "graph"], "cap": True, "capped": ["graph"]}).trials()


def test_a_block_that_is_no_axes_is_one_line():
    with pytest.raises(HarnessError, match=r"grid\.only.*5"):
        grid(5).trials()


@pytest.mark.plugin("mentions")
def test_given_coefficients_have_a_name():
    given = {"dense": [1, 1], "graph": [1, 0.5]}
    axes = {"fuser": ["learned"], "fuser.coefficients": [given]}
    names = [trial.name for trial in grid(axes).trials()]
    assert any("coefficients=1+1:1+0.5" in name for name in names), names


POOLS = {"pool.lists": ["pairs", "all"], "fuser": ["linear"], "fuser.weights": "simplex"}


def test_every_pair_of_lists_and_all_are_pools_whatever_their_names():
    """Three pairs by two alphas; three lists by the six ways to share 5 parts, one or more each."""
    for lists in (LISTS, ["x", "y", "z"]):
        axes = {**POOLS, "fuser.alpha": [0.1, 0.9]}
        own = {"pool": {"lists": lists[:2], "cap": None, "capped": None}, "lists": lists}
        trials = grid(axes, **own).trials()[4:]
        first, second, third = lists
        pairs = [(first, second), (first, third), (second, third)]
        assert [one.pool.lists for one in trials[::2]] == [*pairs, *[(first, second, third)] * 3]
        assert [one.fuser.alpha for one in trials] == [0.1, 0.9] * 3 + [None] * 6
        shared = [tuple(one.fuser.weights.values()) for one in trials[6:]]
        assert sorted(shared) == [
            (0.2, 0.2, 0.6),
            (0.2, 0.4, 0.4),
            (0.2, 0.6, 0.2),
            (0.4, 0.2, 0.4),
            (0.4, 0.4, 0.2),
            (0.6, 0.2, 0.2),
        ]
        weighted = grid({**POOLS, "fuser": ["weighted_rrf"]}, **own).trials()[4:]
        assert len(weighted) == 3 * 3 + 6
        assert tuple(weighted[0].fuser.weights.values()) == (0.75, 0.25)


def test_a_cap_is_of_every_list_but_the_reference():
    own = {"pool": {"lists": ["x", "y"], "cap": None, "capped": None}, "lists": ["x", "y", "z"]}
    axes = {"pool.lists": ["pairs", "all"], "fuser": ["rrf"], "fuser.k": [10], "pool.cap": [5]}
    trials = grid(axes, **own).trials()[4:]
    assert [one.pool.cut_lists for one in trials] == [("y",), ("z",), ("y", "z"), ("y", "z")]
    trials = grid(axes, **own, reference="z").trials()[4:]
    assert [one.pool.cut_lists for one in trials] == [("x", "y"), ("x",), ("y",), ("x", "y")]


def test_weights_take_the_place_of_alpha():
    """With weights alpha is null: no axis, not in the name, and an error if both are typed."""
    weights = {"dense": 1, "graph": 0.5}
    axes = {"fuser": ["linear"], "fuser.alpha": [0.1, 0.9], "normalizer": ["pit"]}
    own = {"fuser": {**defaults("fuser", "boltzmann"), "weights": weights}}
    typed = "fuser.weights={dense: 1, graph: .5}"
    (trial,) = grid(axes, (typed,), **own).trials()[4:]
    assert trial.name == "linear beta=0 weights=1:0.5 pit"
    assert trial.settings["fuser.alpha"] is None
    again = {"fuser": {**defaults("fuser", "linear"), "weights": weights, "alpha": None}}
    (same,) = grid({}, trial.overrides, **again).trials()[4:]
    assert same.identity == trial.identity
    with pytest.raises(HarnessError, match=r"fuser\.alpha=0\.7.*fuser\.weights.*leave one"):
        grid(axes, (typed, "fuser.alpha=.7"), **own).trials()
