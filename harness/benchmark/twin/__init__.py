"""Twins: a benchmark whose texts were changed in one way, so that what a retriever loses says what it read.

A kind is a function of the content and a seed. Ids of questions, hops and gold stay.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from harness.benchmark.twin.content import Changes, Content, Measures, describe, measure
from harness.benchmark.twin.homonyms import add_homonyms
from harness.benchmark.twin.paraphrased import paraphrase
from harness.benchmark.twin.renamed import rename
from harness.benchmark.twin.shuffled import shuffle
from harness.benchmark.twin.unlinked import unlink
from harness.benchmark.twin.untitled import untitle

KINDS: Mapping[str, Callable[[Content, int], tuple[Content, Changes]]] = {
    "renamed": rename,
    "untitled": untitle,
    "unlinked": unlink,
    "homonyms": add_homonyms,
    "shuffled": shuffle,
    "paraphrased": paraphrase,
}
DRAWS_NOTHING = frozenset({"unlinked", "paraphrased"})
"""The kinds that a seed says nothing to."""

__all__ = ["DRAWS_NOTHING", "KINDS", "Changes", "Content", "Measures", "describe", "measure"]
