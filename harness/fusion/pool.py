"""A pool: several runs aligned on the union of their documents, as tensors [Q, U] with one column a
document.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from harness.fusion.context import NOTHING, Context, default_anchor
from harness.run import Run

if TYPE_CHECKING:
    from scipy.sparse import csr_array

T = TypeVar("T")
LAST = np.int64(2**63 - 1)


@dataclass(frozen=True, eq=False)
class Listing:
    """One list of a pool, in its own order: row q holds its n_q documents, best first, then
    padding.

    scores: float64[Q, N], 0 in the padding.    present: bool[Q, N], true for the first n_q.
    """

    scores: Tensor
    present: Tensor

    @cached_property
    def ranks(self) -> Tensor:
        """int64[Q, N]: 1 for the best document, 2 for the next, ...; 0 in the padding."""
        places = torch.arange(1, self.scores.shape[1] + 1, device=self.scores.device)
        return places * self.present


@dataclass(frozen=True, eq=False)
class Pool:
    """Runs of the same Q queries aligned on the union of their documents. The union is made when it
    is first asked for.

    runs: the lists by name, after the cap.    context: what strategies may read beside them.
    prior: which importance of the context the pool has, None for none.
    reference: the list that the others are added to; None for ``dense``, or the first when none has
    that name.
    memo: what has been computed on this pool, shared by all trials that use it.
    """

    runs: Mapping[str, Run]
    device: torch.device = field(default_factory=lambda: torch.device("cpu"))
    context: Context = NOTHING
    prior: str | None = None
    reference: str | None = None
    memo: dict[object, object] = field(default_factory=dict, repr=False)

    @classmethod
    def align(
        cls,
        runs: Mapping[str, Run],
        cap: int | None = None,
        capped: Collection[str] = ("graph",),
        device: str | torch.device = "cpu",
        context: Context = NOTHING,
        prior: str | None = None,
        reference: str | None = None,
    ) -> Pool:
        """Align runs that share their queries and documents (see ``Run.aligned``).

        cap: how many of the best documents of each list named in ``capped`` enter the pool;
        ``None`` means all.
        context, prior, reference: see the class.
        """
        cut = {name: run.top(cap) if name in capped else run for name, run in runs.items()}
        return cls(cut, torch.device(device), context, prior, reference)

    def remember(self, key: object, compute: Callable[[], T]) -> T:
        """``compute()``, once for this pool and key."""
        if key not in self.memo:
            self.memo[key] = compute()
        return cast(T, self.memo[key])

    @property
    def anchor(self) -> str:
        """The list that the others are added to."""
        return self.reference or default_anchor(list(self.runs))

    @property
    def listings(self) -> Mapping[str, Listing]:
        """Each list by name, in its own order."""
        return self.remember("listings", lambda: {name: self._listing(name) for name in self.runs})

    @property
    def docs(self) -> Tensor:
        """int32[Q, U], each row ascending by document number, then -1 where it is shorter than the
        widest.
        """
        return self._union[0]

    @property
    def importance(self) -> Tensor | None:
        """float64[Q, U] in [0, 1], a document's prior importance; None when none was given."""
        if self.prior is None:
            return None
        prior = self.context.importance[self.prior]
        return self.remember(
            "importance", lambda: torch.from_numpy(prior[self.docs.cpu().numpy()]).to(self.device)
        )

    @property
    def mentions(self) -> csr_array | None:
        """Sparse [D, E]: which passage mentions which entity, in the graph of the first list that
        has one.
        """
        return next(
            (self.context.mentions[name] for name in self.runs if name in self.context.mentions),
            None,
        )

    def slots(self, name: str) -> Tensor:
        """int64[M]: the flat position in [Q, U] of each of the M entries of a list, row by row."""
        return self._union[1][name]

    @property
    def shape(self) -> tuple[int, int]:
        """(Q, U)."""
        return self.docs.shape[0], self.docs.shape[1]

    def spread(self, name: str, values: Tensor, absent: Tensor | float) -> Tensor:
        """[Q, U]: the values [Q, N] of a list in the columns of the pool; ``absent`` (scalar or [Q,
        1]) elsewhere.
        """
        listing = self.listings[name]
        fill = torch.as_tensor(absent, dtype=values.dtype, device=values.device)
        spread = (
            fill.expand(self.shape).contiguous()
            if fill.dim()
            else values.new_full(self.shape, fill.item())
        )
        if fill.dim() and spread.data_ptr() == fill.data_ptr():
            spread = spread.clone()
        spread.view(-1)[self.slots(name)] = values[listing.present]
        return spread

    def columns(self, docs: NDArray[np.int32]) -> Tensor:
        """int64[Q, H]: the column of each given document (int32[Q, H], -1 for none); -1 where the
        pool lacks it.
        """
        wanted = torch.from_numpy(np.ascontiguousarray(docs)).to(self.docs.device)
        hits = (self.docs[:, None, :] == wanted[:, :, None]) & (wanted[:, :, None] >= 0)
        found, column = (
            hits.max(dim=2) if self.docs.shape[1] else (hits.any(dim=2), torch.zeros_like(wanted))
        )
        return torch.where(found, column.long(), -1)

    def _listing(self, name: str) -> Listing:
        run = self.runs[name]
        lengths = run.lengths()
        width = int(lengths.max(initial=0))
        present = np.arange(width) < lengths[:, None]
        scores = np.zeros((len(run), width), dtype=np.float64)
        scores[present] = run.scores
        tensors = (torch.from_numpy(values).to(self.device) for values in (scores, present))
        return Listing(*tensors)

    @property
    def _union(self) -> tuple[Tensor, dict[str, Tensor]]:
        """The documents [Q, U], and the slots of each list."""

        def compute() -> tuple[Tensor, dict[str, Tensor]]:
            table, slots = union(
                [run.indptr for run in self.runs.values()], [run.docs for run in self.runs.values()]
            )
            places = {
                name: torch.from_numpy(own).to(self.device)
                for name, own in zip(self.runs, slots, strict=True)
            }
            return torch.from_numpy(table).to(self.device), places

        return self.remember("union", compute)


def union(
    indptrs: Sequence[NDArray[np.int64]], docs: Sequence[NDArray[np.int32]]
) -> tuple[NDArray[np.int32], list[NDArray[np.int64]]]:
    """int32[Q, U], each query's documents ascending, then -1; and for each list int64[N], where its
    entries stand.

    indptrs: int64[Q + 1], docs: int32[N] of each list, none twice in a query. Places are flat:
    those of [Q, U].ravel().
    """
    lengths = np.stack([np.diff(indptr) for indptr in indptrs])
    before = np.cumsum(lengths, axis=0) - lengths
    size, starts = lengths.shape[1], np.cumsum([0, *map(len, docs)])
    rows = np.concatenate([np.repeat(np.arange(size), own) for own in lengths])
    columns = np.concatenate(
        [
            np.arange(len(own)) - np.repeat(indptr[:-1] - skipped, length)
            for own, indptr, skipped, length in zip(docs, indptrs, before, lengths, strict=True)
        ]
    )
    entries = np.arange(starts[-1])
    keys = np.full((size, int(lengths.sum(axis=0).max(initial=0))), LAST)
    keys[rows, columns] = (np.concatenate(list(docs)).astype(np.int64) << 32) | entries
    keys.sort(axis=1)
    ordered = keys[keys != LAST]
    found, length = ordered >> 32, lengths.sum(axis=0)
    bounds = np.concatenate([[0], np.cumsum(length)])
    new = np.ones(len(found) + 1, np.bool_)
    np.not_equal(found[1:], found[:-1], out=new[1:-1])
    new[bounds] = True
    number = np.cumsum(new) - 1
    width = int(np.diff(number[bounds]).max(initial=0))
    place = number[:-1] + np.repeat(width * np.arange(size) - number[bounds[:-1]], length)
    merged = np.full((size, width), -1, dtype=np.int32)
    merged.ravel()[place[new[:-1]]] = found[new[:-1]]
    places = np.empty(len(entries), dtype=np.int64)
    places[ordered & 0xFFFFFFFF] = place
    return merged, np.split(places, starts[1:-1])
