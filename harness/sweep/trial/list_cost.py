"""The cost of a sweep: seconds by stage, peak memory, and requests to models."""

from __future__ import annotations

import resource
import sys
from collections.abc import Mapping, Sequence

import numpy as np

from harness.core.artifact import MANIFEST, Described, read_manifest
from harness.sweep.trial.trial import Identities
from harness.work.store import Store


def cost(
    identities: Identities, benchmark: str, store: Store, seconds: Mapping[str, float], queries: int
) -> dict[str, object]:
    """Return ``seconds``, ``peak_memory_mb`` of this process (MiB), and ``model`` if models were
    used.

    ``seconds.lists`` is the time to make each list with all its inputs; ``extract`` and ``graph``
    are sums over the lists' different extractions and graphs. ``model`` sums the answers and tokens
    of extractors and gates, whenever they were requested. ``lists`` is what each list needs, see
    ``needs``.

    Args:
        identities: of every list.
        benchmark: its SHA-256.
        store: the store of artifacts.
        seconds: measured by the sweep, by stage.
        queries: number of questions that a list answers.
    """
    lists = _lists(identities, benchmark, store)
    distinct = {one["key"]: one for one in lists.values()}
    made = dict(distinct)
    for one in distinct.values():
        made |= {other["key"]: other for other in _way(one, store) or ()}
    stages = {
        stage: [one for one in made.values() if one["stage"] == stage]
        for stage in ("extract", "graph")
    }
    needed = {name: needs(one, store, queries) for name, one in lists.items()}
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10  # macOS counts bytes, Linux KiB
    return {
        "seconds": {
            **{name: round(value, 3) for name, value in seconds.items()},
            **{
                stage: round(sum(one["seconds"] for one in found), 3)
                for stage, found in stages.items()
                if found
            },
            "lists": {name: one["seconds"] for name, one in lists.items()},
        },
        "lists": {name: one for name, one in needed.items() if one is not None},
        "peak_memory_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit),
        **_asked([*stages["extract"], *distinct.values()]),
    }


def _lists(identities: Identities, benchmark: str, store: Store) -> dict[str, Described]:
    """Return the manifest of each stored list; its files are not checked again."""
    inputs = {"benchmark": benchmark}
    found = {
        name: read_manifest(store.place("retrieve", one, inputs) / MANIFEST)
        for name, one in identities.items()
    }
    return {name: one for name, one in found.items() if one}


def _asked(made: Sequence[Described]) -> dict[str, object]:
    """Return ``model``, the requests of artifacts and their gates to models; empty if there are
    none.
    """
    whole = [one["facts"] for one in made]
    gates = [facts.get(name) or {} for facts in whole for name in ("gate", "seed_gate")]
    asked = [facts for facts in [*whole, *gates] if facts.keys() >= {"answers", "tokens", "cost"}]
    if not asked:
        return {}
    total = {
        "answers": sum(one["answers"] for one in asked),
        "tokens": {
            kind: sum(one["tokens"][kind] for one in asked) for kind in ("prompt", "completion")
        },
        "cost": round(sum(one["cost"] for one in asked), 6),
    }
    return {"model": total}


def made_by(
    identities: Identities, benchmark: str, store: Store
) -> dict[str, dict[str, dict[str, str]]]:
    """Return ``libraries`` and ``devices`` that made each list and its inputs, by stage.

    Several versions of one are joined by commas.
    """
    stored = _lists(identities, benchmark, store)
    found = {}
    for name in identities:
        made = stored.get(name)
        whole = (_way(made, store) or [made]) if made else []
        libraries = [pair for one in whole for pair in one.get("libraries", {}).items()]
        devices = [
            (one["stage"], str(one["facts"]["device"])) for one in whole if "device" in one["facts"]
        ]
        found[name] = {"libraries": _joined(libraries), "devices": _joined(devices)}
    return found


def _joined(pairs: Sequence[tuple[str, str]]) -> dict[str, str]:
    values: dict[str, set[str]] = {}
    for name, value in pairs:
        values.setdefault(name, set()).add(value)
    return {name: ", ".join(sorted(several)) for name, several in sorted(values.items())}


def needs(made: Described, store: Store, queries: int) -> dict[str, float] | None:
    """Return the costs of a list: ``index_seconds`` and ``index_mb`` (MiB) for a corpus,
    ``query_ms``.

    The index is everything that was made for the list except the vectors of questions: each
    artifact once, with its own seconds. A question's milliseconds are those of the list and of the
    vectors of questions, divided by the number of questions, which are answered together. None if
    an artifact was made before costs were recorded. If the list was also timed on single questions:
    ``alone_mean_ms``, ``alone_p50_ms`` and ``alone_p95_ms``, each with the mean of a question's
    vector.
    """
    whole = _way(made, store)
    if whole is None:
        return None
    asking = [
        one
        for one in whole
        if one["stage"] == "retrieve" or one["config"].get("role") == "question"
    ]
    index = [one for one in whole if one not in asking]
    held = sum(file["bytes"] for one in index for file in one["files"].values())
    vectors = sum(one["own_seconds"] for one in asking if one["stage"] != "retrieve")
    return {
        "index_seconds": round(sum(one["own_seconds"] for one in index), 3),
        "index_mb": round(held / (1 << 20), 1),
        "query_ms": round(1000 * sum(one["own_seconds"] for one in asking) / max(queries, 1), 3),
        **_alone(made, 1000 * vectors / max(queries, 1)),
    }


def _way(made: Described, store: Store) -> list[Described] | None:
    """Return an artifact and all its inputs; None if one does not record them, or is gone."""
    whole = {f"retrieve/{made['key']}": made}
    waiting = [made]
    while waiting:
        if (used := waiting.pop().get("used")) is None:
            return None
        for name in used:
            if name in whole:
                continue
            if (found := read_manifest(store.root / "artifacts" / name / MANIFEST)) is None:
                return None
            whole[name] = found
            waiting.append(found)
    return list(whole.values())


def _alone(made: Described, vector: float) -> dict[str, float]:
    """Return the milliseconds of questions that were timed alone, each with those of a vector."""
    if "alone_ms" not in made:
        return {}
    alone = np.array(made["alone_ms"] or [np.nan]) + vector
    found = {
        "mean": alone.mean(),
        **{f"p{share}": np.percentile(alone, share) for share in (50, 95)},
    }
    return {f"alone_{name}_ms": round(float(ms), 3) for name, ms in found.items()}
