"""Entity recognition on every processor: processes that each take whole parts, so the bytes are those of one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from harness.core.errors import HarnessError
from harness.graph.extractor.recognition.ner import entities

Rows = NDArray[np.int32]


class Recognisers:
    """``find(texts)``, int32[M_i, 3] a text, from any number of threads: first character, the one after the last, kept.

    The first of several calls at once is served by this process, each other one by a process that loads the model once
    and waits for the next. ``close`` ends them.
    """

    def __init__(self, model: str, batch: int) -> None:
        self.model, self.batch = model, batch
        self._own = threading.Lock()
        self._idle: SimpleQueue[_Other] = SimpleQueue()
        self._started: list[_Other] = []

    def __call__(self, texts: Sequence[str]) -> list[Rows]:
        """The entities of each text. Raises HarnessError for a model that cannot be loaded or a process that died."""
        if self._own.acquire(blocking=False):
            try:
                return _rows(entities(self.model, texts, self.batch))
            finally:
                self._own.release()
        try:
            other = self._idle.get_nowait()
        except Empty:
            other = _Other(self.model, self.batch)
            self._started.append(other)
        found = other.ask(texts)
        self._idle.put(other)
        return _rows(found)

    def close(self) -> None:
        """End the processes."""
        for other in self._started:
            other.end()
        self._started, self._idle = [], SimpleQueue()


class _Other:
    """A process that recognises: a line of JSON for each part to it, a line of JSON back."""

    def __init__(self, model: str, batch: int) -> None:
        root = str(Path(__file__).parents[4])
        search = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))
        self.errors: IO[str] = tempfile.TemporaryFile("w+")  # noqa: SIM115  (it lives as long as the process)
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", __name__, model, str(batch)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True,
            env={**os.environ, "PYTHONPATH": search},
        )  # fmt: skip

    def ask(self, texts: Sequence[str]) -> Any:
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None
        assert stdout is not None
        try:
            stdin.write(json.dumps(list(texts)) + "\n")
            stdin.flush()
            return json.loads(stdout.readline())
        except (BrokenPipeError, ValueError) as error:
            status = self.process.wait()
            self.errors.seek(0)
            said = [line for line in self.errors.read().splitlines() if line.strip()]
            why = said[-1] if said and status > 0 else f"it ended with status {status}"
            raise HarnessError(f"a process that recognises entities failed: {why}") from error

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.errors):
            if stream is not None:
                stream.close()


def _rows(found: Any) -> list[Rows]:
    return [np.array(places, dtype=np.int32).reshape(-1, 3) for places in found]


def main(model: str, batch: str) -> None:
    """Answer until standard input ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints is no answer
    try:
        for line in sys.stdin:
            print(json.dumps(list(entities(model, json.loads(line), int(batch)))), file=answers, flush=True)
    except HarnessError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main(*sys.argv[1:])
