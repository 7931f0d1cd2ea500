"""A fit of a small world's lists: folds that it does not see, the same bytes again, and lists under
what it found.
"""

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
import yaml

from datasets import Dataset
from harness.benchmark import md5_split
from harness.core.configuration.composition import compose
from harness.core.configuration.conf_files import names, strategy
from harness.core.configuration.instantiation import instantiate
from harness.core.errors import HarnessError
from harness.evaluation.metric import Metric, run_ranks
from harness.plugins.mentions.fit.crossfit import CrossFit
from harness.plugins.mentions.fit.fit_file import fit
from harness.plugins.mentions.fit.search import Search, check_knobs
from harness.plugins.mentions.retriever.fitted import Fitted, read_fit, with_weights
from harness.plugins.mentions.target import Setting
from harness.plugins.mentions.target.mention_paths import Gathered
from harness.run import Run
from harness.sweep.trial import inputs
from harness.testing.world import small_benchmark
from harness.work.store import Store
from tests.world.generate import write

SMALL = (
    "encoder=hashed",
    "extractor.model=null",
    "extractor.spans=false",
    "fit.rounds=1",
    "fit.halvings=0",
)
PATHS = (
    *SMALL,
    "target=mention_paths",
    "target.stages=[{own.words:[1,0,5,0.8]},{names.rarity:[1,0,3,0.6],shares.base:[0,-3,3,0.4]}]",
)


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> Path:
    """Beside it lies the benchmark ``sample`` of 200 passages."""
    folder = tmp_path_factory.mktemp("fit")
    write(folder / "sample", 200)
    return folder / "runs"


def configuration(runs, given):
    given = ("dataset=folder", f"dataset.path={runs.parent}/sample", *given, f"paths.runs={runs}")
    return compose("fit", given), given


@pytest.fixture(scope="module")
def fitted(runs):
    return fit(*configuration(runs, PATHS))


def test_the_file_tells_what_was_fitted_on_what_and_comes_again_to_the_byte(
    fitted, runs, tmp_path, monkeypatch
):
    """The same bytes without any gold of test, which teaches nothing."""
    real = inputs.benchmark

    def blind(config, kept=None):
        data = real(config, kept)
        data.gold[data.members("test")] = -1
        return data

    monkeypatch.setattr("harness.plugins.mentions.fit.fit_file.inputs.benchmark", blind)
    place, _ = fitted
    again, _ = fit(*configuration(runs, (*PATHS, f"fit.out={tmp_path}/again.yaml")))
    assert place.read_bytes() == again.read_bytes()
    told = yaml.safe_load(place.read_text())
    assert list(told["fitted_on"]) == ["sample"]
    assert told["weights"].keys() == {"own.words", "names.rarity", "shares.base"}
    assert list(told["folds"]) == [0, 1, 2, 3, 4]
    assert {"version", "code", "libraries", "search", "metrics", "stages"} <= told.keys()
    assert {"strategy", "left_out"} <= told.keys()
    one = told["objective"]["sample"]
    assert one["fit"] >= one["start"]


def test_gathered_evidence_ranks_as_the_retriever_does(runs):
    config, _ = configuration(runs, PATHS)
    store = Store(runs)
    setting = Setting(config, inputs.benchmark(config, store), store)
    weights = {"own.words": 1.7, "names.rarity": 0.3, "shares.base": -0.4, "end.words": 0.6}
    retriever = with_weights(instantiate(config.target).retriever, weights)
    run = retriever.retrieve(setting.benchmark, store)[0].take(setting.members)
    expected = run_ranks(run, setting.benchmark.gold[setting.members])
    assert np.array_equal(Gathered.of(retriever, setting).ranks(retriever), expected)


@pytest.mark.slow
def test_a_tune_question_is_ranked_by_a_fit_without_its_fold(fitted, runs):
    config, _ = configuration(runs, PATHS)
    store = Store(runs)
    data, inner = inputs.benchmark(config, store), instantiate(config.target).retriever
    place, found = fitted
    run, facts = Fitted(inner, str(place)).retrieve(data, store)
    assert facts["out_of_fold"] == len(data.members("tune"))
    whole = with_weights(inner, found["weights"]).retrieve(data, store)[0]
    test = data.members("test")
    ranks = [run_ranks(each.take(test), data.gold[test]) for each in (run, whole)]
    assert np.array_equal(*ranks)
    tune, values = data.members("tune"), []
    assert {query: part for part, names in found["questions"].items() for query in names} == {
        data.query_ids[query].as_py(): data.folds[query] for query in tune.tolist()
    }
    assert not Fitted(inner, str(place)).seen(data)[tune].any()
    fold = data.folds
    for part in range(5):
        mine = tune[fold[tune] == part]
        own = with_weights(inner, found["folds"][part]).retrieve(data, store)[0].take(mine)
        ranks = run_ranks(own, data.gold[mine])
        assert np.array_equal(run_ranks(run.take(mine), data.gold[mine]), ranks)
        values.append(np.mean([Metric.parse(name)(ranks) for name in found["metrics"]], axis=0))
    mean = pytest.approx(np.concatenate(values).mean(), abs=1e-6)
    assert found["objective"]["sample"]["held_out_folds"] == mean


class Fake:
    """Questions of fold 0 are found with weight 1 alone, one of fold 3 with weight 0 alone, all
    others always.
    """

    stages = ({"weight": [0, 0, 1, 1]},)

    def ranker(self, setting, stage, held):
        fold = setting.benchmark.folds

        def rank(weights):
            found = np.where(fold == 0, weights["weight"] == 1, True)
            found[np.flatnonzero(fold == 3)[0]] = weights["weight"] == 0
            return np.where(found, 1, 9).astype(np.int32)[:, None]

        return rank


def test_a_fold_teaches_nothing_to_the_fit_that_scores_it():
    fold = np.repeat(np.arange(5), 4)
    ids = pa.array([f"q{number}" for number in range(20)])
    data = SimpleNamespace(folds=fold, query_ids=ids, members=lambda split: np.arange(20))
    setting = Setting(None, data, None)
    found = CrossFit(Fake(), Search(penalty=0.0), ["last_hop@5"], {"made": setting}, {}).fit_folds()
    assert found["weights"] == {"weight": 1}
    assert [found["folds"][part]["weight"] for part in range(5)] == [0, 1, 1, 1, 1]
    assert found["objective"]["made"]["held_out_folds"] == (20 - 4 - 1) / 20
    assert found["questions"][3] == ["q12", "q13", "q14", "q15"]


def test_a_list_that_walks_fitted_on_a_benchmark_of_conf(runs):
    stages = "target.stages=[{restart:[0.5,0.1,0.9,0.2]}]"
    given = (*SMALL, "target=ppr", stages, "fit.datasets=[sample]", f"paths.runs={runs}")
    _, found = fit(compose("fit", given), given)
    assert found["weights"]["restart"] in (0.3, 0.5, 0.7)
    assert found["objective"]["sample"]["n"] == 294
    assert found["shipped"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("fit.datasets=sample",), "dataset=folder and fit.datasets both say what is fitted on"),
        (("fit.leave_out=sampel",), r"fit\.leave_out=sampel is not known \(did you mean sample"),
        (("fit.leave_out=sample",), "leaves no benchmark to fit on"),
        (
            ("target.stages=[{restrat:[0.5,0.1,0.9,0.2]}]",),
            r"PPR: restrat=restrat is not known .*mean restart",
        ),
        (("target=mention_paths", "target.retriever.steps=2"), "fits one step without `resembles`"),
        (("target=mention_paths", "target.stages=[{names.base:[0,0,1,1]}]"), "the first of own"),
    ],
)
def test_what_cannot_be_fitted_is_said(given, words, runs):
    with pytest.raises(HarnessError, match=words):
        fit(*configuration(runs, (*SMALL, *given)))


EMPTY = "{target: x, fitted_on: {}, splitting: md5"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("weights: [1]", r"weights = '\[1\]', expected a valid dictionary; fit again"),
        ("{", "no YAML"),
        (
            f"{EMPTY}, questions: {{}}, folds: {{}}, weights: {{a: much}}}}",
            r"weights\.a = 'much', ",
        ),
        (
            f"{EMPTY}, questions: {{}}, folds: {{0: {{}}}}, weights: {{}}}}",
            r" \[0\], but questions of folds \[",
        ),
        (f"{EMPTY}, folds: {{}}, weights: {{}}}}", r"questions is missing; fit again"),
    ],
)
def test_a_file_that_is_no_fit_is_refused(text, words, tmp_path):
    (tmp_path / "fit.yaml").write_text(text)
    with pytest.raises(HarnessError, match=words):
        Fitted(None, str(tmp_path / "fit.yaml"))
    with pytest.raises(HarnessError, match="`harness fit`"):
        Fitted(None, str(tmp_path / "none.yaml"))


@pytest.mark.parametrize("name", names("weights"))
def test_weights_of_conf_are_those_of_their_target(name):
    target = instantiate(compose("fit", [f"target={name}"]).target)
    found = read_fit(name)
    knobs = [knob for stage in target.stages for knob in stage]
    assert sorted(found["weights"]) == sorted(knobs)
    assert len(found["folds"]) == 5
    assert Fitted(target.retriever, name).fitted_on == tuple(found["fitted_on"])
    assert with_weights(target.retriever, found["weights"]) != target.retriever
    own = {"extractor": target.retriever.extractor, "encoder": target.retriever.encoder}
    default = strategy("retriever", name, **own)
    assert with_weights(default, found["weights"]) == default


KNOBS = {"ppr": 10, "mention_walk": 5}


@pytest.mark.parametrize("name", names("target"))
def test_a_target_moves_fields_of_its_strategy_from_the_list_as_shipped(name):
    target = instantiate(compose("fit", [f"target={name}"]).target)
    start = {knob: first for stage in target.stages for knob, (first, *_) in stage.items()}
    for stage in target.stages:
        check_knobs(stage)
        with_weights(target.retriever, {knob: start[knob] for knob in stage})
    if name in KNOBS:
        shipped = instantiate(compose("config", [f"retriever@lists.graph={name}"]).lists.graph)
        assert len(start) == KNOBS[name]
        assert with_weights(shipped, start) == shipped


@dataclass(frozen=True)
class Constant:
    """Every question's list is passage 0, with the weight as its score."""

    weight: float

    def retrieve(self, benchmark, store):
        count = len(benchmark.query_ids)
        docs, scores = np.zeros(count, np.int32), np.full(count, self.weight)
        return Run(benchmark.query_ids, benchmark.doc_ids, np.arange(count + 1), docs, scores), {}


FIT = {
    "target": "x",
    "fitted_on": {"small": "0"},
    "splitting": "md5",
    "weights": {"weight": 0.5},
    "folds": {0: {"weight": 0.1}, 1: {"weight": 0.2}},
    "questions": {0: ["q0"], 1: ["q2", "q3"]},
}


@pytest.mark.plugin("phasegraph")
def test_a_list_follows_from_its_file_whatever_the_split_and_the_part_of_the_corpus(tmp_path):
    """md5 and disjoint share one artifact: with either, a question has the weights that did not
    learn from it.
    """
    from harness.plugins.phasegraph.retriever.part import Part

    (tmp_path / "fit.yaml").write_text(yaml.safe_dump(FIT))
    made, data = Fitted(Constant(1.0), str(tmp_path / "fit.yaml")), small_benchmark()
    expected = [0.1, 0.5, 0.2, 0.2, 0.5]
    for splitting in ("md5", "disjoint"):
        run, facts = made.retrieve(dataclasses.replace(data, splitting=splitting), Store(tmp_path))
        assert (run.scores.tolist(), facts["out_of_fold"]) == (expected, 3)
    assert Part(made, 0.5).retrieve(data, Store(tmp_path))[0].scores.tolist() == expected


@pytest.mark.plugin("phasegraph")
def test_questions_whose_gold_the_weights_saw_are_counted_by_split(tmp_path):
    """q1 shares gold with q0 and with q2, q2 with q1 alone, q4 has q3's; only q0, q2 and q3 taught,
    in two folds.
    """
    from harness.plugins.phasegraph.retriever.part import Part

    (tmp_path / "fit.yaml").write_text(yaml.safe_dump(FIT))
    made, data = Fitted(Constant(1.0), str(tmp_path / "fit.yaml")), small_benchmark()
    seen = np.array([False, True, False, False, True])
    assert made.seen(data).tolist() == seen.tolist()
    for splitting in ("md5", "disjoint"):
        split = dataclasses.replace(data, splitting=splitting)
        counts = {part: int(seen[split.members(part)].sum()) for part in ("tune", "test")}
        assert inputs.fitted({"a": made, "part": Part(made), "b": Constant(1.0)}, split) == {
            name: {"on": ["small"], "seen": counts} for name in ("a", "part")
        }


def test_shipped_weights_saw_the_gold_of_md5_tune_under_any_split(monkeypatch):
    """As PPR: its weights were chosen on what md5 calls tune, so a disjoint test holds questions
    that taught them.
    """
    monkeypatch.setattr(Constant, "fitted_on", ("small",), raising=False)
    data = dataclasses.replace(small_benchmark(), splitting="disjoint")
    taught = np.array([md5_split(name) == "tune" for name in data.query_ids.to_pylist()])
    saw = (np.isin(data.gold, data.gold[taught]) & (data.gold >= 0)).any(axis=1)
    found = inputs.fitted({"a": Constant(1.0)}, data)["a"]["seen"]
    assert found == {part: saw[data.members(part)].sum() for part in ("tune", "test")}
    other = inputs.fitted({"a": Constant(1.0)}, dataclasses.replace(data, name="other"))
    assert other["a"]["seen"]["test"] == 0


def test_questions_are_known_by_their_texts_where_ids_are_others(tmp_path, monkeypatch):
    """MuSiQue's 2hop__10620_79092 is a tune question (even MD5), 2hop__10017_18974 is one of test;
    here both are q*.
    """
    known = "The volcano named after the legendary King featured in Historia Regum Britanniae "
    known += "last erupted when"
    other = "Who led the military expedition in the province that borders Zhejiang to the south?"
    assert md5_split("2hop__10620_79092") == "tune"
    assert md5_split("2hop__10017_18974") == "test"
    data = small_benchmark()
    monkeypatch.setattr(Constant, "fitted_on", ("musique",), raising=False)
    changed = {"fitted_on": {"musique": "0"}, "questions": {0: [], 1: []}}
    (tmp_path / "fit.yaml").write_text(yaml.safe_dump({**FIT, **changed}))
    made = {"a": Constant(1.0), "b": Fitted(Constant(1.0), str(tmp_path / "fit.yaml"))}
    for question, shared in ((known, {0, 1}), (other, set())):  # q1 shares gold with q0
        queries = {**data.queries[:], "question": [question, *data.questions[1:]]}
        asked = dataclasses.replace(data, queries=Dataset.from_dict(queries))
        members = {part: set(asked.members(part).tolist()) for part in ("tune", "test")}
        counts = {part: len(shared & own) for part, own in members.items()}
        seen = [one["seen"] for one in inputs.fitted(made, asked).values()]
        assert seen == [counts, counts]
