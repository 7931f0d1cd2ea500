"""What comes from a stored file is never code: each attack below wrote the canary before it was
refused.
"""

import contextlib
import importlib
import json
import os
import pickle
import re
import shutil
from pathlib import Path

import pandas as pd
import pytest
import yaml

from harness.command import heldout, report, verify
from harness.core.configuration import stored_strategy
from harness.core.configuration.composition import compose
from harness.core.configuration.extensions import folders
from harness.core.configuration.instantiation import instantiate
from harness.core.configuration.stored_strategy import StoredReader
from harness.core.errors import HarnessError
from harness.core.identity import digest
from harness.sweep.folder.files import file_hash
from harness.sweep.folder.result import LOCK
from harness.sweep.trial.plan import Plan, reopen
from harness.sweep.trial.prepared import Prepared
from harness.sweep.tune import sweep
from harness.sweep.winner.chosen_trial import choose_trial


class Payload:
    """Unpickled, it writes the canary."""

    def __init__(self, canary: Path) -> None:
        self.canary = canary

    def __reduce__(self):
        return os.mkdir, (str(self.canary),)


@pytest.fixture
def canary(tmp_path):
    return tmp_path / "canary"


@pytest.fixture
def attack(tmp_path, canary):
    (tmp_path / "payload.pkl").write_bytes(pickle.dumps(Payload(canary)))
    return {"_target_": "pandas.read_pickle", "filepath_or_buffer": str(tmp_path / "payload.pkl")}


@pytest.fixture(scope="module")
def swept(bench, tmp_path_factory):
    lists = (f"lists.{name}={bench / name}.trec" for name in ("dense", "graph", "bm25"))
    runs = tmp_path_factory.mktemp("stored") / "runs"
    given = (
        "dataset=folder",
        f"dataset.path={bench}",
        *lists,
        f"paths.runs={runs}",
        "tracking=none",
        "grid=point",
        "+grid.some={fuser:[linear],fuser.alpha:[0.3]}",
    )
    plan = Plan(compose("config", given), given)
    return sweep(Prepared.of(plan), plan.trials()).folder


@pytest.fixture
def folder(swept, tmp_path):
    kept = swept.parents[1] / "artifacts" / "list"
    shutil.copytree(kept, tmp_path / "runs" / "artifacts" / "list")
    return Path(shutil.copytree(swept, tmp_path / "runs" / "sweeps" / swept.name))


def forge(path, change):
    """Change a lock's content as an attacker does, who knows how its hash is made."""
    content = json.loads(path.read_text())
    content.pop("sha256")
    change(content)
    path.write_text(json.dumps({**content, "sha256": digest(content)}))


def knob(name, value):
    return lambda content: content["winner"]["parameters"].update({name: value})


def fuse_by(path):
    return choose_trial(compose("fuse", [f"lock={path}", "out=x.trec"]), ["dense", "graph"], ())


NAME = r"fuser\.strategy.*'fuser/.*expected.*conf/"
LOCKED = {
    "a parameter": ("fuser.alpha", "ATTACK", r"fuser\.alpha.*expected"),
    "a field that is none": ("normalizer.anything", "ATTACK", r"normalizer\.anything.*expected"),
    "a field of none": ("reranker.J", "ATTACK", r"reranker\.J.*expected"),
    "a path": ("fuser", "EVIL", NAME),
    "a path from conf": ("fuser", "../../EVIL", NAME),
    "decoded": ("fuser.alpha", "${oc.decode:'{_target_: os.getcwd}'}", r"fuser\.alpha.*expected"),
    "of the environment": ("fuser.alpha", "${oc.env:HOME}", r"fuser\.alpha.*expected"),
    "a list in capped": ("pool.capped", [["graph"]], r"pool\.capped"),
    "a number as capped": ("pool.capped", 1, r"pool\.capped"),
    "a name as capped": ("pool.capped", "graph", r"pool\.capped"),
    "null in capped": ("pool.capped", [None], r"pool\.capped"),
}


@pytest.mark.parametrize("what", LOCKED)
def test_a_knob_of_a_lock_is_a_value(folder, canary, attack, tmp_path, what):
    name, value, said = LOCKED[what]
    (tmp_path / "evil.yaml").write_text(yaml.safe_dump(attack))
    if value == "ATTACK":
        value = attack
    elif isinstance(value, str) and "EVIL" in value:
        value = str(tmp_path / "evil")
        if what == "a path from conf":
            value = os.path.relpath(value, "conf/fuser")
    forge(folder / LOCK, knob(name, value))
    with pytest.raises(HarnessError, match=rf"winner\.lock\.json: {said}") as caught:
        fuse_by(folder / LOCK)
    assert "\n" not in str(caught.value)
    assert not canary.exists()


@pytest.mark.parametrize("value", [[["graph"]], [1], {"graph": 1}])
def test_capped_lists_of_a_stored_configuration_are_names(folder, value):
    config_with(folder, lambda config: config["pool"].update(capped=value, cap=5))
    with pytest.raises(HarnessError, match=r"pool\.capped"):
        reopen(folder, compose("heldout", ["tracking=none"])).trials()


TRACED = {
    "an object": lambda attack: knob("fuser.alpha", attack),
    "learned": lambda attack: lambda lock: lock["winner"].update(learned={"fuser.alpha": attack}),
}


@pytest.mark.plugin("site")
@pytest.mark.parametrize("what", TRACED)
def test_the_lock_of_a_trace_runs_nothing(folder, bench, canary, attack, tmp_path, what):
    forge(folder / LOCK, TRACED[what](attack))
    lists = (f"lists.{name}={bench / name}.trec" for name in ("dense", "graph", "bm25"))
    given = [
        "dataset=folder",
        f"dataset.path={bench}",
        *lists,
        f"paths.runs={tmp_path / 'runs'}",
        "query=q0",
    ]
    with pytest.raises(HarnessError, match=r"winner\.lock\.json") as caught:
        importlib.import_module("harness.plugins.site.command.trace").run(
            compose("trace", [*given, f"lock={folder / LOCK}"])
        )
    assert "\n" not in str(caught.value)
    assert not canary.exists()


def config_with(folder, change):
    content = yaml.safe_load((folder / "config.yaml").read_text())
    change(content)
    (folder / "config.yaml").write_text(yaml.safe_dump(content))
    forge(
        folder / LOCK,
        lambda lock: lock["files"].update({"config.yaml": file_hash(folder / "config.yaml")}),
    )


PLUGINS = {
    **dict.fromkeys(("an endpoint", "almost local", "local by name", "a secret", "a place"), "llm"),
    **dict.fromkeys(("a reranker's model",), "llm"),
    "a database": "dice",
}
"""Whose keys or strategies a case is made of."""


def cases(table):
    return [
        pytest.param(one, marks=[pytest.mark.plugin(PLUGINS[one])] if one in PLUGINS else [])
        for one in table
    ]


ATTACKS = {
    "a strategy": lambda config, attack: config.update(dataset=attack),
    "a list": lambda config, attack: config["lists"].update(dense=attack),
    "a field": lambda config, attack: config["fuser"].update(alpha=attack),
    "an axis": lambda config, attack: config["grid"].update(x={"fuser.alpha": [attack]}),
    "in a list": lambda config, attack: config["lists"].update(dense=[attack]),
    "called at once": lambda config, attack: config.update(
        dataset={
            **config["dataset"],
            "name": {
                "_target_": "harness.plugins.policyrag.retriever.policyrag.edit",
                "_partial_": True,
            },
        }
    ),
    "decoded": lambda config, attack: config.update(
        dataset="${oc.create:${oc.decode:'" + json.dumps(attack) + "'}}"
    ),
}


@pytest.mark.parametrize(
    ("command", "where"), [("verify", "a strategy"), *(("heldout", where) for where in ATTACKS)]
)
def test_a_stored_configuration_makes_no_object_that_conf_does_not_name(
    folder, canary, attack, where, command
):
    config_with(folder, lambda config: ATTACKS[where](config, attack))
    given = [f"sweep={folder}", f"paths.runs={folder.parent.parent}", "tracking=none"]
    more = ["rescore=true"] if command == "verify" else []
    with pytest.raises(HarnessError, match=r"config\.yaml:"):
        importlib.import_module(f"harness.command.{command}").run(compose(command, [*given, *more]))
    assert not canary.exists()


@pytest.mark.parametrize("where", ["a list", "decoded"])
@pytest.mark.usefixtures("undrawn")
def test_a_report_makes_nothing_of_a_stored_configuration(folder, canary, attack, where):
    config_with(folder, lambda config: ATTACKS[where](config, attack))
    given = [f"sweep={folder}", f"paths.runs={folder.parent.parent}", "tracking=none"]
    with contextlib.suppress(HarnessError):
        report.run(compose("report", [*given, f"paths.reports={folder.parent.parent / 'reports'}"]))
    assert not canary.exists()


REACHING = yaml.safe_load("""
a model: {strategy: encoder/sentence_transformer, model: a/b}
a folder: {strategy: encoder/sentence_transformer, model: /srv/models/x}
another revision: {strategy: encoder/nv_embed_v2, revision: refs/pr/9}
a reranker's model: {strategy: reranker/cross_encoder, model: a/b}
model code: {strategy: encoder/sentence_transformer, model: a/b, trust_remote_code: true}
model code by name: {strategy: encoder/nv_embed_v2, model: a/b}
a module: {strategy: extractor/offline, model: antigravity}
an endpoint: {strategy: extractor/llm, model: m, base_url: "https://collects.example/v1"}
almost local: {strategy: extractor/llm, base_url: "http://localhost:80@collects.example"}
local by name: {strategy: extractor/llm, base_url: "http://127.0.0.1.collects.example"}
a secret: {strategy: extractor/llm, model: m, key_variable: AWS_SECRET_ACCESS_KEY}
a place: {strategy: extractor/llm, model: m, answers: /etc}
""")


@pytest.mark.parametrize("what", cases(REACHING))
def test_what_reaches_beyond_the_folder_needs_trust(folder, what):
    config_with(folder, lambda config: config.update(extractor=REACHING[what]))
    config = compose("heldout", ["tracking=none"])
    with pytest.raises(HarnessError, match=r"config\.yaml: extractor\.\w+.*trust=true"):
        reopen(folder, config)
    reopen(folder, compose("heldout", ["tracking=none", "trust=true"]))


@pytest.mark.plugin("llm")
def test_what_stands_in_conf_and_what_is_local_needs_none(folder):
    local = {"strategy": "extractor/llm", "model": "m", "base_url": "http://127.0.0.1:8000/v1"}
    local |= {"key_variable": "OPENAI_API_KEY", "answers": "${paths.runs}/answers"}
    config_with(folder, lambda config: config.update(extractor=local))
    reopen(folder, compose("heldout", ["tracking=none"]))


def test_the_user_s_own_command_line_stays_free(overrides):
    given = [*overrides, "fuser.alpha={_target_:builtins.float,x:0.25}", "grid=point"]
    assert instantiate({"_target_": "fractions.Fraction", "numerator": 3}) == 3
    assert compose("config", given).fuser.alpha["_target_"] == "builtins.float"


CLASSES = stored_strategy._names(tuple(folders()))[1]


def test_a_class_of_conf_is_stored_by_its_name_alone(folder):
    fuser = {"_target_": CLASSES["fuser/boltzmann"]}
    config_with(folder, lambda config: config.update(fuser=fuser))
    said = r"config\.yaml: fuser\._target_.*`strategy: CONCEPT/NAME`"
    with pytest.raises(HarnessError, match=said):
        reopen(folder, compose("heldout", ["tracking=none"]))


def test_a_lock_without_hashes_of_files_is_refused(folder):
    forge(folder / LOCK, lambda lock: lock.pop("files"))
    with pytest.raises(HarnessError, match=r"winner\.lock\.json: .*files"):
        reopen(folder, compose("heldout", ["tracking=none"]))


def test_no_file_of_a_sweep_names_a_class(folder):
    assert [path.name for path in folder.iterdir() if b"_target_" in path.read_bytes()] == []
    named = re.findall(r"strategy: (\S+)", (folder / "config.yaml").read_text())
    assert {"fuser/boltzmann", "dataset/folder"} <= {*named}


def test_what_a_sweep_stores_is_the_strategy_that_it_ran(folder):
    """For every strategy of conf/: its name leads back to its class, the parts of other strategies
    included.
    """
    for name, target in CLASSES.items():
        made = StoredReader(folder).read(stored_strategy.by_name({"_target_": target}))
        assert made == {"_target_": target}, name


FLAT = {
    "a class": {"reranker._target_": "pytest.main"},
    "a class of the fuser": {"fuser._target_": "pytest.main"},
    "a class within": {"fuser.weights": {"_target_": "pytest.main"}},
    "a class in a list": {"pool.lists": [{"_target_": "pytest.main"}]},
    "arguments": {"fuser._args_": ["-h"]},
    "no knob": {"pytest.main": 1},
    "a field that is none": {"fuser.path": "/etc"},
    "a name of another concept": {"fuser": "../reranker/none"},
}


def in_lock(folder, knobs):
    forge(folder / LOCK, lambda content: content["winner"]["parameters"].update(knobs))


def in_table(folder, knobs):
    table = pd.read_parquet(folder / "trials.parquet")
    table["parameters"] = [json.dumps(json.loads(text) | knobs) for text in table["parameters"]]
    table.to_parquet(folder / "trials.parquet")
    forge(
        folder / LOCK,
        lambda lock: lock["files"].update({"trials.parquet": file_hash(folder / "trials.parquet")}),
    )


COMMANDS = {
    "verify": lambda folder, given: verify.run(
        compose("verify", [*given, f"sweep={folder}", "rescore=true"])
    ),
    "heldout": lambda folder, given: heldout.run(compose("heldout", [*given, f"sweep={folder}"])),
    "report": lambda folder, given: report.run(compose("report", [*given, f"sweep={folder}"])),
}


@pytest.mark.parametrize("what", FLAT)
def test_a_flat_knob_of_a_file_is_a_field(folder, what, monkeypatch):
    monkeypatch.setattr(pytest, "main", lambda *given, **named: pytest.fail("called"))
    in_lock(folder, FLAT[what])
    with pytest.raises(HarnessError, match=r"winner\.lock\.json:") as caught:
        fuse_by(folder / LOCK)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "command", ["verify", "heldout", pytest.param("report", marks=pytest.mark.slow)]
)
@pytest.mark.usefixtures("undrawn")
def test_a_class_in_a_file_is_called_by_no_command(folder, command, monkeypatch, tmp_path):
    monkeypatch.setattr(pytest, "main", lambda *given, **named: pytest.fail("called"))
    in_lock(folder, FLAT["a class"])
    in_table(folder, FLAT["a class"])
    given = [
        f"paths.runs={tmp_path / 'runs'}",
        f"paths.ledger={tmp_path / 'ledger.jsonl'}",
        "tracking=none",
    ]
    more = [f"paths.reports={tmp_path / 'reports'}"] if command == "report" else []
    refused = contextlib.nullcontext()
    if command == "verify":
        refused = pytest.raises(HarnessError, match="computed now")
    with refused:
        COMMANDS[command](folder, [*given, *more])


@pytest.mark.plugin("llm")
def test_an_axis_of_a_stored_grid_names_no_model(folder):
    axes = {"reranker": ["cross_encoder"], "reranker.model": ["a/b"]}
    config_with(folder, lambda config: config["grid"].update(own=axes))
    with pytest.raises(
        HarnessError, match=r"config\.yaml: grid\.own\.reranker\.model.*'a/b' .*trust=true"
    ):
        reopen(folder, compose("heldout", ["tracking=none"]))
    reopen(folder, compose("heldout", ["tracking=none", "trust=true"]))


@pytest.mark.parametrize("axis", ["fuser._target_", "reranker._args_"])
def test_an_axis_of_a_stored_grid_is_a_field(folder, axis):
    config_with(folder, lambda config: config["grid"].update(own={axis: ["pytest.main"]}))
    with pytest.raises(HarnessError, match=rf"config\.yaml: grid\.own\.{axis} .*expected"):
        reopen(folder, compose("heldout", ["tracking=none"]))
