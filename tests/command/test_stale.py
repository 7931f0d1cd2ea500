"""What a class without a ``version`` makes is made anew in every process."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.core.concepts import PACKAGE
from tests import process

OWN = '''"""A list of my own."""

from dataclasses import dataclass

import numpy as np

from harness.run import Run
from own_helper import first


@dataclass(frozen=True)
class Mine:
    def retrieve(self, benchmark, store):
        """One passage a question."""
        count = len(benchmark.questions)
        docs = np.array([first(benchmark, query) for query in range(count)])
        return Run.of(benchmark.query_ids, benchmark.doc_ids, np.arange(count), docs, np.ones(count)), {}
'''
GOLD = """def first(benchmark, query):
    return int(benchmark.gold[query, 0])
"""
Sweep = Callable[[], tuple[float, str, Path]]


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A retriever in one module, with a helper in another, that finds the first gold passage of
    every question.
    """
    folder = tmp_path / "own"
    (folder / "conf" / "retriever").mkdir(parents=True)
    (folder / "own_list.py").write_text(OWN)
    (folder / "own_helper.py").write_text(GOLD)
    (folder / "conf" / "retriever" / "mine.yaml").write_text("_target_: own_list.Mine\n")
    return folder


@pytest.fixture
def given(own: Path, overrides: list[str]) -> list[str]:
    kept = [text for text in overrides if not text.startswith("lists.graph")]
    return [
        f"--config-dir={own}/conf",
        *kept,
        "retriever@lists.graph=mine",
        "grid=point",
        "metrics=[recall@1]",
    ]


def sweep(given: list[str], own: Path, *more: str) -> tuple[float, str, Path]:
    """recall@1 of the list, what was said, and the sweep's folder."""
    environment = {**os.environ, "PYTHONPATH": f"{own}{os.pathsep}{PACKAGE.parent}"}
    done = process.harness("sweep", *given, *more, env=environment, cwd=own, check=True)
    folder = Path(next(line for line in reversed(done.stdout.splitlines()) if "/sweeps/" in line))
    import pandas as pd

    trials = pd.read_parquet(folder / "trials.parquet")
    return float(trials.set_index("name").loc["graph", "recall@1"]), done.stderr, folder


def test_without_a_version_an_edit_of_whatever_it_reads_counts(own: Path, given: list[str]) -> None:
    """Two gold passages each, so the first of them is half of what there is; another passage is
    nothing. With a version the list is kept until that is raised.
    """
    before, said, folder = sweep(given, own)
    assert before == 0.5
    assert "own_list.Mine states no version" in said
    assert not list((folder.parents[1] / "artifacts" / "retrieve").glob("*.partial"))
    (own / "own_helper.py").write_text(
        GOLD.replace("benchmark.gold[query, 0]", "not benchmark.gold[query, 0]")
    )
    after, _, other = sweep(given, own)
    assert after < 0.1
    assert other != folder, "a sweep with other ranks is another sweep"
    stated = OWN.replace("class Mine:\n", 'class Mine:\n    version = "1"\n\n')
    for version, helper, expected in (("1", "", 0.0), ("1", GOLD, 0.0), ("2", GOLD, 0.5)):
        (own / "own_list.py").write_text(stated.replace('"1"', f'"{version}"'))
        if helper:
            (own / "own_helper.py").write_text(helper)
        score, said, other = sweep(given, own)
        assert round(score, 1) == expected
        assert "states no version" not in said
    lock = json.loads((other / "winner.lock.json").read_text())
    assert lock["versions"] == {"own_list.Mine": "2"}


def test_test_is_not_scored_by_other_code_than_was_locked(own: Path, given: list[str]) -> None:
    """Nor by another formula of a metric of one's own."""
    (own / "conf" / "metric").mkdir()
    formula = "{_target_: own_metric.first, _partial_: true}"
    (own / "conf" / "metric" / "first.yaml").write_text(
        f"_target_: harness.evaluation.metric.Measure\nformula: {formula}\n"
    )
    (own / "own_metric.py").write_text(
        "from own_rule import hit\n\n\n"
        "def first(ranks, k):\n    return hit(ranks[..., 0]).astype(float)\n"
    )
    (own / "own_rule.py").write_text("def hit(rank):\n    return rank == 1\n")
    given = [
        *(text for text in given if not text.startswith("metrics=")),
        "metrics=[recall@1,first@1]",
    ]
    _, _, folder = sweep(given, own)
    environment = {**os.environ, "PYTHONPATH": f"{own}{os.pathsep}{PACKAGE.parent}"}
    runs = next(text for text in given if text.startswith("paths.runs"))
    arguments = (f"--config-dir={own}/conf", f"sweep={folder}", runs, "tracking=none", "trust=true")
    apply = [f"lock={folder}", "out=out.trec", *arguments[:1], *arguments[2:]]
    process.harness("apply", *apply, env=environment, cwd=own, check=True)
    for module, before, now, reason in (
        ("own_rule", "== 1", "> 1", "scored otherwise on tune than in the sweep"),
        ("own_helper", "query, 0", "query, 1", "lists.graph ranks otherwise than in the sweep"),
        ("own_metric", "hit(", "1 - hit(", "the code changed since locking (locked: own_metric"),
    ):
        file = own / f"{module}.py"
        file.write_text(file.read_text().replace(before, now))
        for typed in (("heldout", *arguments), ("apply", *apply)):
            done = process.harness(*typed, env=environment, cwd=own)
            assert done.returncode == 2
            assert reason in done.stderr
