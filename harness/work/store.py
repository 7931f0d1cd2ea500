"""Content-addressed artifacts: ``<runs>/artifacts/<stage>/<key>/`` with a ``manifest.json``.

The key is the SHA-256 of a stage's configuration and inputs: same key, same bytes. An artifact is
written beside its place and renamed into it, so a half-written one is never read; a damaged one is
found by its hash and rebuilt. What a class without a ``version`` makes is kept for this process
only.
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
    library_versions,
    own_versions,
    unversioned,
)
from harness.work.parts import is_shared, shares
from harness.work.progress import Progress
from harness.work.records import RECORDS
from harness.work.shared_rows import Building, building

log = logging.getLogger(__name__)
SENT = ".sent"
"""Ends the name of the file that says which shared store has an artifact."""

Build = Callable[[Path], Facts | None]
Fill = Callable[[Path], object]


@dataclass
class Using:
    """artifacts: ``stage/key`` of each, in the order of asking.    seconds: that they took, built
    or found.

    started: when this one was asked for (``time.perf_counter``).
    alone: milliseconds of each question that was asked alone (``harness.work.latency``).
    """

    artifacts: dict[str, None] = field(default_factory=dict)
    seconds: float = 0.0
    started: float = field(default_factory=time.perf_counter)
    alone: list[float] = field(default_factory=list)


_current: ContextVar[Using | None] = ContextVar("using", default=None)


@contextlib.contextmanager
def noting(artifact: str) -> Iterator[Using]:
    """A block that finds or builds an artifact (``stage/key``); the one that is being built around
    it uses it.
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
    """Note of the artifact that is being built what one question took; without one, nothing."""
    if (mine := _current.get()) is not None:
        mine.alone.append(round(milliseconds, 3))


class NotStored(HarnessError):
    """An artifact that would have to be built."""


class RemoteStore(Protocol):
    """A store that several machines share."""

    @property
    def url(self) -> str:
        """Where it is."""
        ...

    def fetch(self, stage: str, key: str, folder: Path) -> bool:
        """Copy an artifact into ``folder``; False where it is not there whole."""
        ...

    def send(self, stage: str, key: str, place: Path) -> None:
        """Copy a whole artifact to the store, unless it is there."""
        ...


def open_shared(url: str | None) -> RemoteStore | None:
    """The store of ``paths.shared``; none without a URL. Raises HarnessError where no plug-in
    brings it.
    """
    if not url:
        return None
    shared: RemoteStore = extensions.load("store", "remote", f"paths.shared={url}").Remote(
        str(url).rstrip("/")
    )
    return shared


@dataclass(frozen=True)
class Wanted:
    """An artifact that somebody asks for.

    build: see ``Store.get``.    name: what is said of it in the log.
    """

    stage: str
    config: Mapping[str, object]
    inputs: Mapping[str, str]
    build: Build
    place: Path
    name: str

    @property
    def partial(self) -> Path:
        """The folder that it is built in."""
        return self.place.with_suffix(PARTIAL)

    @cached_property
    def lock(self) -> FileLock:
        """Held by the one process that builds it."""
        return FileLock(self.place.with_suffix(".lock"))


@dataclass(frozen=True)
class Store:
    """The artifacts below ``root`` (the ``paths.runs`` folder).

    shared: a store where whole artifacts are looked for before they are built, and sent to
    (``paths.shared``).
    builds: whether what is not there is built; for those who only look it is ``NotStored``.
    """

    root: Path
    shared: RemoteStore | None = None
    builds: bool = True

    def place(self, stage: str, config: Mapping[str, object], inputs: Mapping[str, str]) -> Path:
        """Where the artifact of ``stage`` for this configuration and these input hashes is, or will
        be: in a folder of this process where a class without a ``version`` makes it.
        """
        root = Path(_scratch(os.getpid()).name) if unversioned(own_versions(config)) else self.root
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
        """The artifact of ``stage`` for this configuration and these input hashes; built when it is
        not there.

        build: writes files into the folder it is given and returns facts for the manifest. With
        ``resumable`` the folder of a killed build is handed to the next one as it was left;
        otherwise it is emptied first. Two processes that want the same artifact: one builds, the
        other waits.
        fill: computes the parts that ``build`` puts together (see harness.work.parts); several
        processes do so at once, in the folder that ``build`` is then given, which is resumable.
        together: the same for what has no parts on disk when one process computes it (see
        ``shared_rows``), so it is called only where several do. ``build`` then writes down what it
        has computed.
        what: said in the log where it begins, e.g. ``24,000 passages``.
        """
        place, passing = self.place(stage, config, inputs), unversioned(own_versions(config))
        wanted = Wanted(stage, config, inputs, build, place, f"{stage} {what}".strip())
        if passing and shares() > 1:
            raise HarnessError(
                f"{passing[0]} states no version, so that what it makes is kept for no other "
                'process; add version = "1" to the class, or leave engine and part out'
            )
        outermost = _current.get() is None
        with noting(f"{stage}/{place.name}") as used:
            if (found := open_artifact(place, place.name)) is not None:
                return self._sent(found)
            if not self.builds:
                raise NotStored(f"{stage}: not stored")
            try:
                place.parent.mkdir(parents=True, exist_ok=True)
                made = self._fetch(wanted) or self._build(wanted, used, fill, together, resumable)
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
        return made

    def _build(
        self, wanted: Wanted, used: Using, fill: Fill | None, together: Fill | None, resumable: bool
    ) -> Artifact:
        """Build the artifact, or wait until another process has built it."""
        partial, lock = wanted.partial, wanted.lock
        with building(Building(partial, lock) if together else None), Progress(wanted.name):
            fill = fill or (together if is_shared(partial) else None)
            if fill is not None:
                self._fill(fill, wanted)
            with lock:
                if (found := open_artifact(wanted.place, wanted.place.name)) is not None:
                    if fill is not None:  # and this process may have written into it since
                        shutil.rmtree(partial, ignore_errors=True)
                    return found
                made = _make(wanted, used, resumable or fill is not None)
        return self._sent(made)

    def _fetch(self, wanted: Wanted) -> Artifact | None:
        """The artifact from the shared store, where there is one that has it."""
        place, partial = wanted.place, wanted.partial
        if self.shared is None or not place.is_relative_to(self.root):
            return None
        with wanted.lock:
            fetched = partial / RECORDS / "fetched"  # which no build keeps
            found = open_artifact(place, place.name)
            if found is not None or not self.shared.fetch(wanted.stage, place.name, fetched):
                return found
            if place.exists():
                shutil.rmtree(place)
            fetched.rename(place)
            shutil.rmtree(partial)
            place.with_suffix(SENT).write_text(self.shared.url)
            log.info("%s: fetched from %s", wanted.stage, self.shared.url)
            return open_artifact(place, place.name)

    def _fill(self, fill: Fill, wanted: Wanted) -> None:
        """Compute the parts, unless the artifact is there."""
        with wanted.lock:
            if open_artifact(wanted.place, wanted.place.name) is not None:
                return
            wanted.partial.mkdir(exist_ok=True)
        try:
            fill(wanted.partial)
        except FileNotFoundError:  # another process has put all together meanwhile
            with wanted.lock:
                if open_artifact(wanted.place, wanted.place.name) is None:
                    raise

    def _sent(self, made: Artifact) -> Artifact:
        """The artifact, which the shared store has then."""
        note = made.path.with_suffix(SENT)
        if self.shared is None or not made.path.is_relative_to(self.root):
            return made
        if not (note.is_file() and note.read_text() == self.shared.url):
            self.shared.send(made.path.parent.name, made.key, made.path)
            note.write_text(self.shared.url)
        return made


@functools.cache
def _scratch(process: int) -> tempfile.TemporaryDirectory[str]:
    """A folder that goes when the process ends. process: its number, so that a fork has its own."""
    return tempfile.TemporaryDirectory(prefix=f"harness-{process}-")


def _make(wanted: Wanted, used: Using, resumable: bool) -> Artifact:
    """Build. In the manifest: ``seconds`` of all, ``own_seconds`` without the artifacts that it
    ``used``.
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
    """Remove what was noted of parts, and what this build and killed ones left half-written."""
    for records in list(partial.rglob(RECORDS)):
        if records.exists():  # one may lie in another
            records.rename(
                partial / f"{uuid.uuid4().hex}{PARTIAL}"
            )  # at once: no other process sees it half removed
    for left in list(partial.rglob(f"*{PARTIAL}")):
        shutil.rmtree(left) if left.is_dir() else left.unlink(missing_ok=True)
