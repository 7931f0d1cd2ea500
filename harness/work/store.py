"""Content-addressed artifacts: ``<runs>/artifacts/<stage>/<key>/`` with a ``manifest.json``.

The key is the SHA-256 of a stage's configuration and inputs: same key, same bytes. An artifact is written beside its
place and renamed into it, so a half-written one is never read; a damaged one is found by its hash and rebuilt.
"""

from __future__ import annotations

import contextlib
import logging
import shutil
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from filelock import FileLock

from harness.core.artifact import MANIFEST, PARTIAL, Artifact, artifact_key, open_artifact
from harness.core.errors import HarnessError
from harness.core.files import mend_of, unwritable, write_json
from harness.core.identity import code_version, file_sha256, library_versions
from harness.work.parts import RECORDS, is_shared
from harness.work.remote import Remote
from harness.work.shared_rows import Building, building

log = logging.getLogger(__name__)
SENT = ".sent"
"""Ends the name of the file that says which shared store has an artifact."""

Build = Callable[[Path], Mapping[str, Any] | None]


@dataclass
class Using:
    """artifacts: ``stage/key`` of each, in the order of asking.    seconds: that they took, built or found.

    started: when this one was asked for (``time.perf_counter``).
    """

    artifacts: dict[str, None] = field(default_factory=dict)
    seconds: float = 0.0
    started: float = field(default_factory=time.perf_counter)


_current: ContextVar[Using | None] = ContextVar("using", default=None)


@contextlib.contextmanager
def noting(artifact: str) -> Iterator[Using]:
    """A block that finds or builds an artifact (``stage/key``); the one that is being built around it uses it."""
    mine, around = Using(), _current.get()
    token = _current.set(mine)
    try:
        yield mine
    finally:
        _current.reset(token)
    if around is not None:
        around.artifacts[artifact] = None
        around.seconds += time.perf_counter() - mine.started


class NotStored(HarnessError):
    """An artifact that would have to be built."""


@dataclass(frozen=True)
class Store:
    """The artifacts below ``root`` (the ``paths.runs`` folder).

    shared: a store where whole artifacts are looked for before they are built, and sent to (``paths.shared``).
    builds: whether what is not there is built; for those who only look it is ``NotStored``.
    """

    root: Path
    shared: Remote | None = None
    builds: bool = True

    def place(self, stage: str, config: Mapping[str, Any], inputs: Mapping[str, str]) -> Path:
        """Where the artifact of ``stage`` for this configuration and these input hashes is, or will be."""
        return self.root / "artifacts" / stage / artifact_key(stage, config, inputs)

    def get(
        self,
        stage: str,
        config: Mapping[str, Any],
        inputs: Mapping[str, str],
        build: Build,
        *,
        resumable: bool = False,
        fill: Callable[[Path], object] | None = None,
        together: Callable[[Path], object] | None = None,
        what: str = "",
    ) -> Artifact:
        """The artifact of ``stage`` for this configuration and these input hashes; built when it is not there.

        build: writes files into the folder it is given and returns facts for the manifest. With ``resumable`` the
        folder of a killed build is handed to the next one as it was left; otherwise it is emptied first.
        Two processes that want the same artifact: one builds, the other waits.
        fill: computes the parts that ``build`` puts together (see harness.work.parts); several processes do so at once,
        in the folder that ``build`` is then given, which is resumable.
        together: the same for what has no parts on disk when one process computes it (see ``shared_rows``), so it is
        called only where several do. ``build`` then writes down what it has computed.
        what: said in the log where it begins, e.g. ``24,000 passages``.
        """
        place = self.place(stage, config, inputs)
        key, partial = place.name, place.with_suffix(PARTIAL)
        with noting(f"{stage}/{key}") as used:
            if (found := open_artifact(place, key)) is not None:
                return self._sent(found)
            if not self.builds:
                raise NotStored(f"{stage}: not stored")
            try:
                place.parent.mkdir(parents=True, exist_ok=True)
                lock = FileLock(place.with_suffix(".lock"))
                if (found := self._fetch(place, lock)) is not None:
                    return found
                with building(Building(partial, lock) if together else None):
                    if (fill := fill or (together if is_shared(partial) else None)) is not None:
                        _fill(fill, place, lock)
                    with lock:
                        if (found := open_artifact(place, key)) is not None:
                            if fill is not None:  # and this process may have written into it since
                                shutil.rmtree(partial, ignore_errors=True)
                            return found
                        resumable = resumable or fill is not None
                        made = _make(stage, place, key, config, inputs, build, resumable, used, what)
                return self._sent(made)
            except OSError as error:
                if (reason := unwritable(error)) is None:
                    raise
                raise HarnessError(
                    f"{place}: cannot write ({reason}); {mend_of(error, 'set paths.runs=DIR')}"
                ) from error

    def _fetch(self, place: Path, lock: FileLock) -> Artifact | None:
        """The artifact from the shared store, where there is one that has it."""
        if self.shared is None:
            return None
        with lock:
            stage, key, partial = place.parent.name, place.name, place.with_suffix(PARTIAL)
            fetched = partial / RECORDS / "fetched"  # which no build keeps
            if (found := open_artifact(place, key)) is not None or not self.shared.fetch(stage, key, fetched):
                return found
            if place.exists():
                shutil.rmtree(place)
            fetched.rename(place)
            shutil.rmtree(partial)
            place.with_suffix(SENT).write_text(self.shared.url)
            log.info("%s: fetched from %s", stage, self.shared.url)
            return open_artifact(place, key)

    def _sent(self, made: Artifact) -> Artifact:
        """The artifact, which the shared store has then."""
        note = made.path.with_suffix(SENT)
        if self.shared is not None and not (note.is_file() and note.read_text() == self.shared.url):
            self.shared.send(made.path.parent.name, made.key, made.path)
            note.write_text(self.shared.url)
        return made


def _fill(fill: Callable[[Path], object], place: Path, lock: FileLock) -> None:
    """Compute the parts, unless the artifact is there."""
    partial = place.with_suffix(PARTIAL)
    with lock:
        if open_artifact(place, place.name) is not None:
            return
        partial.mkdir(exist_ok=True)
    try:
        fill(partial)
    except FileNotFoundError:  # another process has put all together meanwhile
        with lock:
            if open_artifact(place, place.name) is None:
                raise


def _make(
    stage: str,
    place: Path,
    key: str,
    config: Mapping[str, Any],
    inputs: Mapping[str, str],
    build: Build,
    resumable: bool,
    used: Using,
    what: str,
) -> Artifact:
    """Build. In the manifest: ``seconds`` of all, ``own_seconds`` without the artifacts that it ``used``."""
    partial = place.with_suffix(PARTIAL)
    if partial.exists() and not resumable:
        shutil.rmtree(partial)
    partial.mkdir(exist_ok=True)
    log.info("%s: begins", f"{stage} {what}".strip())
    try:
        facts = dict(build(partial) or {})
    except (OSError, HarnessError):
        if not resumable:
            shutil.rmtree(partial, ignore_errors=True)
        raise
    for records in list(partial.rglob(RECORDS)):
        if records.exists():  # one may lie in another
            records.rename(partial / f"{uuid.uuid4().hex}{PARTIAL}")  # at once: no other process sees it half removed
    for left in list(partial.rglob(f"*{PARTIAL}")):  # of this build and of killed ones: all parts are there
        shutil.rmtree(left) if left.is_dir() else left.unlink(missing_ok=True)
    files = sorted(path for path in partial.rglob("*") if path.is_file())
    manifest = {
        "stage": stage,
        "key": key,
        "config": config,
        "inputs": dict(inputs),
        "facts": facts,
        "files": {
            str(path.relative_to(partial)): {"bytes": path.stat().st_size, "sha256": file_sha256(path)}
            for path in files
        },
        "code": code_version(),
        "libraries": library_versions(),
        "seconds": (seconds := round(time.perf_counter() - used.started, 3)),
        "own_seconds": round(seconds - used.seconds, 3),
        "used": list(used.artifacts),
    }
    write_json(partial / MANIFEST, manifest)
    if place.exists():
        shutil.rmtree(place)
    partial.rename(place)
    log.info("%s: done in %.1f s", stage, seconds)
    return Artifact(place, key, manifest)
