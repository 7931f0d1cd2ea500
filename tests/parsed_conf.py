"""Importing it parses each file of conf/ once a process, and composes the same overrides of it once.

Compositions took a third of the suite's time. Of a file that has not changed OmegaConf gets a copy of what was parsed.
The tables of Hydra's grammar are there in what is forked (see ``tests.warm``), since it has composed.
"""

from __future__ import annotations

import io
import os
import pickle
import re
from collections.abc import Sequence
from typing import Any

import hydra
from hydra.core.global_hydra import GlobalHydra
from omegaconf import OmegaConf

from harness.core.concepts import package_folder

CHECKOUT = package_folder("conf").resolve().parent
PLACE = re.compile(r"paths\.(runs|reports|looks|ledger)=(/[\w./-]+)")
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
    """A copy, whose interpolations are resolved where it is used; of a folder of a test's own it is composed anew.

    Places, which each test has of its own, are set afterwards.
    """
    from harness.core.configuration import extensions  # of the package that runs, which may be another one here

    folders = tuple(extensions.folders())
    if not all(folder.is_relative_to(CHECKOUT) for folder in folders):
        return _build(config_name, [*overrides])
    places = dict(found.groups() for found in map(PLACE.fullmatch, overrides) if found)
    others = tuple(one for one in overrides if not PLACE.fullmatch(one))
    key = (config_name, others, folders, str(extensions.additions()))
    if key not in _built:
        _built[key] = pickle.dumps(_build(config_name, [*others]))
    config = pickle.loads(_built[key])
    if places and "paths" not in config:
        return _build(config_name, [*overrides])
    for name, place in places.items():
        config.paths[name] = place
    return config


OmegaConf.load, hydra.compose = _load, _compose
with hydra.initialize_config_dir(str(package_folder("conf").resolve()), version_base="1.3"):
    for _name in ("config", "fuse", "evaluate", "compare"):
        _build(_name, ["++some.k=[1,2]", "++some.name='a b'"])
GlobalHydra.instance().clear()
