"""CLASS: counts of groups of three letters, hashed into a vector. No model is loaded."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from harness.core.errors import whole_number

if TYPE_CHECKING:
    from harness.model.encoder import Role


@dataclass(frozen=True)
class CLASS:
    """v(text)[i] = how many groups of three letters of the text have CRC-32 mod dimension = i.

    dimension: of the vectors, >= 8.
    """

    dimension: int = 256

    def __post_init__(self) -> None:
        whole_number("encoder.dimension", self.dimension, 8)

    def open(self) -> Opened:
        """What encodes. Libraries that take seconds are imported here."""
        return Opened(self.dimension)


class Opened:
    """The opened encoder."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self.facts: Mapping[str, Any] = {"device": "cpu", "backend": "numpy"}

    def encode(
        self, texts: Sequence[str], role: Role, advance: Callable[[int], object]
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """float32[n, d], never of length 0, and bool[n], which texts were cut: none."""
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            padded = f"  {text.lower()} "
            for place in range(len(padded) - 2):
                vectors[row, zlib.crc32(padded[place : place + 3].encode()) % self.dimension] += 1
        advance(len(texts))
        return vectors, np.zeros(len(texts), dtype=np.bool_)
