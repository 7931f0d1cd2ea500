"""Artifacts by content: ``<runs>/artifacts/<stage>/<key>/`` with a ``manifest.json``.

The key is the SHA-256 of a stage's configuration and inputs: the same key means the same bytes. An
artifact is written next to its place and renamed into it, so an unfinished one is never read. A
damaged one is found by its hash and built again. The result of a class without a ``version`` is
kept for this process only.
"""

from __future__ import annotations

import contextlib
import functools
import logging
import os
import shutil
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Protocol

from filelock import FileLock

from harness.core.artifact import (
    MANIFEST,
    PARTIAL,
    Artifact,
    Facts,
    Manifest,
    artifact_key,
    open_artifact,
)
from harness.core.configuration import extensions
from harness.core.errors import HarnessError
from harness.core.files import mend_of, unwritable, write_json
from harness.core.identity import (
    code_version,
    file_sha256,
    foreign_versions,
    library_versions,
    unversioned,
)
from harness.work.part_notes import RECORDS
from harness.work.parts import is_shared, shares
from harness.work.progress import Progress
from harness.work.shared_rows import Building, building

log = logging.getLogger(__name__)
SENT = ".sent"
"""The ending of the file that names the shared store of an artifact."""

Build = Callable[[Path], Facts | None]
Fill = Callable[[Path], object]


@dataclass
class Using:
    """The artifacts that an unfinished artifact uses.

    Attributes:
        artifacts: ``stage/key`` of each, in the order of their use.
        seconds: time in which they were built or found.
        started: when this artifact was asked for (``time.perf_counter``).
        alone: milliseconds of each question that was asked alone (``harness.work.latency``).
    """

    artifacts: dict[str, None] = field(default_factory=dict)
    seconds: float = 0.0
    started: float = field(default_factory=time.perf_counter)
    alone: list[float] = field(default_factory=list)


_current: ContextVar[Using | None] = ContextVar("using", default=None)


@contextlib.contextmanager
def noting(artifact: str) -> Iterator[Using]:
    """Find or build an artifact (``stage/key``) in a block. The surrounding unfinished artifact
    records its use.
    """
    mine, around = Using(), _current.get()
    token = _current.set(mine)
    try:
        yield mine
    finally:
        _current.reset(token)
    if around is not None:
        around.artifacts[artifact] = None
        around.seconds += time.perf_counter() - mine.started


def note_alone(milliseconds: float) -> None:
    """Record the time of one question in the unfinished artifact, if there is one."""
    if (mine := _current.get()) is not None:
        mine.alone.append(round(milliseconds, 3))


class NotStored(HarnessError):
    """An error about an artifact that would have to be built."""


class RemoteStore(Protocol):
    """A store that several machines share."""

    @property
    def url(self) -> str:
        """The address of the store."""
        ...

    def fetch(self, stage: str, key: str, folder: Path) -> bool:
        """Copy an artifact into ``folder``. Return False if the store has no complete copy."""
        ...

    def send(self, stage: str, key: str, place: Path) -> None:
        """Copy a complete artifact to the store, unless the store has it."""
        ...


def open_shared(url: str | None) -> RemoteStore | None:
    """Return the store of ``paths.shared``, or None without a URL. Raise HarnessError if no plug-in
    has it.
    """
    if not url:
        return None
    shared: RemoteStore = extensions.load("store", "remote", f"paths.shared={url}").Remote(
        str(url).rstrip("/")
    )
    return shared


@dataclass(frozen=True)
class Wanted:
    """An artifact that is asked for.

    Attributes:
        stage: its stage.
        config: its configuration.
        inputs: the hashes of its inputs.
        build: see ``Store.get``.
        place: its folder.
        name: its name in the log.
    """

    stage: str
    config: Mapping[str, object]
    inputs: Mapping[str, str]
    build: Build
    place: Path
    name: str

    @property
    def partial(self) -> Path:
        """The folder in which it is built."""
        return self.place.with_suffix(PARTIAL)

    @cached_property
    def lock(self) -> FileLock:
        """The lock of the one process that builds it."""
        return FileLock(self.place.with_suffix(".lock"))


@dataclass(frozen=True)
class Store:
    """The artifacts below ``root`` (the ``paths.runs`` folder).

    Attributes:
        root: the runs folder.
        shared: a store in which complete artifacts are looked for before they are built, and to
            which they are sent (``paths.shared``).
        builds: whether missing artifacts are built. If not, ``get`` raises ``NotStored``.
    """

    root: Path
    shared: RemoteStore | None = None
    builds: bool = True

    def place(self, stage: str, config: Mapping[str, object], inputs: Mapping[str, str]) -> Path:
        """Return the present or future folder of an artifact, by its configuration and the hashes
        of its inputs.

        Until ``forget`` the artifact of a class without a ``version`` is in a temporary folder of
        this process.
        """
        root = (
            Path(_scratch(os.getpid()).name) if unversioned(foreign_versions(config)) else self.root
        )
        return root / "artifacts" / stage / artifact_key(stage, config, inputs)

    def get(
        self,
        stage: str,
        config: Mapping[str, object],
        inputs: Mapping[str, str],
        build: Build,
        *,
        resumable: bool = False,
        fill: Fill | None = None,
        together: Fill | None = None,
        what: str = "",
    ) -> Artifact:
        """Return an artifact, by its configuration and the hashes of its inputs. Build it if it is
        missing.

        If two processes want the same artifact, one builds it and the other waits.

        Args:
            stage: the stage.
            config: the configuration.
            inputs: the hashes of the inputs.
            build: writes files into a folder and returns facts for the manifest.
            resumable: whether the folder of a killed build is given to the next one as it is.
                Otherwise it is emptied first.
            fill: computes the parts that ``build`` puts together (see harness.work.parts). Several
                processes do so at once in the same folder, which is then resumable.
            together: the same for work without parts on disk in a single process (see
                ``shared_rows``). It is called only if several processes share the work; ``build``
                then writes the result.
            what: text for the log, such as ``24,000 passages``.
        """
        place, passing = self.place(stage, config, inputs), unversioned(foreign_versions(config))
        wanted = Wanted(stage, config, inputs, build, place, f"{stage} {what}".strip())
        if passing and shares() > 1:
            raise HarnessError(
                f"{passing[0]} states no version, so that what it makes is kept for no other "
                'process; add version = "1" to the class, or leave engine and part out'
            )
        outermost = _current.get() is None
        with noting(f"{stage}/{place.name}") as used:
            if (stored := open_artifact(place, place.name)) is not None:
                return self._sent(stored)
            if not self.builds:
                raise NotStored(f"{stage}: not stored")
            try:
                place.parent.mkdir(parents=True, exist_ok=True)
                artifact = self._fetch(wanted)
                artifact = artifact or self._build(wanted, used, fill, together, resumable)
            except OSError as error:
                if (reason := unwritable(error)) is None:
                    raise
                raise HarnessError(
                    f"{place}: cannot write ({reason}); {mend_of(error, 'set paths.runs=DIR')}"
                ) from error
        if passing and outermost:
            log.warning(
                "%s: %.1f s, kept for this process only, since %s states no version; add "
                'version = "1" to the class, and raise it when you change what it computes',
                wanted.name,
                time.perf_counter() - used.started,
                passing[0],
            )
        return artifact

    def _build(
        self, wanted: Wanted, used: Using, fill: Fill | None, together: Fill | None, resumable: bool
    ) -> Artifact:
        """Build the artifact, or wait until another process has built it."""
        partial, lock = wanted.partial, wanted.lock
        common = fill or (together if is_shared(partial) else None)
        loops = Building(partial, lock) if together and common else None
        artifact: Artifact | None = None
        with building(loops), Progress(wanted.name):
            if common is not None:
                self._fill(common, wanted)
            with lock:
                if (stored := open_artifact(wanted.place, wanted.place.name)) is not None:
                    if common is not None:  # this process may have written into it since
                        shutil.rmtree(partial, ignore_errors=True)
                    return stored
                if common is not None or not (together and is_shared(partial)):
                    artifact = _make(wanted, used, resumable or common is not None)
        if artifact is None:  # other processes have begun parts meanwhile
            return self._build(wanted, used, fill, together, resumable)
        return self._sent(artifact)

    def _fetch(self, wanted: Wanted) -> Artifact | None:
        """Return the artifact from the shared store, or None."""
        place, partial = wanted.place, wanted.partial
        if self.shared is None or not place.is_relative_to(self.root):
            return None
        with wanted.lock:
            fetched = partial / RECORDS / "fetched"  # removed by every build
            stored = open_artifact(place, place.name)
            if stored is not None or not self.shared.fetch(wanted.stage, place.name, fetched):
                return stored
            if place.exists():
                shutil.rmtree(place)
            fetched.rename(place)
            shutil.rmtree(partial)
            place.with_suffix(SENT).write_text(self.shared.url)
            log.info("%s: fetched from %s", wanted.stage, self.shared.url)
            return open_artifact(place, place.name)

    def _fill(self, fill: Fill, wanted: Wanted) -> None:
        """Compute the parts, unless the artifact exists."""
        with wanted.lock:
            if open_artifact(wanted.place, wanted.place.name) is not None:
                return
            wanted.partial.mkdir(exist_ok=True)
        try:
            fill(wanted.partial)
        except FileNotFoundError:  # another process has completed it
            with wanted.lock:
                if open_artifact(wanted.place, wanted.place.name) is None:
                    raise

    def _sent(self, artifact: Artifact) -> Artifact:
        """Return the artifact after sending it to the shared store."""
        note = artifact.path.with_suffix(SENT)
        if self.shared is None or not artifact.path.is_relative_to(self.root):
            return artifact
        if not (note.is_file() and note.read_text() == self.shared.url):
            self.shared.send(artifact.path.parent.name, artifact.key, artifact.path)
            note.write_text(self.shared.url)
        return artifact


@functools.cache
def _scratch(process: int) -> tempfile.TemporaryDirectory[str]:
    """Return a folder that is removed when the process ends.

    Args:
        process: number of the process, so that a fork gets its own folder.
    """
    return tempfile.TemporaryDirectory(prefix=f"harness-{process}-")


def forget() -> None:
    """Remove the artifacts that classes without a version made in this process.

    They may depend on anything that a notebook has changed in the meantime.
    """
    _scratch.cache_clear()


def _make(wanted: Wanted, used: Using, resumable: bool) -> Artifact:
    """Build the artifact. ``seconds`` in its manifest is the whole time, ``own_seconds`` excludes
    the artifacts it used.
    """
    place, partial = wanted.place, wanted.partial
    if partial.exists() and not resumable:
        shutil.rmtree(partial)
    partial.mkdir(exist_ok=True)
    log.info("%s: begins", wanted.name)
    try:
        facts = dict(wanted.build(partial) or {})
    except (OSError, HarnessError):
        if not resumable:
            shutil.rmtree(partial, ignore_errors=True)
        raise
    _remove_records(partial)
    files = sorted(path for path in partial.rglob("*") if path.is_file())
    manifest: Manifest = {
        "stage": wanted.stage,
        "key": place.name,
        "config": dict(wanted.config),
        "inputs": dict(wanted.inputs),
        "facts": facts,
        "files": {
            str(path.relative_to(partial)): {
                "bytes": path.stat().st_size,
                "sha256": file_sha256(path),
            }
            for path in files
        },
        "code": code_version(),
        "libraries": library_versions(),
        "seconds": (seconds := round(time.perf_counter() - used.started, 3)),
        "own_seconds": round(seconds - used.seconds, 3),
        "used": list(used.artifacts),
    }
    if used.alone:
        manifest["alone_ms"] = used.alone
    write_json(partial / MANIFEST, manifest)
    if place.exists():
        shutil.rmtree(place)
    partial.rename(place)
    log.info("%s: done in %.1f s", wanted.name, seconds)
    return Artifact(place, place.name, manifest)


def _remove_records(partial: Path) -> None:
    """Remove the notes about parts and all unfinished files of this build and of killed ones."""
    for records in list(partial.rglob(RECORDS)):
        if records.exists():  # one may lie in another
            # renamed at once: no other process sees it half removed
            records.rename(partial / f"{uuid.uuid4().hex}{PARTIAL}")
    for left in list(partial.rglob(f"*{PARTIAL}")):
        if not left.is_dir():
            left.unlink(missing_ok=True)
            continue
        shutil.rmtree(left, ignore_errors=True)
        if left.exists():  # another process has just written its last note there
            shutil.rmtree(left)
