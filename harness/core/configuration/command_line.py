"""The command line behind ``harness``: the command, Hydra's own flags, and the overrides."""

from __future__ import annotations

import importlib.util
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.core.configuration import extensions
from harness.core.configuration.composition import prepare
from harness.core.configuration.overrides import Override, check_twice, parse
from harness.core.errors import HarnessError, nearest

HYDRA_VALUES = ("cfg", "package", "info", "config-dir", "config-name")
"""Hydra's flags that take a value."""
CFG = ("job", "hydra", "all")
"""The values of ``--cfg``."""
SHORT = {
    "-m": "--multirun",
    "-c": "--cfg",
    "-p": "--package",
    "-i": "--info",
    "-cd": "--config-dir",
    "-cn": "--config-name",
    "-sc": "--shell-completion",
}
"""Hydra's flags of a letter or two."""
HYDRA_FLAGS = ("multirun", "resolve", "hydra-help", "shell-completion", *HYDRA_VALUES)

MODES = ("multirun", "cfg", "info", "shell-completion")
"""Hydra's flags of which one can be given."""
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
        primary: the name of its file in conf/, or that of ``--config-name``.
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
        flag_values = _values_of(flags)
        modes = [flag for flag in flags if flag.partition("=")[0].removeprefix("--") in MODES]
        if len(modes) > 1:
            raise HarnessError(f"{' '.join(modes)}: these do not go together; leave one out")
        for folder in (*flag_values.get("config-dir", ()), *_searchpath(overrides)):
            _search(folder)
        usual = extensions.config_name(command)
        primary = flag_values.get("config-name", [usual])[-1].removesuffix(".yaml")
        _check_primary(primary, usual)
        if "--shell-completion" in flags:  # followed by install=bash or query=bash
            return cls(command, primary, tuple(flags), tuple(overrides))
        quoted = tuple(map(quote_file, _with_names(primary, overrides)))
        typed = list(map(Override.read, quoted))
        _check_folders(typed)
        check_twice(typed)
        return cls(command, primary, tuple(flags), quoted)

    @property
    def is_several(self) -> bool:
        """Whether Hydra has to run one job for each value of a key."""
        return "--multirun" in self.flags

    @property
    def is_completion(self) -> bool:
        """Whether Hydra completes a word, or installs that in a shell."""
        return "--shell-completion" in self.flags

    @property
    def is_for_hydra(self) -> bool:
        """Whether the command line has a flag or key of Hydra itself."""
        arguments = [*self.flags, *self.overrides]
        return any(re.match(r"[+~]*hydra|-(?!-config-(?:dir|name))", text) for text in arguments)

    @property
    def first_job(self) -> list[str]:
        """The overrides of the first job. Values given by Hydra's functions are left out."""
        overrides = [Override.read(text) for text in self.overrides if not text.startswith("hydra")]
        plain = [override for override in overrides if override.value is None or override.values]
        if self.is_several:
            plain = [
                override._replace(value=override.values[0]) if override.value else override
                for override in plain
            ]
        return list(map(str, plain))


def _values_of(flags: Sequence[str]) -> dict[str, list[str]]:
    """Return the values of Hydra's flags by their names."""
    values: dict[str, list[str]] = {}
    for flag, following in itertools.zip_longest(flags, flags[1:], fillvalue=""):
        name, equals, value = flag.removeprefix("--").partition("=")
        if name in HYDRA_VALUES:
            values.setdefault(name, []).append(value if equals else following)
    return values


def _searchpath(overrides: Sequence[str]) -> list[str]:
    """Return the folders of ``hydra.searchpath``."""
    places: list[object] = []
    for override in map(Override.read, overrides):
        if override.key == "hydra.searchpath":
            places += parse(override.key, override.value or "") or ()
    return list(map(str, places))


def _search(folder: str) -> None:
    scheme, _, inner = folder.rpartition("://")
    place = Path(inner).expanduser()
    if scheme == "pkg":
        spec = importlib.util.find_spec(inner.replace("/", "."))
        place = Path(next(iter((spec and spec.submodule_search_locations) or [inner])))
    if not place.is_dir():
        raise HarnessError(f"--config-dir={folder}: there is no such folder")
    extensions.search(place)


def _check_primary(primary: str, usual: str) -> None:
    """Check that the file of ``--config-name`` exists, and that the command reads its keys."""
    if primary == usual:
        return
    path = extensions.primary(primary)
    if path is None:
        files = {path.stem for folder in extensions.folders() for path in folder.glob("*.yaml")}
        raise HarnessError(
            f"--config-name={primary}: no folder of configurations has {primary}.yaml"
            f"{nearest(primary, files)}; name its folder with --config-dir=DIR"
        )
    prepare(usual, []).keys.check_file(path)


def _check_folders(overrides: Sequence[Override]) -> None:
    """Raise HarnessError for a folder of Hydra's, since results have places of their own."""
    for override in overrides:
        if override.key in ("hydra.run.dir", "hydra.sweep.dir"):
            raise HarnessError(
                f"{override}: results are written below paths.runs; "
                f"write paths.runs={override.value}"
            )


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
    if name in ("config-path", "-cp"):
        raise HarnessError(f"{argument}: add your folder with --config-dir=DIR")
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
    alone = list(itertools.takewhile(lambda text: not IS_KEY.match(text), arguments))
    if not alone:
        return [*arguments]
    tree = prepare(primary, []).keys.tree
    keys = [key for key, value in tree.items() if value == "???" and key != "out"]
    with_keys = []
    for key, argument in zip(keys, alone, strict=False):
        value = argument.replace("'", r"\'")
        with_keys.append(f"{key}='{value}'")
    return [*with_keys, *arguments[len(with_keys) :]]


def quote_file(text: str) -> str:
    """Return the override with file names in quotes if Hydra would misread them, and with ``~``
    expanded.
    """
    key, _, value = text.partition("=")
    if key == "query" and value[:1] not in ("", "'", '"'):  # an id is a text, also 007 and 1e5
        return f"{key}={_quote(value)}"
    of_file = bool(NAMES_A_FILE.fullmatch(key))
    if not value or not (of_file or key == "lists"):
        return text
    if of_file and _is_there(value):
        return f"{key}={_quote(value)}"
    if value[0] in "[{":
        return f"{key}={TOKEN.sub(_quote_token, value)}"
    is_plain = PLAIN.fullmatch(value) or re.search(r"[,('\"]|\$\{", value)  # of a sweep, ${...}
    return text if is_plain or not of_file else f"{key}={_quote(value)}"


def _quote_token(match: re.Match[str]) -> str:
    """Return an item of a list or a mapping with its file name in quotes."""
    before, token, after = match.groups()
    name, colon, value = ("", "", token) if _is_there(token) else token.rpartition(": ")
    is_odd = re.fullmatch(r"[^'\"]*[^\x00-\x7f'\"][^'\"]*", value)
    if is_odd or _is_there(value):
        return f"{before}{name}{colon}{_quote(value)}{after}"
    return match[0]


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
        r"(\\*)('|\Z)", lambda match: match[1] * 2 + match[2].replace("'", r"\'"), value
    )
    return "'" + escaped.replace("${", r"\${") + "'"
