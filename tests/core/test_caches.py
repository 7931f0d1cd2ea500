"""No cache is a condition of running: a home and a package that cannot be written."""

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import harness.core
from harness.core import provide_caches

PACKAGE = Path(harness.core.__file__).parents[1]
NOWHERE = Path("/dev/null/nowhere")
"""A folder that nobody can make, root included."""
VARIABLES = ("NUMBA_CACHE_DIR", "MPLCONFIGDIR", "HF_HOME")
READ_ONLY = """
for folder in "$@"; do mount --bind "$folder" "$folder"; mount -o remount,ro,bind "$folder"; done
exec "$PYTHON" -c "$CODE"
"""
"""A shell's lines: the given folders are read-only for what follows."""
TWO_THREADS = """
import os
from concurrent.futures import ThreadPoolExecutor
import numpy as np
def ranks(_):
    from harness.evaluation.metric.gold_rank_kernel import count_better
    docs = np.array([[0, 1, 2]], dtype=np.int32)
    return count_better(np.array([[.2, .9, .4]]), docs, np.array([[0, 1]]), -1)[0].tolist()
with ThreadPoolExecutor(2) as pool:
    print([*pool.map(ranks, range(2))])
import matplotlib
print(os.environ["NUMBA_CACHE_DIR"], matplotlib.get_cachedir())
"""


@pytest.fixture(autouse=True)
def without_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in (*VARIABLES, "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, "")
    monkeypatch.setenv("HOME", str(NOWHERE))
    monkeypatch.setenv("TMPDIR", str(tmp_path))


def chosen() -> dict[str, str]:
    return {name: os.environ[name] for name in VARIABLES if os.environ[name]}


def test_caches_go_to_a_folder_of_this_user_alone(tmp_path: Path) -> None:
    provide_caches(NOWHERE)
    own = tmp_path / f"harness-caches-{os.getuid()}"
    assert chosen() == {name: str(own / name.lower()) for name in VARIABLES}
    assert stat.S_IMODE(own.stat().st_mode) == 0o700


def test_what_can_be_written_is_left_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "new"))
    provide_caches(NOWHERE)
    assert chosen() == {}
    monkeypatch.setenv("HOME", str(NOWHERE))
    for name in VARIABLES:
        monkeypatch.setenv(name, str(tmp_path / name))
    provide_caches(NOWHERE)
    assert chosen() == {name: str(tmp_path / name) for name in VARIABLES}
    assert [*tmp_path.iterdir()] == []


def test_numba_stays_in_a_package_that_can_be_written(tmp_path: Path) -> None:
    provide_caches(tmp_path)
    assert set(chosen()) == {"MPLCONFIGDIR", "HF_HOME"}


def test_models_in_a_folder_that_can_only_be_read_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home" / ".cache" / "huggingface").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(os, "access", lambda path, mode: "home" not in str(path))
    provide_caches(NOWHERE)
    assert set(chosen()) == {"NUMBA_CACHE_DIR", "MPLCONFIGDIR"}


def test_an_unknown_user_without_a_home_gets_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Libraries that ask for the home raise RuntimeError otherwise."""
    monkeypatch.delenv("HOME")
    monkeypatch.setattr("pwd.getpwuid", {}.__getitem__)
    provide_caches(NOWHERE)
    assert Path.home() == tmp_path / f"harness-caches-{os.getuid()}"


@pytest.mark.parametrize("kind", ["open", "link", "file"])
def test_a_folder_that_others_could_have_filled_is_not_used(tmp_path: Path, kind: str) -> None:
    """Compiled code is read from it."""
    own = tmp_path / f"harness-caches-{os.getuid()}"
    if kind == "open":
        own.mkdir()
        own.chmod(0o777)
    elif kind == "link":
        (tmp_path / "other").mkdir(mode=0o700)
        own.symlink_to(tmp_path / "other")
    else:
        own.touch()
    provide_caches(NOWHERE)
    assert str(tmp_path) not in chosen().get("NUMBA_CACHE_DIR", "")


def test_two_threads_compile_a_kernel_where_nothing_can_be_written(tmp_path: Path) -> None:
    """The scores .2 .9 .4 rank documents 0 and 1 third and first."""
    home = tmp_path / "home"
    home.mkdir()
    package = Path(shutil.copytree(PACKAGE, tmp_path / "site" / "harness", ignore=_compiled))
    alone = ["unshare", "-m"] if os.getuid() == 0 else ["unshare", "-rm"]
    if subprocess.run([*alone, "true"], capture_output=True).returncode:
        pytest.skip("unshare -m makes no mounts of its own here")
    (tmp_path / "tmp").mkdir()
    kept = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    environment = {
        **kept,
        "HOME": str(home),
        "TMPDIR": str(tmp_path / "tmp"),
        "PYTHONPATH": str(package.parent),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHON": sys.executable,
        "CODE": TWO_THREADS,
    }
    done = subprocess.run(
        [*alone, "sh", "-ec", READ_ONLY, "sh", str(package), str(home)],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    ranks, places = done.stdout.splitlines()
    assert ranks == "[[[3, 1]], [[3, 1]]]"
    own = tmp_path / "tmp" / f"harness-caches-{os.getuid()}"
    assert places == f"{own / 'numba_cache_dir'} {own / 'mplconfigdir'}"
    assert [*(own / "numba_cache_dir").rglob("*.nbc")]


def _compiled(folder: str, names: list[str]) -> list[str]:
    return ["__pycache__"] if "__pycache__" in names else []
