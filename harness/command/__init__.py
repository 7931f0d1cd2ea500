"""The commands, one module each. Its docstring is the help, and ``run(config)`` runs it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from harness.core.errors import HarnessError, unused

if TYPE_CHECKING:
    from omegaconf import DictConfig

    from harness.evaluation.metric import Metric


def complete(config: DictConfig) -> None:
    """Raise HarnessError that names the keys without a value (``???`` in conf/), and an ``out``
    without one.
    """
    from omegaconf import OmegaConf

    missing = sorted(key for key in OmegaConf.missing_keys(config) if not key.startswith("hydra"))
    files = ("run", "baseline", "gold", "lists", "out")
    if missing := [*missing, *(key for key in files if OmegaConf.select(config, key) == "")]:
        raise HarnessError(
            f"{', '.join(missing)}: no value is given; add "
            f"{' '.join(f'{key}=...' for key in missing)}"
        )


LISTS = (
    "dataset",
    "encoder",
    "extractor",
    "graph",
    "retriever",
    "lists",
    "seeds",
    "relations",
    "split",
    "experiment",
)
FUSION = ("fuser", "normalizer", "temperature", "reranker", "pool", "reference")
CHOICE = ("grid", "objective", "margin", "metrics", "dry_run")
"""Keys of conf/config.yaml that make lists, fuse them, and choose in a sweep (see
``refuse_unread``).
"""


def refuse_unread(*unread: str, why: str = "") -> None:
    """Raise HarnessError for a typed key that the command has but does not read here.

    Args:
        unread: keys, or sections.
        why: the reason.
    """
    for text in typed():
        key = re.split(r"[@=]", text.lstrip("+~"))[0]
        if any(f"{key}.".startswith(f"{name}.") for name in unread):
            raise HarnessError(unused(text, why))


def keep_inputs(config: DictConfig, *paths: object) -> None:
    """Raise HarnessError if ``out`` is a file that the command reads: one of these, or its
    ``gold``.
    """
    from pathlib import Path

    if config.out is None:
        return
    read = [str(path) for path in (*paths, config.get("gold")) if path is not None]
    if same := [path for path in read if Path(path).resolve() == Path(str(config.out)).resolve()]:
        raise HarnessError(
            f"out={config.out} is {same[0]}, which is an input; give it another name"
        )


def print_paths(paths: Iterable[object]) -> None:
    """Print the paths of files, one a line."""
    for path in paths:
        print(path)


def python_value(node: Any) -> Any:
    """Return a value of the configuration as a plain list, dict or scalar."""
    from omegaconf import OmegaConf

    return OmegaConf.to_container(node, resolve=True) if OmegaConf.is_config(node) else node


def at_depths(names: Any, depths: Any) -> list[Metric]:
    """Return the metrics of some names at some depths.

    Raises HarnessError for a typed depth that no metric uses.
    """
    from harness.evaluation.metric import metrics

    chosen = metrics(names, depths)
    try:
        unread = metrics(names, ()) == chosen
    except HarnessError:  # a name without a depth, which takes this one
        unread = False
    if unread:
        refuse_unread("k", why=f"{', '.join(map(str, chosen))}: each names its depth or has none")
    return chosen


def command_line(command: str) -> str:
    """Return the command line in its stored form, without passwords of addresses and values named
    like a key.
    """
    from harness.core.secret import hide_secrets

    return hide_secrets(" ".join(["harness", command, *typed()]))


_typed: list[str] = []


def note_typed(overrides: Iterable[str]) -> None:
    """Record the overrides of the command that is about to run in this process."""
    _typed[:] = [text.removeprefix("++") for text in overrides]


def typed() -> list[str]:
    """Return the overrides of the command line as typed (see
    ``harness.core.configuration.KNOB``).
    """
    return [*_typed]  # `list` is a module here, once that command is imported
