"""A mend that a message prints, works: typed as it stands, it gets past that mistake."""

import ast
import functools
import inspect
import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import harness
from harness.__main__ import commands
from harness.core.concepts import PACKAGE
from harness.core.configuration import extensions
from harness.core.configuration.yaml_files import read_conf
from tests import process

LINES = [f"q{n} Q0 {{}} 1 3 s\nq{n} Q0 {{}} 2 2 s\n" for n in range(8)]
FILES = {
    "d.trec": "".join(line.format("b", "a") for line in LINES),
    "g.trec": "".join(line.format("a", "b") for line in LINES),
    "a,b.trec": "q1 Q0 a 1 3 s\n",
    "noted.trec": "# of a tool\nq1 Q0 a 1 3 s\n",
    "ends.trec": "q1 Q0 a 1 3 s more\n",
    "other.trec": "q1 Q0 x 1 3 s\nq1 Q0 y 2 2 s\n",
    "blank.json": '{"q1": {"a b": 1, "a": 2}}',
    "logits.json": '{"q1": {"a": -1, "b": -2}}',
    "queries.jsonl": "".join(
        f'{{"id": "q{n}", "question": "?", "supporting_ids": ["a", "b"]}}\n' for n in range(8)
    ),
    "few.jsonl": '{"id": "q1", "supporting_ids": ["a", "b"]}\n',
    "qrels.txt": "q1 0 a 1\nq2 0 b 1\n",
    "own.csv": "topic_no,pid,value\nq1,a,2\nq1,b,1\n",
    "dist.csv": "query_id,doc_id,distance\nq1,a,1\nq1,b,2\n",
    "ranks.csv": "query_id,doc_id,score\nq1,x,1\nq1,a,2\nq1,b,3\n",
    "scores.csv": "id,f1\ni1,0.5\ni2,1\n",
    "others.csv": "id,f1\ni1,0.25\ni2,1\n",
    "one.trec": "q1 Q0 a 1 3 s\n",
    "upstream/musique.json": json.dumps(
        [
            {
                "id": "2hop__1_2",
                "question": "?",
                "answer": "x",
                "paragraphs": [
                    {"idx": n, "title": one, "paragraph_text": f"of {one}", "is_supporting": True}
                    for n, one in enumerate("ab")
                ],
                "question_decomposition": [
                    {"question": "?", "answer": "x", "paragraph_support_idx": n} for n in range(2)
                ],
            }
        ]
    ),
    "upstream/musique_corpus.json": json.dumps(
        [{"title": one, "text": f"of {one}"} for one in "ab"]
    ),
    "folder/corpus.jsonl": "".join(
        f'{{"id": "{one}", "title": "{one}", "text": "of {one}"}}\n' for one in "abc"
    ),
    "folder/queries.jsonl": '{"id": "q1", "question": "?", "supporting_ids": ["a", "b"]}\n',
}
USUAL = {
    "evaluate": "run=d.trec gold=queries.jsonl",
    "compare": "run=d.trec baseline=g.trec gold=queries.jsonl",
    "fuse": "'lists={dense: d.trec, graph: g.trec}' fuser=rrf out=f.json",
    "sweep": "'lists={dense: d.trec, graph: g.trec}' gold=queries.jsonl grid=point dry_run=true",
}
"""What stands in a command besides a mistake, unless the mistake begins with a colon."""
STANDS_FOR = {
    "rank: NAME": "rank: score",
    "DIR": "folder",
    "FILE": "queries.jsonl",
    "NAME": "dense",
    "i/n": "1/2",
}
"""What is typed for a word of a mend that stands for one of the user's own."""
PLACE = r"\.\.\.|[A-Z]{4,}|\{\}|: \w+, \.\.\."


def changed(typed: list[str], mend: str) -> list[str]:
    """The command with a mend: in place of the value of its key, or behind."""
    *flags, mend = mend.split(" ", 1) if mend.startswith("-m ") else [mend]
    key = mend.partition("=")[0].lstrip("+")
    kept = [one for one in typed if one.partition("=")[0].lstrip("+") != key and one not in flags]
    return [*kept, *flags, mend]


KEY_OF_MEND = (
    r"(?<![\w.={-])(?:-m )?\+?[a-z][\w.]*(?:@[\w.]+)?="
    r"(?:\[[^\]]*\]|\{[^}]*\}|[\w./@~-]+(?:,[\w./@~-]+)*)(?=[\s;,)`.:']|$)"
)
QUOTED = r"'((?:-m )?[+~]?[\w.@]+=[^']*)'"


def mends(said: str, typed: list[str]) -> Iterator[list[str]]:
    """The commands that a message tells to type: with what it quotes or writes behind its first
    semicolon, with the nearest name, without what is to be left out, or another command.
    """
    told = re.sub(rf"{QUOTED}|`[^`]*`", "", said.partition("; ")[2] or said.rpartition(": ")[2])
    start = said.partition("does not use ")[2] or said.partition(": ")[2]
    wrong = re.escape(re.split("[ =:]", start + " ", maxsplit=1)[0])
    near = re.findall(
        r"([\w.]+)(?:@\w+)?(?:: no such command| is not known)? \(did you mean (.+?)\?\)", said
    )
    own = [one for one in typed if not re.match(rf"-*{wrong}([.=]|$)", one)]
    kept = own if near or re.search("does not use|has no names", said) else typed
    found = re.findall(QUOTED, said) + re.findall(rf"{KEY_OF_MEND}(?: {KEY_OF_MEND})*", told)
    found += re.findall(r"(~\w[\w.]*)(?=[\s;,)]|$)", told)
    found += [f"out={one}" for one in re.findall(r"write (\w+\.\w+)$", told.strip())]
    for one in found:
        line = kept
        for mend in re.findall(KEY_OF_MEND, one) or [one]:
            line = changed(line, mend)
        yield line
    for word, name in near:
        for one in (one for one in typed if word in one):
            yield changed(own, one.replace(word, name)) if "=" in one else [name, *typed[1:]]
    if re.search("leave (it|one of them|one|them) out", told):
        yield own
    for name, given in re.findall(r"harness ([a-z]+)((?: [\w.]+=[\w./-]+)*)", said):
        if name in commands():
            yield [name, *shlex.split(given or USUAL.get(name, ""))]
    for flag in ("--help", "--cfg job", "--rescore"):
        if flag in said and typed[0] in commands():
            yield [typed[0], *flag.split()]


def spelt(line: list[str]) -> list[str]:
    """The command with one's own names in place of NAME and others."""
    for word, own in STANDS_FOR.items():
        line = [re.sub(rf"\b{word}\b", own, one) for one in line]
    return line


MISTAKES = r"""
evaluate run=[a,b.trec]
evaluate run=noted.trec
evaluate run=ends.trec
evaluate gold=qrels.txt strict=true
evaluate gold=few.jsonl strict=true
evaluate metrics=[]
evaluate metrics=recal
evaluate ties=house1
evaluate split=al
evaluate splitting=given split=test
evaluate gold=qrels.txt dataset.chain={type:[x]}
evaluate lenint=true lenient=yes
evaluate run=d.trec,g.trec
evaluate run={a:d.trec}
evaluate run=ranks.csv
evaluate runs=d.trec
evaluate golds=queries.jsonl
evaluate qrels=qrels.txt
evaluate strict
evaluate recall
evaluate out = x.json
evaluate -x
evaluate rel=2
evaluate k=0,7
evaluate columns.doc=pid
evaluate --cfg jobs
compare gold=qrels.txt
compare metrik=recall
:compare run=d.trec baseline=g.trec
:compare run=scores.csv baseline=others.csv k=5
fuse lists=[d.trec,g.trec]
fuse lists=d.trec,g.trec
fuse fuser=RRF
fuse out=f.xlsx
fuse 'lists={dense: logits.json, graph: g.trec}' fuser=linear normalizer=tmm
fuse 'lists={a: d.trec, b: g.trec}' fuser=linear normalizer=tmm
fuse 'lists={a: d.trec, b: g.trec, c: d.trec}' fuser=linear
sweep track=false
fuse fuser.K=5 fusor=rrf
fuse pool_cap=3
fuse weights.a=2
fuse fuser=linear fuser.weights.dense=2
fuse alpha=0.3 fuser=linear
fuse T=2
fuse fuser=boltzmann temperature=0.5
fuse fuser=tsallis normalizer=zscore
fuse split=test splitting=given
fuse split=test splitting=disjoint
fuse split=test splitting=disjoint gold=few.jsonl
fuse lists={dense:[d.trec,g.trec]}
fuse pool.cap=5 pool.capped=[grahp]
fuse lock=runs/sweeps fuser.k=5
fuse fuser=boltzmann fuser.alpha=0.3,0.5
fuse out=f.zip
sweep objective=last_hop@five objektive=mrr
:sweep dataset=sampel grid=point dry_run=true
:sweep dataset=folder grid=point dry_run=true
:sweep dataset=folder/ grid=point dry_run=true
:sweep 'lists={dense: d.trec}' gold=queries.jsonl grid=point dry_run=true
:sweep lists.dense=d.trec gold=queries.jsonl grid=point dry_run=true
sweep 'lists={a: d.trec, b: g.trec}'
sweep dataset=sample
sweep explain=true
sweep lists=d.trec,g.trec
:sweep grid.values.fuser.alpha=[0.1] dry_run=true
sweep fuser=single fuser.list=dens
sweep lists.dense.index=Flat
heldout again=true
heldout sweep=empty
heldout dry_run=true
heldout paths.runs=empty
heldout paths.ledger=folder
heldout paths.ledger=new.jsonl
heldout
report sweep=empty
report paths.runs=empty
report sweep=[a,b]
verify paths.runs=empty
verify paths.ledger=new.jsonl
ui paths.runs=empty
ui tracking=none
list fusr
power
power delta=20 discordance=.05
:power delta=.05
new fusr mine
new plugin walks
data dataset=folder
evaluat run=d.trec
:sweep 'lists={dense: d.trec, graph: g.trec}' gold=queries.jsonl grid=point dry_run=true tracking.uri=x tracking=none
fuse lists={}
fuse fuser=learned
fuse out=f.trec 'lists={dense: blank.json, graph: blank.json}'
fuse reranker=coverage
:sweep dataset=folder dataset.path=folder/ grid=point dry_run=true retriever@lists.graph=bm25 reranker=ising
:sweep dataset=hf dataset.path=folder grid=point dry_run=true
sweep objective=last_hop@5 gold=qrels.txt dataset.chain={type:[x]}
:report sweep=runs/sweeps/none
report table=x
:verify --rescor
:verify sweep=queries
:heldout sweep=queries-x
:new fuser my-fuser
:data dataset=hotpotqa paths.data=folder
sweep grid=point +grid.x={encoder:[static,hashed]}
:sweep 'lists={a: d.trec, b: g.trec, c: other.trec}' gold=queries.jsonl grid=point dry_run=true
:power n=100 discordance=[]
:doctor instal=x
fuse lists.dense.index=Flat
prepare wait=true dry_run=true
sweep objective=last_hop@5 gold=qrels.txt 'dataset.chain={type: [x]}'
compare metric=ndcg@x
fuse split=test 'lists={dense: one.trec, graph: one.trec}'
fuse out=f.parquet.gz
sweep gold=qrels.txt objective=last_hop@5
rm -r runs && sweep dry_run=false tracking=none
heldout heldout.again=true
:report archive=x.zip
:verify
:data dataset=musique paths.data=upstream out=o
rm runs/sweeps/*/heldout.entry.json && :report
sed -i s/0/1/ runs/sweeps/*/heldout.json && :report
rm runs/sweeps/*/heldout* && :verify
rm runs/sweeps/*/trials.parquet && :report
"""
"""A mistake a line: what is typed after what a command usually has (USUAL), or alone after a
colon; before ``&&`` what a shell does to the files first.
"""
SAID: list[str] = []
"""What all of these print."""
TYPED = set[str]()
"""Those that this process has typed."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """FILES, and the folder of a sweep of two lists that has been held out."""
    folder = tmp_path_factory.mktemp("files") / "here"
    for name, content in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    (folder / "empty").mkdir()
    swept = shlex.split(USUAL["sweep"].replace("dry_run=true", "tracking=none"))
    process.harness("sweep", *swept, cwd=folder, check=True)
    process.harness("heldout", "tracking=none", cwd=folder, check=True)
    return folder


def type_in(folder: Path, files: Path, first: str, typed: list[str]) -> list[str]:
    """The lines that a command prints in a copy of the files."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(files, folder)
    if first:
        subprocess.run(first, shell=True, cwd=folder, check=True)
    done = process.harness(*typed, cwd=folder)
    assert "Traceback" not in done.stderr, (typed, done.stderr)
    lines = [*done.stderr.splitlines(), *done.stdout.splitlines()]
    SAID.extend(lines)
    return lines


def of_plugin(mistake: str) -> Any:
    """The mistake, of the plug-in that compares scores of items where it does."""
    marks = [pytest.mark.plugin("items")] if mistake.startswith(":compare") else []
    return pytest.param(mistake, marks=marks)


@pytest.mark.parametrize("mistake", [*map(of_plugin, MISTAKES.strip().splitlines())])
def test_a_mend_works(
    tmp_path: Path, files: Path, monkeypatch: pytest.MonkeyPatch, mistake: str
) -> None:
    TYPED.add(mistake)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    for name in ("huggingface_hub.constants", "datasets.config"):  # which read it when imported
        monkeypatch.setattr(f"{name}.HF_HUB_OFFLINE", True)
    first, _, line = f"&& {mistake}".rpartition("&& ")
    name, *own = shlex.split(line.lstrip(":"))
    typed = [name, *shlex.split("" if line[0] == ":" else USUAL.get(name, ""))]
    for one in own:
        is_key = re.match(r"[+~\w.@]+=.", one)
        typed = changed(typed, one) if is_key else [*typed, one]
    first, told = first.strip("& "), 0
    for said in type_in(tmp_path / "here", files, first, typed):
        for mend in map(spelt, mends(said, typed)):
            if mend != typed and not re.search(PLACE, " ".join(mend)):
                again = type_in(tmp_path / "here", files, first, mend)
                assert said not in again or not said.startswith(("error", "warning")), mend
                told += 1
    assert told


ADVICE = (
    r"(?:give|set|write|add|take|type|choose|name|use|put|with|by|try|e\.g\.|as in|mean|leave out|"
    r"next:|yours:|folder is)\b[^;`]*?(?<![\w.{}/%-])'?[+~]?[a-z_][\w.{}@]*=|"
    r"\bharness (?:[a-z]+|\{\})\b|did you mean|pip install|`?--[a-z]+|\bwrite \{\}|(?<!\w)-m\b"
)
UNTYPED = 65
"""The number of texts of the core that advise something and that no mistake above prints: those
about models, GPUs, the Hub, libraries that are not installed, a full disk, and Python alone.
"""


def holds(line: str, parts: list[str]) -> bool:
    """Whether a line has all parts in this order."""
    for part in parts:
        _, found, line = line.partition(part) if part else ("", "x", line)
        if not found:
            return False
    return True


@pytest.mark.plugin("items")
def test_advice_is_typed() -> None:
    """New advice comes with a mistake that prints it."""
    if {*MISTAKES.strip().splitlines()} != TYPED:
        pytest.skip("not all mistakes were typed in this process")
    printed, untyped = {*SAID}, []
    for path in PACKAGE.rglob("*.py"):
        for line, text in sentences(path):
            if "plugins" not in path.parts and re.search(ADVICE, text):
                parts = re.split(r"\{\}|%s|%d", text.strip())
                if not any(holds(one, parts) for one in printed):
                    untyped.append(f"{path}:{line}: {text[:100]}")
    assert len(untyped) <= UNTYPED, "\n".join(untyped)


COMMAND = r"(?:^|[`'] ?|: )harness ([a-z]+)"
KEY = r"(?<![\w.{}=/%&-])[+~]?([a-z_][\w.]*)=((?:[a-z]\w*(?=[\s;,)`']|$))?)"
OTHERS: dict[str, set[str]] = {"lists": set(), "hydra": set(), "key": set(), "cap": set()}
"""Keys of a message that no file of conf/ has: names of one's own, Hydra's, any, and in a trial's name."""


@functools.cache
def nodes(path: Path) -> list[ast.AST]:
    """The syntax tree of a module, as a list."""
    return [*ast.walk(ast.parse(path.read_text()))]


def sentences(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and text of every string of several words but docstrings; {} is a value."""
    inner = {id(node.value) for node in nodes(path) if isinstance(node, ast.Expr)}
    joined = [node for node in nodes(path) if isinstance(node, ast.JoinedStr)]
    inner |= {id(part) for node in joined for part in node.values}
    for node in nodes(path):
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
        own = taken | {node.arg for node in nodes(path) if isinstance(node, ast.arg)}
        for line, text in sentences(path):
            missing = [name for name in re.findall(COMMAND, text) if name not in commands()]
            for key, value in re.findall(KEY, text):
                head, *inner = key.removeprefix("lists.NAME.").split(".")
                head, inner = ("retriever", [head]) if "NAME" in key else (head, inner)
                files = known.get(head, {})
                names = set().union(*files.values())
                blocks = head == "grid"  # have names of one's own
                inner_of = inner[:1] if names and not blocks else []
                unknown = head not in known or not names.issuperset(inner_of)
                chosen = value in ("", "null", "none") or inner or "" in files or value in files
                if (unknown or not chosen) and (inner or head not in own):
                    missing.append(f"{key}={value}")
            wrong += [f"{path}:{line}: {name}" for name in missing]
    assert not wrong, "\n".join(wrong)
