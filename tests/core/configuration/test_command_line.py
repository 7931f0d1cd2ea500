"""File names as people have them: what Hydra reads is what was typed, and the commands read such
files.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser
from omegaconf import OmegaConf

from harness.core.configuration.command_line import CommandLine, quote_file
from tests import process
from tests.conftest import Command
from tests.lines import cases

NAMES = [
    "ünïcode-李明.trec",
    "bm25(k1=0.9,b=0.4).trec",
    "v1.0_final (2).trec",
    "a=b.trec",
    "it's.trec",
    '"q".trec',
    "!x.trec",
    "${x}.trec",
    "dollar$x.trec",
    "-x.trec",
    "~a.trec",
    "a;b.trec",
    "a#b.trec",
    "a&b.trec",
    "a,b.trec",
    "a[1].trec",
    "x{1}.trec",
    "a\\b.trec",
    "end\\",
    "a\\'b",
    "a|b.trec",
    "a<b.trec",
    "100%.trec",
    "@x.trec",
    "007",
    "1e5",
    "2024",
    "null",
    "true",
    "run.+.trec",
    "run.2024-01-01T10:00.trec",
    "with space.trec",
    "dir é/r.trec",
    "f.trec",
]


def value_of(override: str) -> Any:
    """What the configuration holds where Hydra has read an override."""
    (parsed,) = OverridesParser.create().parse_overrides([override])
    return OmegaConf.to_container(OmegaConf.create({"value": parsed.value()}), resolve=True)[
        "value"
    ]  # type: ignore[index, call-overload]


@pytest.mark.parametrize("name", NAMES)
def test_the_name_of_a_file_is_taken_as_it_is(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).touch()
    for key in ("run", "lists.dense", "dataset.path", "gold"):
        assert value_of(quote_file(f"{key}={name}")) == name


@pytest.mark.parametrize(
    "name", ["ünïcode-李明.trec", "with space.trec", "it's.trec", "1e5", "a=b.trec", "v1 (2).trec"]
)
def test_names_in_lists_and_mappings(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).touch()
    assert value_of(quote_file(f"lists={{a: {name}, b: b.trec}}")) == {"a": name, "b": "b.trec"}
    assert value_of(quote_file(f"run=[{name}, b.trec]")) == [name, "b.trec"]
    assert value_of(quote_file(f"run={{mine: [b.trec, {name}]}}")) == {"mine": ["b.trec", name]}


def test_what_names_no_file_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("5").touch()
    Path("sample").touch()
    typed = [
        "k=5",
        "dataset=sample",
        "run=mine.*.trec",
        "gold=null",
        "run=a,b",
        "run='x y'",
        "run=[a,b]",
        "run=${gold}",
    ]
    assert [quote_file(text) for text in typed] == typed
    assert value_of(quote_file("run=é.trec")) == "é.trec"  # the error is of the file, then


def test_a_home_is_expanded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "x.trec").touch()
    assert value_of(quote_file("run=~/x.trec")) == str(tmp_path / "x.trec")
    assert value_of(quote_file("lists={a: ~/x.trec}")) == {"a": str(tmp_path / "x.trec")}


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        *cases(
            """
evaluate run=f.trec gold=g.txt k=0,7 -> several values; a list is k=[0,7], with a decimal point k=0.7, with -m a job for each: -m k=0,7
fuse lists.a=f.trec lists.b=f.trec -m fuser=rrf,combsum out=o -> harness fuse runs once, with one value of each key; -m is for
compare run={日:f.trec} gold=g.txt -> rename 日; a name in braces has only letters a to z
sweep dataset=/a/path -> dataset=/a/path is not a name; your own folder is dataset=folder dataset.path=/a/path
sweep lists.dense=null -> leave the list out with ~lists.dense
evaluate run = f.trec -> run = f.trec: there are blanks around =; write run=f.trec
fuse lists={a:bm25(k1,b).trec} out=o -> needs quotes within those of the shell: 'lists={name:
evaluate k=[5, 10] -> k=[5,: a bracket is opened and not closed
evaluate run=nöwhere.trec gold=g.txt -> nöwhere.trec: there is no such file
"""
        ),
    ],
)
def test_what_cannot_be_is_one_line_that_helps(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: Command,
    typed: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.trec").write_text("q1 Q0 d1 1 9 s\n")
    (tmp_path / "g.txt").write_text("q1 0 d1 1\n")
    status, _, said = command(*typed)
    assert (status, said.count("\n"), message in said) == (2, 1, True), said


def test_a_command_reads_such_a_file(tmp_path: Path) -> None:
    for name in ("bm25(k1=0.9,b=0.4).trec", "ünï 李明.trec"):
        (tmp_path / name).write_text("q1 Q0 d1 1 9 s\n")
    (tmp_path / "g.txt").write_text("q1 0 d1 1\n")
    typed = ("gold=g.txt", "metric=recall", "k=[1,5]")
    done = process.harness(
        "compare", "run=ünï 李明.trec", "baseline=bm25(k1=0.9,b=0.4).trec", *typed, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert (
        "differ on no query" in " ".join(done.stdout.split())
        or "No difference is shown" in done.stdout
    )


def test_first_arguments_alone_are_the_keys_without_a_value() -> None:
    for typed, meant in (
        (["runs/sweeps/a", "k=3"], ["run='runs/sweeps/a'", "k=3"]),
        (["run of b"], ["run='run of b'"]),
        (["run=3"], ["run=3"]),
    ):
        assert list(CommandLine.read("compare", typed).overrides) == meant
