"""Words for a sweep's lists: the encoder, the graph retriever, and the depth of lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

Listed = Mapping[str, Mapping[str, object]]
"""The identities of a sweep's lists by name, as in its manifest."""


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
    said = [f"{'encoder' if len(made) == 1 else 'encoders'} {', '.join(made)}"] if made else []
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
