"""Stores side by side: a question at a time, the default against each of the others."""

from __future__ import annotations

import atexit
import contextlib
from typing import Any

import numpy as np

from harness.core.configuration.conf_files import names, strategy
from tests.benchmarks.cases.dice import seeds_of, world
from tests.benchmarks.measure import Case

LIBRARIES = {"ladybug": "ladybug", "chroma": "chromadb"}
DEPTH, WIDTH = 10, 384


def case(quick: bool) -> dict[str, Case]:
    stack = contextlib.ExitStack()
    atexit.register(stack.close)
    return {**triplestores(stack, quick), **vectorstores(stack, quick)}


def others(concept: str, default: str) -> list[str]:
    """The stores beside the default."""
    return [name for name in names(concept) if name != default]


def triplestores(stack: contextlib.ExitStack, quick: bool) -> dict[str, Case]:
    triples, count = (2_000, 5) if quick else (100_000, 200)
    facts, _ = world(triples, 1)
    seeds = seeds_of(facts, count)
    default = stack.enter_context(strategy("triplestore", "memory").open(facts, True))
    made = {}
    for name in others("triplestore", "memory"):
        store = stack.enter_context(strategy("triplestore", name).open(facts, True))
        made[f"triplestore_{name}"] = Case(
            work=f"one hop from 10 seeds among {triples} triples, {count} questions one by one",
            peer=f"triplestore={name}",
            ours=lambda: [default(each) for each in seeds],
            theirs=lambda store=store: [store(each) for each in seeds],
            check=same,
            aim=1.0,
            packages=(LIBRARIES[name],),
            facts=lambda: {"questions": count},
        )
    return made


def vectorstores(stack: contextlib.ExitStack, quick: bool) -> dict[str, Case]:
    size, count = (300, 5) if quick else (10_000, 100)
    random = np.random.default_rng(0)
    vectors, questions = (
        unit(random.standard_normal((n, WIDTH), dtype=np.float32)) for n in (size, count)
    )
    # Passages lie near their questions, as in a benchmark, so that an approximate index has
    # something to find.
    vectors[: 20 * count] = unit(
        np.repeat(questions, 20, axis=0)[:size] + 0.5 * vectors[: 20 * count]
    )
    default = stack.enter_context(strategy("vectorstore", "faiss").open(vectors))
    made = {}
    for name in others("vectorstore", "faiss"):
        store = stack.enter_context(strategy("vectorstore", name).open(vectors))
        made[f"vectorstore_{name}"] = Case(
            work=f"{DEPTH} nearest of {size} x {WIDTH}, {count} questions one by one",
            peer=f"vectorstore={name}",
            ours=lambda: [default(question[None], DEPTH) for question in questions],
            theirs=lambda store=store: [store(question[None], DEPTH) for question in questions],
            check=nearest,
            aim=0.0,
            packages=(LIBRARIES[name],),
            facts=lambda: {"questions": count},
        )
    return made


def unit(vectors: Any) -> Any:
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def same(ours: Any, peer: Any) -> str:
    for mine, theirs in zip(ours, peer, strict=True):
        np.testing.assert_array_equal(mine, theirs)
    return "the same triples"


def nearest(ours: Any, peer: Any) -> str:
    for (docs, scores), (found, values) in zip(ours, peer, strict=True):
        np.testing.assert_array_equal(docs, found)
        np.testing.assert_array_equal(scores, values)
    return "the same vectors and the same bits of every score"
