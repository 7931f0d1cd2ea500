"""What the figures show, before they are drawn."""

import dataclasses
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from matplotlib.figure import Figure

from harness.core.configuration.conf_files import strategy
from harness.report.figure import alpha, list_scores, outcomes
from harness.report.figure.list_scores import normalize
from harness.run import Run
from harness.sweep.folder.judged_trial import JudgedTrial
from harness.sweep.folder.list_scores import ListScores, read_scores, scores_frame
from harness.sweep.folder.result import SweepResult
from harness.sweep.folder.view import View


@pytest.fixture
def result(example: ModuleType, tmp_path: Path) -> SweepResult:
    made: SweepResult = example.write(tmp_path / "s1")
    return made


def test_outcomes(result: SweepResult) -> None:
    """The winner finds 5 of 6; dense 2 of them and graph 3."""
    view = result.locked
    for place, expected in ((4, [2, 1, 3, 0]), (3, [3, 1, 2, 0])):
        found = outcomes.counts(view.compare(view.winner_place, place))
        assert found == dict(zip(("both", "neither", "win", "loss"), expected, strict=True))
    names = [picture.name for picture in outcomes.pictures(result)]
    assert names == ["outcomes_dense", "outcomes_graph"]
    assert "(6 questions)" in next(outcomes.pictures(result)).caption
    assert "3 won, 0 lost, p .250." in next(outcomes.pictures(result)).notes
    pairs = dataclasses.replace(view, queries=view.queries.assign(cluster=[0, 1, 2, 2, 3, 4]))
    result.__dict__["test"] = pairs
    told = next(outcomes.pictures(result)).notes
    assert "p by cluster .250." in told  # t2 and t3 are one cluster and t4 another: 2 / 2^2
    result.__dict__["test"] = dataclasses.replace(view, queries=view.queries.assign(cluster=0))
    assert "are too few for a p" in next(outcomes.pictures(result)).notes


def test_alpha_curves(result: SweepResult) -> None:
    pool, found = alpha.curves(result.whole)
    assert pool == ("dense",)  # the rows name no lists
    curves = {family: [point[:2] for point in points] for family, points in found.items()}
    assert curves == {
        "boltzmann": [(0.5, 0.625), (0.7, 0.75)],
        "linear": [(0.3, 0.625), (0.7, 0.5)],
    }


def test_bands_over_alpha_are_the_intervals_of_the_tables(result: SweepResult) -> None:
    (picture,) = alpha.pictures(result)
    assert "Bands" not in picture.notes  # no trial of the example has an interval
    rows = [dataclasses.replace(row, wilson_cluster=(0.2, 0.9)) for row in result.whole.rows]
    view = dataclasses.replace(result.whole, rows=rows)
    assert {point[2:] for points in alpha.curves(view)[1].values() for point in points} == {
        (0.2, 0.9)
    }
    vars(result)["whole"] = view
    assert "95% Wilson interval by question." in next(alpha.pictures(result)).notes
    pairs = view.queries.assign(cluster=np.arange(len(view.queries)) // 2)
    vars(result)["whole"] = dataclasses.replace(view, queries=pairs)
    assert "by cluster of questions" in next(alpha.pictures(result)).notes


def test_alpha_is_drawn_for_the_two_lists_of_the_best_trial(result: SweepResult) -> None:
    """alpha is the share of dense, or of the first of two others, whatever their order."""

    def fused(lists: Callable[[JudgedTrial], list[str]]) -> View:
        rows = [
            dataclasses.replace(row, parameters={**row.parameters, "pool.lists": lists(row)})
            for row in result.whole.rows
        ]
        return dataclasses.replace(result.whole, rows=rows)

    view = fused(lambda row: ["graph", "bm25" if row.scores["last_hop@5"] > 0.7 else "dense"])
    assert alpha.curves(view) == (("graph", "bm25"), {})
    view = fused(lambda row: ["graph", "dense"])
    assert alpha.curves(view)[0] == ("dense", "graph")
    vars(result)["whole"] = view
    (picture,) = alpha.pictures(result)
    assert picture.x == "alpha (share of dense)"
    assert "dense's share in fusions of dense and graph" in picture.title


def test_no_alpha_no_figure(result: SweepResult) -> None:
    rows = [row for row in result.whole.rows if row.family in ("rrf", "single")]
    result.__dict__["whole"] = dataclasses.replace(result.whole, rows=rows)
    assert list(alpha.pictures(result)) == []


RUN = Run.from_dict({"q0": {"a": 4.0, "b": 2.0}, "q1": {}, "q2": {"a": 1.0, "c": 3.0, "d": 2.0}})


def _listed(run: Run) -> ListScores:
    return ListScores(run.scores, run.lengths())


LIST = _listed(RUN)


def test_normalized_scores_are_in_the_order_of_the_run() -> None:
    assert normalize(LIST, strategy("normalizer", "minmax"), "dense").tolist() == [1, 0, 1, 0.5, 0]
    pit = normalize(LIST, strategy("normalizer", "pit"), "dense")
    np.testing.assert_allclose(pit, [1, 1 / 2, 1, 2 / 3, 1 / 3])


def test_two_lists_on_one_scale(tmp_path: Path) -> None:
    lists = {
        "dense": _listed(Run.from_dict({"q": {"a": 0.5, "b": 0.4, "c": 0.3}})),
        "graph": _listed(Run.from_dict({"q": {"a": 0.1, "c": 0.01, "d": 0.001}})),
    }
    raw = list_scores.raw(lists, "w")
    assert raw.caption.endswith(
        "dense 0.3 to 0.5, median 0.4; graph 0.001 to 0.1, median 0.01. Dashed: medians."
    )
    made = list_scores.calibrated(lists, "w")
    assert made.caption.startswith("Scores of the lists that are fused, after pit and minmax: w.")
    assert [path.name for picture in (raw, made) for path in picture.save(tmp_path)] == [
        "scores_raw.pdf",
        "scores_raw.png",
        "scores_calibrated.pdf",
        "scores_calibrated.png",
    ]


@pytest.mark.parametrize("scores", [(0.5, -0.1), (21.0, 9.0), (15.0, 1.5), (150.0, 1.5)])
def test_a_scale_has_at_least_two_labels(scores: tuple[float, float]) -> None:
    high, low = scores
    lists = {"dense": _listed(Run.from_dict({"q": {"a": high, "b": low}}))}
    figure = Figure()
    list_scores.raw(lists, "w").draw(figure)
    (axes,) = figure.axes
    figure.draw_without_rendering()
    left, right = axes.get_xlim()
    ticks = zip(axes.get_xticks(), axes.get_xticklabels(), strict=True)
    shown = [label.get_text() for place, label in ticks if left <= place <= right]
    assert len([text for text in shown if text]) >= 2


def test_percentile_ranks_of_ten_fill_ten_bins() -> None:
    assert list_scores.bin_shares(np.arange(1, 11) / 10).tolist() == [0.1] * 10
    assert list_scores.bin_shares(np.array([0.0, 0.05, 0.1, 1.0])).tolist() == [
        0.75,
        *[0.0] * 8,
        0.25,
    ]
    assert list_scores.bin_shares(np.empty(0)).tolist() == [0.0] * 10


def test_scores_of_lists_are_kept_and_cut_a_query() -> None:
    """q0 has 4, 2; q1 nothing; q2 3, 2, 1: the two best of each are 4, 2, 3, 2."""
    kept = read_scores(scores_frame({"b": RUN, "a": RUN.top(1)}), 3)
    assert list(kept) == ["b", "a"]
    assert kept["b"].scores.tolist() == [4, 2, 3, 2, 1]
    assert kept["b"].lengths.tolist() == [2, 0, 3]
    assert kept["a"].scores.tolist() == [4, 3]
    assert kept["b"].top(2).scores.tolist() == [4, 2, 3, 2]
    assert kept["b"].top(2).lengths.tolist() == [2, 0, 2]
