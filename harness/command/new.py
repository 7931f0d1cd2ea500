"""Write the files of a strategy of your own: a class, its configuration, and a test that passes at
once.

  harness new fuser greatest
  harness new retriever shared_words package=my_fusion
  harness new plugin census        in a checkout: a folder harness/plugins/census with a command, and its test

concept: dataset, encoder, fuser, normalizer, reranker, retriever, temperature; or plugin.
name: the name that is typed.

In a folder of your own it writes a package (package=NAME, default my_harness): NAME/<name>.py,
NAME/conf/<concept>/<name>.yaml, tests/test_<name>.py, and pyproject.toml if there is none. After
`pip install -e .` every command finds the strategy; before that, one that is given
--config-dir=NAME/conf and PYTHONPATH=. does. In a checkout of this project it writes into the tree.
No file is overwritten. A second package of a folder has to be added to its pyproject.toml by hand,
and the command says so. The last lines, on standard error, are the commands that test the strategy and
sweep with it; before them, if pytest is not installed, the one that adds it.
"""

from __future__ import annotations

import importlib.util
import keyword
import logging
import re
from collections.abc import Mapping
from pathlib import Path

from omegaconf import DictConfig

from harness.command import complete
from harness.core.concepts import PACKAGE, ROOMS, package_folder
from harness.core.configuration import extensions
from harness.core.configuration.conf_files import names
from harness.core.configuration.extensions import GROUP
from harness.core.configuration.extras import pip_install, program
from harness.core.errors import HarnessError, one_of
from harness.core.files import write_text

log = logging.getLogger(__name__)
TEMPLATES = ("strategy.py", "configuration.yaml", "test.py")
CONF = '    conf = Path(__file__).parents[1] / "PACKAGE" / "conf"\n'
"""A line that a test in this project's own tree does not need."""
SWEPT = {"retriever": "retriever@lists.graph"}
"""The key of a sweep for a concept, if it is not the concept's name."""


def run(config: DictConfig) -> None:
    """Write the files, and print their names and the commands that test them and sweep with
    them.
    """
    complete(config)
    folder = package_folder("reports/templates") / "new"
    concept, name = str(config.concept), str(config.name)
    one_of("concept", concept, [*sorted(path.name for path in folder.iterdir()), "plugin"])
    _check("name", name)
    in_tree = Path.cwd() == PACKAGE.parent.resolve()
    if concept == "plugin":
        _new_plugin(name, folder.parent / "plugin", in_tree)
        return
    package = "" if in_tree else str(config.package or next(iter(_packages()), "my_harness"))
    if in_tree and config.package:
        raise HarnessError(
            f"package={config.package}: in a checkout files go into the tree; leave it out"
        )
    places = _places(package, concept, name)
    marks = {
        "CLASS": "".join(part.capitalize() for part in name.split("_")),
        "NAME": name,
        "MODULE": places[0].removesuffix(".py").replace("/", "."),
    }
    if package:
        marks |= {"PACKAGE": package, "GROUP": GROUP}
    else:
        marks[CONF] = ""
    sources = {
        place: folder / concept / template
        for place, template in zip(places, TEMPLATES, strict=True)
    }
    if package and not Path("pyproject.toml").exists():
        sources["pyproject.toml"] = folder.parent / "package.toml"
    _write({place: _fill(path.read_text("utf-8"), marks) for place, path in sources.items()})
    swept = (
        f"{program('harness')} sweep {SWEPT.get(concept, concept)}={name} grid=point dry_run=true"
    )
    if package:
        swept = f"PYTHONPATH=. {swept} --config-dir={package}/conf"
        _tell_of_project(package)
    if concept in ("encoder", "retriever"):
        log.info(
            'its results are computed again in every process; when it is finished, add version = "1" to '
            "the class to keep them, and raise it when you change what the class computes"
        )
    _tell_what_to_type(places[2], swept)


def _places(package: str, concept: str, name: str) -> list[str]:
    """Return the files of ``TEMPLATES`` in a package, or in this checkout if it is empty."""
    if package:
        _check_package(package, concept, name)
        configuration = f"{package}/conf/{concept}/{name}.yaml"
        return [f"{package}/{name}.py", configuration, f"tests/test_{name}.py"]
    room = f"{ROOMS[concept]}/{concept}" if concept in ROOMS else concept
    configuration = f"conf/{concept}/{name}.yaml"
    return [f"harness/{room}/{name}.py", configuration, f"tests/{room}/test_{name}.py"]


def _tell_of_project(package: str) -> None:
    """Log what has to be added by hand to a file that names other packages."""
    if package not in (named := _packages()):
        log.info(
            f"pyproject.toml names {', '.join(named) or 'no package'}: add {package} to its "
            "packages, and " + f'{package} = "{package}.conf" to [project.entry-points."{GROUP}"]'
        )


def _new_plugin(name: str, templates: Path, in_tree: bool) -> None:
    """Write a folder of harness/plugins with a command of that name, and its test."""
    if not in_tree:
        raise HarnessError(
            "concept=plugin: is for a checkout of this project; elsewhere a package with a "
            "strategy is a plug-in, as `harness new fuser greatest` writes it"
        )
    if name in extensions.commands() or importlib.util.find_spec(f"harness.command.{name}"):
        raise HarnessError(f"name={name}: the command {name} already exists; give it another name")
    folder, test = f"harness/plugins/{name}", f"tests/plugins/{name}/test_{name}.py"
    sources = {
        f"{folder}/__init__.py": "init.py",
        f"{folder}/command/__init__.py": "package.py",
        f"{folder}/command/{name}.py": "command.py",
        f"{folder}/conf/{name}.yaml": "configuration.yaml",
        test: "test.py",
    }
    texts = {
        place: (templates / template).read_text("utf-8") for place, template in sources.items()
    }
    _write({place: _fill(text, {"NAME": name}) for place, text in texts.items()})
    _tell_what_to_type(test, f"{program('harness')} {name}", "make measure JOB=house")


def _tell_what_to_type(test: str, *others: str) -> None:
    """Log the commands that come next. The first adds what tests need, if it is not installed."""
    lacks = not all(map(importlib.util.find_spec, ("pytest", "hypothesis")))
    added = [pip_install("testing")] if lacks else []
    log.info("\n".join([*added, f"{program('python')} -m pytest {test}", *others]))


def _check(key: str, value: str) -> None:
    if not re.fullmatch(r"[a-z][a-z0-9_]*", value):
        raise HarnessError(
            f"{key}={value}: must be small letters, digits and _, a letter first, e.g. {key}=mine"
        )
    if keyword.iskeyword(value) or value in ("true", "false", "null"):
        raise HarnessError(
            f"{key}={value}: is a word of Python or YAML; give another, e.g. {key}=my_{value}"
        )


def _packages() -> list[str]:
    """Return the packages that ``pyproject.toml`` here names as entry points."""
    project = Path("pyproject.toml")
    text = project.read_text(encoding="utf-8", errors="replace") if project.exists() else ""
    return re.findall(r'= *"([A-Za-z_]\w*)\.[\w.]+"', text.partition(GROUP)[2])


def _check_package(package: str, concept: str, name: str) -> None:
    """Raise HarnessError if a package cannot have that name, or a strategy exists already."""
    _check("package", package)
    if not Path(package).exists() and importlib.util.find_spec(package):
        raise HarnessError(
            f"package={package}: is installed here under that name; give another, e.g. my_{package}"
        )
    if name in names(concept) and not Path(package, "conf", concept, f"{name}.yaml").exists():
        raise HarnessError(f"name={name}: {concept}={name} already exists; give it another name")


def _fill(text: str, marks: Mapping[str, str]) -> str:
    filled = re.sub("|".join(map(re.escape, marks)), lambda match: marks[match[0]], text)
    unused = len(re.findall(r"\bPath\b", filled)) == 1
    return filled.replace("from pathlib import Path\n\n", "") if unused else filled


def _write(files: Mapping[str, str]) -> None:
    existing = [place for place in files if Path(place).exists()]
    if existing:
        raise HarnessError(f"{', '.join(existing)}: already there; give another name, or remove it")
    written: list[str] = []
    try:
        for place, text in files.items():
            write_text(Path(place), text)
            written.append(place)
    except HarnessError:
        for place in written:
            Path(place).unlink()
        raise
    print(*written, sep="\n")
