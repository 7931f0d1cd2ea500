"""`harness` in this process and Python in one of its own, as somebody types them in a shell."""

from __future__ import annotations

import contextlib
import importlib
import io
import logging
import os
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TypedDict, Unpack
from unittest import mock

SHARED = "SHARED_BY_TESTS"
"""The variable with a folder that all processes of a session share; ``tests.conftest`` makes it."""
SECONDS = 600
"""In which a process must have ended."""


class Given(TypedDict, total=False):
    """How a command is run.

    cwd: its folder. env: its whole environment. joint: stderr is in stdout. check: another status
    than 0 raises CalledProcessError. drawn: figures are drawn and LaTeX is run; else files of
    figures are empty.
    """

    cwd: Path | str
    env: Mapping[str, str] | None
    joint: bool
    check: bool
    drawn: bool


def harness(*arguments: str, **given: Unpack[Given]) -> subprocess.CompletedProcess[str]:
    """Return what ``harness`` with these arguments prints, writes to stderr and ends with."""
    own = given.get("env")
    env = os.environ if own is None else own
    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.chdir(given.get("cwd", ".")),
        mock.patch.dict(os.environ, env, clear=True),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(out if given.get("joint") else err),
        _undrawn(bool(given.get("drawn"))),
        _unlogged(),
        _own_modules(env.get("PYTHONPATH", "")),
    ):
        status = run(arguments)
    done = subprocess.CompletedProcess(
        ["harness", *arguments], status, out.getvalue(), err.getvalue()
    )
    if given.get("check"):
        done.check_returncode()
    return done


def run(arguments: Sequence[str]) -> int:
    """Run a command in this process and return its exit status; nothing of it is left behind."""
    from hydra.core.global_hydra import GlobalHydra
    from hydra.core.hydra_config import HydraConfig

    from harness.__main__ import main
    from harness.command import note_typed
    from harness.core.configuration import extensions

    if arguments[:1] == ("sweep",) and "tracking=none" not in arguments:
        importlib.import_module("tests.databases")  # MLflow takes seconds to make its tables
    searched, hook = [*extensions.SEARCHED], sys.excepthook
    root = logging.getLogger()
    handlers, level = [*root.handlers], root.level
    try:
        with mock.patch.object(sys, "argv", ["harness", *arguments]):
            main()
    except SystemExit as end:
        return int(end.code or 0)
    except Exception:
        traceback.print_exc(file=sys.stderr)
        return 1
    finally:
        GlobalHydra.instance().clear()
        HydraConfig.instance().cfg = None  # it names the folders of --config-dir
        note_typed([])
        extensions.SEARCHED[:], sys.excepthook = searched, hook
        root.handlers[:] = handlers  # Hydra sets up logging for its jobs
        root.setLevel(level)
    return 0


def python(
    *arguments: str,
    cwd: Path | str = ".",
    env: Mapping[str, str] | None = None,
    joint: bool = False,
    check: bool = False,
    source: Path | None = None,
) -> subprocess.CompletedProcess[str]:
    """Return what Python with these arguments prints, in a process of its own.

    source: the folder of the package that runs, if it is not this checkout.
    """
    environment = dict(os.environ if env is None else env)
    places = [str(source or ""), environment.get("PYTHONPATH", "")]
    if any(places):
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, places))
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if joint else subprocess.PIPE,
        text=True,
        check=check,
        timeout=SECONDS,
    )


def undrawn(replace: Callable[[object, str, object], None]) -> None:
    """Make files of figures empty and LaTeX missing; ``replace`` does as setattr does."""
    from harness.report.figure import Picture
    from harness.report.pdf import compile as latex

    empty = SimpleNamespace(savefig=lambda *_, **__: None)
    replace(Picture, "drawn", lambda self, page=None: contextlib.nullcontext(empty))
    replace(latex, "shutil", SimpleNamespace(which=lambda name: None))


@contextlib.contextmanager
def _undrawn(drawn: bool) -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        if not drawn:
            undrawn(lambda *given: stack.enter_context(mock.patch.object(*given)))
        yield


@contextlib.contextmanager
def _own_modules(paths: str) -> Iterator[None]:
    """A block in which Python finds modules on these paths, too, as a new process finds them.

    They are forgotten at its end, with what the package has kept of them.
    """
    added = [str(Path(path).resolve()) for path in paths.split(os.pathsep) if path]
    added = [path for path in added if path not in sys.path]
    if not added:
        yield
        return
    before, search, written = {*sys.modules}, [*sys.path], sys.dont_write_bytecode
    sys.path[:0], sys.dont_write_bytecode = added, True  # two edits may be of one second
    forget()
    try:
        yield
    finally:
        new = [name for name in {*sys.modules} - before if _is_below(sys.modules[name], added)]
        sys.path[:], sys.dont_write_bytecode = search, written
        for name in new:
            del sys.modules[name]
        forget()


def _is_below(module: ModuleType, folders: Sequence[str]) -> bool:
    places = [str(getattr(module, "__file__", "")), *getattr(module, "__path__", ())]
    return any(place.startswith(tuple(folders)) for place in places)


OF_OWN_CODE = ("harness.core.", "harness.evaluation.metric.", "harness.work.store")
"""Modules whose caches depend on where Python and the configuration look."""
OF_FILES = ("_composed", "_read")
"""Caches by the paths and times of files, which need not be cleared."""


def forget() -> None:
    """Clear what the package keeps of configurations, classes and unversioned artifacts."""
    importlib.invalidate_caches()
    for name, module in [*sys.modules.items()]:
        if name.startswith(OF_OWN_CODE):
            for key, thing in vars(module).items():
                if hasattr(thing, "cache_clear") and key not in OF_FILES:
                    thing.cache_clear()


@contextlib.contextmanager
def _unlogged() -> Iterator[None]:
    """A block in which logging is as in a new process: ``main`` sets it up."""
    root = logging.getLogger()
    kept, root.handlers = root.handlers, []
    try:
        yield
    finally:
        root.handlers = kept
