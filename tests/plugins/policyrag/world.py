"""A chain of three titles that a policy walks, and two passages beside it."""

from typing import Any

from harness.graph.entity import Entity
from harness.graph.extractor.offline import Offline
from harness.model.encoder.hashed import Hashed
from harness.plugins.policyrag.policy.policy import Policy, read

WORLD = {
    "Dune (film)": "Dune is long. It was filmed by David Lynch.",
    "David Lynch": "David Lynch grew up in Missoula. He paints.",
    "Missoula": "Missoula is a city with a river.",
    "Rome": "Rome is a city with a river, too.",
    "Alone": "Nothing is said here.",
}
QUESTIONS = ["Where did the director of Dune grow up?", "Is Rome older than Missoula?", "?"]
GRAPH = Entity(Offline(model=None, spans=False), Hashed(), synonym=None)
PLAIN: dict[str, dict[str, Any]] = {
    "seed": {"by": "names", "align": "lexical", "specificity": 0, "link": None},
    "gate": {"facts": 0},
    "traverse": {"alpha": 0.5, "tolerance": 1e-9},
    "project": {"beta": 0, "gamma": 0},
    "rerank": {"lambda_title": 0, "lambda_cov": 0, "lambda_path": 0},
}
PLAIN["seed"] |= {"passage_weight": 0, "passages": 0}


def plain(**edits: dict[str, Any]) -> Policy:
    """A policy of which only the walk is left, with some knobs set by section."""
    return read(**{name: {**knobs, **edits.get(name, {})} for name, knobs in PLAIN.items()})
