"""The basics that every room uses: errors, identities, files, artifacts, threads, configuration.

No cache is a condition of running. Libraries keep caches in the user's home and fail, or warn, if
it cannot be written, as for a container's user or on a cluster's node. Importing this room gives
them a temporary folder instead, before a library reads its variable. Child processes inherit it.
"""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path


def provide_caches(package: Path) -> None:
    """Set the variable of each cache whose usual folder cannot be written.

    Numba uses the folder of the package if it can. Models that Hugging Face keeps in a folder that
    can only be read are still found there. A user without a home, as an unknown one of a container,
    gets that folder as HOME.

    Args:
        package: the folder of the package.
    """
    cache, config = _home("XDG_CACHE_HOME", ".cache"), _home("XDG_CONFIG_HOME", ".config")
    numba = Path(os.environ.get("NUMBA_CACHE_DIR") or cache)
    drawing = os.environ.get("MPLCONFIGDIR")
    figures = [Path(drawing)] if drawing else [cache, config]
    hub = Path(os.environ.get("HF_HOME") or cache / "huggingface")
    has_place = {
        "NUMBA_CACHE_DIR": _can_write(package) or _can_write(numba),
        "MPLCONFIGDIR": all(map(_can_write, figures)),
        "HF_HOME": os.path.isdir(hub) or _can_write(hub),
    }
    is_homeless = os.path.expanduser("~") == "~"
    if (all(has_place.values()) and not is_homeless) or (folder := _private_folder()) is None:
        return
    if is_homeless:
        os.environ["HOME"] = str(folder)
    for name in [name for name, has in has_place.items() if not has]:
        os.environ[name] = str(folder / name.lower())


def _home(variable: str, usual: str) -> Path:
    """Return the user's folder for caches or configurations. The home of an unknown user is `~`."""
    return Path(os.environ.get(variable) or os.path.join(os.path.expanduser("~"), usual))


def _can_write(folder: Path) -> bool:
    """Return whether the folder, or the one in which it would be made, has space and permission."""
    if not folder.is_absolute():
        return False
    place = next(path for path in (folder, *folder.parents) if os.path.exists(path))
    can_enter = place.is_dir() and os.access(place, os.W_OK | os.X_OK)
    return can_enter and os.statvfs(place).f_bavail > 0


def _private_folder() -> Path | None:
    """Return a temporary folder that only this user can enter: compiled code is read from it."""
    places = [os.environ.get("TMPDIR"), "/tmp", "/var/tmp", str(Path.cwd())]
    for place in filter(None, places):
        folder = Path(place, f"harness-caches-{os.getuid()}")
        with contextlib.suppress(OSError):
            folder.mkdir(mode=0o700, exist_ok=True)
            status = folder.lstat()
            is_own = stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()
            if is_own and not status.st_mode & 0o077 and _can_write(folder):
                return folder
    return None


provide_caches(Path(__file__).parents[1])
