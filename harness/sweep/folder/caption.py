"""The words of captions about a view: its data and lists, cautions, and how questions are
clustered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from harness.benchmark import UNORDERED
from harness.benchmark.oddity import describe_oddities
from harness.benchmark.source.card import sample_note
from harness.core.table import Source, counted, percent
from harness.evaluation.family import describe as describe_family
from harness.evaluation.metric import definitions, describe_ranges
from harness.evaluation.statistic import charge, design_effect
from harness.retriever.dense import AIM
from harness.sweep.folder.view import View

Listed = Mapping[str, Mapping[str, object]]
"""The identities of a sweep's lists by name, as in its manifest."""
SPLITTING = {
    "disjoint": "split=disjoint: no gold passage of tune is one of test.",
    "given": "split=given: tune and test are the benchmark's own.",
}
"""The sentence about a rule of splitting other than md5."""


def extent(view: View) -> str:
    """Return benchmark, split, number of questions, evaluation of test, and the lists' parts."""
    seen = max((row.on_test.seen for row in view.rows if row.on_test), default=0)
    known = counted(view.in_split or view.n, "question")
    before = f": {seen} of these {known} were evaluated before" if seen else ""
    times = f", evaluation {view.evaluation}{before}{view.charge}" if view.evaluation else ""
    head = f"{view.dataset}, {view.split} split (n = {view.n}{times})"
    return "; ".join(filter(None, [head, systems(view)]))


def correction(view: View, against: str) -> str:
    """Return how the p of the comparisons with a list are corrected."""
    times = charge(view.evaluation)
    if view.split == "tune":
        return describe_family("holm", view.sizes["list", against], times, view.deciding)
    tests = list(view.rivals)
    order = f"; the winner is tested against {tests[0]}" if tests else ""
    if len(tests) > 1:
        order += f" and, only if it is shown to be better, against {tests[1]}"
    if tests:
        order += f", without a correction{view.charge}"
    others = describe_family("holm", view.sizes["exploratory", ""], times, view.deciding)
    return f"{others} (exploratory){order}"


def systems(view: View) -> str:
    """Return encoder, graph retriever and depth of the lists."""
    return describe(view.manifest.get("lists") or {})


def cautions(view: View) -> list[str]:
    """Return sentences on what may distort the scores.

    They are about odd data, lists that other versions of libraries made, test questions that were
    used for a choice, approximate indexes that lose documents, impractical trials, and lists that
    lack half of a split's questions or gold.
    """
    found = describe_oddities(view.manifest.get("odd") or {})
    found += _other_versions(view.manifest)
    if shared := max((row.on_test.chosen_on for row in view.rows if row.on_test), default=0):
        found.append(
            f"other sweeps of this folder chose on {shared} of these {view.n} test questions, by "
            "another split"
        )
    for name, one in (view.manifest.get("recalls") or {}).items():
        if one["recall@100"] < AIM:
            mend = one.get("mend", "take lists.NAME.index=Flat").replace("NAME", name)
            share = percent(one["recall@100"], 0)
            found.append(
                f"{name}: its index {one['index']} finds {share}% of the best hundred of exact "
                f"search; {mend}"
            )
    if unusable := [row.name for row in view.rows if not row.practical]:
        found.append(
            f"{counted(len(unusable), 'trial')} ({unusable[0]}, ...) could not be chosen in "
            "practice, because one of their lists uses the gold: none can win"
        )
    return list(dict.fromkeys([*found, *_of_splits(view)]))


def _other_versions(manifest: Mapping[str, Any]) -> list[str]:
    """Return a caution if lists were made by other versions of libraries than those of the sweep,
    and used again.
    """
    now: Mapping[str, str] = manifest.get("libraries") or {}
    made: dict[str, list[str]] = {}
    for name, one in (manifest.get("made_by") or {}).items():
        other = [
            f"{library} {versions} (now {now.get(library, 'not installed')})"
            for library, versions in one["libraries"].items()
            if versions != now.get(library)
        ]
        if other:
            made.setdefault(", ".join(other), []).append(name)
    if not made:
        return []
    texts = [f"{', '.join(names)} by {libraries}" for libraries, names in made.items()]
    return [
        f"lists were made by other versions of libraries: {'; '.join(texts)}; paths.runs=DIR with "
        "a new folder makes them again"
    ]


def _of_splits(view: View) -> list[str]:
    """Return cautions on the lists of each split, and the winner's range over equal scores."""
    found: list[str] = []
    covered = [("tune", view.manifest.get("coverage"))]
    if view.split == "test":
        covered += [("test", row.on_test.coverage) for row in view.rows if row.on_test]
    for split, lists in covered:
        for name, one in (lists or {}).items():
            found += [f"{name}: on {split} only {line}" for line in one["warnings"]]
    on_test = [("test", row.on_test.tie_range) for row in view.rows if row.on_test]
    ranges: list[tuple[str, Any]] = [("tune", view.manifest.get("tie_range")), *on_test]
    for split, ends in ranges:
        named = f"{view.winner_title} on {split}"
        found += filter(None, [ends and describe_ranges(named, {view.objective: ends})])
    return found


def source(view: View) -> Source:
    """Return the facts of every table: split, lists, relevance, hash, evaluation, and cautions."""
    name = view.objective.partition("@")[0]
    notes = [
        f"{extent(view)}{unordered(view)}.",
        SPLITTING.get(view.splitting, ""),
        f"{definitions((name, 'full_sup', 'recall'))}.",
        f"Data {view.data_sha256[:12]}.",
        *(f"Caution: {line}." for line in cautions(view)),
        *of_lists(view),
        *clustering(view),
        sample_note(view.dataset),
    ]
    return Source(notes=[note for note in notes if note])


def unordered(view: View) -> str:
    """Return how many questions last_hop counts if the hop order of some is unknown or does not
    count, or that the order of all is unknown.
    """
    of = view.in_split or view.n
    known = view.n if view.n < of else int((np.asarray(view.ranks[:1])[..., -1] != UNORDERED).sum())
    if known == of:
        every = view.manifest.get("chain") == "all"
        return " (dataset.chain=all: last_hop counts every question)" if every else ""
    if not known:
        return "; no question has a known hop order, so last_hop cannot be computed"
    judged = " and all results based on it" if view.n < of else ""
    return f" (last_hop{judged}: the {known} of {counted(of, 'question')} whose hop order is known)"


def of_lists(view: View) -> list[str]:
    """Return sentences on lists with weights that were chosen on tune, and without documents."""
    found = []
    for name, one in (view.manifest.get("fitted") or {}).items():
        shared = (one.get("seen") or {}).get(view.split)
        gold = "" if shared is None else f", which share gold with {shared or 'none'} of these"
        found.append(f"The weights of {name} were chosen on tune of {', '.join(one['on'])}{gold}.")
    if view.manifest.get("own_document") == "drop":
        found.append("own_document=drop: no list has the document with the id of its question.")
    return found


def clustering(view: View) -> list[str]:
    """Return how questions share gold passages: the clusters with the design effect of the winner's
    score, and how many of test share one with tune.
    """
    labels, shared = view.clusters, view.manifest.get("shared_gold")
    sizes = np.bincount(labels)
    found = [f"No two questions of {view.split} share a gold passage."]
    if len(sizes) < view.n:
        effect = float(design_effect(view.scores[view.winner_place], labels))
        largest = sizes.max() / view.n
        found = [
            f"Clusters of {view.split} questions that share gold passages: {len(sizes)}, the "
            f"largest has {sizes.max()} of {counted(view.n, 'question')} ({100 * largest:.1f}%); "
            f"design effect of the winner's score {effect:.2f}."
        ]
    if shared:
        found.append(f"{100 * shared:.0f}% of test's questions share a gold passage with tune.")
    return found


def part_names(lists: Listed, part: str) -> list[str]:
    """Return the name of each list's ``part``, such as ``encoder``: the model's, otherwise the
    class.
    """
    found = (str(one.get("model") or _class(one)) for one in _find(lists, part))
    return list(dict.fromkeys(found))


def differences(lists: Listed, published: Mapping[str, str]) -> str:
    """Return a clause for each part of the lists in which another publication differs.

    Args:
        lists: the identities of the sweep's lists.
        published: the publication's parts by name: ``encoder``, ``extractor``, ``filter``.

    Returns:
        ``the encoder is MiniLM but the publication has NV-Embed-v2; ``; empty if all parts are
        the publication's.
    """
    text = ""
    for part, theirs in published.items():
        ours = ", ".join(part_names(lists, part))
        if ours and not ours.endswith(theirs):
            text += f"the {part} is {ours} but the publication has {theirs}; "
    return text


def describe(lists: Listed) -> str:
    """Return ``encoder MiniLM; graph: PPR (Entity, Offline); depth 200``; empty without
    identities.
    """
    made = part_names(lists, "encoder")
    words = [f"encoder {', '.join(made)}"] if made else []
    for name, node in lists.items():
        parts = [_class(one) for key in ("graph", "extractor") for one in [*_find(node, key)][:1]]
        words += [f"{name}: {_class(node)} ({', '.join(parts)})"] if parts else []
    depths = dict.fromkeys(str(node["depth"]) for node in lists.values() if node.get("depth"))
    return "; ".join([*words, f"depth {', '.join(depths)}"] if depths else words)


def _class(node: Mapping[str, object]) -> str:
    """Return the class of a stored identity or a configuration, without its module."""
    return str(node.get("class") or node.get("_target_", "")).rpartition(".")[2]


def _find(node: object, key: str) -> Iterator[Mapping[str, object]]:
    """Yield all mappings with that key in a mapping or list."""
    if isinstance(node, Mapping):
        if isinstance(own := node.get(key), Mapping):
            yield own
        for value in node.values():
            yield from _find(value, key)
    elif isinstance(node, list):
        for value in node:
            yield from _find(value, key)
