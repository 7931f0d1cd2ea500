"""A configuration is what Hydra composes of the same files under the same overrides."""

from __future__ import annotations

from typing import Any

import hydra
import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser
from omegaconf import OmegaConf

from harness.core.concepts import package_folder
from harness.core.configuration import CommandLine, compose, prepare
from harness.core.configuration.extensions import extend_hydra
from harness.core.configuration.grammar import parse

LINES = [
    "sweep",
    "fuse fuser=rrf fuser.k=7 lists={a:x,b:y} out=f.trec",
    "fuse normalizer=zscore pool={cap:5} lists.a=x",
    "compare run=a baseline=[b,c] k=[5,10] gate=better explain=1 margin=1e-3",
    "evaluate run={file:a.csv,columns:{doc:pid}} gold=q metrics=recall dataset.chain={order:[known]}",
    "list concept=fuser paths.runs=/elsewhere",
    "power n=500 delta=null discordance=.05",
    "report +display.fuser.greatest=Greatest",
    "config dataset=musique_804 pool.cap=3 fuser=linear fuser.alpha=0.3 paths.runs=elsewhere",
    "config lists.colbert=a.json ~lists.dense metrics=[ndcg@3] pool.lists=[graph,colbert]",
    "config +grid.mine={fuser:[rrf],fuser.k:[7]} grid=point +retriever@lists.b=bm25",
    "config experiment=fusion_pays lists.hashed.depth=7 encoder=hashed",
]
OF_PLUGINS = [
    "config experiment=synonyms",
    "config experiment=many_encoders",
    "config reranker=policy",
    "config extractor=llm extractor.base.model=null",
    "config dataset=wiki_triples +retriever@lists.dice=dice lists.dice.rows=5",
]


@pytest.mark.parametrize(
    "line", [*LINES, *(pytest.param(line, marks=pytest.mark.plugin("dice")) for line in OF_PLUGINS)]
)
def test_it_is_what_hydra_composes(line: str) -> None:
    primary, *typed = line.split()
    extend_hydra()
    prepared = prepare(primary, typed)
    given = [str(one) for one in prepared.overrides]
    given += [f"+{group}=policyrag" for group in {"seeds"} & prepared.groups]
    with hydra.initialize_config_dir(str(package_folder("conf").resolve()), version_base="1.3"):
        found = hydra.compose(primary, given)
    assert _plain(compose(primary, typed)) == _plain(found)


def _plain(config: Any) -> Any:
    return OmegaConf.to_container(config)


@pytest.mark.parametrize(
    "value",
    r"""5;-5;+5;007;1_000;1.5;.5;5.;-1e3;1E-5;1.e5;inf;-NaN;true;False;NULL;null?;a;a.b/c-d;a b
    ;'x y';"x: y";'';[];{};[1,a,null,[2.5]];{a:1,b:{c:[x]}};{a:b:c};{1:x,2.5:y};{a b: c d };a|b;100%
    ;[last_hop@5, "ndcg(rel=2)@10"];${x};'it\'s';s3://a/b.c;[a:b];5x;e5;1e;0x1f;2024-01-01;yes;""".replace(
        "\n    ", ""
    ).split(";"),
)
def test_a_value_is_what_hydra_reads(value: str) -> None:
    (parsed,) = OverridesParser.create().parse_overrides([f"key={value}"])
    found = parse("key", value)
    assert repr(found) == repr(parsed.value())


def test_first_arguments_alone_are_the_keys_without_a_value() -> None:
    for typed, meant in (
        (["runs/sweeps/a", "k=3"], ["run='runs/sweeps/a'", "k=3"]),
        (["run of b"], ["run='run of b'"]),
        (["run=3"], ["run=3"]),
    ):
        assert list(CommandLine.read("compare", typed).overrides) == meant
