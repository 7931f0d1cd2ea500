"""Every edge has its passages, and bytes on which its names stand."""

import json
from pathlib import Path
from typing import Any

from harness.artifacts import Store
from harness.encoder.hashed import Hashed
from harness.extractor.offline import Offline
from harness.extractor.openie_file import OpenIEFile
from harness.graph.entity import Entity
from harness.graph.provenance import table

WORLD = {"Dune (film)": "Überall: Dune was filmed by David  Lynch.", "David Lynch": "He made Dune; né in Missoula."}
SAID = {
    "d000": [["Dune", "filmed by", "David Lynch", 0.5], ["Dune", "is", "dune"]],
    "d001": [["david lynch", "of", "Missoula"], ["Missoula", "in", "Montana"]],
}


def test_passages_and_bytes(titled: Any, tmp_path: Path) -> None:
    path = tmp_path / "said.jsonl"
    path.write_text("".join(json.dumps({"id": d, "entities": [], "triples": t}) + "\n" for d, t in SAID.items()))
    benchmark = titled(WORLD, [])
    graph = Entity(OpenIEFile(Offline(model=None, spans=False), str(path)), Hashed(), synonym=None)
    network, extraction = graph.build(benchmark, Store(tmp_path))
    found = table(benchmark, extraction).to_pylist()
    texts = dict(zip(["d000", "d001"], benchmark.passages, strict=True))

    def at(row: dict[str, Any], end: str) -> str | None:
        part = texts[row["passage"]].encode()[row[f"{end}_start"] : row[f"{end}_end"]]
        return part.decode() if row[f"{end}_start"] >= 0 else None

    relations = [(r["source"], r["said"], r["target"], r["confidence"], r["passage"], at(r, "source"), at(r, "target"))
                 for r in found if r["family"] == "relation"]  # fmt: skip
    assert relations == [
        ("dune", "filmed by", "david lynch", 0.5, "d000", "Dune", "David  Lynch"),
        ("david lynch", "of", "missoula", 1.0, "d001", "David Lynch", "Missoula"),
        ("missoula", "in", "montana", 1.0, "d001", "Missoula", None),
    ]
    mentions = [(r["source"], r["family"], r["passage"], at(r, "source")) for r in found if r["target"] is None]
    assert mentions == [
        ("david lynch", "context-title", "d000", "David  Lynch"),
        ("david lynch", "context-open", "d000", "David  Lynch"),
        ("dune", "context-title", "d001", "Dune"),
        ("missoula", "context-open", "d001", "Missoula"),
        ("montana", "context-open", "d001", None),
    ]
    assert len(mentions) == network.mentions.sum()


def test_nothing(titled: Any, tmp_path: Path) -> None:
    benchmark = titled([("", "…")], [])
    _, extraction = Entity(Offline(model=None), Hashed(), synonym=None).build(benchmark, Store(tmp_path))
    assert table(benchmark, extraction).num_rows == 0
