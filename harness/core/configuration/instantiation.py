"""From a configuration to the strategies that it names, with the mistakes of their constructors in
one line.
"""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import re
import traceback
from collections.abc import Iterator, Mapping
from typing import Any, get_type_hints

from harness.core.concepts import PACKAGE, roomless
from harness.core.configuration import extensions
from harness.core.errors import HarnessError


def instantiate(node: Any) -> Any:
    """Hydra's instantiate, with a HarnessError of a constructor passed on as itself.

    Of a configuration a copy is made: Hydra resolves the interpolations of what it is given where
    they stand.
    """
    from hydra.errors import InstantiationException
    from hydra.utils import instantiate as build
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    try:
        return build(
            OmegaConf.to_container(node, resolve=True) if OmegaConf.is_config(node) else node,
            _convert_="all",
        )
    except InstantiationException as error:
        mistake = _mistake(error, node)
        if mistake is None:
            raise  # ours: a bug, with its traceback
        raise mistake from (None if mistake in _causes(error) else error)
    except OmegaConfBaseException as error:
        raise HarnessError(f"configuration: {str(error).splitlines()[0]}") from error


def _mistake(error: BaseException, node: Any) -> HarnessError | None:
    """What the user can mend of an error of Hydra's; None where it is a bug of this project."""
    from hydra.utils import get_object

    named = re.search(r"target '([^']+)'", str(error))
    own = node.get("_target_", node) if hasattr(node, "get") else node
    target = named[1] if named else str(own)
    causes = list(_causes(error))
    for cause in causes:
        if isinstance(cause, HarnessError):
            return cause
        unexpected = re.search(r"unexpected keyword argument '(\w+)'", str(cause))
        if isinstance(cause, TypeError) and unexpected:
            fields = ", ".join(inspect.signature(get_object(target)).parameters) or "none"
            return HarnessError(f"{_as_typed(target)} has no {unexpected[1]}; it has: {fields}")
    if told := next(_misfits(target, node), None):
        return HarnessError(told)
    if target.startswith("harness."):
        return None
    last = causes[-1]
    if isinstance(last, ModuleNotFoundError) and last.name == target.partition(".")[0]:
        return HarnessError(
            f"{target}: there is no package {last.name} on Python's path; in the folder that "
            "holds it put "
            f"`PYTHONPATH=.` before the command, or type `pip install -e .` once"
        )
    return HarnessError(f"{target} cannot be made: {_reason(last)}; mend that module")


@contextlib.contextmanager
def report_own_code() -> Iterator[None]:
    """A block in which an error that a user's own strategies raise becomes one HarnessError, which
    names its line.
    """
    try:
        yield
    except HarnessError:
        raise
    except Exception as error:
        *_, cause = _causes(error)
        own = extensions.packages()
        places = [
            f"{frame.f_code.co_filename}:{line}"
            for frame, line in traceback.walk_tb(cause.__traceback__)
            if str(frame.f_globals.get("__name__")).partition(".")[0] in own
        ]
        if not places:
            raise  # ours: a bug, with its traceback
        raise HarnessError(f"{_kind(cause)} ({places[-1]}); mend that module") from error


def _as_typed(target: str) -> str:
    """A class of ours as it is chosen: ``dataset=sample``."""
    package, *words = roomless(target).split(".")
    return "=".join(words[:2]) if package == PACKAGE.name and len(words) > 1 else target


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error, what it was raised from, and so on."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__


KINDS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "a mapping, as in {name: value}": (Mapping, ("Mapping", "dict")),
    "a list, as in [a,b]": ((list, tuple), ("Sequence", "tuple", "list")),
    "a text": (str, ("str", "Path", "Literal")),
    "a number": ((int, float), ("int", "float", "bool")),
    "null": (type(None), ("None",)),
}
"""By what it is called: the types of a value, and the words of an annotation that allow it."""


def _misfits(target: str, node: Any) -> Iterator[str]:
    """A line for each field of a class, within a configuration, whose value is of another kind than
    is annotated.
    """
    from omegaconf import OmegaConf

    node = OmegaConf.to_container(node, resolve=True) if OmegaConf.is_config(node) else node
    if not isinstance(node, dict):
        return
    for value in node.values():
        yield from _misfits(target, value)
    own = node.get("_target_") == target and target.startswith(f"{PACKAGE.name}.")
    for name, allowed in (_kinds(target) if own else {}).items():
        fits = any(isinstance(node.get(name), KINDS[kind][0]) for kind in allowed)
        if name in node and allowed and not fits:
            concept = roomless(target).split(".")[1]
            told = " or ".join(kind for kind in allowed if kind != "null")
            yield f"{concept}.{name}={node[name]}: expected {told}"


def _kinds(target: str) -> dict[str, list[str]]:
    """By field of a dataclass: the ``KINDS`` that its annotation allows."""
    from hydra.utils import get_class

    kind: Any = get_class(target)
    hints: dict[str, object] = {}
    with contextlib.suppress(NameError):  # of a name that is imported for type checkers alone
        hints = get_type_hints(kind)
    found = {}
    for field in dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else ():
        annotation, count = str(hints.get(field.name, field.type)), 1
        while count:  # the types in brackets are those of items, which are not checked
            annotation, count = re.subn(r"\[[^][]*\]", "", annotation)
        words = set(re.findall(r"\w+", annotation))
        found[field.name] = [name for name, (_, known) in KINDS.items() if words & {*known}]
    return found


def _reason(error: BaseException) -> str:
    """What went wrong in a module of somebody else's, and where:
    ``ZeroDivisionError: division by zero (m.py:3)``.
    """
    if isinstance(error, SyntaxError):
        return f"{type(error).__name__}: {error.msg} ({error.filename}:{error.lineno})"
    for frame in traceback.extract_tb(error.__traceback__)[-1:]:
        if "hydra" not in frame.filename and "<" not in frame.filename:
            return f"{_kind(error)} ({frame.filename}:{frame.lineno})"
    return _kind(error)


def _kind(error: BaseException) -> str:
    """``ZeroDivisionError: division by zero``."""
    return f"{type(error).__name__}: {next(iter(str(error).splitlines()), '')}"
