"""Devices: the meaning of a setting on this machine, checked before anything is computed, and work
that is halved where a device's memory is too small.
"""

from __future__ import annotations

import functools
import logging
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar

from numpy.typing import NDArray

from harness.core.errors import HarnessError

P = TypeVar("P", bound="Sequence[Any] | NDArray[Any]")
R = TypeVar("R")
log = logging.getLogger(__name__)
EXPECTED = "auto, cpu, cuda or cuda:0, cuda:1, ..."
CARDS = Path("/proc/driver/nvidia/gpus")
"""The place where the driver lists the NVIDIA GPUs of this machine."""
WITHOUT = "go on without the GPU with CUDA_VISIBLE_DEVICES= before the command"


def check_device(key: str, name: object) -> None:
    """Raise HarnessError unless the name is ``auto``, ``cpu``, ``cuda`` or ``cuda:N``. The device
    may be missing.
    """
    if not (isinstance(name, str) and re.fullmatch(r"auto|cpu|cuda(:\d+)?", name)):
        raise HarnessError(f"{key}={name}: expected {EXPECTED}")


def resolve_device(name: str, key: str = "device") -> str:
    """Return ``cpu``, ``cuda`` or ``cuda:N``. ``auto`` is ``cuda`` if a GPU works, otherwise
    ``cpu``.

    Args:
        name: the setting.
        key: its name, for the message.

    Raises:
        HarnessError: an unknown name, or a GPU that is missing or does not work.
    """
    check_device(key, name)
    if name == "cpu":
        return name
    reason = _why_no_gpu()
    if name == "auto":
        if reason and _expected():
            _warn_once(
                f"{key}=auto: this machine has an NVIDIA GPU that torch cannot use ({reason}); "
                "taking the CPU"
            )
        if not reason and key == "device":
            _log_gpu_choice()
        return "cpu" if reason else "cuda"
    if reason:
        raise HarnessError(
            f"{key}={name}: torch finds no GPU ({reason}); use {key}=auto or {key}=cpu"
        )
    import torch

    count = torch.cuda.device_count()
    if name != "cuda" and int(name.partition(":")[2]) >= count:
        raise HarnessError(f"{key}={name}: there are {count} GPUs, cuda:0 to cuda:{count - 1}")
    return name


def gpus() -> list[str]:
    """Return the GPUs that this process may use (``cuda:0``, ...); empty if torch can use none."""
    if _why_no_gpu():
        return []
    import torch

    return [f"cuda:{number}" for number in range(torch.cuda.device_count())]


def check_devices(strategy: Any, key: str) -> None:
    """Resolve the field ``device`` of a strategy and of all strategies in its fields."""
    for field in fields(strategy):
        value = getattr(strategy, field.name)
        name = "encoder" if field.name == "encoder" else f"{key}.{field.name}"
        if field.name == "device":
            resolve_device(value, name)
        elif is_dataclass(value) and not isinstance(value, type):
            check_devices(value, name)


def in_halves(work: Callable[[P], R], part: P, mend: str) -> Iterator[R]:
    """Yield the results of a part of the work in order: one, or those of its halves if the device's
    memory is too small for it.

    What is computed must not depend on how the part is cut.

    Args:
        work: what is done with a part; it raises torch's OutOfMemoryError.
        part: numbers of questions, texts, or anything else with a length and slices.
        mend: what to type if a single item does not fit.

    Raises:
        HarnessError: a single item does not fit.
    """
    try:
        result = work(part)
    except RuntimeError as error:
        if type(error).__name__ != "OutOfMemoryError":
            raise
        if len(part) < 2:
            what = " ".join(str(error).split())[:200]
            raise HarnessError(f"a device's memory is too small ({what}); {mend}") from error
    else:
        yield result
        return
    sys.modules["torch"].cuda.empty_cache()  # outside the handler, whose traceback holds tensors
    log.info("a device's memory is too small for %d at once: trying halves", len(part))
    middle = len(part) // 2
    halves: tuple[Any, Any] = part[:middle], part[middle:]
    for half in halves:
        yield from in_halves(work, half, mend)


@functools.cache
def _why_no_gpu() -> str | None:
    """Return in one line why torch cannot use a GPU here, or None if it can.

    Raises:
        HarnessError: torch lists a GPU, but a first computation on it fails.
    """
    import torch

    if torch.version.cuda is None:
        return f"torch {torch.__version__} is built without CUDA"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        has_gpu = torch.cuda.is_available()
    if not has_gpu:
        return _line(caught[0].message) if caught else f"torch {torch.__version__} sees none"
    try:
        torch.ones(1, device="cuda").add(1).cpu()
    except RuntimeError as error:
        raise HarnessError(
            f"the GPU {torch.cuda.get_device_name()} does not work with torch "
            f"{torch.__version__} (CUDA "
            f"{torch.version.cuda}): {_line(error)}; repair the driver or the installation, or "
            f"{WITHOUT}"
        ) from error
    return None


@functools.cache
def _log_gpu_choice() -> None:
    """Log that fusion takes one of several GPUs."""
    if (count := len(gpus())) > 1:
        log.info("device=auto: fusion takes one of %d GPUs; encoding and search take all", count)


def _expected() -> bool:
    """Return whether this machine has a card that the user has not hidden."""
    return os.environ.get("CUDA_VISIBLE_DEVICES") != "" and CARDS.is_dir() and any(CARDS.iterdir())


def _line(message: object) -> str:
    return " ".join(str(message).split())[:200]


@functools.cache
def _warn_once(text: str) -> None:
    log.warning(text)
