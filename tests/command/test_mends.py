"""A mend that a message prints, works: typed as it stands, it gets past that mistake."""

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import harness
from harness.__main__ import commands
from harness.core.concepts import PACKAGE
from harness.core.configuration import extensions
from harness.core.configuration.grammar import read_conf
from tests.conftest import Command

FILES = {
    "d.trec": "q1 Q0 b 1 3 s\nq1 Q0 a 2 2 s\n",
    "g.trec": "q1 Q0 a 1 3 s\nq1 Q0 b 2 2 s\n",
    "a,b.trec": "q1 Q0 a 1 3 s\n",
    "noted.trec": "# of a tool\nq1 Q0 a 1 3 s\n",
    "blank.json": '{"q1": {"a b": 1, "a": 2}}',
    "logits.json": '{"q1": {"a": -1, "b": -2}}',
    "queries.jsonl": '{"id": "q1", "supporting_ids": ["a", "b"]}\n',
    "qrels.txt": "q1 0 a 1\nq2 0 b 1\n",
    "ranks.csv": "query_id,doc_id,score\nq1,x,1\nq1,a,2\nq1,b,3\n",
}
EVALUATE = ("evaluate", "run=d.trec", "gold=queries.jsonl")
COMPARE = ("compare", "run=d.trec", "baseline=g.trec", "gold=queries.jsonl")
FUSE = ("fuse", "lists={dense: d.trec, graph: g.trec}", "fuser=rrf", "out=f.json")
SWEEP = ("sweep", "lists={dense: d.trec, graph: g.trec}", "gold=queries.jsonl", "dry_run=true")
PLACE = r"NAME|FILE|\.\.\."
"""What stands in a mend for a name of one's own."""


def changed(typed: list[str], mend: str) -> list[str]:
    """The command with a mend: in place of the value of its key, or behind."""
    key = mend.partition("=")[0]
    kept = [one for one in typed if one.partition("=")[0] != key]
    return [*kept, mend]


def mends(said: str, typed: list[str]) -> list[str]:
    """What a message tells to type: what it quotes, overrides behind its first semicolon, the
    nearest name, and another file to write.
    """
    found = re.findall(r"'([^'\s]+=[^']*)'", said)
    told = re.sub(r"'[^']*'", "", said.partition("; ")[2])
    found += re.findall(r"(?<![\w.])((?:[+~]\w[\w.]*|[a-z][\w.]*=[\w./\[\]@,~-]*[\w\]]))", told)
    found += [f"out={one}" for one in re.findall(r"write (\w+\.\w+)$", told.strip())]
    for word, name in re.findall(
        r"([\w.]+)(?:@\w+)?(?: is not known)? \(did you mean (.+?)\?\)", said
    ):
        found += [one.replace(word, name) for one in typed if word in one]
    return [one for one in dict.fromkeys(found) if not re.search(PLACE, one)]


@pytest.mark.parametrize(
    "typed",
    [
        (*EVALUATE, "run=[a,b.trec]"),
        (*EVALUATE, "run=noted.trec"),
        (*EVALUATE, "gold=qrels.txt", "strict=true"),
        (*EVALUATE, "metrics=[]"),
        (*EVALUATE, "metrics=recal"),
        (*EVALUATE, "ties=house1"),
        (*EVALUATE, "split=al"),
        (*EVALUATE, "lenient=yes", "lenint=true"),
        (*COMPARE, "gold=qrels.txt"),
        (*COMPARE, "run=d.trec,g.trec"),
        (*COMPARE, "metrik=recall"),
        (*FUSE, "lists=[d.trec,g.trec]"),
        (*FUSE, "fuser=RRF"),
        (*FUSE, "out=f.xlsx"),
        (*FUSE, "lists={dense: logits.json, graph: g.trec}", "fuser=linear", "normalizer=tmm"),
        (*FUSE, "lists={a: d.trec, b: g.trec}", "fuser=linear", "normalizer=tmm"),
        (*FUSE, "fuser.K=5", "fusor=rrf"),
        (*FUSE, "pool_cap=3"),
        (*EVALUATE, "runs=d.trec"),
        (*EVALUATE, "golds=queries.jsonl"),
        (*FUSE, "fuser=tsallis", "normalizer=zscore"),
        (*FUSE, "split=test", "splitting=given"),
        (*FUSE, "split=test", "splitting=disjoint"),
        (*FUSE, "lists={dense: [d.trec, g.trec]}"),
        (*SWEEP, "fuser.k=five", "fusr=rrf"),
        (*SWEEP, "objective=last_hop@five", "objektive=mrr"),
        ("sweep", "~lists.dense", "dry_run=true"),
        ("sweep", "dataset=sampel", "dry_run=true"),
        ("heldout", "again=true"),
        ("sweep", "dataset=sample", "encoder=hased", "dry_run=true"),
    ],
)
def test_a_mend_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command, typed: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        (tmp_path / name).write_text(content)
    given: list[str] = []
    for one in typed:
        given = changed(given, one) if "=" in one else [*given, one]
    status, _, said = command(*given)
    assert (status, said.count("\n")) == (2, 1), said
    told = mends(said, given)
    assert told, said
    wrong = said.split()[1].partition("=")[0]
    for mend in told:
        gone = f"{wrong}=" if re.search("did you mean|does not use", said) else " "
        kept = [one for one in given if not one.startswith(gone)]
        again = command(*changed(kept, mend))
        assert again[2] != said, (mend, again)


COMMAND = r"(?:^|[`'] ?|: )harness ([a-z]+)"
KEY = r"(?<![\w.{}=/%-])[+~]?([a-z_][\w.]*)=((?:[a-z]\w*(?=[\s;,)`']|$))?)"
OTHERS: dict[str, set[str]] = {"lists": set(), "hydra": set(), "key": set(), "cap": set()}
"""Keys of a message that no file of conf/ has: names of one's own, Hydra's, any, and in a trial's name."""


def sentences(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the line and text of every string of several words but docstrings; {} is a value."""
    inner = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    joined = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
    inner |= {id(part) for node in joined for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, (ast.JoinedStr, ast.Constant)) and id(node) not in inner:
            parts = node.values if isinstance(node, ast.JoinedStr) else [node]
            texts = (str(part.value) if isinstance(part, ast.Constant) else "{}" for part in parts)
            if " " in (text := "".join(texts)) and "<" not in text:
                yield node.lineno, text


def conf_keys() -> dict[str, dict[str, set[str]]]:
    """The keys of conf/ by their first words: those below each, by the file (a strategy)."""
    found = {key: {"": inner} for key, inner in OTHERS.items()}
    for folder in extensions.folders():
        for path in folder.glob("*/*.yaml"):
            found.setdefault(path.parent.name, {})[path.stem] = {*map(str, read_conf(path))}
        for path in folder.glob("*.yaml"):
            for key, section in read_conf(path).items():
                inner = section if isinstance(section, dict) else ()
                found.setdefault(key, {}).setdefault("", set()).update(map(str, inner))
    return found


@pytest.mark.plugin("site")
def test_a_mend_names_what_there_is() -> None:
    """Every command, key and strategy that any text of the package advises exists."""
    known = conf_keys()
    public = (harness.fuse, harness.evaluate, harness.compare)
    taken = {name for one in public for name in inspect.signature(one).parameters}
    wrong = []
    for path in PACKAGE.rglob("*.py"):
        tree = ast.parse(path.read_text())
        own = taken | {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
        for line, text in sentences(tree):
            missing = [name for name in re.findall(COMMAND, text) if name not in commands()]
            for key, value in re.findall(KEY, text):
                head, *inner = key.removeprefix("lists.NAME.").split(".")
                head, inner = ("retriever", [head]) if "NAME" in key else (head, inner)
                files = known.get(head, {})
                names = set().union(*files.values())
                unknown = head not in known or (inner and names and inner[0] not in names)
                chosen = value in ("", "null", "none") or inner or "" in files or value in files
                if (unknown or not chosen) and (inner or head not in own):
                    missing.append(f"{key}={value}")
            wrong += [f"{path}:{line}: {name}" for name in missing]
    assert not wrong, "\n".join(wrong)
