"""Every strategy is enrolled by existing: a configuration and a module of one name, with the same fields."""

import dataclasses
import importlib
import inspect
import math
import pkgutil
from types import ModuleType
from typing import Any

import pytest

from harness.configuration import defaults, names, strategy
from harness.errors import HarnessError
from harness.identity import digest

CONCEPTS = ("normalizer", "temperature", "fuser", "reranker")
CONFIGURED = [(concept, name) for concept in CONCEPTS for name in names(concept)]


def modules(concept: str) -> set[str]:
    """The modules of a concept that define a strategy."""
    package = importlib.import_module(f"harness.{concept}")
    found = [
        importlib.import_module(f"harness.{concept}.{name}") for _, name, _ in pkgutil.iter_modules(package.__path__)
    ]
    return {module.__name__.rpartition(".")[2] for module in found if any(map(is_strategy, own_classes(module)))}


def own_classes(module: ModuleType) -> list[type]:
    return [cls for _, cls in inspect.getmembers(module, inspect.isclass) if cls.__module__ == module.__name__]


def is_strategy(cls: type) -> bool:
    """A dataclass that is called, all of whose fields have defaults."""
    if not dataclasses.is_dataclass(cls) or "__call__" not in vars(cls):
        return False
    missing = dataclasses.MISSING
    return all(f.default is not missing or f.default_factory is not missing for f in dataclasses.fields(cls))


@pytest.mark.parametrize("concept", CONCEPTS)
def test_every_module_has_a_configuration_and_every_configuration_a_module(concept: str) -> None:
    assert modules(concept) == set(names(concept))


@pytest.mark.parametrize(("concept", "name"), CONFIGURED)
def test_configuration_names_its_module_all_fields_and_the_defaults(concept: str, name: str) -> None:
    fields = defaults(concept, name)
    assert fields.pop("_target_").startswith(f"harness.{concept}.{name}.")
    chosen = strategy(concept, name)
    assert set(fields) == {field.name for field in dataclasses.fields(chosen)}
    assert digest(chosen) == digest(type(chosen)())


@pytest.mark.parametrize(("concept", "name"), CONFIGURED)
def test_strategies_are_frozen_hashable_values_and_say_what_they_are(concept: str, name: str) -> None:
    chosen = strategy(concept, name)
    assert chosen == strategy(concept, name)
    assert hash(chosen) == hash(strategy(concept, name))
    assert inspect.getdoc(type(chosen))
    for field in dataclasses.fields(chosen):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(chosen, field.name, 1)


NUMBERS = [
    (concept, name, field, bad)
    for concept, name in CONFIGURED
    for field, value in defaults(concept, name).items()
    if isinstance(value, (int, float)) and not isinstance(value, bool)
    for bad in (math.nan, -math.inf, "much")
]


@pytest.mark.parametrize(("concept", "name", "field", "bad"), NUMBERS)
def test_bounds_are_checked_with_the_knob_and_the_value_in_the_message(
    concept: str, name: str, field: str, bad: Any
) -> None:
    with pytest.raises(HarnessError, match=rf"^{concept}\.{field} must be .*, got .*{bad}"):
        strategy(concept, name, **{field: bad})
