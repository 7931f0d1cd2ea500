"""What holds for every normalizer."""

import pytest
import torch

from harness.configuration import names
from harness.normalizer import Normalizer, for_list
from harness.pool import Pool
from harness.run import Run

NAMES = names("normalizer")


@pytest.fixture(params=NAMES)
def normalizer(request: pytest.FixtureRequest, taught) -> Normalizer:
    return for_list(taught("normalizer", request.param), "bm25")


def listing(scores: list[float], padding: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    row = sorted(scores, reverse=True) + [0.0] * padding
    present = [True] * len(scores) + [False] * padding
    return torch.tensor([row], dtype=torch.float64), torch.tensor([present])


def test_values_are_float64_descend_and_keep_within_what_is_declared(normalizer, random_runs) -> None:
    for name, held in Pool.align(random_runs()).listings.items():
        values = for_list(normalizer, name)(held.scores, held.present)
        assert values.dtype == torch.float64
        assert values.shape == held.scores.shape
        shown = torch.where(held.present, values, -torch.inf)
        assert (shown[:, 1:] <= shown[:, :-1]).all()
        if normalizer.unit:
            assert ((values >= 0) & (values <= 1))[held.present].all()


def test_no_seen_document_is_below_an_unseen_one(normalizer, random_runs) -> None:
    held = Pool.align(random_runs()).listings["bm25"]
    values = normalizer(held.scores, held.present)
    absent = torch.as_tensor(normalizer.absent(values, held.present), dtype=torch.float64).expand_as(values)
    assert (values >= absent)[held.present].all()


def test_values_do_not_depend_on_padding_or_on_other_queries(normalizer) -> None:
    alone = normalizer(*listing([0.7, 0.1, 0.1, 0.3, 0.0]))
    padded = normalizer(*listing([0.7, 0.1, 0.1, 0.3, 0.0], padding=37))
    assert torch.equal(alone, padded[:, :5])
    scores, present = (
        torch.cat(pair) for pair in zip(listing([3.0] * 42), listing([0.7, 0.3, 0.1, 0.1, 0.0], 37), strict=True)
    )
    assert torch.equal(alone, normalizer(scores, present)[1:, :5])


def test_empty_lists_are_allowed_and_absent_is_zero_there(normalizer) -> None:
    for width in (0, 3):
        scores, present = torch.zeros((2, width), dtype=torch.float64), torch.zeros((2, width), dtype=torch.bool)
        values = normalizer(scores, present)
        assert values.shape == (2, width)
        assert not torch.as_tensor(normalizer.absent(values, present)).any()


def test_the_input_is_left_as_it_is(normalizer) -> None:
    scores, present = listing([0.9, 0.2, 0.2], padding=2)
    before = scores.clone(), present.clone()
    normalizer(scores, present)
    assert torch.equal(scores, before[0])
    assert torch.equal(present, before[1])


def test_numbering_of_documents_does_not_matter(normalizer, scores) -> None:
    lists = {"bm25": {"a": 0.5, "b": 0.25, "c": 0.125}}
    renamed = {"bm25": {"z": 0.5, "y": 0.25, "x": 0.125}}
    assert list(scores("combsum", lists, normalizer).values()) == list(scores("combsum", renamed, normalizer).values())


def test_a_run_normalised_whole_or_by_query_is_the_same_to_the_bit(normalizer, random_runs) -> None:
    run: Run = random_runs()["bm25"]
    whole = Pool.align({"bm25": run}).listings["bm25"]
    values = normalizer(whole.scores, whole.present)
    import numpy as np

    for query in range(len(run)):
        one = Pool.align({"bm25": run.take(np.array([query]))}).listings["bm25"]
        alone = normalizer(one.scores, one.present)
        assert torch.equal(alone[0], values[query, : alone.shape[1]])
