"""Helps fit into 80 columns; examples stay lines that can be typed."""

import shlex

import pytest

from harness.__main__ import commands, documentation, usage
from harness.core.table import fold


def test_paragraphs_are_filled_and_long_examples_go_on_after_a_backslash() -> None:
    long = (
        "harness fuse 'lists={dense: dense.trec, graph: graph.trec}' normalizer=pit fuser=rrf "
        "out=fused.trec"
    )
    text = f"{'word ' * 30}\n\n  harness a     short\n  {long}     {'told ' * 20}"
    first, second, *example = fold(text).splitlines()[:2] + fold(text).splitlines()[3:]
    assert (first, second) == (" ".join(["word"] * 16), " ".join(["word"] * 14))
    assert example[0] == "  harness a     short"
    assert example[1].endswith(" \\")
    assert shlex.split(" ".join(line.removesuffix("\\") for line in example[1:3])) == shlex.split(
        long
    )
    assert example[3].startswith("      told told")


@pytest.mark.parametrize("name", ["--help", *commands()])
def test_no_line_is_wider_than_80_columns(name: str) -> None:
    text = usage() if name == "--help" else fold(documentation(name))
    wide = [line for line in text.splitlines() if len(line) > 80]
    assert [
        line for line in wide if not line.strip().startswith("'")
    ] == []  # but a long value, quoted
