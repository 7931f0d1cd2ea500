"""Tests of a strategy of any concept: its configuration, its identity, its bounds."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import math
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest
from omegaconf import DictConfig

from harness.core.configuration import extensions
from harness.core.configuration.composition import compose
from harness.core.configuration.conf_files import defaults, strategy
from harness.core.configuration.instantiation import instantiate
from harness.core.errors import HarnessError, is_number
from harness.core.identity import digest


@functools.cache
def _composed(
    concept: str, names: tuple[str, ...], overrides: tuple[str, ...], conf: str | Path | None
) -> DictConfig:
    """Return the configuration with each strategy as ``tested_NAME``, composed once with ``conf``
    on the path.
    """
    chosen = [f"+{concept}@lists.tested_{name}={name}" for name in names]
    return compose("config", [*chosen, *overrides])


class Conformance:
    """The base of conformance tests; a subclass names the strategies.

    Attributes:
        concept: the folder of ``conf/``.
        names: the configurations.
        overrides: further overrides for them.
        conf: a folder of configurations to search, for a package that is not installed.
        composite: whether the strategy contains other strategies; its configuration may then lack
            fields, and it may lack a hash.
    """

    concept: ClassVar[str]
    names: ClassVar[Sequence[str]] = ()
    overrides: ClassVar[Sequence[str]] = ()
    conf: ClassVar[str | Path | None] = None
    composite: ClassVar[bool] = False

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Run every test that takes a ``name`` for each of ``names``."""
        if "name" in metafunc.fixturenames:
            metafunc.parametrize("name", self.names)

    @pytest.fixture(autouse=True)
    def searched(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Search the folder ``conf`` during a test."""
        if self.conf is not None:
            monkeypatch.setattr(
                extensions, "SEARCHED", [*extensions.SEARCHED, Path(self.conf).resolve()]
            )

    def make(self, name: str) -> Any:
        """Return the strategy as the command line makes it."""
        config = _composed(self.concept, tuple(self.names), tuple(self.overrides), self.conf)
        return instantiate(config.lists[f"tested_{name}"])

    def test_the_configuration_names_all_fields_of_its_class(self, name: str) -> None:
        """``conf/<concept>/<name>.yaml`` has every field and no other."""
        tested = self.make(name)
        assert dataclasses.is_dataclass(tested)
        fields = {
            key for key in defaults(self.concept, name) if key not in ("_target_", "defaults")
        }
        known = {field.name for field in dataclasses.fields(tested)}
        assert fields <= known if self.composite else fields == known

    def test_it_is_a_frozen_value_with_an_identity(self, name: str) -> None:
        """Made twice or pickled, it is equal, with the same identity and the same hash."""
        tested, again = self.make(name), self.make(name)
        copied = pickle.loads(pickle.dumps(tested))
        assert tested == again == copied
        assert self.composite or hash(tested) == hash(again) == hash(copied)
        assert digest(tested) == digest(again) == digest(copied)
        for field in dataclasses.fields(tested):
            with pytest.raises(dataclasses.FrozenInstanceError):
                setattr(tested, field.name, 1)

    def test_what_counts_is_a_whole_number(self, name: str) -> None:
        """2.5 is refused for every field of type ``int`` (see
        ``harness.core.errors.whole_number``).
        """
        tested = self.make(name)
        for field in dataclasses.fields(tested):
            if field.type in ("int", "int | None", int):
                with pytest.raises(
                    HarnessError, match=rf"{field.name} must be a whole number, got .*2\.5"
                ):
                    dataclasses.replace(tested, **{field.name: 2.5})

    def test_its_docstring_says_what_it_is(self, name: str) -> None:
        """The class has its own docstring, other than the one that ``dataclass`` writes."""
        kind = type(self.make(name))
        written = inspect.getdoc(kind) or ""
        assert written
        assert not written.startswith(f"{kind.__name__}(")


class PureConformance(Conformance):
    """Tests of a strategy whose fields are all values with defaults: normalizers, fusers and
    others.
    """

    def make(self, name: str) -> Any:
        """Return the strategy, by its configuration alone."""
        return strategy(self.concept, name)

    def test_the_configuration_has_the_defaults_of_the_class(self, name: str) -> None:
        """``Class()`` and the configuration have one identity."""
        chosen = strategy(self.concept, name)
        assert digest(chosen) == digest(type(chosen)())

    def test_bounds_are_checked_with_the_knob_and_the_value_in_the_message(self, name: str) -> None:
        """NaN, minus infinity and a word are refused for every number."""
        for field, value in defaults(self.concept, name).items():
            if is_number(value):
                for bad in (math.nan, -math.inf, "much"):
                    with pytest.raises(
                        HarnessError, match=rf"^{self.concept}\.{field} must be .*, got .*{bad}"
                    ):
                        strategy(self.concept, name, **{field: bad})
