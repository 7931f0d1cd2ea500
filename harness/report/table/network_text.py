"""A graph's statistics as lines of text."""

from __future__ import annotations

from collections.abc import Mapping

from harness.core.artifact import Facts
from harness.core.table import counted, percent


def describe_network(facts: Facts) -> list[str]:
    """Return the lines that show the counts of ``Network.facts``."""
    return [
        f"  nodes: {counted(facts['entities'], 'entity')}, {counted(facts['passages'], 'passage')}",
        f"  edges: {_counts(facts['edges'])}",
        *(
            [f"  triples: {_counts(facts['triples'])}"]
            if facts.get("triples", {}).get("all")
            else []
        ),
        *(
            [f"  triples that make no edge: {_counts(facts['pruned'])}"]
            if "pruned" in facts
            else []
        ),
        *(f"  degree of {one}: {_spread(facts[f'{name}_degree'])}" for name, one in NODES.items()),
        *(
            [f"  entities of degree {_histogram(facts['entity_degrees'])}"]
            if facts.get("entity_degrees")
            else []
        ),
        *([_approximate(found)] if (found := facts.get("synonym_index")) else []),
        f"  isolated: {percent(facts['isolated_entities'])}% of entities, "
        f"{percent(facts['isolated_passages'])}% of "
        f"passages; components: {facts['components']}, the largest holds "
        f"{percent(facts['largest_component'])}% of nodes",
    ]


NODES = {"entity": "an entity", "passage": "a passage"}


def _approximate(found: Facts) -> str:
    share = percent(found["recall"])
    return (
        f"  synonyms found by {found['index']}: {share}% of the exact search's, of "
        f"{found['names']} names"
    )


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def _histogram(counts: Mapping[str, int]) -> str:
    """Return counts in the order of the degrees, which a manifest loses."""
    order = sorted(counts, key=lambda name: int(name.partition("-")[0]))
    return ", ".join(f"{name}: {counts[name]}" for name in order)


def _spread(degree: Mapping[str, float]) -> str:
    words = (("mean", ".2f"), ("median", "g"), ("p90", "g"), ("max", "g"))
    shown = [
        f"{name.replace('p90', '90th percentile')} {degree[name]:{form}}" for name, form in words
    ]
    return ", ".join(shown)
