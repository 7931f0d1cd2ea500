"""Hydra reads each file and composes each choice of files once in the process of the tests.

A command composes its configuration of some 60 files, which took half of the time of most tests.
A file is read again after its size or the time of its last change differs. What was read is copied
for whoever asks for it, since Hydra changes it.
"""

from __future__ import annotations

import functools
import pickle
from importlib import resources
from pathlib import Path
from typing import Any

from harness.core.configuration import composition


def remember() -> None:
    """Let Hydra, and the composition of ``harness``, remember what they have read."""
    from hydra._internal import defaults_list
    from hydra._internal.sources_registry import SourcesRegistry
    from hydra.core.plugins import Plugins

    Plugins.instance()  # makes the classes of sources
    for scheme in ("file", "pkg"):
        source: Any = SourcesRegistry.instance().resolve(scheme)
        source.load_config = _once(source.load_config)
    defaults_list._create_interpolation_map = _of_interpolations(
        defaults_list._create_interpolation_map
    )
    composition._composed = functools.lru_cache(None)(composition._composed.__wrapped__)


def _once(load: Any) -> Any:
    """Return the method of a source that loads a file, which then loads each state of it once."""
    loaded: dict[tuple[object, ...], bytes] = {}

    @functools.wraps(load)
    def remembered(source: Any, config_path: str) -> Any:
        folder = Path(source.path) if source.scheme() == "file" else resources.files(source.path)
        path = Path(str(folder)) / source._normalize_file_name(config_path)
        if not path.is_file():
            return load(source, config_path)
        state = path.stat()
        key = (source.path, source.provider, config_path, state.st_mtime_ns, state.st_size)
        if key not in loaded:
            loaded[key] = pickle.dumps(load(source, config_path))
        return pickle.loads(loaded[key])

    return remembered


def _of_interpolations(make: Any) -> Any:
    """Return the function that makes the values of references in a list of ``defaults``, which then
    makes them only for a list that has a reference.
    """

    @functools.wraps(make)
    def made(overrides: Any, defaults: Any, *others: Any) -> Any:
        needed = any(default.is_interpolation() for default in defaults if not default.is_self())
        return make(overrides, defaults, *others) if needed else None

    return made
