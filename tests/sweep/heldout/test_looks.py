"""Looks at test that are not the protocol's: counted by the test questions, whatever file they came
from.
"""

import dataclasses
import errno
import json
import math
import os
from pathlib import Path

import pytest

import harness
from harness.benchmark import md5_split
from harness.command.evaluate import run as evaluate
from harness.core.configuration import compose
from harness.core.errors import HarnessError
from harness.core.files import write_text
from harness.sweep.heldout import heldout
from harness.sweep.heldout.ledger import Ledger
from harness.sweep.heldout.looks import QuestionSet, count_looks, describe_looks, note_look
from harness.sweep.trial.plan import Plan
from harness.sweep.trial.prepared import Prepared
from harness.sweep.tune import sweep
from tests import warm

IDS = [f"q{number}" for number in range(40)]
TEST = [name for name in IDS if md5_split(name) == "test"]


@pytest.fixture
def looks(tmp_path, monkeypatch):
    path = tmp_path / "cache" / "looks.jsonl"
    monkeypatch.setenv("HARNESS_LOOKS", str(path))
    return str(path)


def gold_of(bench):
    return harness.Gold.read(bench / "queries.jsonl")


def asked(test, tune=(), gold=None, source="g"):
    """Questions of test and of tune, known by their ids alone, or by these of a gold."""
    known = {} if gold is None else gold.relevant()
    return QuestionSet(
        source, {name: known.get(name, ()) for name in [*test, *tune]}, {"the split in use": test}
    )


def test_looks_are_counted_by_the_test_questions_in_any_order(looks):
    assert note_look(looks, "evaluate", asked(TEST, source="a/gold.jsonl")) == {
        "test_questions": len(TEST),
        "looks": 1,
    }
    assert note_look(looks, "compare", asked(TEST[::-1], source="b.qrels")) == {
        "test_questions": len(TEST),
        "looks": 2,
    }
    assert [entry["source"] for entry in noted(looks)] == ["gold.jsonl", "b.qrels"]


def test_looks_are_counted_by_question(looks):
    """Of a set, those at the question that had most; TEST[1] is in all but ``other``, whose first
    was seen once.
    """
    other = [
        name for name in (f"other{number}" for number in range(80)) if md5_split(name) == "test"
    ]
    for ids, count in (
        (TEST, 1),
        (TEST[1:], 2),
        ([*TEST, other[0]], 3),
        (TEST[:2], 4),
        (other, 2),
        (other + TEST, 5),
    ):
        assert note_look(looks, "evaluate", asked(ids))["looks"] == count, ids
    assert sum("ids" in entry for entry in noted(looks)) == 6
    note_look(looks, "evaluate", asked(TEST))
    assert sum("ids" in entry for entry in noted(looks)) == 6, (
        "the ids of a set stand in the file once"
    )


def test_a_question_is_known_by_its_id_and_its_gold(looks, tmp_path, capsys):
    """Another benchmark numbers its questions alike; judgements and passages of the same gold are
    the same question.
    """
    docs = {name: [f"{name}-b", f"{name}-a"] for name in IDS}
    other = {name: [f"x{name}"] for name in IDS}
    (tmp_path / "run.json").write_text(
        json.dumps({name: dict.fromkeys([*docs[name], *other[name]], 1.0) for name in IDS})
    )
    forms = {
        "gold.jsonl": [{"id": name, "supporting_ids": own} for name, own in docs.items()],
        "spans.jsonl": [
            {"id": name, "supporting_ids": [f"{own[1]}#0-9", own[0]]} for name, own in docs.items()
        ],
        "other.jsonl": [{"id": name, "supporting_ids": own} for name, own in other.items()],
    }
    for name, rows in forms.items():
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "qrels.txt").write_text(
        "".join(f"{n} 0 {own[0]} 1\n{n} 0 {own[1]} 2\n" for n, own in docs.items())
    )
    given = (
        "gold.jsonl",
        "other.jsonl",
        "qrels.txt",
        "qrels.txt rel=2",
        "spans.jsonl",
        "other.jsonl",
    )
    looked = []
    for gold in given:
        own = [
            f"run={tmp_path}/run.json",
            *f"gold={tmp_path}/{gold}".split(),
            "metrics=[recall]",
            "split=test",
        ]
        evaluate(compose("evaluate", own))
        looked.append(capsys.readouterr().out.split("questions; look ")[1].split()[0])
    assert looked == ["1", "1", "2", "3", "4", "2"]


def test_looks_that_were_noted_by_ids_alone_count_for_every_gold(looks):
    note_look(looks, "evaluate", asked(TEST))
    gold = harness.Gold.from_dict({name: ["a"] for name in IDS})
    assert [count_looks(looks, asked(TEST, gold=one)) for one in (None, gold)] == [1, 1]
    assert note_look(looks, "evaluate", asked(TEST, gold=gold))["looks"] == 2


def test_looks_of_an_older_version_are_counted_by_the_hash_of_their_set(looks):
    note_look(looks, "evaluate", asked(TEST))
    (entry,) = noted(looks)
    older = {key: value for key, value in entry.items() if key not in ("ids", "previous", "sha256")}
    Path(looks).write_text(json.dumps(older) + "\n")
    Path(looks).with_suffix(".head").unlink()
    assert [note_look(looks, "evaluate", asked(TEST))["looks"] for _ in range(2)] == [2, 3]
    assert len(Ledger(Path(looks)).entries()) == 3, (
        "no fault: what was noted before looks were chained stands"
    )


def test_what_was_scored_as_tune_was_looked_at(looks):
    """Under a split of one's own: nothing is said at once, and the next look at these as test
    counts it.
    """
    assert note_look(looks, "evaluate", asked([], TEST)) == {"test_questions": 0, "looks": None}
    assert count_looks(looks, asked(TEST)) == 1
    assert count_looks(looks, asked(["another"])) == 0
    assert note_look(looks, "evaluate", asked(TEST))["looks"] == 2


def test_a_question_that_was_evaluated_as_test_stays_one_whatever_a_split_calls_it(looks):
    note_look(looks, "heldout", asked(TEST), ["a" * 64])
    assert note_look(looks, "evaluate", asked([], [*TEST[:3], "tuned"])) == {
        "test_questions": 3,
        "looks": 2,
        "test_splits": {"an earlier held-out evaluation": 3},
    }


def test_a_union_of_splits_says_which_names_how_many(looks):
    """MD5 has ten of 40 as test, the field half of these and two more; TEST is all that
    MD5 names.
    """
    given = {*TEST[::2], *[name for name in IDS if name not in TEST][:2]}
    gold = harness.Gold.from_dict({name: {"a": 1} for name in IDS})
    gold = dataclasses.replace(gold, given=["test" if name in given else None for name in IDS])
    found = note_look(looks, "evaluate", QuestionSet.of(gold))
    splits = f"{len(TEST)} by splitting=md5, {len(given)} by the gold's own split"
    assert describe_looks(found, 40, looks).startswith(
        f"{len(TEST) + 2} of these 40 questions are test questions ({splits}); look 1 at them"
    )
    inside = dataclasses.replace(gold, given=["test" if name in TEST[:2] else None for name in IDS])
    assert "test questions; look 2" in describe_looks(
        note_look(looks, "evaluate", QuestionSet.of(inside)), 40, looks
    )


def test_a_split_of_one_s_own_that_calls_test_questions_tune(looks, bench, tmp_path, capsys):
    """After a held-out evaluation by MD5, `evaluate` says that they are test questions, and the
    next counts it.
    """
    note_look(looks, "heldout", asked(TEST), ["a" * 64])
    (tmp_path / "own.txt").write_text(
        "".join(f"{name} {'tune' if name in TEST else 'test'}\n" for name in IDS)
    )
    given = [
        f"run={bench}/dense.trec",
        f"gold={bench}/queries.jsonl",
        "split=tune",
        f"splitting={tmp_path}/own.txt",
    ]
    evaluate(compose("evaluate", given))
    said = " ".join(capsys.readouterr().out.split())
    named = f"test questions ({len(TEST)} by an earlier held-out evaluation); look 2 at them"
    assert f"{len(TEST)} of these {len(TEST)} questions are {named}" in said
    assert count_looks(looks, asked(TEST, gold=gold_of(bench))) == 2


def test_a_field_split_that_a_mapping_calls_tune_is_test(looks):
    given = ["test" if name in TEST else "dev" for name in IDS]
    gold = dataclasses.replace(
        harness.Gold.from_dict({name: {"a": 1} for name in IDS}), given=given
    )
    assert gold.split("tune", {"test": "tune", "dev": "test"}).test_ids == [
        name for name in IDS if name in TEST
    ]


def test_a_damaged_line_is_passed_over_and_said_for_ever_after(looks, caplog):
    for _ in range(3):
        note_look(looks, "evaluate", asked(TEST))
    lines = Path(looks).read_text().splitlines()
    lines[1] = lines[1].replace("evaluate", "compare")
    odd = (
        "",
        "{}",
        '["questions"]',
        "1",
        "null",
        '{"questions": [1]}',
        '{"questions": "x", "ids": [{}]}',
        "\xff",
    )
    Path(looks).write_text("\n".join([*lines, *odd]), encoding="latin-1")
    for count in (2, 2):
        caplog.clear()
        assert count_looks(looks, asked(TEST)) == count
        assert (
            f"{looks}:2: this line was changed after it was written (and 8 faults more)"
            in caplog.text
        )
    assert note_look(looks, "evaluate", asked(TEST))["looks"] == 3
    assert Path(looks).read_text(encoding="latin-1").startswith("\n".join([*lines, *odd[:3]])), (
        "nothing is removed"
    )
    with pytest.raises(HarnessError, match=r"looks\.jsonl:2: this line was changed"):
        Ledger(Path(looks)).entries()


def test_looks_and_evaluations_may_be_one_ledger(looks, bench, overrides, caplog):
    given = (*overrides, "grid=point", f"paths.ledger={looks}")
    note_look(looks, "evaluate", asked(TEST))
    prepared = Prepared.of(Plan(compose("config", given), given))
    result = heldout(sweep(prepared, prepared.plan.trials()), prepared, again=False)
    assert {(row["evaluation"], row["looks"]) for row in result.heldout} == {(1, 1)}
    assert count_looks(looks, asked(TEST, gold=gold_of(bench))) == 2
    assert [set(entry) & {"questions", "trials"} for entry in Ledger(Path(looks)).entries()] == [
        {"questions"},
        {"trials"},
        {"questions"},
    ]
    assert "waiting" not in caplog.text


def test_an_empty_name_of_the_file_is_a_mistake_and_null_is_none():
    with pytest.raises(HarnessError, match=r"paths.looks \(HARNESS_LOOKS\) is empty"):
        note_look(" ", "evaluate", asked(TEST))
    assert note_look(None, "evaluate", asked(TEST)) == {"test_questions": len(TEST), "looks": None}


def noted(path):
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def test_tune_alone_is_no_look(looks):
    gold = harness.Gold.from_dict({name: {"a": 1} for name in IDS}).split("tune")
    found = note_look(looks, "evaluate", asked(gold.test_ids))
    assert found == {"test_questions": 0, "looks": None}
    assert describe_looks(found, len(gold), looks) == ""
    assert not Path(looks).exists()


def test_a_file_that_cannot_be_written_stops_nothing(tmp_path, caplog):
    (tmp_path / "file").write_text("")
    found = note_look(str(tmp_path / "file" / "looks.jsonl"), "evaluate", asked(TEST))
    assert found == {"test_questions": len(TEST), "looks": None}
    assert "this look at test is not noted" in caplog.text


def test_python_notes_its_looks_too(looks):
    """Under the names of the package; a gold of tune alone is no look, and what is refused is none
    either.
    """
    gold = harness.Gold.from_dict({name: {"a": 1} for name in IDS})
    run = harness.Run.from_dict({name: {"a": 1.0} for name in IDS})
    assert harness.evaluate(run, gold, ["recall@1"]).metrics == {"recall@1": 1.0}
    assert harness.compare(run, baseline=run, gold=gold, metric="recall@1").wins == 0
    harness.evaluate(run, gold.split("tune"), ["recall@1"])
    with pytest.raises(harness.HarnessError):
        harness.evaluate(run, gold, ["last_hop@0"])
    assert [entry["command"] for entry in noted(looks)] == ["evaluate", "compare", "evaluate"]
    assert count_looks(looks, asked(TEST, gold=gold)) == 2


def test_a_difference_on_test_questions_is_charged_for_its_look(
    looks, tmp_path, monkeypatch, caplog
):
    """Eight questions won and none lost: p = 2 / 2^8; pi^2 / 6 = 1.645 times that at the first
    look, 4 and 9 times as much at the next two, of which the third leaves no difference: .0078 x
    14.80 = .116. The gold may have any name.
    """
    names = TEST[:8]
    for name, docs in (("ours", "ab"), ("theirs", "ba")):
        lines = (
            f"{query} Q0 {doc}-{query} {n} {3 - n} t\n"
            for query in names
            for n, doc in enumerate(docs, 1)
        )
        (tmp_path / f"{name}.trec").write_text("".join(lines))
    for gold in ("one.jsonl", "two.jsonl"):
        rows = (
            json.dumps({"id": query, "supporting_ids": [f"a-{query}"]}) + "\n" for query in names
        )
        (tmp_path / gold).write_text("".join(rows))
    said = []
    for gold in ("one.jsonl", "two.jsonl", "two.jsonl"):
        typed = ["run=ours.trec", "baseline=theirs.trec", f"gold={gold}", "metric=recall", "k=1"]
        done = warm.harness("compare", *typed, "out=c.json", cwd=tmp_path, check=True)
        said.append(" ".join(done.stdout.split()))
    assert (
        "counts times 1.64; of 1 difference above still shown: ours.trec by recall@1, p .013"
        in said[0]
    )
    assert "counts times 6.58; of 1 difference above no difference is shown any more" in said[1]
    assert "This is look 3 at these test questions, so each p counts times 14.80" in said[2]
    found = json.loads((tmp_path / "c.json").read_text())
    assert (found["looks"], found["p_looks"]) == (3, pytest.approx(2 / 2**8 * 9 * math.pi**2 / 6))
    monkeypatch.chdir(tmp_path)
    harness.compare("ours.trec", "theirs.trec", "one.jsonl", "recall@1")
    assert "This is look 4 at these test questions" in caplog.text


def test_evaluate_says_how_many_questions_are_test_and_which_look_it_is(
    looks, bench, tmp_path, capsys
):
    given = [f"run={bench}/dense.trec", f"gold={bench}/queries.jsonl", f"out={tmp_path}/m.json"]
    for look in (1, 2):
        evaluate(compose("evaluate", given))
        assert (
            f"{len(TEST)} of these 40 questions are test questions; look {look} at them"
            in capsys.readouterr().out
        )
    assert json.loads((tmp_path / "m.json").read_text())["looks"] == 2
    evaluate(compose("evaluate", [*given, "split=tune"]))
    assert "look" not in capsys.readouterr().out


def test_a_held_out_table_says_how_many_looks_there_were_before(looks, bench, overrides):
    note_look(looks, "evaluate", asked(TEST))
    note_look(looks, "compare", asked(TEST))
    given = (*overrides, "grid=point")
    prepared = Prepared.of(Plan(compose("config", given), given))
    result = heldout(sweep(prepared, prepared.plan.trials()), prepared, again=False)
    assert {(row["evaluation"], row["looks"]) for row in result.heldout} == {(1, 2)}
    assert result.test.look == ", after 2 known looks of any kind"
    assert count_looks(looks, asked(TEST, gold=gold_of(bench))) == 3


def test_an_evaluation_whose_look_did_not_fit_on_the_disk_stands_counts_and_is_noted_by_the_next(
    looks, bench, overrides, monkeypatch, caplog
):
    given = (*overrides, "grid=point")
    prepared = Prepared.of(Plan(compose("config", given), given))
    result = sweep(prepared, prepared.plan.trials())

    def full(path, text):
        if path == Path(looks):
            raise HarnessError(f"{path}: cannot write ({os.strerror(errno.ENOSPC)})")
        return write_text(path, text)

    monkeypatch.setattr("harness.sweep.heldout.ledger.write_text", full)
    first = heldout(result, prepared, again=False)
    assert {(row["evaluation"], row["looks"]) for row in first.heldout} == {(1, 0)}
    assert (
        "cannot write (No space left on device); the next held-out evaluation of this data notes it"
        in caplog.text
    )
    second = heldout(first, prepared, again=True)
    assert {(row["evaluation"], row["looks"]) for row in second.heldout} == {(2, 1)}, (
        "counted from the ledger"
    )
    assert not Path(looks).exists()
    monkeypatch.undo()
    monkeypatch.setenv("HARNESS_LOOKS", looks)
    with pytest.raises(HarnessError, match="evaluated already, 2 times"):
        heldout(second, prepared, again=False)
    ledger = Ledger(Path(str(prepared.plan.config.paths.ledger))).entries()
    assert [look["evaluation"] for look in noted(looks)] == [line["sha256"] for line in ledger]
    assert count_looks(looks, asked(TEST, gold=gold_of(bench))) == 2


def test_looks_that_cannot_be_read_leave_the_ledger_s(tmp_path, caplog):
    (tmp_path / "looks.jsonl").mkdir()
    assert count_looks(str(tmp_path / "looks.jsonl"), asked(TEST), ["a" * 64]) == 1
    assert "are not counted" in caplog.text


def test_what_is_not_recorded_is_never_0(tmp_path, overrides):
    (tmp_path / "looks.jsonl").mkdir()
    assert count_looks(str(tmp_path / "looks.jsonl"), asked(TEST)) is None
    assert count_looks(None, asked(TEST)) is None
    assert count_looks(str(tmp_path / "none.jsonl"), asked(TEST)) == 0
    assert describe_looks(note_look(None, "evaluate", asked(TEST)), 40, None).endswith(
        "; look is not recorded"
    )
    given = (*overrides, "grid=point", "paths.looks=null")
    prepared = Prepared.of(Plan(compose("config", given), given))
    result = heldout(sweep(prepared, prepared.plan.trials()), prepared, again=False)
    assert {row["looks"] for row in result.heldout} == {None}
    assert result.test.look == ", earlier looks not recorded"
