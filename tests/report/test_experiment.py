"""Experiments: every file composes and describes what its grid has; tables worked by hand on the
example sweep.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import yaml
from matplotlib.figure import Figure
from omegaconf import OmegaConf

from harness.command.sweep import check_experiment
from harness.core.configuration.composition import compose
from harness.core.configuration.conf_files import names
from harness.core.configuration.instantiation import instantiate
from harness.core.configuration.stored_strategy import by_name
from harness.core.errors import HarnessError
from harness.report import experiment
from harness.report.display import Display
from harness.report.experiment import joint_figures
from harness.report.experiment.tables import fragmentation, parts_table
from harness.report.figure import Picture, heatmap
from harness.report.pdf.document import write
from harness.report.table.comparison_table import ComparisonTable
from harness.sweep.folder.lock import Baselines
from harness.sweep.folder.result import SweepResult
from harness.sweep.judge.table_rows import find_named, find_rows, is_shown, matches
from harness.sweep.trial import inputs
from harness.sweep.trial.plan import Plan
from tests.judged import judged


@pytest.fixture
def result(example: ModuleType, tmp_path: Path) -> SweepResult:
    return example.of_experiment(example.write(tmp_path / "s1"))


NONE = Baselines({}, "dense", None)
NOWHERE = {"source": "", "differs": ""}


def single(label: str, name: str) -> dict[str, Any]:
    return {"label": label, "where": {"fuser": "single", "fuser.list": name}}


def described(*rows: dict[str, Any], **more: Any) -> dict[str, Any]:
    against = rows[0]["label"] if rows else ""
    own = {"name": "t", "title": "T", "metrics": ["last_hop@5"], "against": against}
    return {**own, "rows": rows, **more} if rows else {**own, **more}


def test_rows_by_slice_and_split_by_hand(result: SweepResult) -> None:
    table = experiment.build_experiment(result)[0][0]
    assert table.titles[:4] == ["questions", "split", "row", "strategy"]
    shown = [[cells[i] for i in (0, 1, 2, 4, 5, 8, 9, 10, 11, 13)] for cells in table.cells()]
    assert shown == [
        ["all", "tune", "vector only", "8", "50.0", "–", "–", "–", "–", "–"],
        ["all", "tune", "best", "8", "75.0", "3", "1", ".625", ".625", "53.6"],
        ["all", "test", "vector only", "6", "33.3", "–", "–", "–", "–", "–"],
        ["all", "test", "best", "6", "83.3", "3", "0", ".250", ".250", "99.9"],
        # Queries 0, 2, 3, 6, 7 of tune: dense finds 0; best 0, 2, 3, 6. Queries 0, 2, 3 of test:
        # dense 0, best all.
        ["graph first", "tune", "vector only", "5", "20.0", "–", "–", "–", "–", "–"],
        ["graph first", "tune", "best", "5", "80.0", "3", "0", ".250", ".250", "–"],
        ["graph first", "test", "vector only", "3", "33.3", "–", "–", "–", "–", "–"],
        ["graph first", "test", "best", "3", "100.0", "2", "0", ".500", ".500", "–"],
    ]
    assert "graph first: the graph's best is the last hop" in table.caption
    assert "not comparable: everything." in table.caption
    assert "Bias: the slices (graph first) are made with the gold" in table.caption
    assert "test: evaluation 1 of this split" in table.caption


def test_a_slice_of_too_few_questions_has_no_rows_and_is_named(result: SweepResult) -> None:
    cuts = [{"label": "all", "where": {}}, {"label": "9 hops", "where": {"hops": 9}}]
    table = ComparisonTable(
        result, described(single("vector only", "dense"), slices=cuts), NOWHERE
    ).table()
    assert {cells[0] for cells in table.cells()} == {"all"}
    assert "Left out, with fewer than 3 questions: 9 hops." in table.caption


def test_a_published_row_that_no_trial_is_says_what_would_measure_it(result: SweepResult) -> None:
    where = {"where": {"reranker": "cross_encoder"}, "unmeasured": "harness sweep x"}
    row: dict[str, Any] = {"label": "CE", "published": {}, **where}
    spec = described(single("vector only", "dense"), row)
    table = ComparisonTable(result, spec, NOWHERE).table()
    assert [cells[1] for cells in table.cells()] == ["vector only"] * 2
    row["published"] = {result.manifest["dataset"]: {"tune": "9.1, 2W/22L"}}
    table = ComparisonTable(result, spec, NOWHERE).table()
    first, *measured, last = table.cells()[-1]
    assert (first, measured[0], last) == ("–", "CE", "9.1, 2W/22L")
    assert set(measured[1:]) == {"–"}
    assert "CE (harness sweep x)." in table.caption


def test_a_tables_p_values_are_corrected_by_split(result: SweepResult) -> None:
    """On tune graph has 4W/3L, p 1, and bm25 0W/2L, p 1/2, which Holm doubles, unless bm25 is
    there twice. Test has no bm25.
    """
    rows = [single("d", "dense"), single("g", "graph"), single("l", "bm25")]
    lines = ComparisonTable(result, described(*rows), NOWHERE).lines
    tested = [(line, line.against) for line in lines if line.against is not None]
    assert [(line.split, line.label, round(one.p, 9), one.p_holm) for line, one in tested] == [
        ("tune", "g", 1.0, 1.0),
        ("tune", "l", 0.5, 1.0),
        ("test", "g", 1.0, 1.0),
    ]
    rows[1] = single("the same", "bm25")
    first, *others = ComparisonTable(result, described(*rows), NOWHERE).lines[:3]
    assert first.against is None
    assert [line.against.p_holm for line in others if line.against] == [0.5, 0.5]


def test_parts_stand_one_below_the_other_each_against_its_own_row(result: SweepResult) -> None:
    alone = [single(name, name) for name in ("dense", "graph")]
    best = {"label": "best", "where": {"fuser": "boltzmann"}}
    parts = [
        {"label": "one", "against": "dense", "rows": alone},
        {"label": "two", "against": "graph", "rows": [*alone, best]},
    ]
    table = parts_table(result, described(unit="part", parts=parts), NOWHERE)
    shown = [[row[0], row[1], row[2], *row[7:9]] for row in table.cells() if row[1] == "tune"]
    # Tune: graph 4W/3L against dense, dense 3W/4L against graph.
    assert shown[:3] == [
        ["one", "tune", "dense", "–", "–"],
        ["one", "tune", "graph", "4", "3"],
        ["two", "tune", "dense", "3", "4"],
    ]
    assert (table.columns[0].title, table.columns[-1].title) == ("part", "candidates")
    assert {row[-1] for row in table.cells()} == {"–"}, "as this sweep's manifest has none"


def test_graphs_of_lists_side_by_side(result: SweepResult) -> None:
    facts = {
        "entities": 7,
        "edges": {"relation": 2, "synonym": 3},
        "entity_degree": {"mean": 1.5},
        "components": 4,
        "isolated_entities": 0.25,
        "isolated_passages": 0.0,
        "largest_component": 0.5,
    }
    path = result.folder / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "graphs": {"graph": facts}}))
    graphs = [{"label": "one", "list": "graph"}, {"label": "two", "list": "none"}]
    table = fragmentation(SweepResult(result.folder), described(graphs=graphs), NOWHERE)
    assert table.cells() == [["one", "7", "2", "3", "1.5", "4", "25.0", "0.0", "50.0"]]


def test_a_heatmap_has_pools_by_their_lists(result: SweepResult) -> None:
    frame = result.trials.copy()
    lists = [["dense", "graph"], ["dense", "bm25"]]
    texts = [json.loads(text) for text in frame["parameters"]]
    frame["parameters"] = [
        json.dumps({**one, "pool.lists": lists[n % 2]}) for n, one in enumerate(texts)
    ]
    frame.to_parquet(result.folder / "trials.parquet")
    spec = {
        "name": "f",
        "title": "F",
        "rows": ["pool.lists"],
        "columns": ["fuser"],
        "value": "last_hop@5",
        "where": {"fuser": "linear"},
    }
    _, table = experiment.figure_builder("f", "heatmap")(
        SweepResult(result.folder), spec, result.config["experiment"]
    )
    assert {row[0] for row in table.cells()} <= {"dense+graph", "dense+bm25"}


@pytest.mark.parametrize("columns", [1, heatmap.MOST])
def test_a_number_of_a_heatmap_fits_its_cell(columns: int) -> None:
    values = np.linspace(0, 100, 3 * columns).reshape(3, columns)

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        axes.imshow(values, aspect="auto")
        axes.set_yticks(range(3), ["pit", "tmm", "z"])

    def finish(figure: Figure) -> None:
        heatmap._write_numbers(figure.axes[0], values, 1)

    longer = {"tmm": "theoretical minimum and maximum"}
    with Picture("f", "F", draw, finish=finish).drawn(
        lambda text: longer.get(text, text)
    ) as figure:
        figure.draw_without_rendering()
        (axes,) = figure.axes
        cell = axes.get_window_extent().width / columns
        assert len(axes.texts) == values.size
        assert all(text.get_window_extent().width < cell for text in axes.texts)


def test_a_figure_of_an_unknown_kind_or_table_says_which_there_are(result: SweepResult) -> None:
    with pytest.raises(HarnessError, match=r"kind=bar.*bars\?\)"):
        experiment.figure_builder("f", "bar")
    with pytest.raises(HarnessError, match=r"table=none.*phasegraph_main$"):
        experiment.figure_builder("f", "bars")(
            result, {"name": "f", "table": "none"}, result.config["experiment"]
        )


@pytest.mark.plugin("phasegraph")
def test_a_gain_is_over_the_list_that_is_better_on_tune(
    result: SweepResult, tmp_path: Path
) -> None:
    mixture = {"label": "mixture", "where": {"fuser": "boltzmann"}}
    vectors = single("vectors", "dense")
    both, lexical = single("graph", "graph"), single("bm25", "bm25")
    parts = [
        {"label": "both", "series": "A", "against": "graph", "rows": [vectors, both, mixture]},
        {
            "label": "not held out",
            "series": "B",
            "against": "bm25",
            "rows": [vectors, lexical, mixture],
        },
    ]
    tables = [described(unit="lists", parts=parts)]
    picture, table = experiment.figure_builder("f", "gain")(
        result, {"name": "f", "table": "t"}, {"source": "S.", "tables": tables}
    )
    # Tune: dense .5, graph .625. Test: dense 2 of 6, graph 3, the mixture 5, with 2W/0L against
    # graph (p 1/2).
    (row,) = table.cells()
    assert row[:9] == ["both", "6", "33.3", "50.0", "83.3", "graph", "2", "0", ".500"]
    assert row[10] == ".500"
    assert "Holm p: over the rows." in table.caption
    assert "sample, test, n 6." in picture.caption
    assert [path.name for path in picture.save(tmp_path)] == ["f.pdf", "f.png"]


def test_groups_and_cells_by_hand(result: SweepResult) -> None:
    _, summary, cells = experiment.build_experiment(result)[0]
    assert [" ".join(row) for row in summary.cells()] == [
        "linear 2 1 0 0.5 0 62.5 linear minmax alpha=0.3 7",
        "total 5 3 1 1.6 0.8 75.0 boltzmann pit alpha=0.7 beta=0.5 cap=20 –",
    ]
    assert cells.cells() == [["minmax", "1", "–", "0"], ["pit", "–", "3", "3"]]


@pytest.mark.usefixtures("undrawn")
def test_the_report_holds_them_and_a_later_one_of_no_experiment_does_not(
    result: SweepResult, example: ModuleType, tmp_path: Path
) -> None:
    def report(made: SweepResult) -> None:
        write({"": made}, tmp_path, tmp_path / "out", Display())

    report(result)
    made = [
        "tables/sample-last_hop-5/more/phasegraph_main.tex",
        "tables/sample-last_hop-5/more/phasegraph_main_map.tex",
        "figures/sample-last_hop-5/phasegraph_main.pdf",
        "figures/sample-last_hop-5/phasegraph_main_map.png",
    ]
    assert all((tmp_path / "out" / name).is_file() for name in made)
    report(example.write(tmp_path / "other" / "s1"))
    assert not any((tmp_path / "out" / name).exists() for name in made)


@functools.cache
def made(node: str) -> Any:
    return instantiate(json.loads(node))


@pytest.mark.parametrize("name", names("experiment"))
def test_every_experiment_describes_what_its_grid_has(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Experiments have most lists in common, so each retriever is made once."""
    monkeypatch.setattr(
        inputs,
        "instantiate",
        lambda node: made(json.dumps(OmegaConf.to_container(node, resolve=True))),
    )
    overrides = (f"experiment={name}", "tracking=none")
    plan = Plan(compose(overrides=overrides), overrides)
    trials = plan.trials()
    rows = [
        judged(
            trial.name,
            parameters=by_name(trial.settings),
            untuned=plan.grid.untuned(trial),
            blocks=plan.grid.blocks_of(trial),
        )
        for trial in trials
    ]
    ranks = np.ones((len(rows), 1, 1), dtype=np.int32)
    assert plan.experiment is not None
    specs = [*(plan.experiment.get("tables") or ()), *(plan.experiment.get("figures") or ())]
    assert specs
    for spec in plan.experiment.get("figures") or ():
        assert experiment.figure_builder(spec["name"], spec["kind"])
    check_experiment(plan)
    for spec in specs:
        assert spec["name"].startswith(name)
        described = [spec] if "rows" in spec and "metrics" in spec else spec.get("parts", ())
        for part in described:
            places = find_rows(spec, part["rows"], rows, ranks, NONE)
            missing = [
                row["label"]
                for row, place in zip(part["rows"], places, strict=True)
                if place is None and "unmeasured" not in row
            ]
            assert not missing
            assert part["against"] in {row["label"] for row in part["rows"]}
        for row in spec.get("graphs", ()):
            assert row["list"] in plan.config.lists
        for group in spec.get("summary", ()):
            shown = [one.parameters for one in rows if is_shown(one, spec)]
            assert any(matches(one, group["where"]) for one in shown)


def _cut(experiment: dict[str, Any], path: str) -> dict[str, Any]:
    """The experiment without one key."""
    found: Any = experiment
    *places, last = path.split(".")
    for place in places:
        found = found[int(place)] if place.isdigit() else found[place]
    del found[last]
    return experiment


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("figures.0.kind", "figures.0: kind is missing"),
        ("figures.0.value", "figures.0: 'value' is missing"),
        ("figures.1.table", "figures.1: 'table' is missing"),
        ("tables.0.metrics", "tables.0: metrics is missing"),
        ("tables.0.rows.0.where", "tables.0.rows.0: where is missing"),
        ("tables.1.title", "tables.1: title is missing"),
    ],
)
def test_a_key_that_a_stored_experiment_lacks_is_one_line(
    result: SweepResult, path: str, said: str
) -> None:
    config = result.folder / "config.yaml"
    stored = yaml.safe_load(config.read_text())
    config.write_text(yaml.safe_dump({**stored, "experiment": _cut(stored["experiment"], path)}))
    with pytest.raises(HarnessError, match=rf"config\.yaml: experiment\.{said}"):
        experiment.build_experiment(SweepResult(result.folder))


@pytest.mark.parametrize("wrong", [{"tables": 1}, {"tables": ["x"]}, {"figures": [None]}, "words"])
def test_a_stored_experiment_of_another_form_is_one_line(
    result: SweepResult, wrong: object
) -> None:
    config = result.folder / "config.yaml"
    config.write_text(yaml.safe_dump({**yaml.safe_load(config.read_text()), "experiment": wrong}))
    with pytest.raises(HarnessError, match=r"config\.yaml: experiment.*; correct that file"):
        experiment.build_experiment(SweepResult(result.folder))


def test_a_row_without_its_trials_is_said_by_the_sweep() -> None:
    with pytest.raises(HarnessError, match=r"experiment\.tables: 'where'"):
        find_named({"tables": [{"rows": [{"label": "best"}]}]}, [], np.zeros((0, 0, 0)), NONE)


@pytest.mark.plugin("phasegraph")
def test_a_joint_figure_shows_the_pairs_of_all_benchmarks(
    example: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mixture = {"label": "mixture", "where": {"fuser": "boltzmann"}}
    rows = [single("vectors", "dense"), single("graph", "graph"), mixture]
    part = {"label": "both", "series": "A", "against": "graph", "rows": rows}
    spec = {
        "source": "S.",
        "tables": [described(unit="lists", parts=[part])],
        "figures": [{"kind": "gain", "name": "pays", "table": "t"}],
    }
    made = [example.write(tmp_path / "s1"), example.write(tmp_path / "s2", heldout=False)]
    for result in made:
        path = result.folder / "config.yaml"
        path.write_text(yaml.safe_dump({**yaml.safe_load(path.read_text()), "experiment": spec}))
    results = [SweepResult(result.folder) for result in made]
    (picture,) = joint_figures(results)
    assert picture.name == "pays_joint"
    assert "sample, test, n 6; sample, tune, n 8" in picture.caption
    figure = Figure()
    picture.draw(figure)
    # Test: dense 2 of 6, graph 3, mixture 5. Tune: dense 4 of 8, graph 5, mixture 6 (the locked
    # boltzmann trial).
    left, right = (
        [
            np.ravel(np.asarray(line.get_xydata()))
            for line in axes.get_lines()
            if line.get_marker() == "o"
        ][:2]
        for axes in figure.axes
    )
    np.testing.assert_allclose(left, [[100 / 3, 100 / 3], [50, 12.5]])
    np.testing.assert_allclose(right, [[-100 / 6, 100 / 3], [-12.5, 12.5]])
    assert joint_figures(results[:1]) == []
