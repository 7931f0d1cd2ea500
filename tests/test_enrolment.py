"""Every strategy is enrolled by existing: a configuration and a module of one name, with the same fields."""

import dataclasses
import importlib
import inspect
import math
import pkgutil
from typing import Any

import pytest

from harness.configuration import defaults, names, strategy
from harness.errors import HarnessError
from harness.identity import digest

CONCEPTS = ("normalizer", "temperature", "fuser", "reranker")
CONFIGURED = [(concept, name) for concept in CONCEPTS for name in names(concept)]


def modules(concept: str) -> set[str]:
    """The modules of a concept that define a strategy: a dataclass that is called."""
    package = importlib.import_module(f"harness.{concept}")
    return {
        module.name
        for module in pkgutil.iter_modules(package.__path__)
        if any(
            dataclasses.is_dataclass(cls)
            and cls.__module__ == f"harness.{concept}.{module.name}"
            and "__call__" in vars(cls)
            for _, cls in inspect.getmembers(
                importlib.import_module(f"harness.{concept}.{module.name}"), inspect.isclass
            )
        )
    }


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
