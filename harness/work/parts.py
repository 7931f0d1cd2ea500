"""Long work in parts, whose bytes do not depend on the processes that compute them or on their
order.

The result of a part is a file that is written next to its place and then renamed. Every process
that wants the same artifact takes parts that no other process holds. So twenty terminals, an array
job or a Ray cluster share one folder as their queue. Notes about parts are in the folder's
``parts/``, which is removed when the artifact is complete.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import socket
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.core.artifact import Facts
from harness.core.errors import HarnessError
from harness.core.files import Unwritable, whole, write_json
from harness.core.identity import code_version, library_versions
from harness.core.input.read import DAMAGED
from harness.core.secret import hide_values
from harness.core.threads import map_threads
from harness.work.part_notes import (
    HELD,
    LOCK,
    PLAN,
    RECORDS,
    PartsPlan,
    hold,
    is_held,
    read_note,
)
from harness.work.progress import Progress

log = logging.getLogger(__name__)
PAUSE = 0.5
Advance = Callable[[int], object]


class Unfinished(HarnessError):
    """An error about a stage whose missing parts belong to other shares."""


class Stop(HarnessError):
    """An error that ends the work of this process and is not caused by the current part."""


@dataclass(frozen=True)
class WorkPart:
    """A part of long work.

    Attributes:
        path: the file of the result.
        work: writes the result to a path and reports each finished item.
        is_whole: returns whether the result exists undamaged.
        size: number of its items (texts, queries).
    """

    path: Path
    work: Callable[[Path, Advance], None]
    is_whole: Callable[[Path], bool] = Path.exists
    size: int = 1


def array_part(
    path: Path,
    compute: Callable[[Advance], Mapping[str, NDArray[Any]]],
    size: int,
    whole: Sequence[str] = (),
    mend: str = "",
) -> WorkPart:
    """Return a part of named arrays in an archive (``.npz``), whose checksums show damage.

    Args:
        path: the file of the archive.
        compute: returns the arrays and reports each finished item.
        size: number of items.
        whole: names of the arrays with one row for each item.
        mend: end of the warning about a damaged archive, ``...npz is damaged; its texts are read
            again``. Without it there is no warning.
    """

    def work(partial: Path, advance: Advance) -> None:
        arrays: Any = compute(advance)
        with partial.open("wb") as stream:
            np.savez(stream, **arrays)

    def is_whole(path: Path) -> bool:
        try:
            with np.load(path, allow_pickle=False) as stored:
                lengths = {name: len(stored[name]) for name in stored.files}
                return all(lengths[name] == size for name in whole)
        except FileNotFoundError:
            return False
        except DAMAGED:
            if mend:
                log.warning("%s is damaged; %s", path, mend)
            return False

    return WorkPart(path, work, is_whole, size)


@dataclass(frozen=True)
class Share:
    """The share of this process in each stage: first its own parts ``index``, ``index`` + ``of``,
    ... (from 1).

    Attributes:
        index: number of the share, from 1.
        of: number of shares.
        waits: whether the process then computes the parts that others have left, until the stage is
            complete. Without it the stage is left as ``Unfinished``.
        tolerant: whether the other parts are computed after a failure. Without it the first
            failure ends the process.
    """

    index: int = 1
    of: int = 1
    waits: bool = True
    tolerant: bool = False

    @classmethod
    def parse(cls, text: str, waits: bool) -> Share:
        """Return the share of a text such as ``3/20``: the third of twenty, which goes on if a part
        fails.
        """
        index, _, of = text.partition("/")
        if not (index.isdecimal() and of.isdecimal() and 1 <= int(index) <= int(of)):
            raise HarnessError(f"part={text}: expected i/n with 1 <= i <= n, e.g. part=3/20")
        return cls(int(index), int(of), waits, True)


EVERYTHING = Share()
_share: ContextVar[Share] = ContextVar("share", default=EVERYTHING)


@contextlib.contextmanager
def sharing(share: Share) -> Iterator[None]:
    """Let stages in a block be computed by this share."""
    token = _share.set(share)
    try:
        yield
    finally:
        _share.reset(token)


def shares() -> int:
    """Return the number of shares, of which this process has one."""
    return _share.get().of


def is_shared(folder: Path) -> bool:
    """Return whether other processes may compute parts of the unfinished artifact in ``folder``."""
    return _share.get().of > 1 or (folder / RECORDS).exists()


def fill(
    folder: Path, parts: Sequence[WorkPart], what: str, facts: Facts | None = None, at_once: int = 1
) -> None:
    """Compute the missing parts, together with other processes that do the same.

    Args:
        folder: the folder of the artifact.
        parts: all parts.
        what: the work, for messages.
        facts: what computes the parts (a device, a backend). A process with other facts, code or
            libraries is refused.
        at_once: number of parts that threads compute at the same time. It is 1 for one of several
            shares.

    Raises:
        Unfinished: parts are missing, and this share does not wait for them.
        HarnessError: parts have failed in this process; names them.
    """
    share, records = _share.get(), folder / RECORDS
    missing = [part for part in parts if not part.is_whole(part.path)]
    if not missing:
        return
    with contextlib.suppress(FileExistsError):
        records.mkdir()
    at_once = at_once if share.of == 1 else 1
    made_by = {"code": code_version(), "libraries": library_versions(), **(facts or {})}
    agree(records, parts, what, made_by, share.of > 1)
    with Progress(what, _size(parts)) as bar:
        bar.skip(_size(parts) - _size(missing))
        worker = _Worker(folder, share, what, bar.update)
        while missing := [part for part in _ours(parts, share, missing) if worker.may_take(part)]:
            threads = min(at_once, len(missing))
            taken = list(map_threads(worker.take, missing, threads))
            if not any(taken):
                time.sleep(PAUSE)  # other processes hold them
            missing = [part for part, is_done in zip(missing, taken, strict=True) if not is_done]
    lost = [part for part in parts if not part.path.exists()]
    if folder.exists() and lost:  # without a folder: another process has completed it
        raise _unfinished(what, worker.failed, len(lost), len(parts))


def _unfinished(what: str, failed: Mapping[str, str], lost: int, total: int) -> HarnessError:
    """Return the error about parts that failed in this process, or that others must compute."""
    if not failed:
        return Unfinished(
            f"{what}: {lost} of {total} parts are missing; they belong to other shares"
        )
    name, why = next(iter(failed.items()))
    return HarnessError(
        f"{what}: {len(failed)} of {total} parts failed here ({', '.join(failed)}); {name}: {why}; "
        "mend that and type the same command"
    )


def _size(parts: Iterable[WorkPart]) -> int:
    return sum(part.size for part in parts)


def _ours(parts: Sequence[WorkPart], share: Share, missing: Sequence[WorkPart]) -> list[WorkPart]:
    """Return the missing parts of this share, followed by those of the others if the share
    waits.
    """
    share_paths = {part.path for part in parts[share.index - 1 :: share.of]}
    first = [part for part in missing if part.path in share_paths]
    rest = [part for part in missing if part.path not in share_paths]
    return [*first, *rest] if share.waits else first


@dataclass(frozen=True)
class _Worker:
    """The work of one process in one stage.

    Attributes:
        folder: the folder of the artifact.
        share: the share of this process.
        what: the work, for messages.
        advance: reports finished items.
        failed: the reason of each part that failed here, by its name.
    """

    folder: Path
    share: Share
    what: str
    advance: Advance
    failed: dict[str, str] = field(default_factory=dict)

    @property
    def records(self) -> Path:
        return self.folder / RECORDS

    def may_take(self, part: WorkPart) -> bool:
        """Return whether a part is missing or damaged and has not failed here.

        The folder is looked for last: it is gone if another process has completed the artifact.
        """
        is_open = part.path.name not in self.failed and not part.is_whole(part.path)
        return is_open and self.folder.exists()

    def take(self, part: WorkPart) -> bool:
        """Compute a part unless another process holds it. Return whether it is now complete."""
        name = part.path.name
        with hold(self.records / f"{name}{LOCK}") as held:
            if not (held and self.may_take(part)):
                return False
            write_json(
                self.records / f"{name}{HELD}", {"host": socket.gethostname(), "pid": os.getpid()}
            )
            try:
                with whole(part.path) as partial:
                    part.work(partial, self.advance)
            except Exception as error:
                if not self.records.exists():  # another process has completed the artifact
                    raise FileNotFoundError(self.records) from error
                if isinstance(error, (Stop, Unwritable)) or not self.share.tolerant:
                    raise
                why = " ".join(f"{type(error).__name__}: {error}".split())
                self.failed[name] = hide_values(why)[:400]
                log.warning("%s: %s", name, self.failed[name])
                return False
        return True


def agree(
    records: Path, parts: Sequence[WorkPart], what: str, made_by: Mapping[str, object], shared: bool
) -> None:
    """Record what makes these parts, or compare this process with the record of others.

    Parts that a dead process left with other libraries or another device are computed again. Parts
    of other code alone are kept, as whole artifacts are.

    Raises:
        HarnessError: the records differ, and others work on the artifact or this is one of several
            shares.
    """
    plan: PartsPlan = {
        "what": what,
        "parts": [str(part.path.relative_to(records.parent)) for part in parts],
        "made_by": dict(made_by),
    }
    planned = read_note(records / PLAN, PartsPlan, plan)
    theirs = planned["made_by"]
    differ = [name for name in made_by if theirs.get(name) != made_by[name]]
    if differ and (shared or any(map(is_held, records.glob(f"*{LOCK}")))):
        differences = "; ".join(
            f"{name} {theirs.get(name)} there, {made_by[name]} here" for name in differ
        )
        raise HarnessError(
            f"{records.parent}: its parts were made with other settings than those of this process "
            f"({differences}); use the "
            "same code, libraries and device everywhere, or remove that folder"
        )
    if set(differ) - {"code"}:
        log.warning(
            "%s: begun with other %s; its parts are computed again", what, " and ".join(differ)
        )
        for part in parts:
            part.path.unlink(missing_ok=True)
    # processes of several machines may have one number; write_text makes no folder again
    draft = records / f"{PLAN}.{uuid.uuid4().hex}"
    draft.write_text(json.dumps(plan))
    draft.replace(records / PLAN)
