"""The files of ``conf/<concept>/``: their names, descriptions and defaults."""

from __future__ import annotations

import importlib.util
import itertools
import re
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath
from typing import Any

from harness.core.configuration.extensions import folders, missing_plugin
from harness.core.configuration.instantiation import instantiate
from harness.core.configuration.yaml_files import read_conf
from harness.core.errors import HarnessError, nearest


def _files(concept: str) -> Iterator[tuple[str, Path]]:
    """Yield the name and path of each configuration of a concept: ``mine``, ``team/mine``."""
    for folder in folders():
        for path in (folder / concept).glob("**/*.yaml"):
            yield path.relative_to(folder / concept).with_suffix("").as_posix(), path


def names(concept: str) -> list[str]:
    """Return the names of all configurations of a concept, including those of other packages."""
    return sorted({name for name, _ in _files(concept)})


def concepts() -> list[str]:
    """Return the folders of conf/ from which a name can be chosen."""
    return sorted(
        {path.parent.name for folder in folders() for path in folder.glob("*/*.yaml")}
        - {"paths", "display"}
    )


def described(concept: str) -> dict[str, str]:
    """Return the description of each configuration of a concept.

    It is the comment at the top of the file, or the first line of the class's docstring.
    """
    return {name: _described(path) for name, path in sorted(_files(concept))}


def _described(path: Path) -> str:
    lines = path.read_text(encoding="utf-8").split("\n")
    lines = [line for line in lines if not line.startswith("# @package")]
    module, _, name = str(read_conf(path).get("_target_", "")).rpartition(".")
    if not module or lines[0].startswith("#"):
        return _first_sentence(lines)
    top, *inner = module.split(".")
    spec = importlib.util.find_spec(top)  # not of the module: its packages may need other libraries
    if spec is None or spec.origin is None:
        return ""
    place = Path(spec.origin).parent.joinpath(*inner)
    files = (place.with_suffix(".py"), place / "__init__.py") if inner else (Path(spec.origin),)
    text = next((file.read_text(encoding="utf-8") for file in files if file.is_file()), "")
    pattern = rf'^(?:class|def) {name}\b.*?"""(.*?)(?:"""|\n\n)'
    match = re.search(pattern, text, re.DOTALL | re.MULTILINE)
    return " ".join(match[1].split()) if match else ""


def _first_sentence(lines: Sequence[str]) -> str:
    """Return the first sentence of the comment with which a file begins; empty without one.

    A line that is indented, a command, is no part of it.
    """
    comment = itertools.takewhile(lambda line: re.match(r"#(?!   )", line), lines)
    text = " ".join(line.lstrip("# ").rstrip() for line in comment)
    match = re.match(r".*?\.(?= [A-Z]|$)", text)
    return match[0] if match else text


def conf_file(concept: str, name: str) -> Path:
    """Return ``conf/<concept>/<name>.yaml`` from the first folder that has it.

    Raises:
        HarnessError: there is no such name, or the name is a path.
    """
    inside = ".." not in PurePath(name).parts and not PurePath(name).is_absolute()
    for folder in folders() if inside and name else ():
        if (path := folder / concept / f"{name}.yaml").is_file():
            return path
    raise unknown(concept, name, names(concept))


def defaults(concept: str, name: str) -> dict[str, Any]:
    """Return the keys of ``conf/<concept>/<name>.yaml``."""
    return dict(read_conf(conf_file(concept, name)))


def unknown(key: str, name: str, known: Sequence[str]) -> HarnessError:
    """Return the error about a name that no folder of configurations has.

    Args:
        key: the concept, possibly with a place (``retriever@lists.graph``).
        name: the name that was typed.
        known: the names that exist.
    """
    concept = key.partition("@")[0]
    if lacking := missing_plugin(f"{concept}/{name}"):
        message = lacking
    elif concept == "dataset" and name and ("/" in name or Path(name).exists()):
        message = f"is not a name; your own folder is dataset=folder dataset.path={name}"
    else:
        message = f"is not known{nearest(name, known)}; known: {', '.join(known)}"
        message += _as_number(concept, name, known)
    return HarnessError(f"{key}={name} {message}")


def _as_number(concept: str, value: str, known: Sequence[str]) -> str:
    """Return how a number is typed that stands for a strategy, such as ``temperature=0.5``, if only
    one strategy consists of a number.
    """
    if not re.fullmatch(r"\d+(\.\d*)?|\.\d+", value):
        return ""
    typed = []
    for name in known:
        match [*defaults(concept, name).items()]:
            case [("_target_", _), (field, int() | float())]:
                typed.append(f"; a number is {concept}={name} {concept}.{field}={value}")
    return typed[0] if len(typed) == 1 else ""


def strategy(concept: str, name: str, **overrides: Any) -> Any:
    """Return the strategy of ``conf/<concept>/<name>.yaml`` with some of its fields set."""
    fields = defaults(concept, name)
    known = [field for field in fields if field != "_target_"]
    for key in overrides:
        if key not in known:
            raise HarnessError(
                f"{concept}={name} has no {key}{nearest(key, known)}; it has: "
                f"{', '.join(known) or '-'}"
            )
    return instantiate({**fields, **overrides})
