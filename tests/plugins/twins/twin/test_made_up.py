from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.plugins.twins.twin.made_up import VOWELS, made_up


@given(st.text("abcdefghijklmnopqrstuvwxyzéøßñ", min_size=1, max_size=16), st.integers(0, 9))
def test_length_vowels_and_consonants_are_those_of_the_word(word: str, seed: int) -> None:
    found = made_up(word, seed, ())
    plain = word.translate(str.maketrans("éñ", "en"))
    assert [letter in VOWELS for letter in found] == [letter in VOWELS for letter in plain]
    assert found.isascii()
    assert found.islower()
    assert found == made_up(word, seed, ())


def test_another_seed_gives_another_word() -> None:
    assert len({made_up("barack", seed, ()) for seed in range(10)}) == 10


def test_a_known_word_is_never_made() -> None:
    first = made_up("obama", 0, ())
    second = made_up("obama", 0, {first})
    assert second != first
    assert len(second) == 5


def test_where_all_words_of_a_length_are_known_it_is_a_letter_longer() -> None:
    every = {"".join(letters) for letters in itertools.product("abcdefghijklmnopqrstuvwxyz", repeat=2)}
    found = made_up("bo", 0, every)
    assert len(found) == 3
    assert found[2] not in VOWELS


@pytest.mark.parametrize("word", ["nbc", "schmidt", "aeiou"])
def test_any_runs_have_their_like(word: str) -> None:
    assert len(made_up(word, 3, ())) == len(word)
