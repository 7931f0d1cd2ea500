"""Making strategies: the cause of a user's broken module is shown, with its file and line."""

import pytest

from harness.core.configuration import defaults, instantiate
from harness.core.errors import HarnessError

MODULES = {
    "missing": ("import notthere\n", r"ModuleNotFoundError: No module named 'notthere' \(.*missing\.py:1\)"),
    "divides": ("\nx = 1 / 0\n", r"ZeroDivisionError: division by zero \(.*divides\.py:2\)"),
    "grammar": ("def f(:\n", r"SyntaxError: invalid syntax \(.*grammar\.py:1\)"),
    "raises": (
        "class Own:\n    def __init__(self):\n        raise KeyError('x')\n",
        r"KeyError: 'x' \(.*raises\.py:3\)",
    ),
    "empty": ("", r"No module named 'empty\.Own'"),
}


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.parametrize("nested", [False, True])
def test_the_cause_inside_a_user_s_module_is_shown(tmp_path, monkeypatch, name, nested):
    text, expected = MODULES[name]
    (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    own = {"_target_": f"{name}.Own"}
    with pytest.raises(HarnessError, match=rf"^{name}\.Own cannot be made: .*{expected}"):
        instantiate({"_target_": "harness.retriever.dense.Dense", "encoder": own} if nested else own)


@pytest.mark.parametrize("name", ["../fuser/rrf", "/etc/passwd", ".", "rrf/../rrf"])
def test_a_name_is_no_path(name):
    with pytest.raises(HarnessError, match=r"fuser=.* is not known"):
        defaults("fuser", name)
