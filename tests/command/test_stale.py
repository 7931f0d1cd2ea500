"""A list is never read from the store when other code made it: edit, sweep again, and the new code
is what counts.
"""

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from harness.core.concepts import PACKAGE
from harness.work.store import NotStored, Store
from tests import warm

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
    done = warm.harness("sweep", *given, *more, env=environment, cwd=own, check=True)
    folder = Path(next(line for line in reversed(done.stdout.splitlines()) if "/sweeps/" in line))
    import pandas as pd

    trials = pd.read_parquet(folder / "trials.parquet")
    return float(trials.set_index("name").loc["graph", "recall@1"]), done.stderr, folder


def test_an_edit_of_a_helper_is_an_edit_of_the_list(own: Path, given: list[str]) -> None:
    """Two gold passages each, so the first of them is half of what there is; another passage is
    nothing.
    """
    before, _, folder = sweep(given, own)
    assert before == 0.5
    text = (own / "own_helper.py").read_text()
    (own / "own_helper.py").write_text(f'"""Now documented."""\n{text}  # and commented\n')
    again, said, same = sweep(given, own)
    assert (again, same) == (0.5, folder)
    assert "other code" not in said
    (own / "own_helper.py").write_text(
        GOLD.replace("benchmark.gold[query, 0]", "not benchmark.gold[query, 0]")
    )
    after, said, other = sweep(given, own)
    assert after < 0.1
    assert "was made by other code of own_helper; building it again" in said
    assert other != folder, "a sweep of other code is another sweep"
    lock = json.loads((other / "winner.lock.json").read_text())
    assert list(lock["sources"]) == ["own_helper", "own_list"]


def test_test_is_not_scored_by_other_code_than_was_locked(own: Path, given: list[str]) -> None:
    """Nor by another formula of a metric of one's own."""
    (own / "conf" / "metric").mkdir()
    formula = "{_target_: own_metric.first, _partial_: true}"
    (own / "conf" / "metric" / "first.yaml").write_text(
        f"_target_: harness.evaluation.metric.Measure\nformula: {formula}\n"
    )
    (own / "own_metric.py").write_text(
        "def first(ranks, k):\n    return (ranks[..., 0] == 1).astype(float)\n"
    )
    given = [
        *(text for text in given if not text.startswith("metrics=")),
        "metrics=[recall@1,first@1]",
    ]
    _, _, folder = sweep(given, own)
    (own / "own_metric.py").write_text(
        "def first(ranks, k):\n    return (ranks[..., 0] > 1).astype(float)\n"
    )
    environment = {**os.environ, "PYTHONPATH": f"{own}{os.pathsep}{PACKAGE.parent}"}
    runs = next(text for text in given if text.startswith("paths.runs"))
    arguments = (f"--config-dir={own}/conf", f"sweep={folder}", runs, "tracking=none", "trust=true")
    done = warm.harness("heldout", *arguments, env=environment, cwd=own)
    assert done.returncode == 2
    assert "the code changed since locking (locked: own_metric" in done.stderr
    (own / "own_helper.py").write_text("def first(benchmark, query):\n    return 0\n")
    done = warm.harness(
        "verify", *arguments[:3], "rescore=true", "trust=true", env=environment, cwd=own
    )
    assert done.returncode == 2
    assert "own_helper" in done.stderr


def test_an_edit_of_this_project_in_a_checkout_is_one_too(tmp_path: Path) -> None:
    """The scores are doubled in a copy of the tree; a comment there rebuilds nothing."""
    shutil.copytree(PACKAGE, tmp_path / "harness", ignore=shutil.ignore_patterns("__pycache__"))
    script = (
        "import logging, sys; from pathlib import Path; import numpy as np; "
        "logging.basicConfig(level='WARNING');"
        "from datasets import Dataset; from harness.benchmark import Benchmark; from "
        "harness.retriever import retrieve;"
        "from harness.retriever.bm25 import BM25; from harness.work.store import Store;"
        "rows = lambda **columns: Dataset.from_dict(columns);"
        "data = Benchmark('few', rows(id=['a', 'b'], title=['', ''], text=['red house', 'blue "
        "sky']),"
        "rows(id=['q'], question=['red sky?']), np.full((1, 1), -1, np.int32), np.zeros(1, "
        "bool), 'sha');"
        "print(retrieve(BM25(), data, Store(Path('runs'))).scores.tolist())"
    )

    def scores() -> tuple[list[float], str]:
        done = warm.python("-c", script, cwd=tmp_path, source=tmp_path, check=True)
        return json.loads(done.stdout), done.stderr

    before, _ = scores()
    place = tmp_path / "harness" / "retriever" / "bm25.py"
    text = place.read_text()
    place.write_text(text.replace('"""BM25, ', '"""Said in other words: BM25, ') + "# the end\n")
    assert scores() == (before, "")
    edited = text.replace(
        "total[index.indices[holding]] += count", "total[index.indices[holding]] += 2 * count"
    )
    assert edited != text
    place.write_text(edited)
    after, said = scores()
    assert after == [2 * score for score in before]
    assert "was made by other code of harness.retriever.bm25; building it again" in said


def _write(text: str) -> Callable[[Path], None]:
    return lambda folder: (folder / "data.txt").write_text(text) and None


def by(sources: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.work.store.sources", lambda modules: sources)


def test_what_an_older_version_stored_is_taken_for_the_code_that_reads_it_first(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    by({}, monkeypatch)
    made = store.get("stage", {}, {}, _write("one"))
    manifest = made.path / "manifest.json"
    manifest.write_text(
        json.dumps({key: value for key, value in made.manifest.items() if key != "sources"})
    )
    for sources, text in (({}, "one"), ({"mine": "1"}, "one"), ({"mine": "2"}, "two")):
        by(sources, monkeypatch)
        assert (store.get("stage", {}, {}, _write("two")).path / "data.txt").read_text() == text


def test_a_killed_build_of_other_code_does_not_go_on(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(folder: Path) -> None:
        (folder / "shard").write_text("old")
        raise KeyboardInterrupt

    def build(folder: Path) -> None:
        (folder / "data.txt").write_text("old" if (folder / "shard").exists() else "new")

    for name, sources, expected in (("a", {"mine": "1"}, "old"), ("b", {"mine": "2"}, "new")):
        by({"mine": "1"}, monkeypatch)
        with pytest.raises(KeyboardInterrupt):
            store.get("stage", {"name": name}, {}, killed, resumable=True)
        by(sources, monkeypatch)
        made = store.get("stage", {"name": name}, {}, build, resumable=True)
        assert (made.path / "data.txt").read_text() == expected
        assert not list(made.path.glob("*.partial"))


def test_who_builds_nothing_names_the_other_code(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    by({"mine": "1"}, monkeypatch)
    store.get("stage", {}, {}, _write("one"))
    by({"mine": "2"}, monkeypatch)
    with pytest.raises(NotStored, match=r"^stage: made by other code of mine$"):
        replace(store, builds=False).get("stage", {}, {}, _write("two"))
