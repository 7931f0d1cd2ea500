"""Python and `harness` in processes of their own that import no library: forked from one that has
them.

Each has its own working folder, environment, output and exit status, as one typed in a shell. What
is read when Python or a library starts (PYTHONHASHSEED, OMP_NUM_THREADS) is the tests' own; where
that matters, or the way from the shell to ``main``, a test starts Python itself.
"""

from __future__ import annotations

import atexit
import contextlib
import multiprocessing
import os
import runpy
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from multiprocessing import forkserver
from pathlib import Path
from types import SimpleNamespace
from typing import TypedDict, Unpack

SECONDS = 600
"""In which a command must have ended."""
IMPORTED = (
    "hydra._internal.hydra",
    "datasets",
    "numba.core.dispatcher",
    "sentence_transformers",
    "spacy",
    "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_pdf",
    "statsmodels.stats.contingency_tables",
    "statsmodels.stats.proportion",
    "pytest",
    "hypothesis",
    "git",
    "mlflow.store.model_registry.sqlalchemy_store",
    "mlflow.store.tracking.sqlalchemy_store",
    "tests.code_version",
    "tests.databases",
    "tests.parsed_conf",
    "tests.forked",
)
"""What no command here imports anew."""
CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(list(IMPORTED))
SERVED = f"FORKED_FROM_{Path(__file__).parent}"
"""The variable with the address of the process that this checkout's commands are forked from."""


def serve() -> None:
    """Start that process, for the workers of this one: importing all of IMPORTED takes ten
    seconds.
    """
    forkserver.ensure_running()
    os.environ[SERVED] = str(forkserver._forkserver._forkserver_address)


def join_served() -> None:
    """Commands are forked from the process that the parent of this worker has started."""
    server = forkserver._forkserver
    if SERVED in os.environ and not hasattr(
        server, "_forkserver_authkey"
    ):  # of Python 3.14: each has a key of its own
        server._forkserver_address = os.environ[SERVED]
        server._forkserver_alive_fd = os.open(os.devnull, os.O_RDONLY)
        server.ensure_running = lambda: None


class Given(TypedDict, total=False):
    """cwd: the folder.    env: the whole environment; that of the tests where it is not given.

    joint: stderr is in stdout, as in a shell.    check: raise CalledProcessError for another exit
    status than 0.
    source: the folder of the package that runs, if it is not this checkout; its modules are
    imported in the new
    process.    drawn: figures are drawn and LaTeX is run, most of a report's time; else files of
    figures are empty.
    """

    cwd: Path | str
    env: Mapping[str, str] | None
    joint: bool
    check: bool
    source: Path | None
    drawn: bool


def harness(*arguments: str, **given: Unpack[Given]) -> subprocess.CompletedProcess[str]:
    """What ``harness`` with these arguments prints, writes to stderr, and ends with."""
    return python("-P", "-m", "harness", *arguments, **given)


def python(
    *arguments: str,
    cwd: Path | str = ".",
    env: Mapping[str, str] | None = None,
    joint: bool = False,
    check: bool = False,
    source: Path | None = None,
    drawn: bool = False,
) -> subprocess.CompletedProcess[str]:
    """The same of ``python`` with ``[-P] -m MODULE``, ``[-P] -c CODE`` or ``[-P] SCRIPT`` and
    arguments.
    """
    with tempfile.TemporaryDirectory() as folder:
        places = [Path(folder, name) for name in ("out", "err")]
        for place in places:
            place.touch()
        streams = [str(places[0]), str(places[0 if joint else 1])]
        environment = dict(os.environ if env is None else env)
        given = (arguments, Path(cwd).resolve(), environment, streams, source, drawn)
        process = CONTEXT.Process(target=_run, args=given)
        process.start()
        process.join(SECONDS)
        if process.exitcode is None:
            process.kill()
            raise TimeoutError(f"python {' '.join(arguments)}: no end after {SECONDS} s")
        out, err = (place.read_text(encoding="utf-8") for place in places)
    done = subprocess.CompletedProcess(["python", *arguments], int(process.exitcode or 0), out, err)
    if check:
        done.check_returncode()
    return done


def _run(
    arguments: tuple[str, ...],
    cwd: Path,
    environment: Mapping[str, str],
    streams: list[str],
    source: Path | None,
    drawn: bool,
) -> None:
    for number, path in enumerate(streams, start=1):
        os.dup2(os.open(path, os.O_WRONLY | os.O_APPEND), number)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    if source:
        for name in [
            name for name in sys.modules if name.partition(".")[0] in ("harness", "tests")
        ]:
            del sys.modules[name]
    named = [str(source)] if source else []
    named += [
        os.path.abspath(place)
        for place in environment.get("PYTHONPATH", "").split(os.pathsep)
        if place
    ]
    sys.path[:] = [*named, *(place for place in sys.path if place and place not in named)]
    if not drawn:
        undrawn()
    try:
        _start(list(arguments), cwd)
    finally:
        atexit._run_exitfuncs()  # which a process of multiprocessing leaves out


def undrawn(replace: Callable[[object, str, object], None] = setattr) -> None:
    """Files of figures are empty and LaTeX is not there; ``replace`` is setattr."""
    from harness.report.figure import Picture
    from harness.report.pdf import latex

    empty = SimpleNamespace(savefig=lambda *_, **__: None)
    replace(Picture, "drawn", lambda self, page=None: contextlib.nullcontext(empty))
    replace(latex, "shutil", SimpleNamespace(which=lambda name: None))


def _start(arguments: list[str], cwd: Path) -> None:
    """As Python does: the folder of what runs is searched first, without ``-P``."""
    alone = arguments[0] == "-P"
    kind, *rest = arguments[alone:]
    if kind in ("-m", "-c"):
        what, *rest = rest
    else:
        kind, what = "", str(cwd / kind)
    if not alone:
        sys.path.insert(0, str(cwd) if kind else os.path.dirname(what))
    sys.argv = [kind or what, *rest]
    if (kind, what) == ("-m", "harness"):
        sys.argv[0] = "harness"
        from harness.__main__ import main

        main()
    elif kind == "-m":
        runpy.run_module(what, run_name="__main__", alter_sys=True)
    elif kind == "-c":
        exec(what, {"__name__": "__main__"})
    else:
        runpy.run_path(what, run_name="__main__")
