"""A command runs with the configuration that Hydra prints for it (``--cfg job``)."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml
from omegaconf import OmegaConf

from harness.core.configuration import extensions
from harness.core.configuration.command_line import CommandLine
from harness.core.configuration.composition import compose
from harness.core.configuration.conf_files import names
from harness.core.configuration.stored_strategy import by_name
from tests import process
from tests.conftest import Command

EXAMPLES = Path(__file__).parents[3] / "reports/docs/examples"
LINES = [
    "sweep dataset=musique_804 pool.cap=3 fuser=linear fuser.alpha=0.3 paths.runs=elsewhere "
    "lists.dense.encoder.batch_size=5 split=disjoint margin=1e-3 objective=mrr",
    "sweep lists.colbert=a.json ~lists.dense metrics=[ndcg@3] pool.lists=[graph,colbert] "
    "+grid.mine={fuser:[rrf],fuser.k:[7]} grid=point +retriever@lists.b=bm25 "
    "tracking=none normalizer=zscore temperature=fixed temperature.T=0.3",
    "sweep lists={1:a.trec,true:b.trec} gold=g.jsonl fuser=weighted_rrf fuser.weights={1:1,true:2}",
    "prepare part=3/20",
    "fuse normalizer=zscore pool={cap:5} lists.a=x +lists.graph=b out=f.trec lenient=yes",
    "evaluate run={file:a.csv,columns:{doc:pid}} gold=q metric=recall dataset.chain={order:[known]}",
    "compare run=a baseline=[b,c] gold=q k=[5,10] gate=better explain=1 margin=1e-3",
    "heldout trust=yes heldout.again=true",
    "report +display.fuser.greatest=Greatest sweep=all",
    "apply out=x lock=y dataset=folder dataset.path=z",
    "power n=500 delta=null discordance=.05",
    "new concept=fuser name=x",
]
OF_PLUGINS = [
    "sweep experiment=fusion_pays lists.bm25.depth=7 encoder=hashed",
    "sweep experiment=dice",
    "sweep reranker=relational retriever@relations=mention_paths_older relations.near=7",
    "sweep extractor=llm extractor.base.model=null",
    "fit fit.rounds=2 target=ppr",
    "trace query=x lock=y",
    "answer run=x k=3 controls=null",
]
"""A line for each way to write a value and for each kind of file, not one for each command."""


def _printed(command: Command, *typed: str) -> Any:
    status, printed, said = command(*typed, "--cfg", "job")
    assert status == 0, said
    return OmegaConf.to_container(OmegaConf.create(printed))


@pytest.mark.parametrize(
    "line", [*LINES, *(pytest.param(line, marks=pytest.mark.plugin("dice")) for line in OF_PLUGINS)]
)
def test_a_command_runs_with_what_hydra_prints(line: str, command: Command) -> None:
    given = CommandLine.read(*_first(shlex.split(line)))
    found = OmegaConf.to_container(compose(given.primary, given.overrides))
    assert _printed(command, *shlex.split(line)) == found


def _first(words: list[str]) -> tuple[str, list[str]]:
    return words[0], words[1:]


def test_a_sweep_stores_what_hydra_prints(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(EXAMPLES)
    lists = "lists={dense: vectors.trec, graph: graph.trec}"
    typed = ["sweep", lists, "gold=gold.jsonl", "grid=point", "tracking=none"]
    typed += [f"paths.runs={tmp_path}", "fuser=linear", "fuser.alpha=0.4"]
    printed = by_name(_printed(command, *typed))
    assert command(*typed)[0] == 0
    (path,) = tmp_path.glob("sweeps/*/config.yaml")
    stored = yaml.safe_load(path.read_text())
    assert stored["lists"].keys() == printed["lists"].keys()  # its files are kept with the sweep
    for key in ("fuser", "normalizer", "pool", "objective", "metrics", "paths", "grid"):
        assert {**stored, "pool": printed["pool"]}[key] == printed[key], key


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of configurations with a nested fuser, a primary file and experiments."""
    monkeypatch.setattr(extensions, "SEARCHED", [*extensions.SEARCHED])
    files = {
        "fuser/team/mine.yaml": "_target_: harness.fusion.fuser.rrf.RRF\nk: 7\n",
        "own.yaml": "defaults: [sweep, _self_]\nmargin: 0.5\n",
        "wrong.yaml": "defaults: [sweep, _self_]\nmargn: 0.5\n",
        "experiment/chosen.yaml": (
            "# @package _global_\nexperiment:\n  source: ${hydra:runtime.choices.normalizer}\n"
        ),
        "experiment/typos.yaml": (
            "# @package _global_\nobjectiv: last_hop@10\npool: {capp: 5}\nexplain: true\n"
        ),
        "experiment/rows.yaml": (
            "# @package _global_\nexperiment:\n  tables:\n    - name: a\n      title: A\n"
            "      metrics: [recal@5]\n      against: x\n      rows: [{labl: x, where: {}}]\n"
        ),
        "fuser/lost.yaml": "_target_: harness.fusion.fuser.lost.Lost\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_hydras_own_ways_to_choose_files(own: Path, command: Command) -> None:
    for flag in (f"--config-dir={own}", f"hydra.searchpath=[file://{own}]"):
        assert _printed(command, "sweep", "fuser=team/mine", flag)["fuser"]["k"] == 7
    flags = ("--config-name=own", f"--config-dir={own}")
    assert _printed(command, "sweep", *flags)["margin"] == 0.5
    status, _, said = command("sweep", "--config-name=wrong", f"--config-dir={own}")
    assert status == 2
    assert "margn: this command has no margn (did you mean margin?)" in said


def test_a_reference_to_hydra_is_its_value(own: Path) -> None:
    line = ["experiment=chosen", "normalizer=max", f"--config-dir={own}"]
    given = CommandLine.read("sweep", line)
    assert compose("sweep", given.overrides).experiment.source == "max"


@pytest.mark.parametrize(
    ("typed", "messages"),
    [
        (
            "experiment=typos",
            [
                "typos.yaml: objectiv: this command has no objectiv (did you mean objective?)",
                "pool.capp: pool has no capp (did you mean pool.cap?)",
            ],
        ),
        (
            "experiment=rows",
            [
                "rows.yaml: ",
                "tables.0.metrics: ",
                "did you mean recall?",
                "rows.0: label is missing",
            ],
        ),
        ("fuser=lost grid=point", ["harness.fusion.fuser.lost.Lost: there is no such class"]),
        ("hydra.run.dir=here", ["write paths.runs=here"]),
        ("hydra.sweep.dir=here", ["write paths.runs=here"]),
    ],
)
def test_keys_of_files_are_checked_as_typed_ones(
    own: Path, command: Command, typed: str, messages: list[str]
) -> None:
    line = [*typed.split(), f"--config-dir={own}", f"paths.runs={own / 'runs'}"]
    status, printed, said = command("sweep", *line)
    assert (status, printed, said.count("\n")) == (2, "", 1), said
    assert [text for text in messages if text not in said] == [], said


def test_a_shell_completes_commands_and_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for typed, found in (("harness swe", "sweep"), ("harness sweep pool.ca", "pool.cap=")):
        monkeypatch.setenv("COMP_LINE", typed)
        done = process.harness("-sc", "query=bash")
        assert found in done.stdout.split()
    assert "complete" in process.harness("-sc", "install=bash").stdout
    assert "rrf" in names("fuser")


def test_two_flags_of_hydra_are_one_line(command: Command) -> None:
    status, _, said = command("sweep", "-m", "fuser=rrf,linear", "--cfg", "hydra")
    assert (status, said.count("\n"), "leave one out" in said) == (2, 1, True), said


def test_a_range_is_written_in_decimals(
    tmp_path: Path, command: Command, overrides: list[str]
) -> None:
    """0.1 and 0.1 + 0.2, which is 0.30000000000000004 as floating point."""
    line = ("sweep", "-m", "fuser=linear", "fuser.alpha=range(0.1,0.4,0.2)", "grid=point")
    status, _, said = command(*line, "dry_run=true", *overrides)
    assert status == 0, said
    jobs = [path.read_text() for path in tmp_path.glob("runs/multirun/*/job-*.json")]
    found = sorted(value for text in jobs for value in ("0.1", "0.3") if f'={value}"' in text)
    assert found == ["0.1", "0.3"]
