"""The file of a fit: its result, data and settings, so that it can be reproduced."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import yaml
from omegaconf import OmegaConf

from harness.benchmark import read_splitting, splitting_name
from harness.core.configuration.composition import compose
from harness.core.configuration.conf_files import names
from harness.core.configuration.instantiation import instantiate
from harness.core.errors import HarnessError, nearest, one_of
from harness.core.files import write_text
from harness.core.identity import code_version, digest, identity, library_versions, record
from harness.evaluation.metric import metrics
from harness.plugins.mentions.fit.crossfit import CrossFit
from harness.plugins.mentions.fit.search import Search
from harness.plugins.mentions.retriever.fitted import with_weights
from harness.plugins.mentions.target import Setting
from harness.sweep.trial import inputs

if TYPE_CHECKING:
    from omegaconf import DictConfig

VERSION = 2
"""Version of the file's form."""
TARGET = "target="


def fit(config: DictConfig, overrides: Sequence[str]) -> tuple[Path, dict[str, Any]]:
    """Fit by ``config.fit`` and write the file.

    The file's bytes depend on data, configuration, code and libraries; it holds no time and no
    local path.

    Args:
        config: the configuration.
        overrides: the overrides that were typed.

    Returns:
        The file and its content. ``shipped`` is whether the search began with the list as conf/ has
        it.
    """
    options = cast("dict[str, Any]", OmegaConf.to_container(config.fit, resolve=True))
    target, left = instantiate(config.target), _names("fit.leave_out", options["leave_out"])
    settings = _settings(config, options["datasets"], overrides)
    for name in left:
        one_of("fit.leave_out", name, list(settings))
    metrics(options["objective"], None)
    search = {key: options[key] for key in ("rounds", "halvings", "stop", "penalty", "seed")}
    others = {name: settings.pop(name) for name in left}
    crossed = CrossFit(target, Search(**search), options["objective"], settings, others)
    content = {
        "version": VERSION,
        "target": str(config.target._target_).rpartition(".")[2],
        "fitted_on": {name: setting.benchmark.sha256 for name, setting in settings.items()},
        "left_out": {name: setting.benchmark.sha256 for name, setting in others.items()},
        "splitting": splitting_name(read_splitting("split", config.split)),
        "metrics": list(options["objective"]),
        "search": search,
        "stages": [
            {name: list(knob) for name, knob in sorted(stage.items())} for stage in target.stages
        ],
        "strategy": record(identity(target.retriever)),
        "code": code_version(),
        "libraries": library_versions(),
        **crossed.fit_folds(),
    }
    start = {name: knob[0] for stage in target.stages for name, knob in stage.items()}
    edited = any(text.lstrip("+").startswith("target.retriever") for text in overrides)
    content["shipped"] = not edited and with_weights(target.retriever, start) == target.retriever
    name = next((text[len(TARGET) :] for text in overrides if text.startswith(TARGET)), "fit")
    default = Path(config.paths.runs) / "fits" / f"{name}-{digest(content)[:12]}.yaml"
    place = Path(options["out"] or default)
    write_text(place, yaml.safe_dump(content, sort_keys=False, width=120, default_flow_style=None))
    return place, content


def _names(knob: str, value: Any) -> list[str]:
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(name, str) for name in listed):
        raise HarnessError(
            f"{knob}={value!r}: expected names of benchmarks, e.g. {knob}=[2wikimultihopqa,musique]"
        )
    return list(dict.fromkeys(listed))


def _settings(config: DictConfig, datasets: Any, overrides: Sequence[str]) -> dict[str, Setting]:
    """Return the configuration's benchmark, or those of ``fit.datasets`` with the same overrides,
    by name.
    """
    if datasets is None:
        setting = _setting(config)
        return {setting.benchmark.name: setting}
    for text in overrides:
        if text.startswith(("dataset=", "dataset.")):
            raise HarnessError(
                f"{text} and fit.datasets both say what is fitted on; leave one of them out"
            )
    known, settings = names("dataset"), {}
    for name in _names("fit.datasets", datasets):
        if name not in known:
            raise HarnessError(
                f"fit.datasets={name} is not known{nearest(name, known)}; known: "
                f"{', '.join(known)}; a folder of your "
                "own is fitted on alone: dataset=folder dataset.path=DIR"
            )
        composed = compose("fit", [*overrides, f"dataset={name}"])
        composed.paths = config.paths
        settings[name] = _setting(composed)
    return settings


def _setting(config: DictConfig) -> Setting:
    store = inputs.store(config)
    return Setting(config, inputs.benchmark(config, store), store)
