"""Questions put otherwise: by rule, seeded, one at a time."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from harness.benchmark import Benchmark
from harness.graph.extractor import find_names
from harness.graph.extractor.offline import Offline
from harness.plugins.policyrag.analysis.perturb import alias, paraphrase, perturb
from harness.work.store import Store


@pytest.mark.parametrize(
    ("mentions", "expected"),
    [
        (["The Field's Quarry"], "Who made Field's Quarry?"),
        (["George James Rankin"], "Who made George J. Rankin?"),
        (["George Rankin"], "Who made G. Rankin?"),
        (["Dune (film)"], "Who made Dune?"),
        (["Maria de la Cruz"], "Who made Maria de la Cruz?"),
    ],
)
def test_forms_of_a_name(mentions: list[str], expected: str) -> None:
    found = alias(f"Who made {mentions[0]}?", mentions, random.Random(0))
    assert (found or f"Who made {mentions[0]}?") == expected


def test_a_name_of_one_word_has_no_other_form() -> None:
    assert alias("Who made Dune?", ["Dune"], random.Random(0)) is None
    assert alias("Who made it?", [], random.Random(0)) is None


def test_wording_changes_outside_names_only() -> None:
    draw = random.Random(1)
    found = (
        paraphrase("Which film did the director of Movie Country make?", ["Movie Country"], draw)
        or ""
    )
    assert "which movie did the director of Movie Country make?" in found
    assert (paraphrase("Dune is by whom?", ["Dune"], draw) or "").endswith("Dune is by whom?")


def test_a_benchmark_of_some_questions_and_their_wordings(
    titled: Callable[..., Benchmark], tmp_path: Any
) -> None:
    world = titled(
        {"David Lynch": "He made it.", "Dune": "A film."},
        ["Who is David Lynch?", "Who?", "What is Dune?"],
    )
    mentions = find_names(Offline(model=None, spans=False), world, Store(tmp_path)).mentions
    made = perturb(world, mentions, [0, 2], seed=3)
    ids = made.query_ids.to_pylist()
    assert ids == ["q0", "q0#paraphrase", "q0#alias", "q2", "q2#paraphrase"]
    assert made.questions[2] == "Who is D. Lynch?"
    assert made.sha256 != world.sha256
    alone = perturb(world, mentions, [2], seed=3)
    assert alone.questions == made.questions[3:]
    assert perturb(world, mentions, [0, 2], seed=3).sha256 == made.sha256
