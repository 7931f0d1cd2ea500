"""The policy as a whole: equations 5 to 7 worked by hand, the trace that adds up, the same bytes
everywhere.
"""

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from harness.benchmark import Benchmark
from harness.core.errors import HarnessError
from harness.graph.entity import Entity
from harness.graph.extractor.offline import Offline
from harness.model.encoder.hashed import Hashed
from harness.plugins.llm.gate.embedding import Embedding
from harness.plugins.llm.gate.llm import LLM
from harness.plugins.policyrag.policy.execution import start
from harness.plugins.policyrag.policy.policy import read
from harness.plugins.policyrag.policy.question_record import record
from harness.plugins.policyrag.retriever.policyrag import PolicyRAG, edited
from harness.retriever import retrieve
from harness.work.store import Store
from tests.plugins.llm.endpoint.scripted import served
from tests.plugins.policyrag.world import GRAPH, QUESTIONS, WORLD, plain
from tests.world.few import few

QUESTION = QUESTIONS[0]


def policyrag(**edits: dict[str, Any]) -> PolicyRAG:
    return PolicyRAG(GRAPH, Hashed(), plain(**edits))


def scores(retriever: PolicyRAG, world: Benchmark, store: Store) -> dict[str, float]:
    return retrieve(retriever, world, store).to_dict()["q0"]


def test_walk_and_projection_by_hand(titled: Any, tmp_path: Path) -> None:
    """dune -> lynch; lynch -> dune and missoula, 1/2 each; missoula -> lynch. With alpha 1/2 and s
    = dune: d = l/4 + 1/2, l = (d + m)/2, m = l/4, so d, l, m = 7/12, 4/12, 1/12. A passage has what
    it holds.
    """
    world, store = titled(WORLD, [QUESTION]), Store(tmp_path)
    found = scores(policyrag(), world, store)
    assert found == pytest.approx({"d000": 11 / 12, "d001": 5 / 12, "d002": 1 / 12}, abs=1e-6)
    shared = scores(policyrag(project={"incidence": "shares"}), world, store)
    assert shared == pytest.approx({"d000": 9 / 12, "d001": 5 / 24, "d002": 1 / 24}, abs=1e-6)


def test_relations_to_what_is_no_title_can_count_less(titled: Any, tmp_path: Path) -> None:
    """dune is joined to david lynch, who is no title here, and to rome: 1/2 each, or .2 and .8 when
    he counts 1/4.
    """
    texts = {"Dune": "Dune was made by David Lynch.", "Rome": "Rome is where Dune was shown."}
    world, store = titled(texts, ["What is Dune?"]), Store(tmp_path)
    graph = Entity(Offline(model=None, spans=True), Hashed(), synonym=None)
    memory = start(policyrag().policy, graph, Hashed(), world, store).memory
    dune, lynch, rome = (list(memory.names).index(name) for name in ("dune", "david lynch", "rome"))
    for untitled, expected in [(1.0, [0.5, 0.5]), (0.25, [0.2, 0.8]), (0.0, [0, 1])]:
        walk = read(traverse={"untitled": untitled, "eta_s": 0}).traverse
        row = walk.transition(memory)[[dune]].toarray()[0]
        assert row[[lynch, rome]].tolist() == pytest.approx(expected)


def test_length_and_frequency_divide(titled: Any, tmp_path: Path) -> None:
    """Words 11, 10, 8, 9, 5; specificities as in the memory's test."""
    world = titled(WORLD, [QUESTION])
    found = scores(policyrag(project={"beta": 1.0, "gamma": 0.5}), world, Store(tmp_path))
    length = np.array([11, 10, 8]) / np.mean([11, 10, 8, 9, 5])
    one, two = np.log(6), np.log(3.5)
    held = np.array([one + two, two + two, two, one, one])
    expected = np.array([11, 5, 1]) / 12 / length / np.sqrt(held / held.mean())[:3]
    assert list(found.values()) == pytest.approx(sorted(expected, reverse=True), abs=1e-6)


def test_bonuses_by_hand(titled: Any, tmp_path: Path) -> None:
    """The question names dune, the one seed: title and coverage of its passage 1; chains of 0, 1
    and 2 relations lead to the three titles: 1, 1/2, 1/3.
    """
    world, store = titled(WORLD, [QUESTION]), Store(tmp_path)
    weights = {"lambda_title": 1, "lambda_cov": 0.5, "lambda_path": 3}
    found = scores(policyrag(rerank=weights), world, store)
    expected = np.array([11, 5, 1]) / 12 + np.array([4.5, 1.5, 1])
    assert list(found.values()) == pytest.approx(expected.tolist(), abs=1e-6)


def test_passage_seeds_reach_what_they_mention(titled: Any, tmp_path: Path) -> None:
    """The question resembles Missoula's passage p alone: v_p = alpha, and half of it goes to
    missoula, its one name. With alpha 1/2 and mass x, y, z on missoula, david lynch and dune: x =
    1/4 + y/4, y = (x + z)/2, z = y/4, so x, y, z = 7/24, 4/24, 1/24, and u is x + 1/2 for p, x + y
    and y + z for the others that hold them.
    """
    world, store = titled(WORLD, ["missoula"]), Store(tmp_path)
    found = scores(policyrag(seed={"passage_weight": 1, "passages": 1}), world, store)
    assert found == pytest.approx({"d002": 19 / 24, "d001": 11 / 24, "d000": 5 / 24}, abs=1e-6)
    still = policyrag(seed={"passage_weight": 1, "passages": 1}, traverse={"alpha": 1.0})
    assert scores(still, world, store) == pytest.approx({"d002": 1.0})


numbers = st.floats(0, 1)


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(
    "facts", 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 2.2250738585e-313, "binary"
)  # rows of T whose sum has no inverse
@given(
    by=st.sampled_from(["facts", "names", "both", "question"]),
    eta_s=numbers,
    alpha=st.floats(0.1, 1),
    beta=numbers,
    gamma=numbers,
    bonus=st.floats(0, 3),
    hub=numbers,
    eta_c=numbers,
    incidence=st.sampled_from(["binary", "shares"]),
)
def test_the_terms_of_every_passage_add_up_to_its_score(
    titled, tmp_path, by, eta_s, alpha, beta, gamma, bonus, hub, eta_c, incidence
) -> None:
    policy = read(
        seed={"by": by},
        traverse={"eta_s": eta_s, "eta_c": eta_c, "alpha": alpha},
        project={"beta": beta, "gamma": gamma, "incidence": incidence},
        rerank={"lambda_title": bonus, "lambda_cov": bonus, "lambda_path": bonus, "hub": hub},
    )
    world, store = titled(WORLD, [QUESTION]), Store(tmp_path)
    graph = replace(GRAPH, synonym=0.1)
    started = start(policy, graph, Hashed(), world, store)
    told = record(policy, started, world, 0)
    run, _ = PolicyRAG(graph, Hashed(), policy).retrieve(world, store)
    listed = run.to_dict()["q0"]
    for row in told["passages"]:
        total = row["walk"] + row["lambda_title"] + row["lambda_cov"] + row["lambda_path"]
        assert abs(total - row["score"]) < 1e-9
        assert abs(row["mass"] / (row["length"] ** beta * row["ipf"] ** gamma) - row["walk"]) < 1e-9
        assert listed.get(row["passage"], 0.0) == pytest.approx(row["score"], abs=1e-6)
    assert sum(told["mass"][0].values()) == pytest.approx(1, abs=1e-4)
    assert sum(row["weight"] for row in told["phrase_seeds"]) == pytest.approx(1)


def test_the_record_tells_facts_and_passages(titled: Any, tmp_path: Path) -> None:
    world, store = titled(WORLD, [QUESTION]), Store(tmp_path)
    gate = {"facts": 2, "filter": Embedding(Hashed(), -1.0, 1)}
    retriever = policyrag(seed={"by": "facts"}, gate=gate)
    told = retriever.recorder(world, store)(0, [0, 1])
    facts = told["facts"]
    assert [row["kept"] for row in facts] == [True, False] or len(facts) == 1
    first = facts[0]
    raw = world.passages[0].encode()[first["start"] : first["end"]].decode()
    assert raw == first["predicate"] == "It was filmed by David Lynch."
    assert first["passage"] == "d000"
    assert told["phrase_seeds"][0]["facts_mean"] == pytest.approx(first["score"])
    assert {row["passage"] for row in told["passages"]} >= {"d000", "d001"}
    json.dumps(told)


def test_facts_are_gated_and_counted(titled: Any, tmp_path: Path) -> None:
    world, store = titled(WORLD, [QUESTION, "Is Rome older than Missoula?", "?"]), Store(tmp_path)
    gate = {"facts": 2, "filter": Embedding(Hashed(), -1.0, 1)}
    retriever = policyrag(seed={"by": "facts", "passages": 2}, gate=gate)
    query, passage, kept = retriever.gated(world, store)
    _, facts = retriever.retrieve(world, store)
    assert facts["gate"]["kept"] == kept.sum()
    assert facts["gate"]["dropped"] == (~kept).sum()
    assert len(query) == len(passage) == len(kept)
    assert np.bincount(query[kept]).max() == 1


def test_copies_of_a_passage_come_after_distinct_facts(titled: Any, tmp_path: Path) -> None:
    """Two candidates of four: of three copies one, and the sentence that is further away."""
    text = "Dune was filmed by David Lynch."
    world = titled(
        [("Dune", text), ("Dune", text), ("Dune", text), ("David Lynch", "Lynch met Dune.")],
        ["Dune was filmed by David Lynch?"],
    )
    found = policyrag(gate={"facts": 2}).seeding(world, Store(tmp_path))
    stated = [found.memory.facts.text(fact) for fact in found.candidates.fact.tolist()]
    assert stated == [f"Dune {text}", "David Lynch Lynch met Dune."]


def test_a_language_model_as_the_gate_is_asked_once_and_its_choice_seeds(
    titled: Any, tmp_path: Path
) -> None:
    world, chosen = titled(WORLD, [QUESTION]), "David Lynch David Lynch grew up in Missoula."
    answer = json.dumps({"facts": [chosen, "Dune was written by Homer."]})
    with served(lambda number, message: answer) as endpoint:
        llm = LLM(model="m", base_url=endpoint.url, answers=str(tmp_path / "answers"))
        seed = {"by": "facts", "align": "both", "passages": 2}
        retriever = policyrag(seed=seed, gate={"facts": 5, "filter": llm})
        _, facts = retriever.retrieve(world, Store(tmp_path))
        told = retriever.recorder(world, Store(tmp_path))(0, [1])
    assert len(endpoint.requests) == 1
    assert facts["gate"]["strangers"] == 1
    kept = [row["predicate"] for row in told["facts"] if row["kept"]]
    assert kept == ["David Lynch grew up in Missoula."]
    assert {row["entity"] for row in told["phrase_seeds"]} == {"david lynch", "missoula"}


def everything(world: Benchmark, store: Store, **how: Any) -> str:
    policy = read(gate={"filter": Embedding(Hashed(), 0.0, 4)})
    made = PolicyRAG(replace(GRAPH, synonym=0.1), Hashed(), policy, **how)
    run, _ = made.retrieve(world, store)
    return hashlib.sha256(run.docs.tobytes() + run.scores.tobytes()).hexdigest()


def crossed() -> Benchmark:
    """Every title with every other in a question."""
    questions = [f"What is {title} to {other}?" for title in WORLD for other in WORLD]
    return few(WORLD, questions, "abcde")


@pytest.mark.slow
def test_threads_blocks_and_another_process_change_no_byte(tmp_path: Path) -> None:
    world = crossed()
    one = everything(world, Store(tmp_path))
    for threads, block in [(1, 64), (2, 3)]:
        assert everything(world, Store(tmp_path), threads=threads, block=block) == one
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from test_policyrag import *; "
        "print(everything(crossed(), Store(Path(sys.argv[2]))))"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "77", "OMP_NUM_THREADS": "1"}
    arguments = [sys.executable, "-c", code, str(Path(__file__).parent), str(tmp_path / "other")]
    done = subprocess.run(arguments, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == one


def test_an_empty_corpus_of_facts_still_ranks_passages(titled: Any, tmp_path: Path) -> None:
    world = titled([("", "nothing here"), ("", "still nothing")], ["what nothing"])
    made = PolicyRAG(GRAPH, Hashed(), read(gate={"filter": Embedding(Hashed())}))
    run, facts = made.retrieve(world, Store(tmp_path))
    assert run.lengths()[0] == 2
    assert facts["questions_without_phrase_seed"] == 1


def test_an_edit_is_the_policy_with_that_knob_and_the_graph_follows_its_synonyms() -> None:
    base = policyrag(traverse={"synonym": 0.8})
    both = policyrag(traverse={"synonym": 0.8, "alpha": 0.2})
    assert edited(base, traverse={"alpha": 0.2}) == both
    near = edited(base, traverse={"synonym": 0.9}, project={"beta": 1.0})
    assert near.graph == replace(GRAPH, synonym=0.9)
    assert near.policy == policyrag(traverse={"synonym": 0.9}, project={"beta": 1.0}).policy


def test_an_edit_that_no_policy_has_is_refused() -> None:
    """As a policy that is read (test_policy)."""
    with pytest.raises(HarnessError, match=r"^policy\.traverse=alfa is not known .*alpha\?\)"):
        edited(policyrag(), traverse={"alfa": 0.2})
