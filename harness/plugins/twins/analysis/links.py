"""How the passages of a benchmark are linked, before any encoder runs: what a graph could follow, and where it leads.

Two links, both without direction: a *title* link joins two passages of which one names the other's title (as
``extractor=offline`` matches titles); a *shared name* link joins two that mention the same name (a title or a run of
capitalised words) which at least 2 and at most ``rare`` passages mention. Nothing is learned.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from typing_extensions import TypedDict

from harness.benchmark import Texts
from harness.core.errors import HarnessError, whole_number
from harness.graph.extractor import KINDS, Extraction, Mentions, find_mentions
from harness.graph.network import about, count_matrix

Numbers = NDArray[np.int64]
PART = 256
"""Rows that are walked from at once."""


@dataclass(frozen=True, eq=False)
class Links:
    """bool[D, D], symmetric with an empty diagonal, by kind of link; ``starts`` bool[Q, D], whose title a question
    names; ``sharing`` int64[D], how many passages have a passage's title (0: it has none).
    """

    title: sp.csr_array
    shared: sp.csr_array
    starts: sp.csr_array
    sharing: Numbers

    @property
    def either(self) -> sp.csr_array:
        """Links of any kind."""
        return _binary(self.title + self.shared)


def find_links(texts: Texts, rare: int) -> Links:
    """The links among the passages, and from the questions.

    Raises HarnessError where ``rare`` is below 2, for a corpus without passages, and for one without titles.
    """
    whole_number("rare", rare, 2)
    if not texts.texts:
        raise HarnessError(f"{texts.name}: the corpus is empty; give corpus.jsonl a passage a line")
    found = find_mentions(texts.titles, texts.texts, texts.passages, texts.questions)
    if not (found.titled >= 0).any():
        raise HarnessError(f"{texts.name}: none of {len(texts.texts)} passages has a title; fill in the field title")
    titles = about(found)
    named = _binary(_mentions(found, found.passages, "title") @ titles)
    everything = _mentions(found, found.passages)
    count = everything.sum(axis=0)
    kept = everything[:, np.flatnonzero((count >= 2) & (count <= rare))]
    return Links(
        title=_without_self(named + named.T),
        shared=_without_self(kept @ kept.T),
        starts=_binary(_mentions(found, found.questions, "title") @ titles),
        sharing=np.asarray(titles.sum(axis=1, dtype=np.float64)).ravel()[found.titled] * (found.titled >= 0),
    )


class Degrees(TypedDict):
    """How many passages a kind of link links, and with how many others."""

    linked: float
    median: float
    p90: float
    most: int
    component: float


class Described(TypedDict):
    """The graph without gold."""

    passages: int
    without_title: int
    ambiguous_titles: int
    links: dict[str, Degrees]


class Reached(TypedDict):
    """How many passages are reached, and the share of them that is gold."""

    reached: dict[str, float]
    precision: float | None


class Way(Reached):
    """What one way of going from passage to passage does for gold pairs."""

    joined: float
    by_hops: dict[int, float]


class Joined(TypedDict):
    """What the links do for questions with several gold passages, by way."""

    questions: int
    pairs: int
    by_hops: dict[int, int]
    ways: dict[str, Way]


class Step(Reached):
    """What lies so many steps from what questions name."""

    last: float | None


class Started(TypedDict):
    """What lies near the passages whose titles questions name, by steps."""

    questions: int
    names_gold: float
    names_any: float
    steps: dict[int, Step]


def describe_links(links: Links) -> Described:
    """The graph without gold, by kind of link.

    ``passages``, ``without_title``; ``ambiguous_titles``: passages whose title (without a bracketed tail) another
    has, too; of each kind ``linked`` (share of passages with a link), ``median``, ``p90``, ``most`` (links of a
    passage) and ``component`` (share of passages in the largest connected component).
    """
    kinds = {"title": links.title, "shared name": links.shared, "either": links.either}
    return {
        "passages": len(links.sharing),
        "without_title": int((links.sharing == 0).sum()),
        "ambiguous_titles": int((links.sharing > 1).sum()),
        "links": {name: _degrees(matrix) for name, matrix in kinds.items()},
    }


def join_gold(links: Links, texts: Texts) -> Joined | None:
    """What the links do for the questions with two gold passages or more; None where there is none.

    A question's gold pairs are its consecutive hops where their order is known, otherwise all pairs. Of each way
    (title, shared name, either, either within two steps): ``joined``, the share of pairs; ``by_hops``, the same of the
    questions of so many hops; ``reached``, how many other passages a gold passage leads to (``median`` and ``p90`` over
    gold passages, once a question); ``precision``, of all these the share that is gold of the same question.
    """
    if texts.gold is None or texts.chain is None:
        return None
    several = np.flatnonzero((texts.gold >= 0).sum(axis=1) > 1)
    if not len(several):
        return None
    gold = [row[row >= 0].astype(np.int64) for row in texts.gold[several]]
    pairs = [_pairs(row, bool(chain)) for row, chain in zip(gold, texts.chain[several], strict=True)]
    hops = np.array([texts.hops[place] or 0 for place in several.tolist()])
    owner = np.repeat(hops, list(map(len, pairs)))
    first, second = np.concatenate(pairs).T
    starts, ends = np.concatenate(list(map(_both_ways, gold))).T
    leaving = np.concatenate(gold)
    own = np.unique(leaving)
    either = links.either
    themselves = sp.csr_array((np.ones(len(own)), (own, own)), shape=either.shape)
    ways: dict[str, Way] = {}
    for name, matrix, steps in (
        ("title", links.title, 1),
        ("shared name", links.shared, 1),
        ("either", either, 1),
        ("either, two steps", either, 2),
    ):
        reach = _without_self(_walk(themselves, matrix, steps))
        joined, sizes = _holds(reach, first, second), np.diff(reach.indptr)[leaving]
        ways[name] = {
            "joined": float(joined.mean()),
            "by_hops": {int(hop): float(joined[owner == hop].mean()) for hop in np.unique(owner)},
            **_extent(sizes, _holds(reach, starts, ends)),
        }
    return {
        "questions": len(several),
        "pairs": len(first),
        "by_hops": {int(hop): int((hops == hop).sum()) for hop in np.unique(hops)},
        "ways": ways,
    }


def _extent(sizes: Numbers, gold: NDArray[np.bool_]) -> Reached:
    return {
        "reached": {"median": float(np.median(sizes)), "p90": float(np.quantile(sizes, 0.9))},
        "precision": float(gold.sum() / sizes.sum()) if sizes.any() else None,
    }


def start_from_questions(links: Links, texts: Texts) -> Started | None:
    """What lies near the passages whose titles a question names; None where no question has gold.

    ``names_gold``: share of the questions that name the title of a gold passage; ``names_any``: of any passage.
    ``steps``, of 0 (the named ones), 1 and 2 steps by links of any kind: ``last``, the share of the questions with a
    last hop that lies so far and no nearer (None where none has one); ``reached``, how many passages lie so far or
    nearer (``median``, ``p90``); ``precision``, of all these the share that is gold of the same question.
    """
    if texts.gold is None or texts.ordered is None:
        return None
    counts = (texts.gold >= 0).sum(axis=1)
    question = np.repeat(np.arange(len(counts)), counts)
    passage = texts.gold[texts.gold >= 0].astype(np.int64)
    ordered = np.flatnonzero(texts.ordered & (counts > 0))
    last = texts.gold[ordered, counts[ordered] - 1].astype(np.int64)
    either, nearer = links.either, np.zeros(len(ordered), np.bool_)
    steps: dict[int, Step] = {}
    for away in range(3):
        found = _walk(links.starts, either, away)
        sizes = np.diff(found.indptr)
        gold = _holds(found, question, passage)
        here = _holds(found, ordered, last) if len(ordered) else nearer
        if away == 0:
            names_gold = len(np.unique(question[gold])) / len(counts)
        steps[away] = {
            "last": float((here & ~nearer).mean()) if len(ordered) else None,
            **_extent(sizes, gold),
        }
        nearer |= here
    names_any = float((np.diff(links.starts.indptr) > 0).mean())
    return {"questions": len(counts), "names_gold": names_gold, "names_any": names_any, "steps": steps}


def _holds(matrix: sp.csr_array, rows: Numbers, columns: Numbers) -> NDArray[np.bool_]:
    """bool[n]: whether there is an entry at each row and column."""
    return np.asarray(matrix[rows, columns]).ravel() > 0


def _mentions(found: Extraction, mentions: Mentions, kind: str | None = None) -> sp.csr_array:
    """bool[texts, names]: which names each text mentions."""
    kept = slice(None) if kind is None else mentions.kind == KINDS.index(kind)
    shape = (len(mentions.indptr) - 1, len(found.names))
    return _binary(count_matrix(mentions.text[kept], mentions.entity[kept], shape))


def _binary(matrix: Any) -> sp.csr_array:
    """1 where an entry is not 0."""
    found = sp.csr_array(matrix, dtype=np.float32)
    found.sum_duplicates()
    found.eliminate_zeros()
    found.data[:] = 1
    return found


def _walk(starts: sp.csr_array, matrix: sp.csr_array, steps: int) -> sp.csr_array:
    """bool[n, D]: what lies within so many steps of each row of ``starts`` bool[n, D], those themselves too."""
    parts = [sp.csr_array((0, matrix.shape[0]))]
    for first in range(0, starts.shape[0], PART):
        rows = starts[first : first + PART]
        for _ in range(steps):
            rows = _binary(rows + rows @ matrix)
        parts.append(rows)
    return _binary(sp.vstack(parts))


def _without_self(matrix: Any) -> sp.csr_array:
    return _binary(matrix - sp.diags_array(matrix.diagonal(), format="csr"))


def _pairs(gold: Numbers, chain: bool) -> Numbers:
    """int64[n, 2]: consecutive hops of a chain, otherwise all pairs."""
    if chain:
        return np.stack([gold[:-1], gold[1:]], axis=1)
    first, second = np.triu_indices(len(gold), 1)
    return np.stack([gold[first], gold[second]], axis=1)


def _both_ways(gold: Numbers) -> Numbers:
    """int64[n, 2]: each passage with each other one."""
    first, second = np.nonzero(gold[:, None] != gold)
    return np.stack([gold[first], gold[second]], axis=1)


def _degrees(matrix: sp.csr_array) -> Degrees:
    degree = np.diff(matrix.indptr)
    _, member = sp.csgraph.connected_components(matrix, directed=False)
    return {
        "linked": float((degree > 0).mean()),
        "median": float(np.median(degree)),
        "p90": float(np.quantile(degree, 0.9)),
        "most": int(degree.max()),
        "component": float(np.bincount(member).max() / len(member)) if degree.any() else 0.0,
    }
