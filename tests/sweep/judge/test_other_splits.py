"""Other splits of tune: halves, choices and gains of a table of four questions, worked by hand."""

import dataclasses
import hashlib
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

from harness.evaluation.conclusion import select_texts
from harness.report.console.conclusions import sentences
from harness.sweep.folder import SweepResult
from harness.sweep.folder.view import View
from harness.sweep.judge.choice import order
from harness.sweep.judge.other_splits import choose_again
from tests.conftest import Command

HITS = {"dense": (1, 0, 0, 0), "graph": (0, 1, 1, 0), "a": (1, 1, 0, 1), "b": (1, 0, 1, 1)}
IDS = ["q0", "q1", "q2", "q3"]


def even(text: str) -> bool:
    """The split's rule: the last bit of the MD5."""
    return hashlib.md5(text.encode()).digest()[-1] % 2 == 0


def view(splitting: str = "md5", cluster: tuple[int, ...] = (0, 1, 2, 3)) -> View:
    scored = [
        {
            "trial": name,
            "name": name,
            "family": "single" if name in ("dense", "graph") else "linear",
            "parameters": {},
            "losses": 0,
            "last_hop@5": sum(hits) / 4,
        }
        for name, hits in HITS.items()
    ]
    rows = [scored[place] for place in order(scored, "last_hop@5")]
    ranks = np.array(
        [[[1 if hit else 9] for hit in HITS[str(row["name"])]] for row in rows], dtype=np.int32
    )
    queries = pd.DataFrame({"id": IDS, "cluster": cluster})
    manifest = {"dataset": "d", "objective": "last_hop@5", "splitting": splitting}
    return View(
        "tune", rows, ranks, queries, manifest, {"winner": {"trial": "a"}, "reference": "dense"}
    )


def half_of(number: int) -> list[bool]:
    return [even(f"{number} {name}") for name in IDS]


# What is chosen on a half: the questions that a and b share tie, q1 speaks for a, q2 for b; losses
# against dense are none for either, and a comes before b. The best list: dense where q0 is in and
# neither q1 nor q2, else graph; where both have one hit (or none) dense, which loses nothing
# against itself.
CHOSEN = {
    (1, 0, 0, 0): ("a", "dense"),
    (0, 1, 0, 0): ("a", "graph"),
    (0, 0, 1, 0): ("b", "graph"),
    (0, 0, 0, 1): ("a", "dense"),
    (1, 1, 0, 0): ("a", "dense"),
    (1, 0, 1, 0): ("b", "dense"),
    (1, 0, 0, 1): ("a", "dense"),
    (0, 1, 1, 0): ("a", "graph"),
    (0, 1, 0, 1): ("a", "graph"),
    (0, 0, 1, 1): ("b", "graph"),
    (1, 1, 1, 0): ("a", "graph"),
    (1, 1, 0, 1): ("a", "dense"),
    (1, 0, 1, 1): ("b", "dense"),
    (0, 1, 1, 1): ("a", "graph"),
}


def test_choices_and_gains_by_hand() -> None:
    found = choose_again(view(), 12)
    halves = [tuple(int(one) for one in half_of(number)) for number in range(1, 13)]
    wanted = [(half, *CHOSEN[half]) for half in halves if half in CHOSEN]
    assert len({name for _, name, _ in wanted}) == 2
    assert list(found.names) == [name for _, name, _ in wanted]
    assert found.same == sum(name == "a" for _, name, _ in wanted)

    def gains(rivals: list[str]) -> list[float]:
        pairs = [
            [HITS[name][place] - HITS[rival][place] for place in range(4) if not half[place]]
            for (half, name, _), rival in zip(wanted, rivals, strict=True)
        ]
        return [sum(own) / len(own) for own in pairs]

    assert found.over_best == pytest.approx(gains([rival for *_, rival in wanted]))
    assert found.over_reference == pytest.approx(gains(["dense"] * len(wanted)))


def test_whole_clusters_move_where_the_split_is_by_cluster() -> None:
    """q0 and q1 go by q0, q2 and q3 by q2: the halves are those two, so a (two of q0, q1) or b (two
    of q2, q3).
    """
    found = choose_again(view("disjoint", (0, 0, 1, 1)), 12)
    sides = [(even(f"{number} q0"), even(f"{number} q2")) for number in range(1, 13)]
    assert list(found.names) == [
        "a" if first else "b" for first, second in sides if first != second
    ]
    # a has one of q2, q3, as graph (dense none); b one of q0, q1, as dense and graph.
    assert set(found.over_reference) <= {0.0, 0.5}
    assert found.splits == sum(first != second for first, second in sides)


def test_the_sentence_is_said_when_it_is_asked_for(example: ModuleType, tmp_path: Path) -> None:
    result: SweepResult = example.write(tmp_path / "s1", heldout=False)
    said = " ".join(select_texts(sentences(result, result.tune), "addition"))
    assert "other splits" not in said
    result = dataclasses.replace(result, splits=20)
    told = select_texts(sentences(result, result.tune), "addition")[-1]
    found = choose_again(result.whole, 20)
    assert told.startswith(
        f"Under {found.splits} other splits of tune, chosen on one half and scored on the other, "
    )
    same = f"chosen in {found.same} ({len(set(found.names))} winner"
    assert f"the same winner is {same}" in told
    assert "in all); its gain in points goes from " in told
    assert told.endswith(f"{100 * max(found.over_reference):+.1f} over dense.")


def test_on_the_command_line(overrides: list[str], command: Command) -> None:
    """What is stored is the same with and without; a number that is none is refused before anything
    runs.
    """
    given = [
        "sweep",
        *overrides,
        "grid=point",
        "+grid.some={fuser:[linear],fuser.alpha:[0.3,0.6,0.8],pool.cap:[8]}",
    ]
    _, plain, _ = command(*given)
    folder = Path(plain.splitlines()[-1])
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix != ".json"}
    status, told, _ = command(*given, "splits=20")
    assert status == 0
    assert told.splitlines()[-1] == str(folder)
    assert before == {
        path.name: path.read_bytes() for path in folder.iterdir() if path.suffix != ".json"
    }
    said = " ".join(told.split())
    assert "other splits of tune, chosen on one half" in said
    assert "other splits" not in plain
    found = choose_again(SweepResult(folder).whole, 20)
    assert f"the same winner is chosen in {found.same} ({len(set(found.names))} winner" in said
    for wrong, bound in (
        ("-1", "in [0, inf)"),
        ("0.5", "a whole number"),
        ("many", "a whole number"),
    ):
        expected = f"error: splits must be {bound}, got splits={wrong}\n"
        assert command(*given, f"splits={wrong}")[::2] == (2, expected)
    status, _, error = command(*given, "splits=3", "dry_run=true")
    assert (status, "splits=3 needs results" in error) == (2, True)
