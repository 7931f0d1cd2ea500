"""What a mistake on the command line should have been: the nearest key, or the extra that a launcher needs."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from harness.core.errors import HarnessError, nearest

if TYPE_CHECKING:
    from omegaconf import DictConfig

LAUNCHERS = {
    "joblib": ("hydra_joblib_launcher", "joblib"),
    "slurm": ("hydra_submitit_launcher", "slurm"),
    "submitit_slurm": ("hydra_submitit_launcher", "slurm"),
    "submitit_local": ("hydra_submitit_launcher", "slurm"),
}
"""By launcher: Hydra's plugin, and the extra of this package that installs it."""


def check_launcher(arguments: Sequence[str]) -> None:
    """Raise HarnessError that names the extra where a launcher's plugin is not installed."""
    for argument in arguments:
        key, _, name = argument.partition("=")
        if key == "hydra/launcher" and name in LAUNCHERS:
            plugin, extra = LAUNCHERS[name]
            if not _installed(plugin):
                raise HarnessError(
                    f"hydra/launcher={name} needs the extra `{extra}`: pip install 'multihop-harness[{extra}]'"
                )


def _installed(plugin: str) -> bool:
    try:
        return importlib.util.find_spec(f"hydra_plugins.{plugin}") is not None
    except ModuleNotFoundError:  # no plugin at all
        return False


@contextmanager
def suggest_key(whole: Callable[[], DictConfig]) -> Iterator[None]:
    """A block in which Hydra's error about an unknown key becomes a HarnessError with the nearest key of conf/.

    whole: gives the configuration without overrides, when its keys are needed.
    """
    from hydra.errors import ConfigCompositionException
    from omegaconf import OmegaConf

    try:
        yield
    except ConfigCompositionException as error:
        found = re.search(r"Could not (?:override|delete from config\.) '([\w.@/]+)'", str(error))
        if found is None or "=" in found[1]:
            raise
        known = sorted(_keys(cast("dict[str, Any]", OmegaConf.to_container(whole()))))
        last, inside = found[1].rpartition(".")[2], [key for key in known if key.startswith(f"{found[1]}.")]
        same = inside or [key for key in known if key.rpartition(".")[2] == last]  # typed below another concept
        did_you = f" (did you mean {min(same, key=len)}?)" if same else nearest(found[1], known)
        raise HarnessError(
            f"{found[1]} is no key of this command{did_you}; see `--cfg job` for all keys, or add "
            f"a new one with a plus: +{found[1]}=..."
        ) from error


def _keys(node: Mapping[Any, Any], prefix: str = "") -> Iterator[str]:
    for key, value in node.items():
        yield f"{prefix}{key}"
        if isinstance(value, Mapping):
            yield from _keys(value, f"{prefix}{key}.")
