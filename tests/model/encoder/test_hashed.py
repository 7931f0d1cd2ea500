import logging
import math

import numpy as np
import pytest

from harness.model.encoder import embed
from harness.model.encoder.hashed import Hashed
from harness.work.store import Store


def test_cosines_approximate_those_of_the_word_counts(tmp_path):
    texts = ["red fox red den", "red fox", "quantum chromodynamics"]
    vectors = embed(Hashed(8192), texts, "passage", Store(tmp_path))
    # weights: (empty 1, red sqrt 2, fox 1, den 1), (empty 1, red 1, fox 1), (empty 1, two words 1
    # each)
    expected = (1 + math.sqrt(2) + 1) / math.sqrt(5 * 3)
    assert float(vectors[0] @ vectors[1]) == pytest.approx(expected, abs=0.05)
    assert float(vectors[1] @ vectors[2]) == pytest.approx(1 / 3, abs=0.05)


def test_directions_are_the_bits_of_shake():
    from hashlib import shake_128

    from harness.model.encoder.hashed import HashedWords

    vectors, cut = HashedWords(16).encode(["fox"], "name", lambda done: None)
    signs = [
        [
            1 if byte >> (7 - bit) & 1 else -1
            for byte in shake_128(word).digest(2)
            for bit in range(8)
        ]
        for word in (b"", b"fox")
    ]
    assert np.array_equal(vectors[0], np.sum(signs, axis=0))
    assert not cut.any()


def test_what_is_encoded_and_how_many_is_said_where_it_begins(tmp_path, caplog):
    store = Store(tmp_path)
    with caplog.at_level(logging.INFO, "harness"):
        embed(Hashed(64), [f"a text {number}" for number in range(1200)], "passage", store)
    assert "encode 1,200 passages with Hashed: begins" in caplog.messages
    caplog.clear()
    embed(Hashed(64), [f"a text {number}" for number in range(1200)], "passage", store)
    assert not caplog.messages
