"""A large corpus: kept in a file without a name, in bounded memory, with the same content as a
small one.
"""

import errno
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from harness.benchmark.dataset.folder import Folder
from harness.benchmark.source import corpus
from harness.core.errors import HarnessError
from harness.work.store import Store
from tests.world.folder import write_benchmark

QUERY = {"id": "q", "question": "Which?", "answers": [], "supporting_ids": ["p00090", "p00007"]}


def write(folder: Path, numbers: list[int]) -> Path:
    rows = (
        {"id": f"p{n:05d}", "title": f"Title {n}", "text": f"Text of {n}. " * 9} for n in numbers
    )
    return write_benchmark(folder, rows, [QUERY])


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus, "HELD", 2000)
    monkeypatch.setattr(corpus, "BATCH", 7)


def test_a_corpus_in_a_file_is_that_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turned = sorted(range(100), key=lambda n: n * 37 % 100)
    held = Folder(str(write(tmp_path / "held", turned))).load(Store(tmp_path / "runs"))
    monkeypatch.setattr(corpus, "HELD", 2000)
    monkeypatch.setattr(corpus, "BATCH", 7)
    for name, numbers in (("mapped", turned), ("sorted", sorted(turned))):
        mapped = Folder(str(write(tmp_path / name, numbers))).load(Store(tmp_path / "runs"))
        assert mapped.sha256 == held.sha256
        assert mapped.corpus[:] == held.corpus[:]
        assert mapped.gold.tolist() == held.gold.tolist() == [[90, 7]]
        assert mapped.doc_ids.equals(held.doc_ids)
    assert {path.suffix for path in (tmp_path / "runs").iterdir()} <= {".json", ".lock"}


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{broken", r"corpus\.jsonl:101: broken JSON"),
        (
            '{"id": "p00007", "title": "", "text": "x"}',
            r"corpus\.jsonl:101: duplicate id p00007, first at .*jsonl:8",
        ),
        (
            '{"id": "p9", "title": "", "text": " "}',
            r"corpus\.jsonl:101: p9 has an empty title and text",
        ),
    ],
)
def test_a_wrong_line_of_a_large_corpus_is_named(tmp_path: Path, line: str, message: str) -> None:
    folder = write(tmp_path / "mine", list(range(100)))
    with (folder / "corpus.jsonl").open("a") as file:
        file.write(line + "\n")
    with pytest.raises(HarnessError, match=message):
        Folder(str(folder)).load(Store(tmp_path / "runs"))


@pytest.mark.usefixtures("large")
def test_a_folder_without_room_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(**given: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    folder = write(tmp_path / "mine", list(range(100)))
    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    with pytest.raises(HarnessError, match=r".*corpus\.jsonl"):
        Folder(str(folder)).load(Store(tmp_path / "runs"))


LIMITED = """
import resource, sys
from pathlib import Path
import datasets, pyarrow.compute
from harness.benchmark.dataset.folder import Folder
from harness.work.store import Store
status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
limit = int(status["VmData"].split()[0]) * 1024 + int(sys.argv[3])
resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
made = Folder(sys.argv[1]).load(Store(Path(sys.argv[2])))
print(len(made.corpus), made.gold.tolist())
"""


@pytest.mark.slow
def test_memory_does_not_grow_with_the_corpus(tmp_path: Path) -> None:
    folder = write(tmp_path / "mine", [])
    text = "The river flows past an old town whose castle was built by a king. " * 50
    with (folder / "corpus.jsonl").open("w") as file:
        for number in range(300_000):
            turned = number * 7919 % 300_000
            file.write(
                json.dumps({"id": f"p{turned:05d}", "title": "", "text": f"{turned} {text}"}) + "\n"
            )
    size = (folder / "corpus.jsonl").stat().st_size
    assert size > 1e9
    command = [sys.executable, "-c", LIMITED, str(folder), str(tmp_path / "runs"), str(size // 2)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.split(maxsplit=1)[0] == "300000"
