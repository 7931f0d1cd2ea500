"""Names in papers, from conf/display: ``last_hop@5`` is LastHop@5, ``boltzmann ... pit`` PIT +
Boltzmann.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from omegaconf import DictConfig, OmegaConf

from harness.core.errors import HarnessError, one_of

if TYPE_CHECKING:
    from harness.sweep.folder.judged_trial import JudgedTrial
    from harness.sweep.folder.result import SweepResult

Names = Mapping[str, str]
KNOBS = {"alpha": "α", "beta": "β"}


@dataclass(frozen=True)
class Display:
    """Names in papers by concept; a name without an entry does not change.

    Attributes:
        fuser, normalizer, list, dataset, metric: by the names of conf/.
        trials: of whole trials, by their names.
    """

    fuser: Names = field(default_factory=dict)
    normalizer: Names = field(default_factory=dict)
    list: Names = field(default_factory=dict)
    dataset: Names = field(default_factory=dict)
    metric: Names = field(default_factory=dict)
    trials: Names = field(default_factory=dict)

    @classmethod
    def read(cls, config: DictConfig) -> Display:
        """Return the names of a command's ``display``; none if it has no such key."""
        groups: Any = OmegaConf.to_container(
            config.get("display") or OmegaConf.create({}), resolve=True
        )
        for name, names in groups.items():
            one_of("display", name, [field.name for field in fields(cls) if field.name != "trials"])
            for key, text in names.items():
                if not isinstance(text, str):
                    raise HarnessError(
                        f"display.{name}.{key}={text}: expected a text, e.g. "
                        f"display.{name}.{key}=Graph"
                    )
        return cls(**groups)

    def of(self, results: Sequence[SweepResult]) -> Display:
        """Return the display with the names of all trials of some sweeps."""
        return replace(
            self,
            trials={row.name: self.trial(row) for result in results for row in result.whole.rows},
        )

    def trial(self, row: JudgedTrial) -> str:
        """Return ``PIT + Boltzmann (α 0.7, β 0.5, auto, cap 20)``, or the name of a single list."""
        if row.family == "single":
            return self.list.get(row.name, row.name)
        family, normalizer, named = row.family, normalizer_of(row), str(row.name).split(" ")
        words = [word for word in named if word not in (family, normalizer)]
        settings = []
        for word in words:
            key, *value = word.split("=", 1)
            settings.append(" ".join([KNOBS.get(key, key), *value]))
        strategy = self.strategy(family, normalizer)
        return f"{strategy} ({', '.join(settings)})" if settings else strategy

    def strategy(self, family: str, normalizer: str | None) -> str:
        """Return ``PIT + Boltzmann``, or ``RRF`` for a fuser that reads no values."""
        fuser = self.fuser.get(family, family.replace("_", " "))
        return (
            f"{self.normalizer.get(normalizer, normalizer)} + {fuser}"
            if normalizer not in (None, "none")
            else fuser
        )

    def text(self, text: str) -> str:
        """Return a sentence with the names of metrics, benchmarks and whole trials replaced."""
        for name in sorted(self.trials, key=len, reverse=True):
            if " " in name:
                text = text.replace(name, self.trials[name])
        return self._words.sub(lambda match: self._known[match[0]], text)

    def cell(self, text: str) -> str:
        """Return a cell, or a label of a figure, with known names replaced."""
        known = {**self.trials, **self.list, **self.fuser, **self.normalizer}
        if " = " in text and text not in known:  # a fusion that ranks as a list
            return " = ".join(map(self.cell, text.split(" = ")))
        return known.get(text) or self.text(text)

    def label(self, text: str) -> str:
        """Return a label of a figure: names between commas, and minus signs before numbers."""
        named = ", ".join(self.cell(part) for part in text.split(", "))
        return re.sub(r"(?<![\w.@-])-(?=[\d.])", "−", named)

    @cached_property
    def _known(self) -> dict[str, str]:
        return {**self.metric, **self.dataset}

    @cached_property
    def _words(self) -> re.Pattern[str]:
        return re.compile(
            "|".join(rf"(?<![\w-]){re.escape(name)}(?![\w-])" for name in self._known) or "(?!)"
        )


def normalizer_of(row: JudgedTrial) -> str | None:
    """Return the normalizer in a row's name; None if its fuser reads no values."""
    normalizer = row.parameters.get("normalizer")
    return normalizer if normalizer in str(row.name).split(" ") else None
