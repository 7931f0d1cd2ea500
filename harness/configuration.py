"""From configuration to strategies: where conf/ is, composing it, and instantiating what it names."""

from __future__ import annotations

import contextlib
import functools
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from harness.errors import HarnessError, nearest

if TYPE_CHECKING:
    from omegaconf import DictConfig

    from harness.benchmark import Benchmark


@functools.cache
def packaged(folder: str) -> Path:
    """Where ``conf``, ``datasets`` or ``reports/templates`` is: inside the installed package, else beside it."""
    inside = Path(__file__).parent / folder
    return inside if inside.is_dir() else Path(__file__).parent.parent / folder


def names(concept: str) -> list[str]:
    """The configurations of a concept, e.g. all fusers."""
    return sorted(path.stem for path in (packaged("conf") / concept).glob("*.yaml"))


def defaults(concept: str, name: str) -> dict[str, Any]:
    """``conf/<concept>/<name>.yaml`` as it stands. Raises HarnessError for a name that is not there."""
    return dict(_read(concept, name))


@functools.cache
def _read(concept: str, name: str) -> dict[str, Any]:
    path = packaged("conf") / concept / f"{name}.yaml"
    if not path.is_file():
        known = names(concept)
        raise HarnessError(f"{concept}={name} is not known{nearest(name, known)}; known: {', '.join(known)}")
    return yaml.safe_load(path.read_text()) or {}


def strategy(concept: str, name: str, **overrides: Any) -> Any:
    """The strategy of ``conf/<concept>/<name>.yaml``, with some of its fields set."""
    fields = defaults(concept, name)
    for key in overrides:
        if key not in fields:
            known = [field for field in fields if field != "_target_"]
            raise HarnessError(f"{concept}={name} has no {key}{nearest(key, known)}; it has: {', '.join(known) or '-'}")
    return instantiate({**fields, **overrides})


def instantiate(node: Any) -> Any:
    """Hydra's instantiate, with a HarnessError of a constructor passed on as itself."""
    from hydra.errors import InstantiationException
    from hydra.utils import instantiate as build
    from omegaconf.errors import OmegaConfBaseException

    try:
        return build(node, _convert_="all")
    except InstantiationException as error:
        cause: BaseException | None = error
        while cause is not None:
            if isinstance(cause, HarnessError):
                raise cause from None
            if isinstance(cause, TypeError) and (
                found := re.search(r"unexpected keyword argument '(\w+)'", str(cause))
            ):
                raise HarnessError(f"{_target(node)} has no field {found[1]!r}; see its docstring") from error
            cause = cause.__cause__
        raise
    except OmegaConfBaseException as error:
        raise HarnessError(f"configuration: {str(error).splitlines()[0]}") from error


def compose(primary: str = "config", overrides: Sequence[str] = ()) -> DictConfig:
    """The configuration of ``conf/<primary>.yaml`` under some Hydra overrides, outside the command line."""
    from hydra import compose as build
    from hydra import initialize_config_dir

    with translated(), _apart(), initialize_config_dir(str(packaged("conf").resolve()), version_base="1.3"):
        return build(primary, list(overrides))


@contextlib.contextmanager
def _apart() -> Iterator[None]:
    """Hydra's global state is as if no command were running, and comes back afterwards."""
    from hydra.core.global_hydra import GlobalHydra

    outer, GlobalHydra.instance().hydra = GlobalHydra.instance().hydra, None
    try:
        yield
    finally:
        GlobalHydra.instance().hydra = outer


class translated:
    """Turns Hydra's complaints about a configuration into one line of ours."""

    def __enter__(self) -> None:
        """Nothing to prepare."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Raise the HarnessError that says what Hydra said, with the nearest known name."""
        from hydra.errors import HydraException, MissingConfigException
        from omegaconf.errors import OmegaConfBaseException

        if isinstance(error, MissingConfigException) and error.missing_cfg_file:
            concept, _, name = str(error.missing_cfg_file).rpartition("/")
            known = [str(option) for option in error.options or names(concept)]
            raise HarnessError(
                f"{concept or 'config'}={name} is not known{nearest(name, known)}; known: {', '.join(known)}"
            ) from error
        if isinstance(error, (HydraException, OmegaConfBaseException)):
            raise HarnessError(f"configuration: {_first_line(error)}") from error


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    cause = error.__cause__
    if cause is not None and (more := [line.strip() for line in str(cause).splitlines() if line.strip()]):
        lines.append(more[0])
    return "; ".join(dict.fromkeys(lines[:2]))


def _target(node: Any) -> str:
    return str(node.get("_target_", node)) if hasattr(node, "get") else str(node)


def dataset(name_or_path: str | Path, data: str | Path | None = None, runs: str | Path | None = None) -> Benchmark:
    """See harness.benchmark.load."""
    from harness.artifacts import Store

    store = Store(Path(runs or os.environ.get("HARNESS_RUNS", "runs")))
    if str(name_or_path) in names("dataset"):
        overrides = [f"dataset={name_or_path}"]
    elif Path(name_or_path).is_dir():
        overrides = ["dataset=folder", f"dataset.path={_quoted(str(name_or_path))}"]
    else:
        known = names("dataset")
        raise HarnessError(
            f"benchmark {name_or_path}: neither a known name{nearest(str(name_or_path), known)} nor a folder; "
            f"known: {', '.join(known)}"
        )
    if data is not None:
        overrides.append(f"paths.data={_quoted(str(data))}")
    config = compose("data", overrides)
    benchmark: Benchmark = instantiate(config.dataset).load(store)
    return benchmark


def _quoted(text: str) -> str:
    escaped = text.replace("'", "\\'")
    return f"'{escaped}'"
