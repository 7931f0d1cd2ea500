"""A policy whose gate is a real small language model on 127.0.0.1, from questions to lists."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness.benchmark import Benchmark
from harness.graph.entity import Entity
from harness.model.encoder.hashed import Hashed
from harness.plugins.llm.gate.llm import LLM
from harness.plugins.policyrag.retriever.policyrag import PolicyRAG
from harness.work.store import Store
from tests.plugins.llm.endpoint.model import smollm2
from tests.plugins.llm.endpoint.scripted import local
from tests.plugins.policyrag.world import plain


@pytest.mark.slow
def test_a_real_model_gates_the_facts_of_a_policy(
    graph: Entity, world: Benchmark, tmp_path: Path
) -> None:
    """What SmolLM2-135M keeps says nothing; that its choice seeds, is counted, traced, asked once
    and repeated does.
    """
    with smollm2() as url:
        tiny = {"model": "smollm2-135m", "parallel": 1, "max_tokens": 160, "timeout": 900}
        llm = LLM(**local(url, tmp_path, **tiny, most=2))
        policy = plain(seed={"by": "facts", "passages": 2}, gate={"facts": 4, "filter": llm})
        retriever = PolicyRAG(graph, Hashed(), policy)
        run, facts = retriever.retrieve(world, Store(tmp_path / "one"))
    again, counts = retriever.retrieve(world, Store(tmp_path / "two"))  # without the server
    gate: dict[str, Any] = facts["gate"]
    query, _, kept = retriever.gated(world, Store(tmp_path / "one"))
    assert gate["answers_paid"] == gate["answers"] == len(np.unique(query))
    assert gate["answers"] == 3 - gate["questions_without_candidate"]
    assert gate["kept"] + gate["dropped"] == gate["candidates"] == len(kept)
    assert gate["kept"] == kept.sum()
    assert np.bincount(query[kept], minlength=3).max() <= 2
    assert sum(gate["malformed"].values()) <= 1
    assert (counts["gate"]["answers_paid"], counts["gate"]["kept"]) == (0, gate["kept"])
    assert run.equals(again)
    told = retriever.recorder(world, Store(tmp_path / "one"))(0, [0])["facts"]
    assert [row["kept"] for row in told] == kept[query == 0].tolist()
    json.dumps(told)
