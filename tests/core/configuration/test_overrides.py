"""Mistakes on the command line name what they should have been, in one line and with status 2."""

import shlex
from pathlib import Path

import pytest

from harness.core.configuration.composition import compose, prepare
from harness.core.configuration.instantiation import instantiate
from harness.core.configuration.overrides import parse
from harness.core.errors import HarnessError
from tests.conftest import Command
from tests.lines import cases


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        *cases(
            """
sweap -> harness sweap: no such command (did you mean sweep?)
sweep fuser=boltzman -> fuser=boltzman is not known (did you mean boltzmann?)
sweep fuser.alpha=1.3 grid=point -> fuser.alpha must be in [0, 1], got alpha=1.3
sweep objective=last_hopp@5 -> did you mean last_hop?
sweep '+grid.mine={fuser:[rrf],fuser.kk:[1]}' -> grid.mine: fuser.kk is no knob of these points
sweep '+grid.mine={encoder:[a]}' -> encoder needs new runs
sweep 'pool.lists=[dense,grph]' -> did you mean graph?
sweep pool.cap=0 -> pool.cap must be in [1, inf), got cap=0
sweep normalizer=zscore grid=point -> normalizer
sweep 'fuser=[' -> a bracket is opened and not closed
sweep 'pool.lists=[a,,b]' -> a value is missing beside a comma
sweep pool.cap=2,5 -> several are an axis of the grid: write '+grid.mine={pool.cap: [2,5]}'
sweep 'pool.cap=[3,null]' -> write '+grid.mine={pool.cap: [3,null]}'
heldout sweep=nowhere -> sweep=nowhere names no sweep
evaluate run=r.json gold=g.json metrics=0.5 -> metrics=0.5: expected a name, or a list of names
evaluate run=r.json gold=g.json k=0.5 -> k=0.5: expected
compare run=r.json baseline=r.json gold=g.json metric=0.5 -> metrics=0.5: expected
sweep metrics=0.5 dry_run=true -> metrics=0.5: expected
fuse lists.a=1 out=x.trec -> lists.a=1: expected a path
sweep fusr=rrf -> this command has no fusr (did you mean fuser?); write fuser=rrf
sweep track=false -> (did you mean tracking?); write tracking=NAME, one of mlflow, none
sweep lists.dense.dpeth=5 -> (did you mean lists.dense.depth?)
sweep '~metricz' -> (did you mean metrics?)
sweep dry_run=true +fusr=rrf -> +fusr=rrf: this command has no fusr (did you mean fuser?)
sweep pool=5 -> pool=5: expected its keys, as in pool.lists=...; it has: lists, cap
sweep pool=null -> pool=null: expected its keys, as in pool.lists=...
fuse 'lists={a: a.trec}' out=f.trec lenient=maybe -> lenient=maybe: expected true or false
calibrate calibrate.worlds=0 -> calibrate.worlds must be in [1, inf), got worlds=0
heldout +explain_all=true -> +explain_all=true: this command has no explain_all (did you mean explain?)
sweep +paths.run=x -> paths has no run (did you mean paths.runs?)
sweep 'fuser={name: rrf}' -> fuser has no name; it has alpha, beta
fuse lists.a=x fuser=rrf,linear -> fuser=rrf,linear: several values
sweep 'encoder=choice(hashed,static)' -> choice(hashed,static): several values
sweep 'dataset=sam(ple)' -> dataset=sam(ple) is not known
sweep fuser.alhpa=.5 -> fuser has no alhpa (did you mean fuser.alpha?)
sweep fuser.weights.a=2 -> write 'fuser.weights={a: 2}'
sweep data=x -> write paths.data=x
fuse lists.a=x @fuser=rrf -> this command has no @fuser
sweep -c jobs -> --cfg: give job, hydra or all
prepare sample -> sample: expected key=value; write dataset=sample
evaluate run=x gold=g.json strict -> write strict=true
evaluate run=x dataset=sample -> its gold is gold=sample
evaluate -m 'run=glob(*)' gold=g.json -> there was no job
fuse 'lists={a: x, b: y, a: z}' out=f.trec -> lists={a: x, b: y, a: z}: a is repeated; give each its
sweep +grid.extend=true -> grid.extend = True, expected axes with their values
fuse fuser=null -> fuser=null is not known; known: 
fuse 'normalizer=[]' -> normalizer=[] is not known; known:
sweep -m retriever@lists.graph=ppr,2 -> retriever@lists.graph=2 is not known; known:
ui port=abc -> port must be a whole number, got port=abc
"""
        ),
        pytest.param(
            ["compare", "run=a.csv", "baseline=b.csv", "columns=score"],
            "columns=score: expected names with values",
            marks=pytest.mark.plugin("items"),
        ),
    ],
)
def test_a_mistake_is_one_line_and_status_2(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    command: Command,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HARNESS_RUNS", str(tmp_path))
    status, printed, said = command(*arguments)
    assert (status, printed, said.count("\n"), caplog.messages) == (2, "", 1, []), said
    assert said.startswith("error: ")
    assert message in said
    assert not list(tmp_path.rglob("*.parquet"))


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("metrics=o.json", "metrics=[o.json]"),
        ("strict=Yes,0,on", "strict=true,false,true"),
        ("metrics='two words.json'", "metrics=['two words.json']"),
        *(
            (same, same)
            for same in [
                "metrics=[a,b]",
                "metrics=null",
                "metrics=a,b",
                "metrics=${oc.env:HOME}",
                "strict=choice(true,false)",
            ]
        ),
    ],
)
def test_one_name_is_a_list_of_one_where_a_list_is_wanted(given: str, meant: str) -> None:
    assert [*map(str, prepare("evaluate", [given]).typed)] == [meant]


def test_a_field_that_a_class_has_not_names_those_that_it_has() -> None:
    with pytest.raises(HarnessError, match=r"^fuser=rrf"):
        instantiate({"_target_": "harness.fusion.fuser.rrf.Rrf", "alpha": 0.5})


def test_a_key_that_only_another_command_reads_is_an_error() -> None:
    for key in ("+encoder=hashed", "pool.capped=[graph]"):
        with pytest.raises(HarnessError, match=r"this command has no (encoder|pool)"):
            compose("heldout", [key])
    assert compose("heldout", ["trust=yes"]).trust is True


@pytest.mark.plugin("policyrag", "mentions")
def test_what_only_a_reranker_reads_is_composed_where_it_is_named() -> None:
    assert not {"seeds", "relations"} & {*compose("config")}
    block = "+grid.mine={reranker: [policy]}"
    for given in (["reranker=policy"], [block], ["experiment=policy_reranker"]):
        assert "seeds" in compose("config", given)
    chosen = ["reranker=relational", "retriever@relations=mention_paths_older", "relations.near=7"]
    assert compose("config", chosen).relations.near == 7


def test_a_new_key_that_another_override_takes_is_kept() -> None:
    assert compose("config", ["+mine=.5", "fuser.alpha=${mine}"]).fuser.alpha == 0.5
    with pytest.raises(HarnessError, match=r"\+mine=\.5:.*mine"):
        compose("config", ["+mine=.5"])


@pytest.mark.parametrize(
    ("key", "value", "read"),
    [
        ("lists", '{"tf,idf": a.trec}', {"tf,idf": "a.trec"}),
        (
            "lists",
            "{BM25 (k1=0.9): a.trec, c++: b.trec}",
            {"BM25 (k1=0.9)": "a.trec", "c++": "b.trec"},
        ),
        ("tracking.experiment", "Müller's lab", "Müller's lab"),
    ],
)
def test_the_mend_of_an_odd_name_can_be_typed(key: str, value: str, read: object) -> None:
    with pytest.raises(HarnessError) as error:
        parse(key, value)
    (typed,) = shlex.split(str(error.value)[str(error.value).rindex(f"'{key}=") :])
    assert parse(key, typed.removeprefix(f"{key}=")) == read


def test_an_axis_of_a_grid_is_typed_in_its_block() -> None:
    """``grid.values.fuser`` is a list, and ``fuser.alpha`` the name of another axis beside it."""
    with pytest.raises(HarnessError, match=r"\.alpha=.*list.*'grid\.values=\{fuser\.alpha:"):
        compose("config", ["grid.values.fuser.alpha=[0.7]"])
    typed = compose("config", ["grid.values={fuser.alpha: [0.7]}"])
    assert typed.grid["values"] == {**compose("config").grid["values"], "fuser.alpha": [0.7]}
