"""Twins: a benchmark whose texts were changed in one way, so that what a retriever loses says what it read.

A kind is a function of the content and a seed. Ids of questions, hops and gold stay.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from harness.plugins.twins.twin.content import Changes, Content, Measures, describe_changes, measure
from harness.plugins.twins.twin.homonyms import add_homonyms
from harness.plugins.twins.twin.paraphrased import paraphrase
from harness.plugins.twins.twin.renamed import rename
from harness.plugins.twins.twin.shuffled import shuffle
from harness.plugins.twins.twin.unlinked import unlink
from harness.plugins.twins.twin.untitled import untitle

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

__all__ = ["DRAWS_NOTHING", "KINDS", "Changes", "Content", "Measures", "describe_changes", "measure"]
