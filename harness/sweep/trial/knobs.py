"""The shape of a configuration, checked before anything is made of it: a strategy wherever one must stand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from harness.core.configuration import NAME, TARGET, StoredReader
from harness.core.errors import HarnessError
from harness.sweep.trial import GROUPS, RERANKER_INPUTS
from harness.sweep.trial.override import POOL, values

if TYPE_CHECKING:
    from omegaconf import DictConfig


def check_shape(config: DictConfig) -> None:
    """Raise HarnessError that names the key, as in ``dataset={}`` or ``lists.dense=5``.

    A strategy is a mapping with ``_target_``, the dotted name of a class; a list may also be the path of a run file.
    """
    for key in ("dataset", *GROUPS, *(key for key in RERANKER_INPUTS if key in config)):
        _check_strategy(key, config.get(key))
    check_lists(config)


def check_lists(config: DictConfig) -> None:
    """Raise HarnessError where ``lists`` has something else than a retriever or a run file under a name."""
    named = config.get("lists")
    if not _is_mapping(named) or not named:
        raise HarnessError(f"lists = {named}, expected a retriever or a run file under each name")
    for name, node in named.items():
        if not isinstance(node, str):
            out = f"leave the list out with ~lists.{name}, or " if node is None else ""
            _check_strategy(f"lists.{name}", node, " or the path of a run file", out)


def _check_strategy(key: str, node: Any, other: str = "", mend: str = "") -> None:
    target = node.get("_target_") if _is_mapping(node) else None
    if not isinstance(target, str) or "." not in target:
        raise HarnessError(
            f"{key} = {str(node)[:80]}, expected a strategy of conf/, a mapping with _target_{other}; {mend}choose one "
            f"by its name, e.g. {key}=NAME"
        )


def _is_mapping(node: Any) -> bool:
    from omegaconf import OmegaConf

    return bool(OmegaConf.is_dict(node))


def read_knobs(knobs: Mapping[str, Any], reader: StoredReader) -> dict[str, Any]:
    """The flat knobs of a stored trial (``fuser``, ``fuser.k``, ``pool.cap``, ...), whose values can be instantiated.

    Raises HarnessError unless each strategy is one of conf/, and each other knob one of its fields or of the pool.
    """
    found: dict[str, Any] = {}
    for group in GROUPS:
        if own := fields(group, knobs):
            read = reader.read({NAME: f"{group}/{knobs.get(group)}", **own}, group)
            found |= {f"{group}.{field}": value for field, value in read.items() if field != TARGET}
    for knob, value in knobs.items():
        if knob not in found:
            if knob not in (*GROUPS, *POOL, "reference"):
                raise reader.refuse((knob,), value, "expected a knob of a trial")
            found[knob] = reader.read(value, knob)
    return found


def read_axes(config: Mapping[str, Any], reader: StoredReader) -> None:
    """Raise HarnessError for an axis of a stored grid that gives a strategy what reaches beyond the folder."""
    for block, axes in config["grid"].items():
        for knob, given in axes.items() if isinstance(axes, Mapping) else ():
            group, _, field = str(knob).partition(".")
            if group not in GROUPS or not field:
                continue
            own = {key: value for key, value in config[group].items() if key == NAME}
            for node in (own, *({NAME: f"{group}/{one}"} for one in values(axes.get(group, ())))):
                if node and field in reader.fields(node, "grid", str(block)):
                    reader.read({**node, field: given}, "grid", str(block), group)


def fields(group: str, knobs: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that flat knobs give the strategy of a group."""
    return {knob.removeprefix(f"{group}."): value for knob, value in knobs.items() if knob.startswith(f"{group}.")}
