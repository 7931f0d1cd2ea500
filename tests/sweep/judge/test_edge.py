"""Where a best trial lies at the edge of a grid: worked by hand, and on lists where alpha 0 is
best.
"""

import pytest

from harness.benchmark.source.records import read_lines
from harness.core.configuration.composition import compose
from harness.core.configuration.conf_files import defaults
from harness.report.console.forecast import forecast_table
from harness.run import Run, io
from harness.sweep.judge.edge import beside, candidates, find_edges
from harness.sweep.recomputation import verify_numbers
from harness.sweep.trial.grid import Grid
from harness.sweep.trial.plan import Plan, reopen
from harness.sweep.trial.prepared import Prepared
from harness.sweep.tune import sweep
from tests.judged import judged
from tests.world.generate import write

ALPHA = "+grid={values:{fuser:[linear],normalizer:[rank],fuser.alpha:[.2,.4,.6],pool.cap:[null]}}"


@pytest.mark.parametrize(
    ("axis", "value", "inner"),
    [
        ([0.1, 0.3, 0.5], 0.1, 0.3),
        ([0.1, 0.3, 0.5], 0.5, 0.3),
        ([0.1, 0.3, 0.5], 0.3, None),
        ([0.1], 0.1, None),
        ([10, 20, None], 20, None),  # no cap comes after every number
        ([10, 20, None], 10, 20),
        ([10, 20, None], None, None),
        (["pit", "max"], "pit", None),
        ([True, False], True, None),
    ],
)
def test_which_values_are_at_an_edge(axis, value, inner):
    assert beside(axis, value) == inner


@pytest.mark.parametrize(
    ("axis", "value", "inner", "expected"),
    [
        (
            [0.1, 0.3, 0.5],
            0.1,
            0.3,
            [-0.1, 0.0, 0.033333333333],
        ),  # step .2, the stop at 0, ratio 1/3
        ([0.5, 0.7], 0.7, 0.5, [0.9, 0.98]),
        ([0.7, 0.9], 0.9, 0.7, [1.1, 1.0, 1.157142857143]),
        ([0, 0.5], 0, 0.5, [-0.5]),  # a ratio to 0 leads nowhere
        ([20, 50], 50, 20, [125, 80]),  # ratio 2.5, step 30
        ([10, 60], 10, 60, [2, -40]),
    ],
)
def test_what_comes_after_a_value(axis, value, inner, expected):
    assert list(candidates(axis, value, inner)) == expected


def grid(axes):
    groups = {"fuser": "linear", "normalizer": "rank", "temperature": "auto", "reranker": "none"}
    config = {group: defaults(group, name) for group, name in groups.items()}
    pool = {"lists": ["dense", "graph"], "cap": None, "capped": ["graph"]}
    return Grid({**config, "pool": pool, "lists": ["dense", "graph"], "grid": {"only": axes}})


def edges(axes, scores):
    """scores: of the grid's points, in its order."""
    made = grid(axes)
    trials = made.trials()[3:]  # after dense, graph and RRF
    rows = [
        judged("", trial.family, parameters=dict(trial.settings), scores={"objective": score})
        for trial, score in zip(trials, scores, strict=True)
    ]
    rows.sort(key=lambda row: -row.scores["objective"])
    found = find_edges(made, rows, "objective", made.trials())
    return [(edge.block, edge.knob, edge.value, edge.next) for edge in found]


def test_an_axis_goes_on_as_far_as_the_fuser_allows():
    low = {"fuser.alpha": [0.1, 0.3]}
    assert edges(low, [0.9, 0.8]) == [("only", "fuser.alpha", 0.1, 0.0)]
    assert edges(low, [0.8, 0.9]) == [("only", "fuser.alpha", 0.3, 0.5)]
    assert edges({"fuser.alpha": [0, 0.5, 1]}, [0.9, 0.8, 0.7]) == []  # alpha is in [0, 1]
    assert edges({"fuser.alpha": [0, 0.5, 1]}, [0.7, 0.8, 0.9]) == []


def test_the_middle_a_tie_and_a_single_value_are_no_edge():
    assert edges({"fuser.alpha": [0.1, 0.3, 0.5]}, [0.7, 0.9, 0.8]) == []
    assert edges({"fuser.alpha": [0.1, 0.3]}, [0.9, 0.9]) == []
    assert edges({"fuser.alpha": [0.1]}, [0.9]) == []


def test_a_cap_at_the_edge_and_none():
    assert edges({"pool.cap": [20, 50]}, [0.8, 0.9]) == [("only", "pool.cap", 50, 125)]
    assert edges({"pool.cap": [20, 50, None]}, [0.7, 0.9, 0.8]) == []
    assert edges({"pool.cap": [4, 5]}, [0.8, 0.9]) == [("only", "pool.cap", 5, 6)]


def test_only_the_winner_s_edges_are_found():
    both = {"fuser": ["linear", "rrf"], "fuser.alpha": [0.1, 0.3], "fuser.k": [20, 30]}
    found = edges(both, [0.7, 0.6, 0.9, 0.8])
    assert found == [("only", "fuser.k", 20, 13)]  # by the ratio: 20 * 20 / 30


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """Two lists of 5 documents without a common one. ``dense`` finds nothing; ``graph`` has the
    last hop at rank 5, 2 or 4. The rank normalizer gives 1, .8, .6, .4, .2, so that the top 5 hold
    it

    - alpha .6: at rank 2 (.32, behind .6, .48, .4 and .36);
    - alpha .4: at rank 2, but not at 4 (.24, behind .6, .48, .4, .36 and .32);
    - alpha .2: at rank 2 and 4 (.32, behind .8, .64 and .48), but not at 5 (.16, behind .2);
    - alpha 0: always.
    """
    place = write(tmp_path_factory.mktemp("data") / "world", 200)
    corpus, queries = (
        read_lines(place / f"{name}.jsonl.gz").values for name in ("corpus", "queries")
    )
    found = {"dense": {}, "graph": {}}
    for number, query in enumerate(queries):
        others = [row["id"] for row in corpus if row["id"] not in query["supporting_ids"]]
        at = (4, 1, 3)[number % 3]
        ranked = {
            "dense": others[:5],
            "graph": [*others[5 : 5 + at], query["supporting_ids"][-1], *others[10 : 14 - at]],
        }
        for name, docs in ranked.items():
            found[name][query["id"]] = {doc: 5.0 - rank for rank, doc in enumerate(docs)}
    for name, run in found.items():
        io.write(Run.from_dict(run), place.parent / f"{name}.json")
    return place


@pytest.fixture
def prepared(world, tmp_path):
    def make(*more, grid=ALPHA):
        files = [f"lists.{name}={world.parent}/{name}.json" for name in ("dense", "graph")]
        given = (
            "dataset=folder",
            f"dataset.path={world}",
            "~lists.dense",
            "~lists.graph",
            "~lists.bm25",
            *(f"+{text}" for text in files),
            f"paths.runs={tmp_path}/runs",
            "tracking=none",
            "~grid",
            grid,
            *more,
        )
        return Prepared.of(Plan(compose("config", given), given))

    return make


def test_the_sweep_says_it_and_does_nothing_by_itself(prepared):
    plain = prepared()
    result = sweep(plain, plain.plan.trials())
    assert len(result.trials) == 2 + 1 + 3  # lists, RRF, three alphas
    assert result.lock["winner"]["parameters"]["fuser.alpha"] == 0.2
    expected = {"block": "values", "knob": "fuser.alpha", "value": 0.2, "next": 0.0}
    assert result.lock["edges"] == [expected]
    (table,) = forecast_table(result)
    assert ["fuser.alpha at the edge of the grid", "0.2 (next: 0)"] in table.rows


def test_a_wider_grid_has_no_edge_there(prepared):
    wide = prepared(grid=ALPHA.replace("[.2", "[0,.2"))
    result = sweep(wide, wide.plan.trials())
    assert len(result.trials) == 2 + 1 + 4
    assert result.lock["winner"]["parameters"]["fuser.alpha"] == 0
    assert result.lock["edges"] == []
    assert "edge of the grid" not in str(forecast_table(result))
    again = Prepared.of(reopen(result.folder, wide.plan.config))
    assert [line.split()[0] for line in verify_numbers(result, again)] == ["tune", "tune"]
