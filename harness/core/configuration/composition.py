"""Composing the configuration of a command: Hydra reads ``conf/`` under the overrides that were
typed.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from harness.core.concepts import package_folder
from harness.core.configuration.extensions import extend_hydra
from harness.core.configuration.hydra_errors import suggest_key, translate_errors
from harness.core.configuration.overrides import (
    Override,
    add_inputs,
    allow_knobs,
    check_groups,
    drop_unused,
    fit_shapes,
    name_strategies,
    unwrap_values,
)
from harness.core.errors import HarnessError

if TYPE_CHECKING:
    from omegaconf import DictConfig


def compose(primary: str = "config", overrides: Sequence[str] = ()) -> DictConfig:
    """The configuration of ``conf/<primary>.yaml`` under some Hydra overrides, without a job of
    Hydra's.
    """
    from hydra import compose as build
    from hydra import initialize_config_dir

    prepared = prepare(primary, drop_unused(primary, overrides))
    with (
        translate_errors(),
        suggest_key(lambda: compose(primary)) if overrides else contextlib.nullcontext(),
        _without_hydra(),
        initialize_config_dir(str(package_folder("conf").resolve()), version_base="1.3"),
    ):
        config = build(primary, add_inputs(primary, prepared))
    return finish(primary, config, prepared)


def prepare(primary: str, overrides: Sequence[str]) -> list[str]:
    """The overrides as Hydra takes them, which knows our folders then. Raises HarnessError for what
    cannot be meant.
    """
    extend_hydra()
    shaped = fit_shapes(primary, overrides)
    check_groups(shaped)
    return allow_knobs(name_strategies(primary, shaped))


def finish(primary: str, config: DictConfig, overrides: Sequence[str]) -> DictConfig:
    """What Hydra composed under these overrides, with mappings that were typed in place of
    defaults, and checked.
    """
    unwrap_values(config)
    drop_unused(primary, overrides)
    _replace_mappings(config, overrides)
    _check_paths(config)
    return config


def _check_paths(config: DictConfig) -> None:
    """Raise HarnessError for a file that is named by no text, and for a path without a name, by
    which results would go into the working folder.
    """
    paths = config.get("paths") or {}
    written = {key: config.get(key) for key in ("out", "figure")}
    for key, value in {
        **written,
        **{f"paths.{name}": value for name, value in paths.items()},
    }.items():
        if value is not None and not isinstance(value, str):
            raise HarnessError(
                f"{key}={value}: expected the name of a file; a name like that needs quotes, "
                f"{key}='\"...\"'"
            )
    for name, value in paths.items():
        if name != "shared" and not str(value or "").strip():
            raise HarnessError(
                f"paths.{name} (HARNESS_{str(name).upper()}) is empty; name a place, or unset "
                "the variable"
            )


def _replace_mappings(config: DictConfig, overrides: Sequence[str]) -> None:
    """Let a mapping that was typed stand for all of a strategy's field (``fuser.weights``), or all
    lists.

    Hydra would merge it with the default. What was typed after it holds (``lists.graph=FILE``), and
    so do lists that were typed by their strategy (``+retriever@lists.mine=bm25``).
    """
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from omegaconf import OmegaConf, open_dict

    given = [Override.read(text) for text in overrides]
    parse: Callable[[str], Any] = OverridesParser.create().parse_override
    for place, one in enumerate(given):
        if not one.value.startswith("{") or "~" in one.sign or not _is_replaced(config, one.key):
            continue
        named = {other.key.partition(f"@{one.key}.")[2] for other in given} - {""}
        beside = {
            name: node
            for name in named
            if (node := OmegaConf.select(config, f"{one.key}.{name}")) is not None
        }
        later = [
            other.text
            for other in given[place + 1 :]
            if re.match(rf"{re.escape(one.key)}(\.|$)", other.key)
        ]
        with open_dict(config):
            OmegaConf.update(config, one.key, {**beside, **parse(one.text).value()}, merge=False)
            for other in map(parse, later):
                OmegaConf.update(config, other.key_or_group, other.value())


def _is_replaced(config: DictConfig, key: str) -> bool:
    """Whether this is a field of a strategy, or all lists."""
    from omegaconf import DictConfig, OmegaConf

    section = key.rpartition(".")[0]
    holder = OmegaConf.select(config, section) if section else None
    return key == "lists" or (isinstance(holder, DictConfig) and "_target_" in holder)


@contextlib.contextmanager
def _without_hydra() -> Iterator[None]:
    """A block in which Hydra has no running command; its global state is restored afterwards."""
    from hydra.core.global_hydra import GlobalHydra

    outer, GlobalHydra.instance().hydra = GlobalHydra.instance().hydra, None
    try:
        yield
    finally:
        GlobalHydra.instance().hydra = outer
