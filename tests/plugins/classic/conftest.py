"""200 made questions: ties, lists of unequal depth, documents in one list only."""

import random

import pytest

Question = dict[str, dict[str, float]]


@pytest.fixture(scope="session")
def questions() -> dict[str, Question]:
    """Scores in [0, 1] by document, of three lists, by question."""
    draw = random.Random(96)
    documents = [f"d{number:02d}" for number in range(30)]

    def scored(depth: int) -> dict[str, float]:
        chosen = draw.sample(documents, draw.randint(1, depth))
        return {doc: draw.randint(0, 12) / 16 for doc in chosen}

    depths = {"dense": 8, "graph": 25, "bm25": 12}
    return {
        f"q{number:03d}": {name: scored(depth) for name, depth in depths.items()}
        for number in range(200)
    }
