"""Strategies from configurations, with one line for a mistake in the fields of a strategy."""

from __future__ import annotations

import contextlib
import inspect
import re
import traceback
from collections.abc import Iterable, Iterator
from typing import Any, get_type_hints

from harness.core.concepts import PACKAGE, roomless
from harness.core.errors import HarnessError, causes_of, in_words


def instantiate(node: Any) -> Any:
    """Return the strategies of a configuration.

    A HarnessError of a constructor is passed on. The configuration is copied first, because Hydra
    resolves interpolations in place.
    """
    from hydra.errors import InstantiationException
    from hydra.utils import instantiate as build
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    try:
        content = OmegaConf.to_container(node, resolve=True) if OmegaConf.is_config(node) else node
        return build(content, _convert_="all")
    except InstantiationException as error:
        mistake = _mistake(error, node)
        if mistake is None:
            raise  # ours: a bug, with its traceback
        raise mistake from (None if mistake in causes_of(error) else error)
    except OmegaConfBaseException as error:
        raise HarnessError(f"configuration: {str(error).splitlines()[0]}") from error


def _mistake(error: BaseException, node: Any) -> HarnessError | None:
    """Return the mistake that the user can mend, or None for a bug of this project."""
    match = re.search(r"target '([^']+)'", str(error))
    configured = node.get("_target_", node) if hasattr(node, "get") else node
    target = match[1] if match else str(configured)
    causes = list(causes_of(error))
    if (mistake := _users_mistake(causes, target)) is not None:
        return mistake
    last = causes[-1]
    if "locating target" in str(error) and _is_absent(target, last):
        return HarnessError(f"{target}: there is no such class; correct `_target_` in its file")
    message = next(_misfits(target, node), None)
    if message is None and target.startswith("harness."):
        return None
    absent = last.name if isinstance(last, ModuleNotFoundError) else None
    if message is None and absent == target.partition(".")[0]:
        message = (
            f"{target}: the package {absent} is not on Python's path; in the folder that holds "
            "it put `PYTHONPATH=.` before the command, or type `pip install -e .` once"
        )
    return HarnessError(message or f"{target} cannot be made: {_reason(last)}; correct that module")


def _users_mistake(causes: Iterable[BaseException], target: str) -> HarnessError | None:
    """Return the first cause that is the user's mistake, or that names a field that is unknown."""
    from hydra.utils import get_object

    for cause in causes:
        if isinstance(cause, HarnessError):
            return cause
        unexpected = re.search(r"unexpected keyword argument '(\w+)'", str(cause))
        if isinstance(cause, TypeError) and unexpected:
            fields = ", ".join(inspect.signature(get_object(target)).parameters) or "none"
            return HarnessError(f"{_as_typed(target)} has no {unexpected[1]}; it has: {fields}")
    return None


def _is_absent(target: str, error: BaseException) -> bool:
    """Return whether a class of this package cannot be found, not something that it imports."""
    absent = isinstance(error, ModuleNotFoundError) and f"{target}.".startswith(f"{error.name}.")
    return target.startswith("harness.") and (absent or isinstance(error, AttributeError))


def _as_typed(target: str) -> str:
    """Return a class of this project in the form that is typed: ``dataset=sample``."""
    package, *words = roomless(target).split(".")
    return "=".join(words[:2]) if package == PACKAGE.name and len(words) > 1 else target


FORMS = {
    "a valid dictionary": "a mapping, as in {name: value}",
    "an instance of Sequence": "a list, as in [a,b]",
}
"""The words of messages for those of pydantic."""


def _misfits(target: str, node: Any) -> Iterator[str]:
    """Yield a line for each field within a configuration whose value does not have the annotated
    type.
    """
    from hydra.utils import get_object
    from omegaconf import OmegaConf
    from pydantic import ConfigDict, PydanticUserError, TypeAdapter, ValidationError

    node = OmegaConf.to_container(node, resolve=True) if OmegaConf.is_config(node) else node
    if not isinstance(node, dict):
        return
    for value in node.values():
        yield from _misfits(target, value)
    if node.get("_target_") != target or not target.startswith(f"{PACKAGE.name}."):
        return
    concept = roomless(target).split(".")[1]
    hints: dict[str, Any] = {}
    with contextlib.suppress(NameError):  # a name that only type checkers import
        hints = get_type_hints(get_object(target))
    for name in hints.keys() & node.keys():
        try:
            with contextlib.suppress(PydanticUserError):  # the field is a strategy
                TypeAdapter(
                    hints[name], config=ConfigDict(arbitrary_types_allowed=True)
                ).validate_python(node[name])
        except ValidationError as error:
            expected = error.errors()[0]["msg"].replace("Input should be", "expected")
            for kind, form in FORMS.items():
                expected = expected.replace(kind, form)
            yield f"{concept}.{name}={node[name]}: {expected}"


def _reason(error: BaseException) -> str:
    """Return the error of a user's module and its place: ``ZeroDivisionError: division by zero
    (m.py:3)``.
    """
    if isinstance(error, SyntaxError):
        return f"{type(error).__name__}: {error.msg} ({error.filename}:{error.lineno})"
    for frame in traceback.extract_tb(error.__traceback__)[-1:]:
        if "hydra" not in frame.filename and "<" not in frame.filename:
            return f"{in_words(error)} ({frame.filename}:{frame.lineno})"
    return in_words(error)
