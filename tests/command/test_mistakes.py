"""Mistakes that users made with files and values: one line each, through the command line."""

import io
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from harness.core.escape import printable
from harness.core.files import mend_of
from tests.conftest import Command
from tests.lines import cases

GOLD = '{"id": "q1", "supporting_ids": ["a", "b"]}\n'
RUN = "q1 Q0 b 1 3 s\nq1 Q0 a 2 2 s\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold.jsonl").write_text(GOLD)
    (tmp_path / "run.trec").write_text(RUN)
    return tmp_path


@pytest.mark.parametrize(
    ("gold", "arguments", "message"),
    [
        (GOLD, ["k=five"], "k=five: expected names such as last_hop@5 and whole numbers as depths"),
        (f"[{GOLD}]", [], "gold.jsonl: a JSON array; expected one JSON object a line"),
        (
            "q1 a 1\n",
            [],
            'gold.jsonl:1: broken JSON (Expecting value); expected {"id": ..., '
            '"supporting_ids": [...]',
        ),
        (
            RUN,
            ["lenient=true"],
            "gold.jsonl:1: `qid Q0 docid rank score tag`: this is a run; expected judgements",
        ),
        (
            GOLD,
            ["out=run.trec/x.json"],
            "run.trec/x.json: cannot write (File exists); choose another folder",
        ),
        (GOLD, ["out="], "out: no value is given; add out=..."),
        (
            GOLD,
            ["dataset.chain={id: [x]}", "k=['5']"],
            "metric last_hop: k must be a whole number of up to 18 digits, at least 1, got k='5'",
        ),
        (GOLD, ["dataset.chain={typ: [x]}"], "dataset.chain names typ, a field that no query has"),
        (
            GOLD,
            ["out=/proc/none/x.json"],
            "/proc/none/x.json: cannot write (No such file or directory); choose",
        ),
    ],
)
def test_of_evaluate(
    folder: Path, command: Command, gold: str, arguments: list[str], message: str
) -> None:
    (folder / "gold.jsonl").write_text(gold)
    status, _, said = command("evaluate", "run=run.trec", "gold=gold.jsonl", *arguments)
    assert status == 2, said
    assert message in said
    assert said.count("\n") == 1
    assert "lenient" not in said


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("evaluation.metrics=[mrr]", "(did you mean metrics?)"),
        ("metrics=[]", "no metric is given; give e.g. metrics=[last_hop@5,full_sup@5]"),
        ("pool.lists=[]", "pool.lists = [], expected a list of names"),
        ("lists.dense=none.trec", "none.trec: there is no such run file"),
        ("fuser=weighted_rrf pool.importance=run.trec", "run.trec:1: broken JSON"),
        ("split=given", "600 of its 600 questions have no split"),
        ("tracking.threads=0", "tracking.threads must be in [1, inf), got threads=0"),
    ],
)
def test_of_sweep_before_anything_is_built(
    folder: Path, command: Command, argument: str, message: str
) -> None:
    """A dry run refuses such values in test_overrides.py and test_mends.py."""
    status, _, said = command("sweep", *argument.split(), "paths.runs=runs")
    assert (status, message in said, said.count("\n")) == (2, True, 1), said
    assert not (folder / "runs" / "artifacts" / "encode").exists()


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        *cases(
            """
diagnose diagnose.measures=[] -> diagnose.measures=[]: expected at least one, e.g. [answer_supported@5]
diagnose diagnose.out=d.foo -> diagnose.out=d.foo: ending .foo is not known
trace q trace.out=t.txt -> trace.out=t.txt: ending .txt is not known; known: .json
trace q query=other -> query='q' and query=other: query is given twice; leave one out
apply questions.jsonl out=r.trec -> questions.jsonl: expected key=value
report sweep=[] -> sweep=[] names no sweep; give a name (`harness list` has them) or a folder, or leave it out for the latest
heldout sweep=[a,b] -> names no sweep; give a name (`harness list` has them) or a folder
calibrate calibrate.effects=[.1] -> calibrate.effects=[0.1]: must include 0 (no effect)
fit fit.objective=[] -> no metric is given
fit fit.datasets=[mine] -> a folder of your own is fitted on alone: dataset=folder dataset.path=DIR
report sweep= -> sweep= names no sweep; give
heldout sweep= -> sweep= names no sweep; give
ui sweep= -> sweep= names no sweep; give
verify sweep= -> sweep= names no sweep; give
sweep lists=d.trec -> lists = d.trec, expected a retriever or a run file under each
sweep lists={a:d.trec} gold=g -> lists has a alone, and a sweep fuses two or more
sweep lists.dense=bm26 -> a retriever is typed as '+retriever@lists.dense=bm25'
sweep fuser=[rrf,linear] -> write '+grid.mine={fuser: [rrf,linear]}'
sweep +grid.x={fuser:[rrf],fuser.k:[]} -> grid.x: fuser.k has no value
sweep objective=[recall@5,mrr] -> objective: expected a text
evaluate run={a:d.trec} gold=g -> expected one file, or {file: PATH, columns: {doc:
apply out=x.trec lock=/ -> no such file; expected the lock of a sweep, runs/sweeps/NAME
"""
        ),
        *(
            pytest.param(*case, marks=pytest.mark.plugin("site"))
            for case in cases("""
report traces=-1 -> traces must be in [0, inf), got traces=-1
report traces=1.5 -> traces must be a whole number, got traces=1.5
""")
        ),
    ],
)
def test_of_one_command(tmp_path: Path, command: Command, typed: list[str], message: str) -> None:
    status, _, said = command(*typed, f"paths.runs={tmp_path}")
    assert (status, message in said, said.count("\n")) == (2, True, 1), said
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("typed", "message"),
    cases(
        """
fit fuser=rrf fit.datasets=[mine] -> this command does not use fuser=rrf
diagnose pool.cap=3 diagnose.out=d.csv -> this command does not use pool.cap=3
diagnose relations.near=3 diagnose.out=d.csv -> this command has no relations
trace q margin=0.1 -> this command does not use margin=0.1
calibrate dry_run=true -> this command does not use dry_run=true
calibrate clusters encoder=static -> does not use encoder=static
calibrate clusters +retriever@lists.a=dense -> does not use +retriever@lists.a=dense
calibrate forecast calibrate.worlds=9 -> does not use calibrate.worlds=9
verify device=cpu -> this command does not use device=cpu
heldout lock=runs -> this command has no lock
compare run=a baseline=b gold=g metrics=[full_sup] margin=40 -> this command does not use margin=40
compare run=a baseline=b gold=g metrics=[mrr] metric=mrr@5 -> metrics is given twice
sweep list={a:x} -> did you mean lists?
sweep pool={capp:5} -> pool has no capp (did you mean pool.cap?)
sweep grid=point fuser=rrf normalizer=zscore -> this command does not use normalizer=zscore
"""
    ),
)
def test_a_key_that_a_command_does_not_read_is_an_error_before_anything_is_done(
    tmp_path: Path, command: Command, typed: list[str], message: str
) -> None:
    status, printed, said = command(*typed, f"paths.runs={tmp_path}")
    assert (status, printed, message in said, said.count("\n")) == (2, "", True, 1), said
    assert not list(tmp_path.iterdir())


def test_columns_of_what_is_no_table_are_an_error(folder: Path, command: Command) -> None:
    line = ["evaluate", "run=run.trec", "gold=gold.jsonl", "columns={doc: pid}"]
    status, _, said = command(*line)
    assert (status, said.count("\n")) == (2, 1)
    assert "does not use columns={'doc': 'pid'}: run.trec is no table" in said


@pytest.mark.parametrize(
    ("typed", "message"),
    cases(
        """
n=100 discordance=[] -> discordance=[]: expected at least one share of questions that differ
n=abc -> n must be a whole number, got n=abc
delta=abc -> delta must be a number, got 'abc'
delta=2 discordance=.02 power=1 -> power must be in (0, 0.999], got power=1
delta=5 discordance=.02 -> delta=5 is more than discordance=0.02 allows: no more questions can be won
"""
    ),
)
def test_of_power(command: Command, typed: list[str], message: str) -> None:
    status, _, said = command("power", *typed)
    assert (status, message in said, said.count("\n")) == (2, True, 1), said


@pytest.mark.parametrize("typed", ["diagnose", "trace sample-q-00001", "prepare"])
def test_of_a_list_that_is_none(tmp_path: Path, command: Command, typed: str) -> None:
    status, _, said = command(*typed.split(), "lists.dense=null", f"paths.runs={tmp_path}")
    assert status == 2
    assert (
        "lists.dense = None, expected a strategy of conf/, a mapping with _target_ or the path "
        "of a run file" in said
    )


def test_a_folder_that_is_read_only_asks_for_no_space() -> None:
    assert mend_of(PermissionError(13, "Permission denied")).startswith("choose another folder")
    assert mend_of(OSError(28, os.strerror(28))).startswith("free some space")


def test_no_input_is_written_over(folder: Path, command: Command) -> None:
    (folder / "run.json").write_text('{"q1": {"a": 1.0}}')
    for command_line in ("evaluate", "compare baseline=run.trec"):
        line = [*command_line.split(), "run=run.json", "gold=gold.jsonl", "out=./run.json"]
        status, _, said = command(*line)
        assert (status, said) == (
            2,
            "error: out=./run.json is run.json, which is an input; give it another name\n",
        )
    assert (folder / "run.json").read_text() == '{"q1": {"a": 1.0}}'


def test_a_cell_without_a_number_is_named_by_its_row(folder: Path, command: Command) -> None:
    (folder / "run.csv").write_text("query_id,doc_id,score\nq1,a,1\nq1,b,nan\n")
    status, _, said = command("evaluate", "run=run.csv", "gold=gold.jsonl")
    assert status == 2
    assert "run.csv:3: query q1: the score of document b must be a finite number, got nan" in said


def test_a_run_against_itself_has_no_headroom(folder: Path, command: Command) -> None:
    status, said, _ = command(
        "compare", "run=run.trec", "baseline=run.trec", "gold=gold.jsonl", "out=x.json"
    )
    assert status == 0
    assert "fusion" not in said
    assert '"headroom": null' in Path("x.json").read_text()


def test_a_file_of_one_score_and_several_ranks_is_named(
    folder: Path, command: Command, caplog: pytest.LogCaptureFixture
) -> None:
    for ranks in ("21", "11"):
        caplog.clear()
        (folder / "run.trec").write_text(
            "".join(f"q1 Q0 {d} {r} 1 s\n" for d, r in zip("ab", ranks, strict=True))
        )
        assert command("evaluate", "run=run.trec", "gold=gold.jsonl", "metrics=[mrr]")[0] == 0
        assert ("run.trec: all scores are 1 and the ranks differ" in caplog.text) == (ranks == "21")


def test_what_an_ascii_terminal_lacks_is_replaced() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    print("34.2–100.0 Zürich", file=printable(stream), flush=True)
    assert raw.getvalue() == b"34.2-100.0 Z?rich\n"


class Odd(BaseHTTPRequestHandler):
    """Answers what a server that is no embedding endpoint may answer, by the path."""

    BODIES = {  # noqa: RUF012
        "/ragged": '{"data": [{"index": 0, "embedding": [1, 2]}, {"index": 1, "embedding": [1]}]}',
        "/textual": '{"data": [{"index": 0, "embedding": ["a", "b"]}]}',
        "/deep": "[" * 100_000,
        "/login": "<html><body>Sign in</body></html>",
    }

    def do_POST(self) -> None:
        body = self.BODIES[self.path.removesuffix("/embeddings")].encode()
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "text/html" if body[:1] == b"<" else "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def odd(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    server = HTTPServer(("127.0.0.1", 0), Odd)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


@pytest.mark.plugin("llm")
@pytest.mark.parametrize("path", sorted(Odd.BODIES))
def test_of_an_embedding_endpoint(
    tmp_path: Path, command: Command, odd: str, path: str, bench: Path
) -> None:
    pytest.importorskip("openai")
    encoder = [
        "encoder=text_embedding_3_small",
        f"encoder.base_url={odd}{path}",
        "encoder.retries=0",
    ]
    status, _, said = command(
        "prepare",
        "dataset=folder",
        f"dataset.path={bench}",
        *encoder,
        f"paths.runs={tmp_path}",
        "extractor=offline",
    )
    assert status == 2, said
    assert f"encoder.base_url={odd}{path}: " in said
    assert "endpoint" in said


@pytest.mark.parametrize(
    ("device", "typed"),
    [
        ("cuda", "fuse lists={a:a.trec,b:b.trec} out=PLACE/x.trec device={}"),
        ("cuda:1", "sweep dataset=sample encoder=hashed paths.runs=PLACE device={}"),
        ("gpu", "sweep dataset=sample encoder=hashed paths.runs=PLACE device={}"),
        ("mps", "sweep dataset=sample paths.runs=PLACE encoder.device={}"),
    ],
)
def test_a_device_that_is_not_there_is_one_line_before_anything_is_built(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch, typed: str, device: str
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    words = typed.replace("={}", f"={device}").replace("PLACE", str(tmp_path)).split()
    status, _, said = command(*words)
    assert (status, said.count("\n")) == (2, 1), said
    assert f"device={device}: " in said
    assert (
        "torch finds no GPU" if device.startswith("cuda") else "expected auto, cpu, cuda or cuda:0"
    ) in said
    assert not list(tmp_path.iterdir())
