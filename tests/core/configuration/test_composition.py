"""Making strategies: the cause of a user's broken module is shown, with its file and line."""

import subprocess

import pytest

from harness.core.configuration import translation
from harness.core.configuration.composition import compose
from harness.core.configuration.conf_files import defaults
from harness.core.configuration.instantiation import instantiate
from harness.core.configuration.translation import report_own_code
from harness.core.errors import HarnessError

MODULES = {
    "missing": (
        "import notthere\n",
        r"ModuleNotFoundError: No module named 'notthere' \(.*missing\.py:1\)",
    ),
    "divides": ("\nx = 1 / 0\n", r"ZeroDivisionError: division by zero \(.*divides\.py:2\)"),
    "grammar": ("def f(:\n", r"SyntaxError: invalid syntax \(.*grammar\.py:1\)"),
    "raises": (
        "class Own:\n    def __init__(self):\n        raise KeyError('x')\n",
        r"KeyError: 'x' \(.*raises\.py:3\)",
    ),
    "empty": ("", r"No module named 'empty\.Own'"),
}


def test_a_package_that_python_does_not_find_is_named_with_the_two_ways_to_it():
    with pytest.raises(HarnessError, match=r"Python's.*PYTHONPATH=\..*pip"):
        instantiate({"_target_": "elsewhere.mine.Own"})


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.parametrize("nested", [False, True])
def test_the_cause_inside_a_user_s_module_is_shown(tmp_path, monkeypatch, name, nested):
    text, expected = MODULES[name]
    (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    own = {"_target_": f"{name}.Own"}
    with pytest.raises(HarnessError, match=rf"^{name}\.Own.*{expected}"):
        instantiate(
            {"_target_": "harness.retriever.dense.Dense", "encoder": own} if nested else own
        )


@pytest.mark.parametrize("name", ["../fuser/rrf", "/etc/passwd", ".", "rrf/../rrf"])
def test_a_name_is_no_path(name):
    with pytest.raises(HarnessError, match=r"fuser=.*"):
        defaults("fuser", name)


@pytest.mark.parametrize(
    ("primary", "typed", "found"),
    [
        (
            "fuse",
            ["lists={x: a.trec, y: b.trec}", "lists.y=c.trec"],
            {"x": "a.trec", "y": "c.trec"},
        ),
        ("fuse", ["lists={x: a.trec}", "+lists.y=c.trec"], {"x": "a.trec", "y": "c.trec"}),
        ("fuse", ["lists={x: a.trec}", "lists=null"], None),
        ("config", ["lists={dense: a.trec}", "lists.dense=b.trec"], {"dense": "b.trec"}),
    ],
)
def test_what_is_typed_after_a_mapping_holds(primary, typed, found):
    assert compose(primary, typed).lists == found


def test_a_list_that_is_typed_by_its_strategy_stands_beside_a_mapping_of_others():
    assert {*compose("config", ["lists={dense: a.trec}", "+retriever@lists.mine=bm25"]).lists} == {
        "dense",
        "mine",
    }


def test_an_error_in_a_new_module_of_a_checkout_is_one_line(tmp_path, monkeypatch):
    package = tmp_path / "harness"
    package.mkdir()
    (package / "mine.py").write_text("def fuse():\n    return 1 / 0\n")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    monkeypatch.setattr(translation, "PACKAGE", package)
    code = compile((package / "mine.py").read_text(), str(package / "mine.py"), "exec")
    exec(code, own := {"__name__": "harness.mine"})
    with (
        pytest.raises(HarnessError, match=r"^ZeroDivisionError:.*\(.*mine\.py:2\)"),
        report_own_code(),
    ):
        own["fuse"]()
    with pytest.raises(ZeroDivisionError), report_own_code():
        1 / 0


def test_a_launcher_for_slurm_without_srun_is_one_line():
    """The words are those of submitit 1.5."""
    with pytest.raises(HarnessError, match="no srun"), translation.translate_errors():
        raise RuntimeError('Could not detect "srun", are you indeed on a slurm cluster?')
    with pytest.raises(RuntimeError, match="another"), translation.translate_errors():
        raise RuntimeError("another")
