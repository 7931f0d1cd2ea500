"""The command line behind ``harness``: the command, Hydra's own flags, and the overrides."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.core.configuration import extensions
from harness.core.configuration.choices import Layers
from harness.core.configuration.overrides import Override, check_twice
from harness.core.errors import HarnessError

HYDRA_VALUES = ("cfg", "package", "info", "config-dir")
"""Hydra's flags that take a value."""
CFG = ("job", "hydra", "all")
"""The values of ``--cfg``."""
SHORT = {
    "-m": "--multirun",
    "-c": "--cfg",
    "-p": "--package",
    "-i": "--info",
    "-cd": "--config-dir",
    "-sc": "--shell-completion",
}
"""Hydra's flags of a letter or two."""
HYDRA_FLAGS = ("multirun", "resolve", "hydra-help", "shell-completion", *HYDRA_VALUES)

NAMES_A_FILE = re.compile(
    r"\+*(?:run|baseline|gold|out|figure|lock|queries|splitting|lists\.\w+|(?:\w+\.)*path)"
)
"""Keys whose value is the name of one or several files."""
PLAIN = re.compile(r"[A-Za-z0-9_/.:@%+*?-]*")
"""Values that Hydra reads unchanged. ``*`` and ``?`` occur in file patterns."""
NO_TEXT = re.compile(
    r"[-+]?(?:\d[\d_]*\.?[\d_]*|\.\d+)(?:e[-+]?\d+)?|null|true|false|nan|inf", re.IGNORECASE
)
"""Values that Hydra would not read as a text."""
IS_KEY = re.compile(r"[-+~]|[\w.@/]+=")
"""The beginning of an argument that has a key."""
TOKEN = re.compile(r"(?<=[\[{,])(\s*)([^\[\]{},]+?)(\s*)(?=[,\]}])")
"""One item between the brackets and commas of a list or a mapping."""


@dataclass(frozen=True)
class CommandLine:
    """A command as it was typed. The rest of the code reads this instead of ``sys.argv``.

    Attributes:
        command: its name.
        primary: the name of its file in conf/.
        flags: Hydra's own flags and keys.
        overrides: the keys and values, with file names quoted; ``--split tune`` is ``split=tune``.
    """

    command: str
    primary: str
    flags: tuple[str, ...]
    overrides: tuple[str, ...]

    @classmethod
    def read(cls, command: str, arguments: Sequence[str]) -> CommandLine:
        """Return a command line. The folders of ``--config-dir`` are searched from now on.

        Raises:
            HarnessError: there are blanks around an equals sign, a key is given twice, or a folder
                does not exist.
        """
        _check_blanks(arguments)
        flags, overrides = _split(arguments)
        for place, flag in enumerate(flags):
            name, _, folder = flag.removeprefix("--").partition("=")
            if name == "config-dir":
                _search(folder or " ".join(flags[place + 1 : place + 2]))
        primary = command if extensions.primary(command) else "config"
        quoted = tuple(map(quote_file, _with_names(primary, overrides)))
        check_twice(list(map(Override.read, quoted)))
        return cls(command, primary, tuple(flags), quoted)

    @property
    def is_several(self) -> bool:
        """Whether Hydra has to run one job for each value of a key."""
        return "--multirun" in self.flags

    @property
    def is_for_hydra(self) -> bool:
        """Whether the command line has a flag or key of Hydra itself."""
        asked = [*self.flags, *self.overrides]
        return any(re.match(r"hydra|-(?!-config-dir)", text) for text in asked)

    @property
    def first_job(self) -> list[str]:
        """The overrides of the first job. Values given by Hydra's functions are left out."""
        given = [Override.read(text) for text in self.overrides if not text.startswith("hydra")]
        plain = [one for one in given if one.value is None or one.values]
        if not self.is_several:
            return [*map(str, plain)]
        return [str(one._replace(value=one.values[0]) if one.value else one) for one in plain]


def _search(folder: str) -> None:
    place = Path(folder).expanduser()
    if not place.is_dir():
        raise HarnessError(f"--config-dir={folder}: there is no such folder")
    extensions.search(place)


def _check_blanks(arguments: Sequence[str]) -> None:
    """Raise HarnessError if there are blanks around an equals sign."""
    for before, text, after in zip(arguments, arguments[1:], [*arguments[2:], "..."], strict=False):
        if text.startswith("="):
            value = text.removeprefix("=") or after
            raise HarnessError(
                f"{before} = {value}: there are blanks around =; write {before}={value}"
            )


def _split(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return Hydra's own flags and keys, and the overrides. Raise HarnessError for another flag."""
    flags: list[str] = []
    overrides: list[str] = []
    pending = [SHORT.get(argument, argument) for argument in arguments]
    while pending:
        argument = pending.pop(0)
        name, equals, value = argument.removeprefix("--").partition("=")
        if not argument.startswith("-"):
            overrides.append(argument)
            continue
        of_hydra, takes_value = name in HYDRA_FLAGS, name in HYDRA_VALUES
        if not equals and (takes_value or not of_hydra):
            bare = bool(pending) and not re.match(r"-|.*=", pending[0])
            usual = {"info": "all"}.get(name, "") if of_hydra else "true"
            value = pending.pop(0) if bare else usual
        _check_flag(argument, name, value)
        if of_hydra:
            flags += [argument] if equals or not takes_value else [argument, value]
        else:
            overrides.append(f"{name.replace('-', '_')}={value}")
    return flags, overrides


def _check_flag(argument: str, name: str, value: str) -> None:
    """Raise HarnessError for an unknown short flag, or a flag of Hydra without its value."""
    if not argument.startswith("--"):
        raise HarnessError(f"{argument}: there is no such flag; `--help` has the keys")
    if name == "cfg" and value not in CFG:
        raise HarnessError(f"{argument}: give job, hydra or all: --cfg job")
    if name in HYDRA_VALUES and not value:
        raise HarnessError(f"{argument}: give its value behind it")


def _with_names(primary: str, arguments: Sequence[str]) -> list[str]:
    """Return the arguments, with keys added to leading values: ``trace ID`` is ``trace query=ID``.

    The values belong to the keys that have no value in conf/ (``???``), except ``out``, which is
    always written.
    """
    alone = list(itertools.takewhile(lambda one: not IS_KEY.match(one), arguments))
    if not alone:
        return [*arguments]
    tree = Layers({}).tree(primary)
    keys = [key for key, value in tree.items() if value == "???" and key != "out"]
    named = []
    for key, argument in zip(keys, alone, strict=False):
        value = argument.replace("'", r"\'")
        named.append(f"{key}='{value}'")
    return [*named, *arguments[len(named) :]]


def quote_file(text: str) -> str:
    """Return the override with file names in quotes if Hydra would misread them, and with ``~``
    expanded.
    """
    key, _, value = text.partition("=")
    of_file = bool(NAMES_A_FILE.fullmatch(key))
    if not value or not (of_file or key == "lists"):
        return text
    if of_file and _is_there(value):
        return f"{key}={_quote(value)}"
    if value[0] in "[{":
        return f"{key}={TOKEN.sub(_quote_token, value)}"
    is_plain = PLAIN.fullmatch(value) or re.search(r"[,('\"]|\$\{", value)  # of a sweep, ${...}
    return text if is_plain or not of_file else f"{key}={_quote(value)}"


def _quote_token(found: re.Match[str]) -> str:
    """Return an item of a list or a mapping with its file name in quotes."""
    before, token, after = found.groups()
    name, colon, value = ("", "", token) if _is_there(token) else token.rpartition(": ")
    is_odd = re.fullmatch(r"[^'\"]*[^\x00-\x7f'\"][^'\"]*", value)
    return (
        f"{before}{name}{colon}{_quote(value)}{after}" if is_odd or _is_there(value) else found[0]
    )


def _is_there(value: str) -> bool:
    try:
        return bool(value) and Path(value).expanduser().exists()
    except (OSError, ValueError, RuntimeError):
        return False


def _quote(value: str) -> str:
    """Return the name of a file in the form that Hydra reads back: in quotes, unless it is
    plain.
    """
    value = str(Path(value).expanduser()) if value.startswith("~/") else value
    if PLAIN.fullmatch(value) and not NO_TEXT.fullmatch(value):
        return value
    escaped = re.sub(
        r"(\\*)('|\Z)", lambda found: found[1] * 2 + found[2].replace("'", r"\'"), value
    )
    return "'" + escaped.replace("${", r"\${") + "'"
