"""A lock or a manifest with one value changed, and its hash made anew, is read or refused in one
line.
"""

import contextlib
import copy
import json
import random
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from harness.command import fuse, heldout, verify
from harness.core.configuration import compose
from harness.core.errors import HarnessError
from harness.core.identity import digest
from harness.sweep.folder.integrity import hashes
from harness.sweep.folder.result import LOCK
from harness.sweep.trial.plan import Plan
from harness.sweep.trial.prepared import Prepared
from harness.sweep.tune import sweep

VALUES = (
    *(
        None,
        True,
        -1,
        0,
        10**30,
        1e308,
        float("nan"),
        "",
        "x",
        "../x",
        "${oc.env:HOME}",
        "a" * 5000,
        "2" * 40,
    ),
    *(
        [],
        [[]],
        [None],
        {},
        {"": 0},
        {"_target_": "pytest.main"},
        {"strategy": "fuser/rrf"},
        [[1, 2], [3]],
    ),
)


pytestmark = pytest.mark.plugin("mentions")


@pytest.fixture(scope="module")
def swept(bench: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    lists = (f"lists.{name}={bench / name}.trec" for name in ("dense", "graph", "bm25"))
    runs = tmp_path_factory.mktemp("mutated") / "runs"
    blocks = "+grid.some={fuser:[linear,boosted],fuser.alpha:[0.3],normalizer:[ecdf]}"
    given = (
        "dataset=folder",
        f"dataset.path={bench}",
        *lists,
        f"paths.runs={runs}",
        "tracking=none",
        "grid=point",
        blocks,
    )
    plan = Plan(compose("config", given), given)
    return sweep(Prepared.of(plan), plan.trials()).folder


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The keys that lead to each value in a JSON document."""
    items = (
        value.items()
        if isinstance(value, Mapping)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, item in items:
        yield (*path, key)
        yield from places(item, (*path, key))


def mutated(content: Any, draw: random.Random) -> Any:
    """The document with one value replaced, removed, or held once more under another name."""
    found: Any = copy.deepcopy(content)
    *above, last = draw.choice(list(places(found)))
    node = found
    for key in above:
        node = node[key]
    match draw.randrange(4):
        case 0:
            del node[last]
        case 1 if isinstance(node, dict):
            node[f"{last}_"] = node[last]
        case _:
            node[last] = draw.choice(VALUES)
    return found


def read(folder: Path, bench: Path, out: Path) -> None:
    """What people do with a sweep's folder that somebody sent: fuse as its winner, verify, hold
    out.
    """
    runs = [f"paths.runs={folder.parents[1]}", f"paths.reports={out}"]
    lists = ",".join(f"{name}: {bench / name}.trec" for name in ("dense", "graph"))
    steps = {
        fuse: ("fuse", [f"lists={{{lists}}}", f"lock={folder / LOCK}", f"out={out}/f.trec", *runs]),
        verify: ("verify", ["rescore=true", f"sweep={folder}", *runs]),
        heldout: ("heldout", [f"sweep={folder}", "tracking=none", "heldout.again=true", *runs]),
    }
    for command, asked in steps.items():
        with contextlib.suppress(HarnessError):
            command.run(compose(*asked))


@pytest.mark.parametrize(
    "first", [0, *(pytest.param(first, marks=pytest.mark.slow) for first in range(3, 999, 3))]
)
def test_every_mutation_is_read_or_refused(
    first: int, swept: Path, bench: Path, tmp_path: Path
) -> None:
    for number in range(first, first + 3):
        draw = random.Random(number)
        name = draw.choice([LOCK, "manifest.json"])
        folder = Path(
            shutil.copytree(swept, tmp_path / f"{number}" / "runs" / "sweeps" / swept.name)
        )
        path, lock = folder / name, folder / LOCK
        path.write_text(json.dumps(mutated(json.loads(path.read_text()), draw)))
        content = json.loads(lock.read_text())
        if isinstance(content, dict):
            content = {key: value for key, value in content.items() if key != "sha256"}
            if name != LOCK:
                content["files"] = hashes(folder)
            lock.write_text(json.dumps({**content, "sha256": digest(content)}))
        try:
            read(folder, bench, tmp_path / f"out{number}")
        except Exception as error:
            raise AssertionError(f"mutation {number} of {name}") from error
        shutil.rmtree(tmp_path / f"{number}")
