"""Loading a benchmark by its name or folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from harness.benchmark.benchmark import Benchmark
from harness.core.configuration.composition import compose
from harness.core.configuration.conf_files import names
from harness.core.configuration.instantiation import instantiate
from harness.core.errors import HarnessError, nearest, path_of

if TYPE_CHECKING:
    from harness.work.store import Store


def load(
    name_or_path: str | Path, data: str | Path | None = None, runs: str | Path | None = None
) -> Benchmark:
    """Return the benchmark of a name, or the one in a folder of prepared files.

    Args:
        name_or_path: ``sample``, ``musique``, ..., or a folder.
        data: folder of prepared benchmarks; None: environment HARNESS_DATA.
        runs: folder of artifacts; None: environment HARNESS_RUNS, or ``runs``.

    Returns:
        Passages, questions, gold and their split.

    Raises:
        HarnessError: it is unknown, missing or damaged.
    """
    from harness.work.store import Store, open_shared

    path_of("name_or_path", name_or_path)
    store = Store(
        Path(runs or os.environ.get("HARNESS_RUNS", "runs")),
        open_shared(os.environ.get("HARNESS_SHARED")),
    )
    return load_into(store, name_or_path, data)


def load_into(store: Store, name_or_path: str | Path, data: str | Path | None = None) -> Benchmark:
    """Return ``load``, with artifacts kept in ``store``."""
    if str(name_or_path) in names("dataset"):
        overrides = [f"dataset={name_or_path}"]
    elif Path(name_or_path).is_dir():
        overrides = ["dataset=folder", f"dataset.path={_quoted(str(name_or_path))}"]
    else:
        known = names("dataset")
        near = nearest(str(name_or_path), known)
        raise HarnessError(
            f"benchmark {name_or_path}: neither a known name{near} nor a folder; known: "
            f"{', '.join(known)}"
        )
    if data is not None:
        overrides.append(f"paths.data={_quoted(str(data))}")
    config = compose("benchmark", overrides)
    benchmark: Benchmark = instantiate(config.dataset).load(store)
    return benchmark


def _quoted(text: str) -> str:
    escaped = text.replace("'", "\\'")
    return f"'{escaped}'"
