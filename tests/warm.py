"""`harness` commands in processes of their own that import nothing anew: forked from one that has the libraries.

Each has its own working folder, environment, output and exit status, as one typed in a shell. What is read when Python
or a library starts (PYTHONHASHSEED, OMP_NUM_THREADS) is the tests' own; where that matters, or the way from the shell
to ``main``, a test starts Python itself.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

SECONDS = 600
"""In which a command must have ended."""
IMPORTED = (
    "hydra",
    "hydra._internal.hydra",
    "datasets",
    "numba.core.dispatcher",
    "spacy",
    "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_pdf",
    "statsmodels.stats.contingency_tables",
    "statsmodels.stats.proportion",
    "harness.__main__",
    "harness.sweep.protocol",
    "harness.sweep.trial.prepared",
    "harness.retriever.ppr",
    "harness.retriever.bm25",
    "harness.graph.extractor.mention",
    "harness.report.pdf.document",
    "harness.report.tracking.mlflow",
    "harness.report.tracking.writer",
    "tests.code_version",
)
"""What no command here imports anew."""
CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(list(IMPORTED))


def harness(
    *arguments: str,
    cwd: Path | str = ".",
    env: Mapping[str, str] | None = None,
    joint: bool = False,
    check: bool = False,
) -> subprocess.CompletedProcess[str]:
    """What ``harness`` with these arguments, in that folder, prints, writes to stderr, and ends with.

    env: the whole environment; that of the tests where it is not given.    joint: stderr is in stdout, as in a shell.
    check: raise CalledProcessError for another exit status than 0.
    """
    with tempfile.TemporaryDirectory() as folder:
        places = [Path(folder, name) for name in ("out", "err")]
        for place in places:
            place.touch()
        streams = [str(places[0]), str(places[0 if joint else 1])]
        environment = dict(os.environ if env is None else env)
        process = CONTEXT.Process(target=_run, args=(arguments, str(Path(cwd).resolve()), environment, streams))
        process.start()
        process.join(SECONDS)
        if process.exitcode is None:
            process.kill()
            raise TimeoutError(f"harness {' '.join(arguments)}: no end after {SECONDS} s")
        out, err = (place.read_text(encoding="utf-8") for place in places)
    done = subprocess.CompletedProcess(["harness", *arguments], int(process.exitcode or 0), out, err)
    if check:
        done.check_returncode()
    return done


def _run(arguments: tuple[str, ...], cwd: str, environment: Mapping[str, str], streams: list[str]) -> None:
    for number, path in enumerate(streams, start=1):
        os.dup2(os.open(path, os.O_WRONLY | os.O_APPEND), number)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    named = [os.path.abspath(place) for place in environment.get("PYTHONPATH", "").split(os.pathsep) if place]
    sys.path[:] = [*named, *(place for place in sys.path if place and place not in named)]
    sys.argv = ["harness", *arguments]

    from harness.__main__ import main

    try:
        main()
    finally:
        atexit._run_exitfuncs()  # which a process of multiprocessing leaves out
