"""Files that are taken from by query: any line order, any block size, in memory or on disk, the same lists."""

from __future__ import annotations

import random
import resource
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness import lists, trec
from harness.errors import HarnessError
from harness.lists.spool import Spool, blocks, union
from harness.run import Run

NAMES = st.text("abcé", min_size=1, max_size=3)
LISTS = st.dictionaries(NAMES, st.dictionaries(NAMES, st.integers(0, 3).map(float), max_size=5), min_size=1, max_size=6)


def lines(found: dict[str, dict[str, float]]) -> list[str]:
    return [f"{query} Q0 {doc} 0 {score} s\n" for query, listed in found.items() for doc, score in listed.items()]


def opened(path: Path, memory: int) -> Spool:
    return Spool(trec.entries(path), lambda entry: trec.place(path, entry), memory)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(LISTS, LISTS, st.randoms(use_true_random=False), st.integers(1, 9), st.sampled_from([0, 40, 1 << 20]))
def test_blocks_are_the_lists_of_the_whole(
    tmp_path: Path,
    one: dict[str, dict[str, float]],
    other: dict[str, dict[str, float]],
    rng: random.Random,
    size: int,
    memory: int,
) -> None:
    held = {}
    for name, found in (("one", one), ("other", other)):
        shuffled = lines(found) or ["z Q0 z 0 1 s\n"]
        rng.shuffle(shuffled)
        (tmp_path / name).write_text("".join(shuffled), encoding="utf-8")
        held[name] = opened(tmp_path / name, memory)
    expected = {name: run.to_dict() for name, run in lists.read_all({name: tmp_path / name for name in held}).items()}
    parts = list(blocks(held, union(held), size))
    for name in held:
        together = {query: listed for part in parts for query, listed in part[name].to_dict().items()}
        assert together == expected[name]
        assert list(together) == list(expected[name])
        assert all(list(together[query]) == list(expected[name][query]) for query in together)


def test_a_rank_that_contradicts_a_score_far_away_is_named_by_its_line(tmp_path: Path) -> None:
    path = tmp_path / "run.trec"
    path.write_text("q Q0 a 2 5 s\nr Q0 a 1 1 s\nq Q0 b 1 4 s\n")
    with pytest.raises(HarnessError, match=r"run\.trec:3: query q, document b: rank 1 contradicts"):
        opened(path, 0).take(pa.array(["q"]))


def test_a_document_twice_is_named_by_its_line_in_any_block(tmp_path: Path) -> None:
    path = tmp_path / "run.trec"
    path.write_text("p Q0 a 1 5 s\n\nq Q0 a 1 5 s\nq Q0 b 2 4 s\nq Q0 a 3 3 s\n")
    with pytest.raises(HarnessError, match=r"run\.trec:5: query q holds document a twice"):
        list(blocks({"": opened(path, 0)}, pa.array(["p", "q"]), 1))


def test_fused_files_do_not_depend_on_the_size_of_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from harness.command.fuse import run
    from harness.configuration import compose

    rng = random.Random(0)
    for name in ("dense", "graph"):
        Run.from_dict({f"q{q}": {f"d{rng.randrange(40)}": rng.random() for _ in range(20)} for q in range(50)}).to_trec(
            tmp_path / name
        )
    overrides = [f"lists={{dense: {tmp_path / 'dense'}, graph: {tmp_path / 'graph'}}}", "fuser=boltzmann"]
    for ending in (".trec", ".trec.gz", ".json"):
        outs = []
        for number, size in enumerate((1, 200, 1 << 20)):
            monkeypatch.setattr(blocks, "__defaults__", (size,))
            outs.append(tmp_path / f"{number}{ending}")
            run(compose("fuse", [*overrides, f"out={outs[-1]}"]))
        assert outs[0].read_bytes() == outs[1].read_bytes() == outs[2].read_bytes()


MEASURE = """
import sys
from harness import lists
from harness.fuser import fuse
from harness.lists import spool
spool.Spool.__init__.__defaults__ = (1 << 20,)
held = lists.open_all({"dense": sys.argv[1], "graph": sys.argv[2]})
with lists.writing(sys.argv[3]) as put:
    for runs in spool.blocks(held, lists.union(held), 1 << 16):
        put(fuse(runs, "rrf"))
import resource
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.slow
def test_memory_does_not_grow_with_the_number_of_queries(tmp_path: Path) -> None:
    peaks = []
    for count in (10_000, 60_000):
        for name in ("dense", "graph"):
            with (tmp_path / name).open("w") as stream:
                for query in range(count):
                    start = query * 7919 % 100_003
                    stream.writelines(f"q{query} Q0 d{start + 3 * r} {r} {200 - r} s\n" for r in range(1, 101))
        arguments = [str(tmp_path / name) for name in ("dense", "graph", "out")]
        done = subprocess.run([sys.executable, "-c", MEASURE, *arguments], check=True, capture_output=True, text=True)
        peaks.append(int(done.stdout) * (1 if sys.platform == "linux" else resource.getpagesize()))
    assert peaks[1] < 1.25 * peaks[0]  # what is held in memory, six times as much of it, would be 1.5 times
