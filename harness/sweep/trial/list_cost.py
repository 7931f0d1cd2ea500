"""The cost of a sweep: seconds by stage, what each list needs, and peak memory."""

from __future__ import annotations

import resource
import sys
from collections import defaultdict
from collections.abc import Mapping

import numpy as np

from harness.core.artifact import MANIFEST, Described, read_manifest
from harness.sweep.trial.trial import Identities
from harness.work.store import Store


def cost(
    identities: Identities, benchmark: str, store: Store, seconds: Mapping[str, float], queries: int
) -> dict[str, object]:
    """Return ``seconds``, ``lists`` (see ``needs``) and ``peak_memory_mb`` of this process (MiB).

    ``seconds.lists`` is the time to make each list with all its inputs.

    Args:
        identities: of every list.
        benchmark: its SHA-256.
        store: the store of artifacts.
        seconds: measured by the sweep, by stage.
        queries: number of questions that a list answers.
    """
    lists = _lists(identities, benchmark, store)
    spent = {name: round(value, 3) for name, value in seconds.items()}
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10  # macOS counts bytes, Linux KiB
    return {
        "seconds": {
            **spent,
            "lists": {name: manifest["seconds"] for name, manifest in lists.items()},
        },
        "lists": {name: needs(manifest, store, queries) for name, manifest in lists.items()},
        "peak_memory_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit),
    }


def _lists(identities: Identities, benchmark: str, store: Store) -> dict[str, Described]:
    """Return the manifest of each stored list; its files are not checked again."""
    manifests = {}
    for name, identity in identities.items():
        place = store.place("retrieve", identity, {"benchmark": benchmark})
        if manifest := read_manifest(place / MANIFEST):
            manifests[name] = manifest
    return manifests


def made_by(
    identities: Identities, benchmark: str, store: Store
) -> dict[str, dict[str, dict[str, str]]]:
    """Return ``libraries`` and ``devices`` that made each list and its inputs, by stage.

    Several versions of one are joined by commas.
    """
    stored = _lists(identities, benchmark, store)
    makers = {}
    for name in identities:
        libraries, devices = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
        for artifact in _inputs(stored[name], store) if name in stored else ():
            for library, version in artifact.get("libraries", {}).items():
                libraries[library].add(version)
            if (device := artifact["facts"].get("device")) is not None:
                devices[artifact["stage"]].add(str(device))
        makers[name] = {"libraries": _joined(libraries), "devices": _joined(devices)}
    return makers


def _joined(values: Mapping[str, set[str]]) -> dict[str, str]:
    """Return each key's values as one text, all in order."""
    return {key: ", ".join(sorted(texts)) for key, texts in sorted(values.items())}


def needs(described: Described, store: Store, queries: int) -> dict[str, float]:
    """Return the costs of a list: ``index_seconds`` and ``index_mb`` (MiB) for a corpus,
    ``query_ms``.

    The index is everything that was made for the list except the vectors of questions: each
    artifact once, with its own seconds. A question's milliseconds are those of the list and of the
    vectors of questions, divided by the number of questions, which are answered together. If the
    list was also timed on single questions: ``alone_mean_ms``, ``alone_p50_ms`` and
    ``alone_p95_ms``, each with the mean of a question's vector.
    """
    for_questions: list[Described] = []
    index: list[Described] = []
    for artifact in _inputs(described, store):
        is_question_vector = artifact["config"].get("role") == "question"
        if artifact["stage"] == "retrieve" or is_question_vector:
            for_questions.append(artifact)
        else:
            index.append(artifact)
    size = sum(file["bytes"] for artifact in index for file in artifact["files"].values())
    vectors = sum(
        artifact["own_seconds"] for artifact in for_questions if artifact["stage"] != "retrieve"
    )
    costs = {
        "index_seconds": sum(artifact["own_seconds"] for artifact in index),
        "index_mb": round(size / (1 << 20), 1),
        "query_ms": 1000
        * sum(artifact["own_seconds"] for artifact in for_questions)
        / max(queries, 1),
    }
    if "alone_ms" in described:
        alone = np.array(described["alone_ms"] or [np.nan]) + 1000 * vectors / max(queries, 1)
        costs["alone_mean_ms"] = alone.mean()
        costs["alone_p50_ms"], costs["alone_p95_ms"] = np.percentile(alone, [50, 95])
    return {name: round(float(value), 3) for name, value in costs.items()}


def _inputs(artifact: Described, store: Store) -> list[Described]:
    """Return an artifact and all its stored inputs."""
    whole = {f"retrieve/{artifact['key']}": artifact}
    waiting = [artifact]
    while waiting:
        for name in waiting.pop().get("used", ()):
            if name in whole:
                continue
            if manifest := read_manifest(store.root / "artifacts" / name / MANIFEST):
                whole[name] = manifest
                waiting.append(manifest)
    return list(whole.values())
