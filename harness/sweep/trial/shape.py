"""The shape of a configuration, checked before anything is made of it: a strategy wherever one must stand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.core.errors import HarnessError
from harness.sweep.trial import BESIDE, GROUPS

if TYPE_CHECKING:
    from omegaconf import DictConfig


def check_shape(config: DictConfig) -> None:
    """Raise HarnessError that names the key, as in ``dataset={}`` or ``lists.dense=5``.

    A strategy is a mapping with ``_target_``, the dotted name of a class; a list may also be the path of a run file.
    """
    for key in ("dataset", *GROUPS, *(key for key in BESIDE if key in config)):
        _check_strategy(key, config.get(key))
    named = config.get("lists")
    if not _is_mapping(named) or not named:
        raise HarnessError(f"lists = {named}, expected a retriever or a run file under each name")
    for name, node in named.items():
        if not isinstance(node, str):
            _check_strategy(f"lists.{name}", node, " or the path of a run file")


def _check_strategy(key: str, node: Any, other: str = "") -> None:
    target = node.get("_target_") if _is_mapping(node) else None
    if not isinstance(target, str) or "." not in target:
        raise HarnessError(
            f"{key} = {str(node)[:80]}, expected a strategy of conf/, a mapping with _target_{other}; choose one by "
            f"its name, e.g. {key}=NAME"
        )


def _is_mapping(node: Any) -> bool:
    from omegaconf import OmegaConf

    return bool(OmegaConf.is_dict(node))
