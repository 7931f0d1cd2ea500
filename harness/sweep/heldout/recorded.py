"""``harness.evaluate`` and ``harness.compare``: those of ``harness.evaluation``, with their looks
at test noted.

As the commands do it: where the gold holds test questions, a line goes to the file of looks
(``HARNESS_LOOKS``, else below the user's cache), so that a later held-out table says how often
these questions were looked at before. Of differences that are shown the log says what this look
leaves of them.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Sequence
from functools import wraps
from typing import ParamSpec, TypeVar

from omegaconf import OmegaConf

from harness.core.concepts import package_folder
from harness.evaluation import evaluate as evaluating
from harness.evaluation import run_comparison
from harness.evaluation.gold import Gold, refuse_gold
from harness.evaluation.system_comparison import SystemComparison
from harness.evaluation.verdict import Comparisons
from harness.sweep.heldout.looks import QuestionSet, describe_charge, note_look

log = logging.getLogger(__name__)
P = ParamSpec("P")
R = TypeVar("R")


def noted(
    score: Callable[P, R], compared: Callable[[R], Sequence[SystemComparison]]
) -> Callable[P, R]:
    """The function, which has parameters ``run``, ``gold`` and ``ties``, noting its look when it
    has returned.

    compared: the comparisons in what it returns.
    """
    signature = inspect.signature(score)
    by_name: Callable[..., R] = score

    @wraps(score)
    def scored(*args: P.args, **kwargs: P.kwargs) -> R:
        given = signature.bind(*args, **kwargs).arguments
        refuse_gold(given["run"])
        given["gold"] = gold = Gold.read(given["gold"], keep_empty=given.get("ties") == "trec")
        found = by_name(**given)
        paths = OmegaConf.load(package_folder("conf") / "paths" / "default.yaml")
        looked = note_look(paths.looks, score.__name__, QuestionSet.of(gold))
        if said := describe_charge(compared(found), looked["looks"]):
            log.warning("%s", said)
        return found

    return scored


evaluate = noted(evaluating.evaluate, lambda found: ())
compare = noted(
    run_comparison.compare, lambda found: found if isinstance(found, Comparisons) else [found]
)
