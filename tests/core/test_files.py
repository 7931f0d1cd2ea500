"""Files that would end the process are refused."""

import errno
import itertools
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml

from harness.core.arrays import write_array
from harness.core.errors import HarnessError
from harness.core.files import HOST, dead_partials, make_folder, remove_partials, whole, write_text
from harness.core.input.read import read_yaml


@pytest.mark.parametrize(
    "text", ["[" * 100_000, "- " * 30_000, "{a: " * 30_000, "[" * 101 + "]" * 101]
)
def test_yaml_that_nests_without_end_is_refused_before_it_ends_the_process(
    tmp_path: Path, text: str
) -> None:
    path = tmp_path / "deep.yaml"
    path.write_text(text)
    with pytest.raises((ValueError, yaml.YAMLError)):
        read_yaml(path)
    path.write_text("[" * 100 + "]" * 100)
    assert read_yaml(path)


def test_yaml_whose_aliases_stand_for_a_billion_values_is_refused(tmp_path: Path) -> None:
    lines = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    lines += [
        f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]"
        for before, name in itertools.pairwise("abcdefghi")
    ]
    path = tmp_path / "laughs.yaml"
    path.write_text("\n".join(lines))
    with pytest.raises(ValueError, match="stand for more than"):
        read_yaml(path)
    path.write_text("\n".join(lines[:3]))
    assert len(read_yaml(path)["c"]) == 9


@pytest.mark.parametrize("text", ["a: 1\na: 2\n", "b: {a: 1, c: 2, a: 1}\n"])
def test_a_name_twice_in_yaml_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "twice.yaml"
    path.write_text(text)
    with pytest.raises(ValueError, match="'a' is repeated in one object; keep one of its entries"):
        read_yaml(path)
    path.write_text("x: &x {a: 1}\ny: {<<: *x, a: 2}\n")
    assert read_yaml(path) == {"x": {"a": 1}, "y": {"a": 2}}


@pytest.mark.parametrize(
    "text", ["!!timestamp x", "!!bool x", "!!int ''", "!!float ''", "!!int '-'"]
)
def test_a_yaml_value_that_is_not_of_its_tag_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "tag.yaml"
    path.write_text(f"a: {text}")
    with pytest.raises(ValueError, match="a value that is not of its tag"):
        read_yaml(path)


def test_what_a_killed_report_left_goes_from_its_folders_too_and_what_is_being_written_stays(
    tmp_path: Path,
) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    (tmp_path / "data").mkdir()
    for name in ("a.js", "data/b.js"):
        (tmp_path / f"{name}.{HOST}.{ended.pid}.partial").touch()
        (tmp_path / f"{name}.{HOST}.{os.getpid()}.partial").touch()
    remove_partials(tmp_path, "**/*.partial")
    left = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.partial"))
    assert left == [f"{name}.{HOST}.{os.getpid()}.partial" for name in ("a.js", "data/b.js")]


def test_a_disk_that_is_full_when_a_folder_is_made_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(Path, "mkdir", refuse)
        with pytest.raises(
            HarnessError, match=r"sweep: cannot write \(No space left on device\); free some space"
        ):
            make_folder(tmp_path / "sweep")
    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", refuse)
        patched.setattr(Path, "unlink", refuse)
        with pytest.raises(HarnessError, match=r"a.txt.*\(No.*\)"):
            write_text(tmp_path / "a.txt", "x")


LIMITED = """
import resource, signal, sys
from pathlib import Path
import faiss, numpy as np
from harness.core.errors import HarnessError
from harness.core.arrays import write_array
from harness.retriever.search.index import save
values = np.arange(100, dtype=np.float32).reshape(10, 10)
index = faiss.index_factory(10, "Flat")
index.add(values)
ways = {"array.npy": lambda path: write_array(path, values), "index.faiss": lambda path: save(index, path)}
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
for name, write in ways.items():
    path = Path(sys.argv[1]) / name
    write(path)
    size = path.stat().st_size
    path.unlink()
    for limit in range(0, size, 7):
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
        try:
            write(path)
        except (HarnessError, OSError, RuntimeError):
            continue
        print(f"{name}: {path.stat().st_size} of {size} bytes written without an error")
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    write(path)
    print(name, path.stat().st_size == size)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGXFSZ"), reason="needs a limit of file sizes")
def test_an_array_or_an_index_that_did_not_fit_is_an_error(tmp_path: Path) -> None:
    """NumPy and faiss write by buffers of their own, and do not tell when the last of them finds no
    room.
    """
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(tmp_path)], capture_output=True, text=True
    )
    assert done.stdout.splitlines() == ["array.npy True", "index.faiss True"], (
        done.stdout + done.stderr
    )


def test_arrays_have_the_bytes_of_numpy(tmp_path: Path) -> None:
    for number, values in enumerate(
        (
            np.arange(24).reshape(2, 3, 4),
            np.asfortranarray(np.ones((3, 5))),
            np.array(1.5),
            np.empty((0, 3), np.int32),
            np.arange(30)[::3],
            np.arange(3_000_000, dtype=np.float64),
        )
    ):
        np.save(tmp_path / "theirs.npy", values)
        write_array(tmp_path / f"{number}.npy", values)
        assert (tmp_path / f"{number}.npy").read_bytes() == (tmp_path / "theirs.npy").read_bytes()


def test_what_is_half_written_is_named_by_machine_and_process(tmp_path: Path) -> None:
    """Processes of two containers that share a folder have one number; a dead one's file is found
    by its number.
    """
    with whole(tmp_path / "a.npz") as partial:
        assert partial.name == f"a.npz.{HOST}.{os.getpid()}.partial"
        partial.touch()
        assert dead_partials(tmp_path) == []
    (tmp_path / f"a.npz.{HOST}.999999999.partial").touch()
    theirs = (
        tmp_path / "a.npz.0123abcd.999999999.partial"
    )  # of a container: no such process runs here
    theirs.touch()
    assert [path.name for path in dead_partials(tmp_path)] == [f"a.npz.{HOST}.999999999.partial"]
    os.utime(theirs, (0, 0))
    assert theirs in dead_partials(tmp_path)
