"""The words of captions about a view: its data and lists, cautions, and how questions are
clustered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from harness.benchmark import UNORDERED
from harness.benchmark.source import sample_note
from harness.core.table import Source, counted, percent
from harness.evaluation.conclusion import GREAT
from harness.evaluation.metric import definitions
from harness.evaluation.statistic import design_effect
from harness.retriever.dense import AIM
from harness.sweep.folder.view import View

Listed = Mapping[str, Mapping[str, object]]
"""The identities of a sweep's lists by name, as in its manifest."""


def extent(view: View) -> str:
    """Return benchmark, split, number of questions, evaluation of test, and the lists' parts."""
    times = f", evaluation {view.evaluation}{view.charge}" if view.evaluation else ""
    lists = f"; {made}" if (made := systems(view)) else ""
    return f"{view.dataset}, {view.split} split (n = {view.n}{times}){lists}"


def systems(view: View) -> str:
    """Return encoder, graph retriever and depth of the lists."""
    return describe(view.manifest.get("lists") or {})


def cautions(view: View) -> list[str]:
    """Return sentences on what may distort the scores.

    They are about test questions that were used for a choice, approximate indexes that lose
    documents, impractical trials, and lists that lack half of a split's questions or gold.
    """
    found = []
    if shared := max((row.get("chosen_on") or 0 for row in view.rows), default=0):
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
    if unusable := [row["name"] for row in view.rows if row.get("practical") is False]:
        found.append(
            f"{counted(len(unusable), 'trial')} ({unusable[0]}, ...) could not be chosen in "
            "practice, because one of their lists uses the gold: none can win"
        )
    return found + _coverage(view)


def _coverage(view: View) -> list[str]:
    """Return the warnings about lists that lack half of a split's questions or gold."""
    splits = {"tune": view.manifest.get("coverage") or {}}
    if view.split == "test":
        covered = [row.get("coverage") or {} for row in view.rows]
        splits["test"] = {name: one for own in covered for name, one in own.items()}
    return [
        f"{name}: on {split} only {line}"
        for split, found in splits.items()
        for name, one in found.items()
        for line in one["warnings"]
    ]


def source(view: View) -> Source:
    """Return the facts of every table: split, lists, relevance, hash, evaluation, and cautions."""
    name = view.objective.partition("@")[0]
    splitting = {
        "disjoint": "split=disjoint: no gold passage of tune is one of test.",
        "given": "split=given: tune and test are the benchmark's own.",
    }
    notes = [
        f"{extent(view)}{unordered(view)}.",
        splitting.get(view.splitting, ""),
        f"{definitions((name, 'full_sup', 'recall'))}.",
        f"Data {view.data_sha256[:12]}.",
        *(f"Caution: {line}." for line in cautions(view)),
        *of_lists(view),
        *clustering(view),
        sample_note(view.dataset, view.data_sha256),
    ]
    return Source(notes=[note for note in notes if note])


def unordered(view: View) -> str:
    """Return how many questions last_hop counts if the hop order of some is unknown."""
    of = view.in_split or view.n
    known = view.n if view.n < of else int((np.asarray(view.ranks[:1])[..., -1] != UNORDERED).sum())
    if known == of:
        return ""
    judged = " and all results based on it" if view.n < of else ""
    return f" (last_hop{judged}: the {known} of {counted(of, 'question')} whose hop order is known)"


def of_lists(view: View) -> list[str]:
    """Return sentences on lists with weights that were chosen on tune, and on approximate
    indexes.
    """
    groups: dict[str, list[str]] = {}
    for name, one in (view.manifest.get("fitted") or {}).items():
        where = ", ".join(one["on"])
        if (seen := (one.get("seen") or {}).get(view.split)) is not None:
            where += f", which share gold with {seen or 'none'} of these questions"
        groups.setdefault(where, []).append(name)
    fitted = [f"{', '.join(names)} (on {where})" for where, names in groups.items()]
    recalls = [
        f"{name} ({one['index']}, {one['recall@100']:.3f} of "
        f"{counted(one['questions'], 'question')})"
        for name, one in (view.manifest.get("recalls") or {}).items()
    ]
    told = {
        "Lists whose weights were chosen on tune questions": fitted,
        "Lists of an approximate index, and its recall@100 against exact search": recalls,
    }
    return [f"{head}: {'; '.join(lists)}." for head, lists in told.items() if lists]


def clustering(view: View) -> tuple[str, str]:
    """Return how questions share gold passages: the clusters, and how many of test share one with
    tune.

    The first text has the largest cluster and the design effect of the winner's score, too.
    """
    labels, shared = view.clusters, view.manifest.get("shared_gold")
    sizes = np.bincount(labels)
    tune = (
        f"{100 * shared:.0f}% of test's questions share a gold passage with tune." if shared else ""
    )
    if len(sizes) == view.n:
        return f"No two questions of {view.split} share a gold passage.", tune
    effect = float(design_effect(view.scores[view.winner_place], labels))
    largest = sizes.max() / view.n
    warning = " Caution: one cluster has more than 5% of them." if largest > GREAT else ""
    return (
        f"Clusters of {view.split} questions that share gold passages: {len(sizes)}, the largest "
        f"has {sizes.max()} of {counted(view.n, 'question')} ({100 * largest:.1f}%); design effect "
        f"of the winner's score {effect:.2f}.{warning}"
    ), tune


def made_by(lists: Listed, part: str) -> list[str]:
    """Return the name of each list's ``part``, such as ``encoder``: the model's, otherwise the
    class.
    """
    found = (one for node in _nodes(lists) if isinstance(one := node.get(part), Mapping))
    return list(dict.fromkeys(str(one.get("model") or class_name(one)) for one in found))


def differences(lists: Listed, published: Mapping[str, str]) -> str:
    """Return a clause for each part of the lists in which another publication differs.

    Args:
        lists: the identities of the sweep's lists.
        published: the publication's parts by name: ``encoder``, ``extractor``, ``filter``.

    Returns:
        ``the encoder is MiniLM but the publication has NV-Embed-v2; ``; empty if all parts are
        the publication's.
    """
    return "".join(
        f"the {part} is {ours} but the publication has {theirs}; "
        for part, theirs in published.items()
        if (ours := ", ".join(made_by(lists, part))) and not ours.endswith(theirs)
    )


def graphs(lists: Listed) -> dict[str, str]:
    """Return retriever, graph and name finder of each list that reads names.

    For example ``PPR over Entity (Offline)``.
    """
    return {name: graph for name, node in lists.items() if (graph := _graph(node))}


def describe(lists: Listed) -> str:
    """Return ``encoder MiniLM; graph: PPR over Entity (Offline); depth 200``; empty without
    identities.
    """
    made = made_by(lists, "encoder")
    noun = "encoder" if len(made) == 1 else "encoders"
    said = [f"{noun} {', '.join(made)}"] if made else []
    said += [f"{name}: {graph}" for name, graph in graphs(lists).items()]
    depths = {
        name: str(node["depth"]) for name, node in lists.items() if node.get("depth") is not None
    }
    if len(set(depths.values())) == 1:
        said.append(f"depth {next(iter(depths.values()))}")
    elif depths:
        said.append(f"depths {', '.join(f'{name} {depth}' for name, depth in depths.items())}")
    return "; ".join(said)


def class_name(node: Mapping[str, object]) -> str:
    """Return the class of a stored identity or a configuration, without its module."""
    return str(node.get("class") or node.get("_target_", "")).rpartition(".")[2]


def _graph(node: Mapping[str, object]) -> str:
    """Return the retriever, the graph and the finder of names; empty for a list that reads no
    names.
    """
    graph, names = (_part(node, key) for key in ("graph", "extractor"))
    if graph is None and names is None:
        return ""
    over = f" over {class_name(graph)}" if graph else ""
    by = f" ({class_name(names)})" if names else ""
    return f"{class_name(node)}{over}{by}"


def _part(node: Mapping[str, object], key: str) -> Mapping[str, object] | None:
    """Return the first mapping with that key."""
    return next((found for one in _nodes(node) if isinstance(found := one.get(key), Mapping)), None)


def _nodes(node: object) -> Iterator[Mapping[str, object]]:
    """Yield a mapping and all mappings in it."""
    if isinstance(node, Mapping):
        yield node
        for value in node.values():
            yield from _nodes(value)
    elif isinstance(node, list):
        for value in node:
            yield from _nodes(value)
