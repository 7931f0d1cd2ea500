"""One look at test: atomic, finished after a kill to the same bytes, and bound to what was
scored.
"""

import json
import logging
import os
import signal
import threading

import pandas as pd
import pytest

from harness.core.configuration.composition import compose
from harness.core.errors import HarnessError
from harness.core.files import HOST
from harness.sweep.folder.files import ENTRY, FILES, HELDOUT
from harness.sweep.folder.result import LOCK, SweepResult
from harness.sweep.heldout import locked_trials as module
from harness.sweep.heldout.ledger import Ledger
from harness.sweep.heldout.locked_trials import heldout
from harness.sweep.recomputation import verify_files, verify_numbers
from harness.sweep.trial.plan import Plan, reopen
from harness.sweep.trial.prepared import Prepared
from harness.sweep.tune import sweep
from tests import process
from tests.world.folder import restored

SMALL = ("grid=point", "+grid.some={fuser:[linear,rrf],fuser.k:[10,60],fuser.alpha:[0.3]}")


@pytest.fixture
def swept(sweep_of):
    return sweep_of(*SMALL)


@pytest.fixture
def result(swept):
    return swept[0]


@pytest.fixture
def prepared(swept):
    return swept[1]


@pytest.fixture
def ledger(tmp_path):
    return Ledger(tmp_path / "runs" / "ledger.jsonl")


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


class Killed(BaseException):
    """Nothing catches it, as nothing catches kill -9."""


def test_the_file_that_says_that_all_are_there_is_written_last(
    result, prepared, ledger, monkeypatch
):
    write, written = module.whole, []
    for most in range(len(HELDOUT) + 1):

        def die(path, most=most):
            if len(written) == most:
                raise Killed
            written.append(path.name)
            return write(path)

        written.clear()
        monkeypatch.setattr(module, "whole", die)
        with restored(result.folder):
            with pytest.raises(Killed):
                heldout(result, prepared, again=False)
            assert len(written) == most
            assert "heldout.json" not in written
            assert SweepResult(result.folder).heldout is None
        ledger.path.unlink()


def test_a_kill_after_the_ledger_s_line_is_finished_to_the_same_bytes(
    result, prepared, ledger, monkeypatch
):
    def die(*_):
        raise Killed

    monkeypatch.setattr(module, "whole", die)
    with pytest.raises(Killed):
        heldout(result, prepared, again=False)
    monkeypatch.undo()
    (line,) = ledger.entries()
    assert result.heldout is None
    finished = heldout(SweepResult(result.folder), prepared, again=False)
    assert ledger.entries() == [line]
    assert {row["evaluation"] for row in finished.heldout} == {1}
    before = contents(result.folder)
    for name in (*HELDOUT, ENTRY):
        (result.folder / name).unlink()
        heldout(SweepResult(result.folder), prepared, again=False)
        assert contents(result.folder) == before
    assert ledger.entries() == [line]


def test_what_a_killed_process_left_is_removed_by_the_next(result, prepared):
    left = result.folder / f"ranks.npy.{HOST}.999999999.partial"
    own = result.folder / f"ranks.npy.{os.getpid()}.partial"
    left.write_bytes(b"half")
    own.write_bytes(b"half")
    heldout(result, prepared, again=False)
    assert not left.exists()
    assert own.exists()
    own.unlink()


def test_another_number_under_the_same_line_is_refused(result, prepared, monkeypatch):
    heldout(result, prepared, again=False)
    (result.folder / "heldout.json").unlink()
    score = Prepared.ranks
    monkeypatch.setattr(Prepared, "ranks", lambda *given: score(*given) + 1)
    with pytest.raises(HarnessError, match=r"was begun at .* with other numbers"):
        heldout(SweepResult(result.folder), prepared, again=False)


def test_of_two_at_once_one_wins_and_the_other_waits_and_says_so(result, prepared, ledger, caplog):
    with ledger.exclusive(), caplog.at_level(logging.WARNING):
        other = threading.Thread(target=lambda: outcomes.append(_try(result, prepared)))
        outcomes: list[str] = []
        other.start()
        other.join(1)
        assert other.is_alive()
        assert "another process evaluates a test split; waiting" in caplog.text
    other.join(60)
    assert outcomes == ["held out"]
    assert "evaluated already" in _try(result, prepared)
    assert len(ledger.entries()) == 1


def _try(result, prepared):
    try:
        heldout(SweepResult(result.folder), prepared, again=False)
    except HarnessError as error:
        return str(error)
    return "held out"


def flip(path):
    """One bit in the middle."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def test_every_changed_file_is_named(result, prepared, ledger):
    heldout(result, prepared, again=False)
    assert len(list(verify_files(result.folder, ledger))) == 2
    for name in (*FILES, *HELDOUT):
        path = result.folder / name
        with restored(result.folder):
            flip(path)
            with pytest.raises(HarnessError, match=rf"{name}: (changed|damaged)"):
                list(verify_files(result.folder, ledger))
            with pytest.raises(HarnessError, match=rf"{name}: (changed|damaged)"):
                read_all(SweepResult(result.folder))
            path.unlink()
            with pytest.raises(HarnessError, match=rf"{name}: missing|no {name}"):
                list(verify_files(result.folder, ledger))
    path = result.folder / "heldout.json"
    rows = json.loads(path.read_text())
    rows[0]["last_hop@5"] = 0.999
    path.write_text(json.dumps(rows))
    with pytest.raises(HarnessError, match=r"heldout\.json:"):
        _ = SweepResult(result.folder).heldout


def test_a_changed_file_is_not_held_out(result, prepared, ledger):
    for name in FILES:
        with restored(result.folder):
            flip(result.folder / name)
            assert f"{name}: " in _try(result, prepared)
            assert not ledger.entries()


def read_all(result):
    return [
        *(
            result.config,
            result.manifest,
            result.trials,
            result.comparisons,
            result.queries,
            result.ranks,
            result.scores,
        ),
        *(result.heldout, result.heldout_queries, result.heldout_ranks),
    ]


def test_numbers_are_verified_and_no_look_is_counted(result, prepared, ledger):
    heldout(result, prepared, again=False)
    before = ledger.path.read_bytes()
    assert [line.split()[0] for line in verify_numbers(result, prepared)] == [
        *("tune", "test"),
        *("tune", "test"),
    ]
    assert ledger.path.read_bytes() == before


def other_p(lock, table):
    table["p"] = table["p"].where(table["p"].isna(), 0.0001)


def other_winner(lock, table):
    lock["winner"] = next(row for row in lock["fusers"] if row["trial"] != lock["winner"]["trial"])


def other_order(lock, table):
    table.loc[[0, 1]] = table.loc[[1, 0]].to_numpy()


FORGED = {
    "p values": (other_p, r"trials\.parquet: row \d+\.p = 0\.0001, computed now: "),
    "the winner": (
        other_winner,
        r"winner\.lock\.json: winner\.name = boltzmann.*, computed now: rrf k=10",
    ),
    "the reference": (
        lambda lock, table: lock.update(reference="bm25"),
        "reference = bm25, computed now: dense",
    ),
    "the best list": (
        lambda lock, table: lock.update(best_single="bm25"),
        "best list bm25 ",
    ),
    "the locked set": (
        lambda lock, table: lock["fusers"].pop(),
        "fusers = 2 entries, computed now: 3 entries",
    ),
    "the order": (other_order, r"(trials\.parquet: row 1\.name|ranks\.npy|statsmodels)"),
}


def test_a_forged_number_is_named_whatever_its_hashes_say(result, prepared, ledger, relock):
    for change, said in FORGED.values():
        lock, table = (
            json.loads((result.folder / LOCK).read_text()),
            pd.read_parquet(result.folder / "trials.parquet"),
        )
        with restored(result.folder):
            change(lock, table)
            table.to_parquet(result.folder / "trials.parquet")
            (result.folder / LOCK).write_text(json.dumps(lock))
            relock(result.folder)
            forged = SweepResult(result.folder)
            assert len(list(verify_files(forged.folder, ledger))) == 2  # hashes alone say nothing
            with pytest.raises(HarnessError, match=said):
                list(verify_numbers(forged, prepared))


def test_the_same_sweep_again_keeps_what_was_held_out(result, prepared, overrides, caplog):
    heldout(result, prepared, again=False)
    before = contents(result.folder)
    sweep(prepared, prepared.plan.trials())
    assert contents(result.folder) == before
    given = (*overrides, *SMALL, "metrics=[mrr]")
    other = Prepared.of(Plan(compose("config", given), given))
    sweep(other, other.plan.trials())
    assert contents(result.folder) == before
    assert f"{result.folder} was held out, so its files stay as they are" in caplog.text


FULL = """
import resource, signal, sys
from pathlib import Path
from harness.core.errors import HarnessError
from harness.sweep.heldout.ledger import Ledger
ledger = Ledger(Path(sys.argv[1]))
ledger.append({"data_sha256": "d", "split": "test"})
size = ledger.path.stat().st_size
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (size + 50, resource.RLIM_INFINITY))
try:
    ledger.append({"data_sha256": "d", "split": "test"})
except HarnessError as error:
    print(error)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
print(ledger.path.stat().st_size == size, len(ledger.entries()))
"""


@pytest.mark.skipif(not hasattr(signal, "SIGXFSZ"), reason="needs a limit of file sizes")
def test_a_full_disk_leaves_no_half_line(tmp_path):
    """A limit of the file's size stands for the disk's end: write() takes some bytes, then
    fails.
    """
    done = process.python("-c", FULL, str(tmp_path / "ledger.jsonl"))
    assert done.stderr == ""
    assert done.stdout.splitlines()[-1] == "True 1"
    assert "ledger.jsonl: cannot write" in done.stdout


def test_another_ledger_does_not_make_it_the_first_evaluation(result, prepared, ledger, tmp_path):
    heldout(result, prepared, again=False)
    prepared.plan.config.paths.ledger = str(tmp_path / "other.jsonl")
    for again in (False, True):
        with pytest.raises(HarnessError, match=r"other\.jsonl"):
            heldout(result, prepared, again=again)
    assert len(ledger.entries()) == 1


def test_a_lost_copy_of_the_line_is_written_again(result, prepared, ledger):
    heldout(result, prepared, again=False)
    before = contents(result.folder)
    (result.folder / "heldout.entry.json").unlink()
    with pytest.raises(HarnessError, match="`harness heldout`"):
        read_all(SweepResult(result.folder))
    again = reopen(result.folder, prepared.plan.config)
    heldout(SweepResult(result.folder), Prepared.of(again), again=False)
    assert contents(result.folder) == before
    assert len(ledger.entries()) == 1
