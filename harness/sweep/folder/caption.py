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
    questions = counted(view.in_split or view.n, "question")
    before = f": {seen} of these {questions} were evaluated before" if seen else ""
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
    sentences = describe_oddities(view.manifest.get("odd") or {})
    sentences += _other_versions(view.manifest)
    if shared := max((row.on_test.chosen_on for row in view.rows if row.on_test), default=0):
        sentences.append(
            f"other sweeps of this folder chose on {shared} of these {view.n} test questions, by "
            "another split"
        )
    for name, facts in (view.manifest.get("recalls") or {}).items():
        if facts["recall@100"] < AIM:
            mend = facts.get("mend", "take lists.NAME.index=Flat").replace("NAME", name)
            share = percent(facts["recall@100"], 0)
            sentences.append(
                f"{name}: its index {facts['index']} finds {share}% of the best hundred of exact "
                f"search; {mend}"
            )
    if unusable := [row.name for row in view.rows if not row.practical]:
        sentences.append(
            f"{counted(len(unusable), 'trial')} ({unusable[0]}, ...) could not be chosen in "
            "practice, because one of their lists uses the gold: none can win"
        )
    return list(dict.fromkeys([*sentences, *_of_splits(view)]))


def _other_versions(manifest: Mapping[str, Any]) -> list[str]:
    """Return a caution if lists were made by other versions of libraries than those of the sweep,
    and used again.
    """
    now: Mapping[str, str] = manifest.get("libraries") or {}
    lists_by_versions: dict[str, list[str]] = {}
    for name, maker in (manifest.get("made_by") or {}).items():
        others = [
            f"{library} {versions} (now {now.get(library, 'not installed')})"
            for library, versions in maker["libraries"].items()
            if versions != now.get(library)
        ]
        if others:
            lists_by_versions.setdefault(", ".join(others), []).append(name)
    if not lists_by_versions:
        return []
    texts = [f"{', '.join(names)} by {libraries}" for libraries, names in lists_by_versions.items()]
    return [
        f"lists were made by other versions of libraries: {'; '.join(texts)}; paths.runs=DIR with "
        "a new folder makes them again"
    ]


def _of_splits(view: View) -> list[str]:
    """Return cautions on the lists of each split, and the winner's range over equal scores."""
    sentences: list[str] = []
    covered = [("tune", view.manifest.get("coverage"))]
    if view.split == "test":
        covered += [("test", row.on_test.coverage) for row in view.rows if row.on_test]
    for split, lists in covered:
        for name, coverage in (lists or {}).items():
            sentences += [f"{name}: on {split} only {line}" for line in coverage["warnings"]]
    on_test = [("test", row.on_test.tie_range) for row in view.rows if row.on_test]
    ranges: list[tuple[str, Any]] = [("tune", view.manifest.get("tie_range")), *on_test]
    for split, ends in ranges:
        named = f"{view.winner_title} on {split}"
        sentences += filter(None, [ends and describe_ranges(named, {view.objective: ends})])
    return sentences


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
    count, or that there is none if the order of all is unknown.
    """
    in_split, known = view.in_split or view.n, view.n
    if known == in_split:  # the objective counts all questions, also those without an order
        known = int((np.asarray(view.ranks[:1])[..., -1] != UNORDERED).sum())
    if known == in_split:
        every = view.manifest.get("chain") == "all"
        return " (dataset.chain=all: last_hop counts every question)" if every else ""
    if not known:
        return " (no hop order is known, so there is no last_hop)"
    judged = " and all results based on it" if view.n < in_split else ""
    questions = counted(in_split, "question")
    return f" (last_hop{judged}: the {known} of {questions} whose hop order is known)"


def of_lists(view: View) -> list[str]:
    """Return sentences on lists with weights that were chosen on tune, and without documents."""
    sentences = []
    for name, facts in (view.manifest.get("fitted") or {}).items():
        shared = (facts.get("seen") or {}).get(view.split)
        gold = "" if shared is None else f", which share gold with {shared or 'none'} of these"
        sentences.append(
            f"The weights of {name} were chosen on tune of {', '.join(facts['on'])}{gold}."
        )
    if view.manifest.get("own_document") == "drop":
        sentences.append("own_document=drop: no list has the document with the id of its question.")
    return sentences


def clustering(view: View) -> list[str]:
    """Return how questions share gold passages: the clusters with the design effect of the winner's
    score, and how many of test share one with tune.
    """
    labels, shared = view.clusters, view.manifest.get("shared_gold")
    sizes = np.bincount(labels)
    sentences = [f"No two questions of {view.split} share a gold passage."]
    if len(sizes) < view.n:
        effect = float(design_effect(view.scores[view.winner_place], labels))
        largest = sizes.max() / view.n
        sentences = [
            f"Clusters of {view.split} questions that share gold passages: {len(sizes)}, the "
            f"largest has {sizes.max()} of {counted(view.n, 'question')} ({100 * largest:.1f}%); "
            f"design effect of the winner's score {effect:.2f}."
        ]
    if shared:
        sentences.append(f"{100 * shared:.0f}% of test's questions share a gold passage with tune.")
    return sentences


def part_names(lists: Listed, part: str) -> list[str]:
    """Return the name of each list's ``part``, such as ``encoder``: the model's, otherwise the
    class.
    """
    names = (str(node.get("model") or _class(node)) for node in _find(lists, part))
    return list(dict.fromkeys(names))


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
    encoders = part_names(lists, "encoder")
    words = [f"encoder {', '.join(encoders)}"] if encoders else []
    for name, node in lists.items():
        first = [next(_find(node, key), None) for key in ("graph", "extractor")]
        parts = [_class(part) for part in first if part is not None]
        if parts:
            words.append(f"{name}: {_class(node)} ({', '.join(parts)})")
    depths = dict.fromkeys(str(node["depth"]) for node in lists.values() if node.get("depth"))
    if depths:
        words.append(f"depth {', '.join(depths)}")
    return "; ".join(words)


def _class(node: Mapping[str, object]) -> str:
    """Return the class of a stored identity or a configuration, without its module."""
    return str(node.get("class") or node.get("_target_", "")).rpartition(".")[2]


def _find(node: object, key: str) -> Iterator[Mapping[str, object]]:
    """Yield all mappings with that key in a mapping or list."""
    if isinstance(node, Mapping):
        if isinstance(part := node.get(key), Mapping):
            yield part
        for value in node.values():
            yield from _find(value, key)
    elif isinstance(node, list):
        for value in node:
            yield from _find(value, key)
