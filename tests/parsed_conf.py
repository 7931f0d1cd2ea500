"""Importing it parses each file of conf/ and each interpolation once a process, and composes the
same choice once.

Compositions took a third of the suite's time. Of a file that has not changed OmegaConf gets a copy
of what was parsed. The tables of Hydra's grammar are there in what is forked (see ``tests.warm``),
since it has composed.
"""

from __future__ import annotations

import functools
import hashlib
import io
import os
import pickle
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import hydra
import omegaconf.base
from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.errors import HydraException
from omegaconf import OmegaConf

from harness.core.concepts import package_folder

COMPOSED = os.environ.get("COMPOSED")
"""The folder of what all processes of a session have composed, which ``tests.conftest`` makes."""
_parse, _parsed = OmegaConf.load, {}
_build, _built = hydra.compose, {}


def _load(file: Any) -> Any:
    if not isinstance(file, io.TextIOBase):
        return _parse(file)
    state = os.fstat(file.fileno())
    key = (file.name, state.st_mtime_ns, state.st_size)
    if key not in _parsed:
        _parsed[key] = pickle.dumps(_parse(file))
    return pickle.loads(_parsed[key])


def _compose(config_name: str, overrides: Sequence[str] = ()) -> Any:
    """A copy, whose interpolations are resolved where it is used.

    What chooses files is composed once. Other values are set in a copy, by Hydra, as it does after
    composing.
    """
    from harness.core.configuration import (
        extensions,
    )  # of the package that runs, which may be another one here

    folders = extensions.folders()
    try:
        parsed = OverridesParser.create().parse_overrides([*overrides])
    except HydraException:
        return _build(config_name, [*overrides])
    chosen = [one for one in parsed if _chooses(one, folders)]
    config = pickle.loads(_chosen(config_name, [str(one.input_line) for one in chosen], folders))
    try:
        ConfigLoaderImpl._apply_overrides_to_config(
            [one for one in parsed if one not in chosen], config
        )
    except HydraException:
        return _build(config_name, [*overrides])  # which says what is wrong
    return config


def _chosen(config_name: str, overrides: Sequence[str], folders: Sequence[Path]) -> bytes:
    """What these files compose to, pickled: from the memory of this process, or a file of another
    one.
    """
    from harness.core.configuration import extensions

    key = repr((config_name, overrides, extensions.additions(), [*_states(folders)]))
    if key not in _built:
        place = Path(COMPOSED, hashlib.sha256(key.encode()).hexdigest()) if COMPOSED else None
        if place and place.is_file():
            _built[key] = place.read_bytes()
        else:
            _built[key] = pickle.dumps(_build(config_name, [*overrides]))
        if place and not place.is_file():
            written = place.with_suffix(f".{os.getpid()}")
            written.write_bytes(_built[key])
            written.replace(place)
    return _built[key]


def _states(folders: Sequence[Path]) -> Iterator[tuple[str, int, int]]:
    for folder in folders:
        for path in sorted(folder.rglob("*.yaml")):
            state = path.stat()
            yield str(path), state.st_mtime_ns, state.st_size


def _chooses(one: Override, folders: Sequence[Path]) -> bool:
    """Whether it chooses a file of ``conf/``, or is one that Hydra itself takes or refuses."""
    group = str(one.key_or_group)
    if one.package is not None or one.is_sweep_override() or one.is_hydra_override():
        return True
    return not isinstance(one.value(), dict) and any(
        (folder / group).is_dir() for folder in folders
    )


OmegaConf.load, hydra.compose = _load, _compose
omegaconf.base.parse = functools.cache(
    omegaconf.base.parse
)  # of an interpolation, wherever it stands
with hydra.initialize_config_dir(str(package_folder("conf").resolve()), version_base="1.3"):
    for _name in ("config", "fuse", "evaluate", "compare"):
        _build(_name, ["++some.k=[1,2]", "++some.name='a b'"])
GlobalHydra.instance().clear()
