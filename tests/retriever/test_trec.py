import json

import pytest

from harness.artifacts import Store
from harness.errors import HarnessError
from harness.identity import digest
from harness.retriever import retrieve
from harness.retriever.trec import Trec

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
    assert retrieve(Trec(str(file), depth=1), benchmark, Store(tmp_path / "runs")).to_dict()["q1"] == {"d2": 0.75}
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
    with pytest.raises(HarnessError, match=r"gone.trec: there is no such run file"):
        digest(Trec(str(tmp_path / "gone.trec")))


def test_a_document_that_is_not_in_the_corpus(file, benchmark_of, tmp_path):
    with pytest.raises(HarnessError, match="document d2"):
        retrieve(Trec(str(file)), benchmark_of(["a", "b"], ["?", "??"]), Store(tmp_path / "runs"))
