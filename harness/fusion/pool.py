"""A pool: runs aligned on the union of their documents, as tensors [Q, U] with a
column a document.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
import torch
from torch import Tensor

from harness.core.arrays import Int32Array, Int64Array
from harness.core.errors import HarnessError, nearest, one_of, whole_number
from harness.fusion.context import NOTHING, Context, default_anchor
from harness.run import Run

if TYPE_CHECKING:
    from scipy.sparse import csr_array

T = TypeVar("T")


@dataclass(frozen=True)
class PoolSpec:
    """The lists of a pool, their order, and the number of the best documents of each list.

    Args:
        lists: names, one or more.
        cap: number of the best documents of each list in ``capped`` that enter, 1 or more; None
            means all.
        capped: names of the lists that ``cap`` shortens; None for all but the reference.
        importance: the file of the documents' prior importance; None for none.
        reference: the list with share alpha; None for ``dense``, or the first.

    Raises:
        HarnessError: a field is out of its bounds.
    """

    lists: tuple[str, ...]
    cap: int | None = None
    capped: tuple[str, ...] | None = None
    importance: str | None = None
    reference: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "lists", list_names("pool.lists", self.lists, 1))
        capped = capped_lists(self.capped, self.lists, self.reference or default_anchor(self.lists))
        object.__setattr__(self, "capped", list_names("pool.capped", capped))
        if self.cap is not None:
            whole_number("pool.cap", self.cap, 1)
        if self.importance is not None and not isinstance(self.importance, str):
            raise HarnessError(f"pool.importance = {self.importance}, expected a file or null")
        if self.reference is not None:
            one_of("reference", self.reference, self.lists)

    @property
    def cut_lists(self) -> tuple[str, ...]:
        """The lists of the pool that the cap may shorten."""
        return tuple(name for name in self.lists if name in (self.capped or ()))

    @property
    def effective_cap(self) -> int | None:
        """The cap, or None if it shortens none of the lists."""
        return self.cap if self.cut_lists else None

    def depth(self, name: str) -> int | None:
        """Return the largest number of documents of a list; None for all."""
        return self.cap if name in self.cut_lists else None

    def cut(self, lists: Mapping[str, Any]) -> dict[str, Any]:
        """Return the lists of the pool, in its order, each with the documents that enter."""
        return {name: lists[name].top(self.depth(name)) for name in self.lists}

    def align(self, runs: Mapping[str, Run], device: str, context: Context = NOTHING) -> Pool:
        """Return the pool of runs that share their questions and documents (see
        ``Run.aligned``).
        """
        place = torch.device(device)
        return Pool(self.cut(runs), place, context, self.importance, self.reference)

    def check_lists(self, known: Collection[str], who: str = "") -> None:
        """Raise HarnessError if a list of the pool is none of the known ones.

        Args:
            known: the names of the lists.
            who: what names the lists of the pool, if it is not ``pool.lists``.
        """
        for name in self.lists:
            if name not in known:
                mend = "" if who else f"; set e.g. pool.lists=[{','.join(known)}]"
                raise HarnessError(
                    f"unknown list {name} in {who or 'pool.lists'}{nearest(name, known)}; known: "
                    f"{', '.join(known)}{mend}"
                )

    def check_capped(self, known: Collection[str]) -> None:
        """Raise HarnessError if a capped list is none of the known ones."""
        for name in self.capped or ():
            one_of("pool.capped", name, known)

    def check_cuts(self) -> None:
        """Raise HarnessError if there is a cap and it cuts none of the lists."""
        if self.cap != self.effective_cap:
            raise HarnessError(
                f"pool_cap={self.cap} applies to none of the lists {', '.join(self.lists)}: "
                f"capped={list(self.capped or ())}; name the lists to shorten"
            )

    @property
    def settings(self) -> dict[str, Any]:
        """The flat knobs that the pool depends on, by name: ``pool.lists``, ``pool.cap``, ..."""
        knobs = {"pool.lists": list(self.lists), "pool.cap": self.effective_cap}
        if self.effective_cap is not None:
            knobs["pool.capped"] = list(self.capped or ())
        return knobs

    @property
    def words(self) -> list[str]:
        """The pool's part of a trial's name: ``cap=20``, ``importance=views``."""
        words = [f"cap={self.cap}"] if self.effective_cap is not None else []
        if self.importance:
            words.append(f"importance={Path(self.importance).stem}")
        return words

    @property
    def description(self) -> str:
        """``the 20 best documents of graph``, or that no list is capped."""
        if self.effective_cap is None:
            return "no list is capped"
        return f"the {self.cap} best documents of {', '.join(self.cut_lists)}"


def capped_lists(capped: Any, lists: Sequence[str], reference: str) -> Any:
    """Return the names of the lists that a cap shortens: the given ones, or all but the
    reference.
    """
    return [name for name in lists if name != reference] if capped is None else capped


def list_names(knob: str, value: Any, least: int = 0) -> tuple[str, ...]:
    """Return the names in a list of ``least`` names or more; raise HarnessError
    for anything else.
    """
    listed = isinstance(value, Sequence) and not isinstance(value, str)
    if not listed or len(value) < least or not all(isinstance(name, str) for name in value):
        raise HarnessError(f"{knob} = {value}, expected a list of names, e.g. [dense,graph]")
    return tuple(value)


@dataclass(frozen=True, eq=False)
class Listing:
    """One list of a pool in its own order: row q has its n_q documents, best first, then padding.

    Attributes:
        scores: float64[Q, N], 0 in the padding.
        present: bool[Q, N], true for the first n_q.
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
    """Runs of the same Q questions, aligned on the union of their documents when it is first
    needed.

    Attributes:
        runs: the lists by name, after the cap.
        context: further inputs of strategies.
        prior: the name of the pool's importance in the context, None for none.
        reference: the list to which the others are added; None for ``dense``, or the first if none
            has that name.
        memo: cached results, shared by all trials that use this pool.
    """

    runs: Mapping[str, Run]
    device: torch.device = field(default_factory=lambda: torch.device("cpu"))
    context: Context = NOTHING
    prior: str | None = None
    reference: str | None = None
    memo: dict[object, object] = field(default_factory=dict, repr=False)

    @staticmethod
    def align(
        runs: Mapping[str, Run],
        cap: int | None = None,
        device: str = "cpu",
        context: Context = NOTHING,
        **spec: Any,
    ) -> Pool:
        """Align runs that share their questions and documents (see ``Run.aligned``).

        Args:
            runs: by name.
            cap: see ``PoolSpec``.
            device: device of the tensors.
            context: see the class.
            spec: further fields of ``PoolSpec``.
        """
        return PoolSpec(tuple(runs), cap, **spec).align(runs, device, context)

    def remember(self, key: object, compute: Callable[[], T]) -> T:
        """Return ``compute()``, cached for this pool and key."""
        if key not in self.memo:
            self.memo[key] = compute()
        return cast(T, self.memo[key])

    @property
    def anchor(self) -> str:
        """The list to which the others are added."""
        return self.reference or default_anchor(list(self.runs))

    @property
    def listings(self) -> Mapping[str, Listing]:
        """Each list by name, in its own order."""
        return self.remember("listings", lambda: {name: self._listing(name) for name in self.runs})

    @property
    def docs(self) -> Tensor:
        """int32[Q, U], each row ascending by document number, then -1 as padding."""
        return self._union[0]

    @property
    def importance(self) -> Tensor | None:
        """float64[Q, U] in [0, 1], a document's prior importance; None if it was not given."""
        if self.prior is None:
            return None
        prior = self.context.importance[self.prior]
        return self.remember(
            "importance", lambda: torch.from_numpy(prior[self.docs.cpu().numpy()]).to(self.device)
        )

    @property
    def mentions(self) -> csr_array | None:
        """Sparse [D, E]: which passage mentions which entity, in the graph of the first list with
        one.
        """
        known = self.context.mentions
        return next((known[name] for name in self.runs if name in known), None)

    def slots(self, name: str) -> Tensor:
        """Return int64[M], the flat position in [Q, U] of each of the M entries of a list, row by
        row.
        """
        return self._union[1][name]

    @property
    def shape(self) -> tuple[int, int]:
        """(Q, U)."""
        return self.docs.shape[0], self.docs.shape[1]

    def spread(self, name: str, values: Tensor, absent: Tensor | float) -> Tensor:
        """Return the values [Q, N] of a list in the columns of the pool, [Q, U].

        ``absent``, a number or [Q, 1], fills the other cells.
        """
        listing = self.listings[name]
        fill = torch.as_tensor(absent, dtype=values.dtype, device=values.device)
        spread = values.new_empty(self.shape).copy_(fill)
        spread.view(-1)[self.slots(name)] = values[listing.present]
        return spread

    def columns(self, docs: Int32Array) -> Tensor:
        """Return int64[Q, H], the column of each document (int32[Q, H], -1 for none); -1 if the
        pool lacks it.
        """
        numbers = torch.from_numpy(np.ascontiguousarray(docs)).to(self.docs.device)
        hits = (self.docs[:, None, :] == numbers[:, :, None]) & (numbers[:, :, None] >= 0)
        if not self.docs.shape[1]:
            return torch.full_like(numbers, -1, dtype=torch.int64)
        is_held, column = hits.max(dim=2)
        return torch.where(is_held, column, -1)

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
        """Return the documents [Q, U] and the slots of each list."""

        def compute() -> tuple[Tensor, dict[str, Tensor]]:
            runs = self.runs.values()
            table, slots = union([run.indptr for run in runs], [run.docs for run in runs])
            places = [torch.from_numpy(list_slots).to(self.device) for list_slots in slots]
            docs = torch.from_numpy(table).to(self.device)
            return docs, dict(zip(self.runs, places, strict=True))

        return self.remember("union", compute)


def union(
    indptrs: Sequence[Int64Array], docs: Sequence[Int32Array]
) -> tuple[Int32Array, list[Int64Array]]:
    """Return each question's documents int32[Q, U], ascending, then -1, and the slots of each list.

    Args:
        indptrs: int64[Q + 1] of each list.
        docs: int32[N] of each list, no document twice in a question.

    Returns:
        The documents, and for each list int64[N], the flat positions of its entries in [Q,
        U].ravel().
    """
    size = len(indptrs[0]) - 1
    rows = [np.repeat(np.arange(size), np.diff(indptr)) for indptr in indptrs]
    keys = (np.concatenate(rows) << 32) | np.concatenate(list(docs))
    distinct, entry = np.unique(keys, return_inverse=True)
    row = distinct >> 32
    counts = np.bincount(row, minlength=size)
    column = np.arange(len(row)) - (np.cumsum(counts) - counts)[row]
    merged = np.full((size, int(counts.max(initial=0))), -1, dtype=np.int32)
    merged[row, column] = distinct & 0xFFFFFFFF
    slots = (row * merged.shape[1] + column)[entry]
    return merged, np.split(slots, np.cumsum([len(documents) for documents in docs])[:-1])
