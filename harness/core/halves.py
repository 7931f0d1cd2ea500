"""Work on a device whose memory is too small: what does not fit is halved and tried again."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from numpy.typing import NDArray

from harness.core.errors import HarnessError

P = TypeVar("P", bound="Sequence[Any] | NDArray[Any]")
R = TypeVar("R")
log = logging.getLogger(__name__)


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
        found = [work(part)]
    except RuntimeError as error:
        if type(error).__name__ != "OutOfMemoryError":
            raise
        if len(part) < 2:
            what = " ".join(str(error).split())[:200]
            raise HarnessError(f"a device's memory is too small ({what}); {mend}") from error
        found = []
    if found:
        yield from found
        return
    sys.modules["torch"].cuda.empty_cache()  # outside the handler, whose traceback holds tensors
    log.info("a device's memory is too small for %d at once: trying halves", len(part))
    middle = len(part) // 2
    halves: tuple[Any, Any] = part[:middle], part[middle:]
    for half in halves:
        yield from in_halves(work, half, mend)
