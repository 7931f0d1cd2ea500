import json

import pytest

from harness.core.errors import HarnessError
from harness.core.identity import digest
from harness.retriever import retrieve
from harness.retriever.trec import Trec
from harness.run import io
from harness.sweep.trial.inputs import runs
from harness.work.store import Store

FILE = "q1 Q0 d2 1 0.75 theirs\nq1 Q0 d0 2 0.5 theirs\nq9 Q0 d1 1 3 theirs\n"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "their.trec"
    path.write_text(FILE)
    return path


def test_the_lists_of_the_file(file, benchmark_of, tmp_path):
    benchmark = benchmark_of(["a", "b", "c"], ["?", "??"])
    run = retrieve(Trec(str(file)), benchmark, Store(tmp_path / "runs"))
    assert run.to_dict() == {"q0": {}, "q1": {"d2": 0.75, "d0": 0.5}}
    assert retrieve(Trec(str(file), depth=1), benchmark, Store(tmp_path / "runs")).to_dict()[
        "q1"
    ] == {"d2": 0.75}
    facts = json.loads(next((tmp_path / "runs").rglob("manifest.json")).read_text())["facts"]
    assert (facts["queries_left_out"], facts["queries_missing"], facts["empty_lists"]) == (1, 1, 1)


def test_it_is_known_by_its_content_not_its_name(file, tmp_path):
    other = tmp_path / "copy.trec"
    other.write_text(FILE)
    assert digest(Trec(str(file))) == digest(Trec(str(other)))
    before = digest(Trec(str(file)))
    file.write_text(FILE.replace("0.75", "0.76"))
    assert digest(Trec(str(file))) != before


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(HarnessError, match=r"gone.trec"):
        digest(Trec(str(tmp_path / "gone.trec")))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (lambda run: run, r"Trec gave a Run, .*, expected \(run, facts\)"),
        (lambda run: (run, {"x": object()}), "Trec gave facts that are no JSON .*expected a run"),
        (lambda run: (run.aligned(run.query_ids, run.doc_ids[::-1]), {}), "a run over other ids"),
        (lambda run: (run.aligned(run.query_ids[:1], run.doc_ids), {}), "a run over other ids"),
    ],
)
def test_what_a_retriever_gives_is_checked(given, said, file, benchmark_of, tmp_path, monkeypatch):
    """An artifact has numbers alone: under the benchmark's ids a run over others was one of other
    passages.
    """
    benchmark, store = benchmark_of(["a", "b", "c"], ["?", "??"]), Store(tmp_path / "runs")
    run = Trec(str(file)).retrieve(benchmark, store)[0]
    monkeypatch.setattr(Trec, "retrieve", lambda *_: given(run))
    with pytest.raises(HarnessError, match=said):
        retrieve(Trec(str(file)), benchmark, store)


def test_a_document_that_is_not_in_the_corpus(file, benchmark_of, tmp_path):
    with pytest.raises(HarnessError, match=r"their\.trec: 1.*3.*\'d2\'"):
        retrieve(Trec(str(file)), benchmark_of(["a", "b"], ["?", "??"]), Store(tmp_path / "runs"))


@pytest.mark.parametrize("ending", ["trec.gz", "json", "json.gz", "parquet"])
def test_files_of_every_form_are_the_same_lists(file, ending, benchmark_of, tmp_path):
    benchmark = benchmark_of(["a", "b", "c"], ["?", "??"])
    expected = retrieve(Trec(str(file)), benchmark, Store(tmp_path / "runs")).to_dict()
    io.write(io.read(file), tmp_path / f"their.{ending}")
    assert (
        retrieve(
            Trec(str(tmp_path / f"their.{ending}")), benchmark, Store(tmp_path / ending)
        ).to_dict()
        == expected
    )


def test_a_run_folder_of_ours_is_a_list(file, benchmark_of, tmp_path):
    benchmark, store = benchmark_of(["a", "b", "c"], ["?", "??"]), Store(tmp_path / "runs")
    expected = retrieve(Trec(str(file)), benchmark, store)
    (folder,) = (path.parent for path in (tmp_path / "runs").rglob("docs.npy"))
    assert (
        retrieve(Trec(str(folder)), benchmark, Store(tmp_path / "other")).to_dict()
        == expected.to_dict()
    )
    assert digest(Trec(str(folder))) != digest(Trec(str(file)))


def test_queries_under_other_ids_are_refused(file, benchmark_of, tmp_path):
    file.write_text(FILE.replace("q", "Q"))
    with pytest.raises(HarnessError, match=r"have no query in common: .*they differ in case"):
        retrieve(
            Trec(str(file)), benchmark_of(["a", "b", "c"], ["?", "??"]), Store(tmp_path / "runs")
        )


def test_queries_that_the_file_lacks_or_alone_has_are_said_each_time(
    file, benchmark_of, tmp_path, caplog
):
    benchmark = benchmark_of(["a", "b", "c"], ["?", "??"])
    for _ in range(2):  # the second time its lists are stored
        caplog.clear()
        runs({"theirs": Trec(str(file))}, benchmark, Store(tmp_path / "runs"))
        assert f"lists.theirs lacks 1 of 2 questions of {benchmark.name}" in caplog.text
        assert "and has 1 other question" in caplog.text
        assert "queries have a list" not in caplog.text  # half of them are enough
