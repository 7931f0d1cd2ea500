"""The commands, a module each: its docstring is the help, ``run(config)`` does it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from harness.core.errors import HarnessError

if TYPE_CHECKING:
    from omegaconf import DictConfig

    from harness.evaluation.metric import Metric


def complete(config: DictConfig) -> None:
    """Raise HarnessError that names the keys which have no value yet (``???`` in conf/), and an ``out`` without one."""
    from omegaconf import OmegaConf

    missing = sorted(key for key in OmegaConf.missing_keys(config) if not key.startswith("hydra"))
    if missing := [*missing, *(["out"] if OmegaConf.select(config, "out") == "" else [])]:
        raise HarnessError(f"{', '.join(missing)}: no value is given; add {' '.join(f'{key}=...' for key in missing)}")


LISTS = ("dataset", "encoder", "extractor", "graph", "retriever", "lists", "seeds", "relations", "split", "experiment")
FUSION = ("fuser", "normalizer", "temperature", "reranker", "pool", "reference")
CHOICE = ("grid", "objective", "margin", "metrics", "dry_run")
"""Keys of conf/config.yaml: what makes lists, what fuses them, and by what a sweep chooses; see ``refuse``."""


def refuse(config: DictConfig, command: str, *unread: str) -> None:
    """Raise HarnessError for an override of a key that the command has and does not read.

    command: as it was typed, with the option by which the key is not read.    unread: keys, or a section's.
    """
    from omegaconf import OmegaConf

    for text in typed():
        key = re.split(r"[@=]", text.lstrip("+~"))[0]
        for name in unread:
            if key == name or key.startswith(f"{name}."):
                own = f"{command}.{name}"
                meant = f" (did you mean {own}?)" if OmegaConf.select(config, own) is not None else ""
                raise HarnessError(
                    f"{text} changes nothing: harness {command} does not read {name}{meant}; leave it out"
                )


def keep_inputs(config: DictConfig, *paths: object) -> None:
    """Raise HarnessError where ``out`` is one of the files that the command reads: these, and its ``gold``."""
    from pathlib import Path

    if config.out is None:
        return
    read = [str(path) for path in (*paths, config.get("gold")) if path is not None]
    if same := [path for path in read if Path(path).resolve() == Path(str(config.out)).resolve()]:
        raise HarnessError(f"out={config.out} is {same[0]}, which is read; give it another name")


def plain(node: Any) -> Any:
    """A value of the configuration as Python's own list, dict or scalar."""
    from omegaconf import OmegaConf

    return OmegaConf.to_container(node, resolve=True) if OmegaConf.is_config(node) else node


def at_depths(names: Any, depths: Any) -> list[Metric]:
    """The metrics of some names at some depths. Raises HarnessError for a depth that was typed and that none takes."""
    from harness.evaluation.metric import metrics

    found = metrics(names, depths)
    for text in typed():
        try:
            unread = text.startswith("k=") and metrics(names, ()) == found
        except HarnessError:  # a name without a depth, which takes this one
            unread = False
        if unread:
            raise HarnessError(f"{text} changes nothing: {', '.join(map(str, found))} have their own; leave it out")
    return found


def look(
    config: DictConfig, command: str, source: str, test_ids: Iterable[str], scored: Iterable[str] = ()
) -> dict[str, Any]:
    """Note that a command looks at these test questions, before any figure of them is printed; what was noted.

    scored: all questions that it looks at.
    """
    from harness.sweep.heldout import note_look

    return note_look(config.paths.looks, command, source, test_ids, scored=scored)


def print_look(config: DictConfig, noted: Mapping[str, Any], n: int) -> None:
    """Print what ``look`` noted, of ``n`` questions; nothing where none is a test question."""
    from harness.core.table import paragraph
    from harness.sweep.heldout import describe_looks

    if noted and (line := describe_looks(noted, n, config.paths.looks)):
        print(*paragraph(line), sep="\n")


def command_line(command: str) -> str:
    """What was typed, as it is stored: without passwords of addresses and values that are named like a key."""
    from harness.core.secret import hide_secrets

    return hide_secrets(" ".join(["harness", command, *typed()]))


def typed() -> list[str]:
    """The overrides of the command line, as they were typed (see ``harness.core.configuration.KNOB``)."""
    from hydra.core.hydra_config import HydraConfig

    given = HydraConfig.get().overrides.task if HydraConfig.initialized() else []
    return [text.removeprefix("++") for text in given]
