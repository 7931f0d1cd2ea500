"""Hydra's and OmegaConf's errors about a configuration, each as one line that names key, value and
mend.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from harness.core.configuration.choices import names, unknown
from harness.core.errors import HarnessError, nearest

if TYPE_CHECKING:
    from hydra.errors import OverrideParseException
    from omegaconf import DictConfig

DECIMAL = re.compile(r"[-+]?[0-9]+,[0-9]+")
NAME = re.compile(r"[{,]\s*([^{}\[\],:]+?)\s*:")
"""What stands before a colon of a mapping."""
TYPED = re.compile(r"[\w ./+-]+", re.ASCII)
"""A name that Hydra's grammar reads there; it has no quotes for names."""
MERGED = {"a mapping, as in {name: value}": "DictConfig", "a list, as in [a,b]": "ListConfig"}
"""What a default is, by what it is called, where Hydra cannot merge it with what was typed."""


@contextmanager
def translate_errors() -> Iterator[None]:
    """A block in which Hydra's errors about a configuration become one HarnessError each."""
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException

    try:
        yield
    except (HydraException, OmegaConfBaseException, ValueError) as error:
        told = next(filter(None, (translate(error) for translate in TRANSLATIONS)), None)
        if told is None and not isinstance(error, (HydraException, OmegaConfBaseException)):
            raise
        mend = (
            r"; where the text ${...} is meant, write \${...}"
            if "Interpolation key" in str(error)
            else ""
        )
        raise told or HarnessError(f"configuration: {_first_line(error)}{mend}") from error


def _missing(error: BaseException) -> HarnessError | None:
    """A name of a concept that no folder has."""
    from hydra.errors import MissingConfigException

    if not isinstance(error, MissingConfigException) or not error.missing_cfg_file:
        return None
    missing = str(error.missing_cfg_file)
    own = missing.startswith("dataset/")  # the name of a folder has slashes
    concept, _, name = missing.partition("/") if own else missing.rpartition("/")
    return unknown(
        concept or "config", name, [str(option) for option in error.options or names(concept)]
    )


def _unreadable(error: BaseException) -> HarnessError | None:
    """What Hydra's grammar does not read."""
    from hydra.errors import OverrideParseException

    return HarnessError(_expected(error)) if isinstance(error, OverrideParseException) else None


def _expected(error: OverrideParseException) -> str:
    key, equals, value = error.override.lstrip("+").partition("=")
    if not equals:
        return f"{error.override}: expected key=value; `--help` has the keys"
    nested = value.startswith(("{", "["))
    if nested and sum(map(value.count, "[{")) > sum(map(value.count, "]}")):
        return f"{key}={value}: a bracket is opened and not closed"
    if wrong := [name for name in NAME.findall(value) if not TYPED.fullmatch(name)]:
        plain = wrong[0].strip("'\"")
        mend = f"write {plain} without quotes" if TYPED.fullmatch(plain) else "give it another name"
        return (
            f"{key}={value}: a name before a colon has A-Z, a-z, 0-9, blanks and _-./+ alone; "
            f"{mend}"
        )
    inside = value.strip("'\"")
    mend = f"'{key}={{name: \"...\"}}'" if nested else f"'{key}=\"{inside}\"'"
    return (
        f"{key}={value} cannot be read as it is typed; such a text needs quotes within those of "
        f"the shell: {mend}"
    )


def _several(error: BaseException) -> HarnessError | None:
    """Several values of a key, in a command that runs once."""
    if "hydra.sweep.dir" in str(error):
        return HarnessError(
            "this command runs once; -m, several values of a key, is for harness sweep"
        )
    if not (found := re.search(r"Ambiguous value for argument '([^=]+)=([^']*)'", str(error))):
        return None
    key, value = found.groups()
    point = (
        f", with a decimal point {key}={value.replace(',', '.')}"
        if DECIMAL.fullmatch(value)
        else ""
    )
    return HarnessError(f"{key}={value}: several values; a list is {key}=[{value}]{point}")


def _of_a_group(error: BaseException) -> HarnessError | None:
    if not isinstance(error, ValueError) or "Config group override" not in str(error):
        return None
    return HarnessError(f"configuration: {error}; name one of its files, as in dataset=sample")


def _unmerged(error: BaseException) -> HarnessError | None:
    """A number or text where the default is a mapping or a list."""
    found = re.match(r"Error merging override \++([^=]+=.*)", str(error))
    kinds = [
        told for told, kind in MERGED.items() if f"Cannot merge {kind} with" in _first_line(error)
    ]
    return HarnessError(f"{found[1]}: expected {kinds[0]}") if found and kinds else None


def _into_a_list(error: BaseException) -> HarnessError | None:
    """A key that goes on below a list, as ``grid.values.fuser.alpha`` does, whose axis is called
    ``fuser.alpha``.
    """
    found = re.fullmatch(r"invalid literal for int\(\) with base 10: '(.+)'", str(error))
    if not isinstance(error, ValueError) or found is None:
        return None
    return HarnessError(
        f"a key ends with .{found[1]} below a list, which has no names; an axis of a grid has a "
        "dot in its name and is "
        "typed in its block, as in 'grid.values={fuser.alpha: [0.5, 0.7]}'"
    )


TRANSLATIONS: tuple[Callable[[BaseException], HarnessError | None], ...] = (
    _missing,
    _unreadable,
    _several,
    _of_a_group,
    _unmerged,
    _into_a_list,
)
"""Each gives the error that it knows, else None; the first that knows it is raised."""


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    cause = error.__cause__
    if cause is not None and (
        more := [line.strip() for line in str(cause).splitlines() if line.strip()]
    ):
        lines.append(more[0])
    return "; ".join(dict.fromkeys(lines[:2]))


@contextmanager
def suggest_key(whole: Callable[[], DictConfig]) -> Iterator[None]:
    """A block in which Hydra's error about an unknown key becomes a HarnessError with the nearest
    key of conf/.

    whole: gives the configuration without overrides, when its keys are needed.
    """
    from hydra.errors import ConfigCompositionException
    from omegaconf import OmegaConf

    try:
        yield
    except ConfigCompositionException as error:
        found = re.search(r"Could not (?:override|delete from config\.) '([\w.@/]+)'", str(error))
        if found is None or "=" in found[1]:
            raise
        known = sorted(_keys(cast("dict[str, object]", OmegaConf.to_container(whole()))))
        inner = re.search(r"Key '([^']+)' is not in struct", str(error.__cause__))
        if found[1] in known and inner is not None:
            own = [
                key.removeprefix(f"{found[1]}.") for key in known if key.startswith(f"{found[1]}.")
            ]
            raise HarnessError(
                f"{found[1]} has no {inner[1]}{nearest(inner[1], own)}; it has {', '.join(own)}; "
                "leave it out"
            ) from error
        did_you = _meant(found[1], known)
        raise HarnessError(
            f"{found[1]} is no key of this command{did_you}; see `--cfg job` for all keys"
        ) from error


def _meant(key: str, known: Sequence[str]) -> str:
    """What somebody may have meant: a key below it, the same one below another concept, or one of
    like letters.
    """
    last = key.rpartition(".")[2]
    inside = [one for one in known if one.startswith(f"{key}.")]
    same = inside or [one for one in known if one.rpartition(".")[2] == last]
    return f" (did you mean {min(same, key=len)}?)" if same else nearest(key, known)


def _keys(node: Mapping[Any, Any], prefix: str = "") -> Iterator[str]:
    for key, value in node.items():
        yield f"{prefix}{key}"
        if isinstance(value, Mapping):
            yield from _keys(value, f"{prefix}{key}.")
