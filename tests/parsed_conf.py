"""Importing it parses each file of conf/ once a process: compositions took a third of the suite's time.

Of a file that has not changed OmegaConf gets a copy of what was parsed. Hydra has composed once, too: the tables of its
grammar are there in what is forked (see ``tests.warm``).
"""

from __future__ import annotations

import io
import os
import pickle
from typing import Any

from hydra import compose, initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from omegaconf import OmegaConf

from harness.core.configuration import package_folder

_parse, _parsed = OmegaConf.load, {}


def _load(file: Any) -> Any:
    if not isinstance(file, io.TextIOBase):
        return _parse(file)
    state = os.fstat(file.fileno())
    key = (file.name, state.st_mtime_ns, state.st_size)
    if key not in _parsed:
        _parsed[key] = pickle.dumps(_parse(file))
    return pickle.loads(_parsed[key])


OmegaConf.load = _load
with initialize_config_dir(str(package_folder("conf").resolve()), version_base="1.3"):
    for _name in ("config", "fuse", "evaluate", "compare"):
        compose(_name, ["++some.k=[1,2]", "++some.name='a b'"])
GlobalHydra.instance().clear()
