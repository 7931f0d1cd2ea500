"""Every strategy is enrolled by existing: a configuration and a module of one name, in its room or
its plug-in.
"""

import dataclasses
import importlib
import inspect
import pkgutil
from types import ModuleType

import pytest

from harness.core.concepts import ROOMS, roomless
from harness.core.configuration.conf_files import defaults, names
from harness.core.configuration.extensions import plugins

CONCEPTS = ("normalizer", "temperature", "fuser", "reranker")


def modules(concept: str) -> set[str]:
    """The modules of a concept that define a strategy."""
    inside = [name for name, folder in plugins().items() if (folder / concept).is_dir()]
    places = [
        f"harness.{ROOMS[concept]}.{concept}",
        *(f"harness.plugins.{name}.{concept}" for name in inside),
    ]
    found = [
        importlib.import_module(f"{place}.{name}")
        for place in places
        for _, name, _ in pkgutil.iter_modules(importlib.import_module(place).__path__)
    ]
    return {
        module.__name__.rpartition(".")[2]
        for module in found
        if any(map(is_strategy, own_classes(module)))
    }


def module_of(concept: str, name: str) -> str:
    """The module of a configuration's class."""
    top, group, module, _ = roomless(defaults(concept, name)["_target_"]).split(".")
    assert (top, group) == ("harness", concept)
    return module


def own_classes(module: ModuleType) -> list[type]:
    return [
        cls
        for _, cls in inspect.getmembers(module, inspect.isclass)
        if cls.__module__ == module.__name__
    ]


def is_strategy(cls: type) -> bool:
    """A dataclass that is called, all of whose fields have defaults."""
    if not dataclasses.is_dataclass(cls) or not any(
        "__call__" in vars(base) for base in cls.__mro__
    ):
        return False
    missing = dataclasses.MISSING
    return all(
        f.default is not missing or f.default_factory is not missing
        for f in dataclasses.fields(cls)
    )


@pytest.mark.parametrize("concept", CONCEPTS)
def test_every_module_has_a_configuration_and_every_configuration_a_module(concept: str) -> None:
    assert modules(concept) == {module_of(concept, name) for name in names(concept)}


@pytest.mark.parametrize("concept", [*CONCEPTS, "encoder"])
def test_a_configuration_names_the_module_of_its_own_name_or_copies_that_one(concept: str) -> None:
    """A copy is another name of the strategy on input; what is stored has the module's name."""
    for name in names(concept):
        own = module_of(concept, name)
        assert defaults(concept, name) == defaults(concept, own)
