"""From configuration to strategies: where conf/ is, composing it, and instantiating what it names."""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import functools
import importlib.util
import inspect
import re
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

import yaml

from harness.core.configuration.extensions import added, extend_hydra, folders, missing_plugin
from harness.core.configuration.extensions import primary as primary_file
from harness.core.configuration.rooms import PACKAGE, package_folder, roomless
from harness.core.configuration.suggest import suggest_key
from harness.core.errors import HarnessError, nearest

if TYPE_CHECKING:
    from omegaconf import DictConfig


def names(concept: str) -> list[str]:
    """The configurations of a concept, e.g. all fusers, those of other packages included."""
    return sorted({path.stem for folder in folders() for path in (folder / concept).glob("*.yaml")})


def concepts() -> list[str]:
    """The folders of conf/ that something can be chosen from."""
    return sorted({path.parent.name for folder in folders() for path in folder.glob("*/*.yaml")} - {"paths", "display"})


def described(concept: str) -> dict[str, str]:
    """What each configuration of a concept is: the comment at the top of its file, else its class in one line."""
    return {
        name: _described(path)
        for name, path in sorted(
            (path.stem, path) for folder in folders() for path in (folder / concept).glob("*.yaml")
        )
    }


def _described(path: Path) -> str:
    lines = (line for line in path.read_text(encoding="utf-8").split("\n") if not line.startswith("# @package"))
    first = next(lines, "")
    module, _, name = str(_read(path).get("_target_", "")).rpartition(".")
    if first.startswith("#") or not module:
        return first.lstrip("# ")
    spec = importlib.util.find_spec(module)
    tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8")) if spec and spec.origin else ast.parse("")
    found = [node for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == name]
    docs = [ast.get_docstring(node) or "" for node in [*found, tree]]
    return next((doc.partition("\n")[0] for doc in docs if doc), "")


def defaults(concept: str, name: str) -> dict[str, Any]:
    """``conf/<concept>/<name>.yaml`` as it stands. Raises HarnessError for a name that is not there, or for a path."""
    for folder in folders() if Path(name).name == name else ():
        if (path := folder / concept / f"{name}.yaml").is_file():
            return dict(_read(path))
    raise unknown(concept, name, names(concept))


def unknown(concept: str, name: str, known: Sequence[str]) -> HarnessError:
    """The error about a name that no folder of configurations has."""
    if lacking := missing_plugin(f"{concept}/{name}"):
        return HarnessError(f"{concept}={name} {lacking}")
    if concept == "dataset" and "/" in name:
        return HarnessError(f"{concept}={name} is no name; a folder of your own is dataset=folder dataset.path={name}")
    return HarnessError(f"{concept}={name} is not known{nearest(name, known)}; known: {', '.join(known)}")


@functools.cache
def _read(path: Path) -> dict[str, Any]:
    return yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader) or {}


def strategy(concept: str, name: str, **overrides: Any) -> Any:
    """The strategy of ``conf/<concept>/<name>.yaml``, with some of its fields set."""
    fields = defaults(concept, name)
    known = [field for field in fields if field != "_target_"]
    for key in overrides:
        if key not in known:
            raise HarnessError(f"{concept}={name} has no {key}{nearest(key, known)}; it has: {', '.join(known) or '-'}")
    return instantiate({**fields, **overrides})


def instantiate(node: Any) -> Any:
    """Hydra's instantiate, with a HarnessError of a constructor passed on as itself.

    Of a configuration a copy is made: Hydra resolves the interpolations of what it is given where they stand.
    """
    from hydra.errors import InstantiationException
    from hydra.utils import instantiate as build
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    try:
        return build(OmegaConf.to_container(node, resolve=True) if OmegaConf.is_config(node) else node, _convert_="all")
    except InstantiationException as error:
        named = re.search(r"target '([^']+)'", str(error))
        target = named[1] if named else _target(node)
        cause: BaseException | None = error
        last: BaseException = error
        while cause is not None:
            if isinstance(cause, HarnessError):
                raise cause from None
            if isinstance(cause, TypeError) and (
                found := re.search(r"unexpected keyword argument '(\w+)'", str(cause))
            ):
                raise HarnessError(f"{target} has no {found[1]}; it has: {_fields(target)}") from error
            last, cause = cause, cause.__cause__
        if told := next(_misfits(target, node), None):
            raise HarnessError(told) from error
        if target.startswith("harness."):
            raise  # ours: a bug, with its traceback
        if isinstance(last, ModuleNotFoundError) and last.name == target.partition(".")[0]:
            raise HarnessError(
                f"{target}: there is no package {last.name} on Python's path; in the folder that holds it put "
                f"`PYTHONPATH=.` before the command, or type `pip install -e .` once"
            ) from error
        raise HarnessError(f"{target} cannot be made: {_reason(last)}; mend that module") from error
    except OmegaConfBaseException as error:
        raise HarnessError(f"configuration: {str(error).splitlines()[0]}") from error


KINDS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "a mapping, as in {name: value}": (Mapping, ("Mapping", "dict")),
    "a list, as in [a,b]": ((list, tuple), ("Sequence", "tuple", "list")),
    "a text": (str, ("str", "Path", "Literal")),
    "a number": ((int, float), ("int", "float", "bool")),
    "null": (type(None), ("None",)),
}
"""By what it is called: the types of a value, and the words of an annotation that allow it."""


def _misfits(target: str, node: Any) -> Iterator[str]:
    """A line for each field of a class, within a configuration, whose value is of another kind than is annotated."""
    from hydra.utils import get_class
    from omegaconf import OmegaConf

    node = OmegaConf.to_container(node, resolve=True) if OmegaConf.is_config(node) else node
    for value in node.values() if isinstance(node, dict) else ():
        yield from _misfits(target, value)
    kind: Any = None
    if isinstance(node, dict) and node.get("_target_") == target and target.startswith(f"{PACKAGE.name}."):
        kind = get_class(target)
    hints: dict[str, Any] = {}
    with contextlib.suppress(NameError):  # of a name that is imported for type checkers alone
        hints = get_type_hints(kind) if kind is not None else {}
    for field in dataclasses.fields(kind) if kind is not None and dataclasses.is_dataclass(kind) else ():
        outer = str(hints.get(field.name, field.type))
        while (cut := re.sub(r"\[[^][]*\]", "", outer)) != outer:  # what is in a mapping is its own affair
            outer = cut
        words = set(re.findall(r"\w+", outer))
        allowed = [name for name, (_, known) in KINDS.items() if words.intersection(known)]
        value = node.get(field.name, field.default)
        fits = any(isinstance(value, types) for name, (types, _) in KINDS.items() if name in allowed)
        if field.name in node and allowed and not fits:
            concept = roomless(target).split(".")[1]
            told = " or ".join(name for name in allowed if name != "null")
            yield f"{concept}.{field.name}={value}: expected {told}"


MERGED = {"a mapping, as in {name: value}": "DictConfig", "a list, as in [a,b]": "ListConfig"}
"""What a default is, by what it is called, where Hydra cannot merge it with what was typed."""
KNOB = re.compile(r"^(?:(?:fuser|normalizer|temperature|reranker)\.\w+|lists\.\w+|tracking\.tags\.\w+)=")
"""What may be set though the default strategy lacks it: a grid has others, and any list may be added."""


def allow_knobs(overrides: Sequence[str]) -> list[str]:
    """The overrides, those of ``KNOB`` with Hydra's ``++``."""
    return [KNOB.sub(r"++\g<0>", text) for text in overrides]


GROUP = re.compile(r"\+*((\w+)(?:@[\w.]+)?)=(.+)")
NO_NAME = re.compile(r"[-+]?\d*\.?\d+(?:e[-+]?\d+)?|true|false", re.IGNORECASE)


def check_groups(overrides: Sequence[str]) -> None:
    """Raise HarnessError that names the key where a concept is given a number or a truth value: ``dataset=1``."""
    for found in filter(None, map(GROUP.fullmatch, overrides)):
        key, concept, given = found.groups()
        known = names(concept)
        for value in given.split(",") if known and given[0] not in "{[" else ():
            if NO_NAME.fullmatch(value) and value not in known:
                raise HarnessError(f"{key}={value} is not known{nearest(value, known)}; known: {', '.join(known)}")


MAY_BE_NULL = ("controls",)
"""Sections that null leaves out; of all others keys are read."""


def fit_shapes(primary: str, overrides: Sequence[str]) -> list[str]:
    """The overrides, a single name in brackets where ``conf/<primary>.yaml`` has a list: ``files=a`` is ``files=[a]``.

    Raises HarnessError for a value where it has a section that is no concept (``pool=5``, ``pool=null``), for another
    value than true or false where it has one of these (``explain=all``), and for a name twice in ``{...}``. A section
    whose one key is ``kind`` is given by it: ``gate=better`` is ``gate.kind=better``.
    """
    whole = _whole(primary)
    for text in overrides:
        _check_once(text)
    return [_fitted(text, whole) for text in overrides]


def check_twice(overrides: Sequence[str]) -> None:
    """Raise HarnessError for a key that is given two values, of which Hydra would keep the last."""
    given: dict[str, str] = {}
    for text in overrides:
        key, equals, _ = text.lstrip("+").partition("=")
        if equals and given.get(key, text.lstrip("+")) != text.lstrip("+"):
            raise HarnessError(f"{given[key]} and {text.lstrip('+')}: {key} is given twice; leave one of them out")
        if equals and not text.startswith(("-", "~")):
            given[key] = text.lstrip("+")


def check_paths(config: DictConfig) -> None:
    """Raise HarnessError for a path without a name, by which results would go into the working folder."""
    for name, value in (config.get("paths") or {}).items():
        if name != "shared" and value is not None and not str(value).strip():
            raise HarnessError(
                f"paths.{name} (HARNESS_{str(name).upper()}) is empty; name a place, or unset the variable"
            )


def replace_mappings(config: DictConfig, overrides: Sequence[str]) -> None:
    """Let a mapping that was typed stand for all of a strategy's field (``fuser.weights``), or all lists.

    Hydra would merge it with the default. What was typed after it holds (``lists.graph=FILE``), and so do lists that
    were typed by their strategy (``+retriever@lists.mine=bm25``).
    """
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from omegaconf import OmegaConf, open_dict

    parse: Callable[[str], Any] = OverridesParser.create().parse_override
    for place, text in enumerate(overrides):
        key, _, value = text.lstrip("+").partition("=")
        section = key.rpartition(".")[0]
        if not value.startswith("{") or text.startswith("~"):
            continue
        holder = OmegaConf.select(config, section) if section else None
        if key == "lists" or (holder is not None and OmegaConf.is_dict(holder) and "_target_" in holder):
            named = {other.partition("=")[0].partition(f"@{key}.")[2] for other in overrides} - {""}
            beside = {name: node for name in named if (node := OmegaConf.select(config, f"{key}.{name}")) is not None}
            later = [other for other in overrides[place + 1 :] if re.match(rf"\+*{re.escape(key)}[.=]", other)]
            with open_dict(config):
                OmegaConf.update(config, key, {**beside, **parse(text).value()}, merge=False)
                for other in map(parse, later):
                    OmegaConf.update(config, other.key_or_group, other.value())


def _check_once(text: str) -> None:
    """Raise HarnessError for ``lists={a: x, a: y}``, of which Hydra would keep the last."""
    try:
        node = yaml.compose(text.partition("=")[2], yaml.CSafeLoader)
    except yaml.YAMLError:  # Hydra's own, such as choice(a,b)
        return
    entries = node.value if isinstance(node, yaml.MappingNode) else []
    keys = [key.value.partition(":")[0] for key, _ in entries if isinstance(key.value, str)]
    for key in keys:
        if keys.count(key) > 1:
            raise HarnessError(f"{text}: {key} stands twice; give each its own name")


def _whole(primary: str) -> dict[str, Any]:
    """The keys of ``conf/<primary>.yaml``, those that plug-ins add, and those of the files that it begins with: without
    a group, and sections of one file (``paths: default``).
    """
    path = primary_file(primary)
    own = _read(path) if path else {}
    found: dict[str, Any] = {}
    for name in own.get("defaults", ()):
        if isinstance(name, str):
            found |= _whole(name) if name != "_self_" else {}
        elif (group := next(iter(name))) and names(group) == [name[group]]:
            found[group] = defaults(group, name[group])
    return found | own | added(primary)


def _fitted(text: str, whole: dict[str, Any]) -> str:
    key, equals, value = text.partition("=")
    plain = key.lstrip("+")
    default: Any = whole
    for name in plain.split("."):
        default = default.get(name) if isinstance(default, dict) else None
    if not equals or not value or value[0] == "$" or (value[0] in "[{" and not isinstance(default, bool)):
        return text
    if isinstance(default, dict) and list(default) == ["kind"]:  # `gate` is the name of a concept of a plug-in, too
        return f"{key}.kind={value}"
    left_out = value == "null" and plain in MAY_BE_NULL
    if isinstance(default, dict) and default and not left_out and not names(plain):
        keys = list(map(str, default))
        raise HarnessError(f"{text}: expected its keys, as in {plain}.{keys[0]}=...; it has: {', '.join(keys)}")
    given = [] if "(" in value else value.lower().split(",")  # choice(true,false) is Hydra's own
    if isinstance(default, bool) and not {*given} <= {"true", "false"}:
        raise HarnessError(f"{text}: expected true or false")
    of_names = value != "null" and isinstance(default, list) and all(isinstance(item, str) for item in default)
    return f"{key}=[{value}]" if of_names and "," not in value and not NO_NAME.fullmatch(value) else text


def check_new_keys(primary: str, overrides: Sequence[str], config: DictConfig) -> None:
    """Raise HarnessError for ``+name=value`` where conf/ has no such key and nothing in ``config`` is ``${name}``, and
    for ``+section.key=value`` where the section has no such key.
    """
    from omegaconf import OmegaConf

    new = {text: re.split(r"[.@/=]", text.lstrip("+/"))[0] for text in overrides if text.startswith("+")}
    if not new:
        return
    concepts = {path.name for folder in folders() for path in folder.iterdir() if path.is_dir()}
    whole = _whole(primary)
    known, raw = {*whole, *concepts, "lists"}, repr(OmegaConf.to_container(config, resolve=False))
    for text, name in new.items():
        if name not in known and f"${{{name}" not in raw:
            raise HarnessError(f"{text} changes nothing: nothing reads {name}{nearest(name, known)}; leave it out")
        section, (_, *keys) = whole.get(name), text.partition("=")[0].split(".")
        if not isinstance(section, dict) or not section or "_target_" in section:
            continue
        if len(keys) == 1 and keys[0] not in section:
            there = nearest(keys[0], list(map(str, section))) or f"; it has {', '.join(map(str, section))}"
            raise HarnessError(f"{text} changes nothing: {name} has no {keys[0]}{there}; leave it out")


def compose(primary: str = "config", overrides: Sequence[str] = ()) -> DictConfig:
    """The configuration of ``conf/<primary>.yaml`` under some Hydra overrides, outside the command line."""
    from hydra import compose as build
    from hydra import initialize_config_dir

    extend_hydra()
    check_groups(overrides)
    with (
        translate_errors(),
        suggest_key(lambda: compose(primary)) if overrides else contextlib.nullcontext(),
        _without_hydra(),
        initialize_config_dir(str(package_folder("conf").resolve()), version_base="1.3"),
    ):
        config = build(primary, allow_knobs(fit_shapes(primary, overrides)))
    check_new_keys(primary, overrides, config)
    replace_mappings(config, overrides)
    check_paths(config)
    return config


@contextlib.contextmanager
def _without_hydra() -> Iterator[None]:
    """A block in which Hydra has no running command; its global state is restored afterwards."""
    from hydra.core.global_hydra import GlobalHydra

    outer, GlobalHydra.instance().hydra = GlobalHydra.instance().hydra, None
    try:
        yield
    finally:
        GlobalHydra.instance().hydra = outer


DECIMAL = re.compile(r"[-+]?[0-9]+,[0-9]+")


class translate_errors:
    """A block in which Hydra's errors about a configuration become one HarnessError each."""

    def __enter__(self) -> None:
        """Nothing to prepare."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Raise the HarnessError with Hydra's message and the nearest known name."""
        from hydra.errors import HydraException, MissingConfigException, OverrideParseException
        from omegaconf.errors import OmegaConfBaseException

        if isinstance(error, MissingConfigException) and error.missing_cfg_file:
            missing = str(error.missing_cfg_file)
            own = missing.startswith("dataset/")  # the name of a folder has slashes
            concept, _, name = missing.partition("/") if own else missing.rpartition("/")
            known = [str(option) for option in error.options or names(concept)]
            raise unknown(concept or "config", name, known) from error
        if isinstance(error, OverrideParseException) and "=" not in error.override:
            raise HarnessError(f"{error.override}: expected key=value; `--help` has the keys") from error
        if isinstance(error, OverrideParseException):
            key, _, value = error.override.lstrip("+").partition("=")
            if value.startswith(("{", "[")) and sum(map(value.count, "[{")) > sum(map(value.count, "]}")):
                raise HarnessError(f"{key}={value}: a bracket is opened and not closed") from error
            inside = value.strip("'\"")
            mend = f"'{key}={{name: \"...\"}}'" if value.startswith(("{", "[")) else f"'{key}=\"{inside}\"'"
            raise HarnessError(
                f"{key}={value} cannot be read as it is typed; such a text needs quotes within those of the "
                f"shell: {mend}"
            ) from error
        if "hydra.sweep.dir" in str(error):
            raise HarnessError("this command runs once; -m, several values of a key, is for harness sweep") from error
        if found := re.search(r"Ambiguous value for argument '([^=]+)=([^']*)'", str(error)):
            key, value = found.groups()
            point = f", with a decimal point {key}={value.replace(',', '.')}" if DECIMAL.fullmatch(value) else ""
            raise HarnessError(f"{key}={value}: several values; a list is {key}=[{value}]{point}") from error
        if isinstance(error, ValueError) and "Config group override" in str(error):
            raise HarnessError(f"configuration: {error}; name one of its files, as in dataset=sample") from error
        if error is not None and (found := re.match(r"Error merging override \++([^=]+=.*)", str(error))):
            wanted = [told for told, kind in MERGED.items() if f"Cannot merge {kind} with" in _first_line(error)]
            if wanted:
                raise HarnessError(f"{found[1]}: expected {wanted[0]}") from error
        if isinstance(error, (HydraException, OmegaConfBaseException)):
            raise HarnessError(f"configuration: {_first_line(error)}") from error


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    cause = error.__cause__
    if cause is not None and (more := [line.strip() for line in str(cause).splitlines() if line.strip()]):
        lines.append(more[0])
    return "; ".join(dict.fromkeys(lines[:2]))


def _reason(error: BaseException) -> str:
    """What went wrong in a module of somebody else's, and where: ``ZeroDivisionError: division by zero (m.py:3)``."""
    if isinstance(error, SyntaxError):
        return f"{type(error).__name__}: {error.msg} ({error.filename}:{error.lineno})"
    frame = traceback.extract_tb(error.__traceback__)[-1:]
    place = f" ({frame[0].filename}:{frame[0].lineno})" if frame and "hydra" not in frame[0].filename else ""
    return (
        f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}{place if '<' not in place else ''}"
    )


def _fields(target: str) -> str:
    """What a class or function takes, by name."""
    from hydra.utils import get_object

    return ", ".join(inspect.signature(get_object(target)).parameters) or "none"


def _target(node: Any) -> str:
    return str(node.get("_target_", node)) if hasattr(node, "get") else str(node)
