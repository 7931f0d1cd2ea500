"""HippoRAG's seeds worked by hand, and its walk against igraph's PRPACK."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness.benchmark import Benchmark
from harness.core.configuration.composition import compose
from harness.core.configuration.instantiation import instantiate
from harness.core.errors import HarnessError
from harness.core.identity import identity
from harness.graph.entity import Entity
from harness.graph.extractor.offline import Offline
from harness.model.encoder import embed
from harness.model.encoder.hashed import Hashed
from harness.plugins.llm.extractor.openie_file import OpenIEFile
from harness.plugins.llm.gate import Candidates
from harness.plugins.llm.gate.embedding import Embedding
from harness.plugins.walks.retriever.hipporag import HippoRAG
from harness.retriever import retrieve
from harness.work.store import Store
from tests.retriever.test_ppr import TITLES, WORLD, few

SAID = [
    [["Dune", "was filmed by", "David Lynch"]],
    [["David Lynch", "grew up in", "Missoula"]],
    [["Missoula", "is a city with", "river"]],
    [["Rome", "is a city with", "river"]],
    [],
]
QUESTIONS = ["Who filmed Dune?", "Which city is a city with a river?"]


@pytest.fixture
def rag(tmp_path: Path) -> HippoRAG:
    rows = zip("abcde", SAID, strict=True)
    path = tmp_path / "said.jsonl"
    lines = [json.dumps({"id": name, "entities": [], "triples": t}) for name, t in rows]
    path.write_text("\n".join(lines))
    graph = Entity(OpenIEFile(Offline(model=None, spans=False), str(path)), Hashed(), synonym=None)
    return HippoRAG(graph, Hashed(), nearest=2)


def cosine(texts: list[str], question: str, role: Any, store: Store) -> np.ndarray:
    one = np.asarray(embed(Hashed(), texts, role, store), dtype=np.float64)
    return one @ np.asarray(embed(Hashed(), [question], "question", store), dtype=np.float64)[0]


def reset(rag: HippoRAG, benchmark: Benchmark, store: Store, query: int) -> dict[str, float]:
    """The paper's weights, text by text: by triple, divided by the passages of a phrase; 0.05 x
    scaled cosines.
    """
    said = [(s.lower(), predicate, o.lower()) for rows in SAID for s, predicate, o in rows]
    texts, pairs = [" ".join(triple) for triple in said], [(s, o) for s, _, o in said]
    near = cosine(texts, benchmark.questions[query], "passage", store)
    best = sorted(range(len(texts)), key=lambda i: (-near[i], i))[:2]
    held: dict[str, list[float]] = {}
    for i in best:
        for name in pairs[i]:
            held.setdefault(name, []).append(near[i])
    passages = {"dune": 1, "david lynch": 2, "missoula": 2, "rome": 1, "river": 2}
    weights = {name: float(np.mean(found)) / passages[name] for name, found in held.items()}
    close = cosine(benchmark.passages, benchmark.questions[query], "passage", store)
    share = (close - close.min()) / (close.max() - close.min())
    weights |= {name: 0.05 * float(value) for name, value in zip("abcde", share, strict=True)}
    total = sum(weights.values())
    return {name: value / total for name, value in weights.items()}


def seeds(rag: HippoRAG, benchmark: Benchmark, store: Store, query: int) -> dict[str, float]:
    """The restart by the names of entities and the letters of passages."""
    network, _, restart, _ = rag.start(benchmark, store)
    row = restart[[query]]
    names = [*network.names, *"abcde"]
    return {names[n]: value for n, value in zip(row.indices, row.data, strict=True)}


@pytest.mark.parametrize("query", [0, 1])
def test_seeds_and_ranks_against_igraph(rag: HippoRAG, tmp_path: Path, query: int) -> None:
    igraph = pytest.importorskip("igraph", reason="igraph is in the extra bench")
    benchmark, store = few(QUESTIONS), Store(tmp_path)
    weights = reset(rag, benchmark, store, query)
    some = {name: value for name, value in weights.items() if value}
    assert seeds(rag, benchmark, store, query) == pytest.approx(some, rel=1e-5)
    nodes = ["dune", "david lynch", "missoula", "rome", "river", "alone", *"abcde"]
    joined = ["dune-david lynch", "david lynch-missoula", "missoula-river", "rome-river"]
    held = ["dune-a", "david lynch-a", "david lynch-b", "missoula-b", "missoula-c", "river-c"]
    whole = [*joined, *held, "rome-d", "river-d", "alone-e"]
    edges = [tuple(nodes.index(end) for end in edge.split("-")) for edge in whole]
    graph = igraph.Graph(n=len(nodes), edges=edges)
    reset_, ones = [weights.get(name, 0) for name in nodes], [1.0] * len(edges)
    options = {"weights": ones, "implementation": "prpack"}
    mass = graph.personalized_pagerank(damping=0.5, reset=reset_, **options)
    wanted = {name: mass[nodes.index(name)] for name in "abcde"}
    found = retrieve(rag, benchmark, store).to_dict()[f"q{query}"]
    listed = {name: value for name, value in wanted.items() if value > 1e-6}
    assert found == pytest.approx(listed, abs=1e-5)
    order = sorted((wanted[name] for name in found), reverse=True)
    assert [wanted[name] for name in found] == pytest.approx(order, abs=1e-6)


def test_recognition_leaves_triples_out(rag: HippoRAG, tmp_path: Path) -> None:
    benchmark, store = few(QUESTIONS), Store(tmp_path)
    _, facts = rag.retrieve(benchmark, store)
    assert (facts["triples"], facts["recognised"] + facts["not_recognised"]) == (4, 4)
    found = seeds(replace(rag, recognised=1.0), benchmark, store, 0)
    assert set(found) <= set("abcde"), "then only passages are seeds, as in the paper"


def test_a_gate_decides_which_triples_pass(rag: HippoRAG, tmp_path: Path) -> None:
    """The gate sees each question with its nearest triples, best first; what it drops is
    no seed.
    """
    benchmark, store = few(QUESTIONS), Store(tmp_path)
    gated = replace(rag, gate=First())
    _, facts = gated.retrieve(benchmark, store)
    assert (facts["recognised"], facts["gate"]["kept"], facts["gate"]["candidates"]) == (2, 2, 4)
    assert facts["questions_without_triple"] == 0
    found = seeds(gated, benchmark, store, 0)
    assert set(found) - set("abcde") == {"dune", "david lynch"}
    near = replace(rag, gate=Embedding(Hashed(), threshold=0.0, most=1))
    assert found == seeds(near, benchmark, store, 0), "the nearest by cosine is the first"
    assert identity(replace(rag, gate=None)) == identity(rag) != identity(gated)
    closed = replace(rag, gate=Embedding(Hashed(), threshold=1.0))
    assert closed.retrieve(benchmark, store)[1]["questions_without_triple"] == 2


@dataclass(frozen=True)
class First:
    """Keeps each question's first candidate."""

    def decide(self, questions: Any, candidates: Candidates, folder: Path, store: Store) -> Any:
        kept = [place == 0 for own in candidates for place in range(len(own))]
        return np.array(kept, dtype=np.bool_), {}


@pytest.mark.parametrize("name", ["none", "embedding"])
def test_gates_are_chosen_on_the_command_line(name: str) -> None:
    chosen = ["retriever@lists.graph=hipporag", f"+gate@lists.graph.gate={name}", "encoder=hashed"]
    found = instantiate(compose("config", chosen).lists.graph)
    assert isinstance(found, HippoRAG)
    assert type(found.gate).__module__ == f"harness.plugins.llm.gate.{name}"


def test_other_links(rag: HippoRAG, tmp_path: Path) -> None:
    benchmark, store = few(QUESTIONS), Store(tmp_path)
    for changed in ({"by": "ner_to_node"}, {"by": "query_to_node", "nearest": 1}):
        found = seeds(replace(rag, **changed), benchmark, store, 0)
        assert set(found) - set("abcde") == {"dune"}


def test_names_of_a_question_divide_by_passages_and_titles(rag: HippoRAG, tmp_path: Path) -> None:
    """Missoula is the title of c and named in b, Rome the title of d alone: 1/2 and 1."""
    benchmark = few(["Is Rome in Missoula?"])
    found = seeds(replace(rag, graph=TITLES, by="ner_to_node"), benchmark, Store(tmp_path), 0)
    assert found["rome"] == pytest.approx(2 * found["missoula"])


def test_no_triples_and_bounds(tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match="extractor=llm"):
        retrieve(HippoRAG(TITLES, Hashed()), few(QUESTIONS), Store(tmp_path))
    with pytest.raises(HarnessError, match=r"lists\.NAME\.by=query_to_nod.*query_to_node"):
        HippoRAG(TITLES, Hashed(), by="query_to_nod")
    with pytest.raises(HarnessError, match=r"lists\.NAME\.nearest"):
        HippoRAG(TITLES, Hashed(), nearest=0)
    assert len(WORLD) == len(SAID)
