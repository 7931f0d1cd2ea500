"""The content of a benchmark, however its passages and questions are numbered or packed."""

from __future__ import annotations

import hashlib

from harness.benchmark.benchmark import Benchmark
from harness.core.identity import texts_sha256


def content_sha256(benchmark: Benchmark) -> str:
    """Return the SHA-256 (hex) of the content of a benchmark.

    It is that of the sorted hashes of all passages (title, text) and all questions (id, question,
    gold passages in hop order). Runs of white space count as one space. Ids of passages, their
    order, answers, types and further fields do not count.
    """
    table = benchmark.passages
    passages = [
        _hash(title or "", text)
        for title, text in zip(table.titles.to_pylist(), table.texts.to_pylist(), strict=True)
    ]
    names, gold = benchmark.query_ids.to_pylist(), benchmark.gold.tolist()
    questions = []
    for name, question, numbers in zip(names, benchmark.questions, gold, strict=True):
        hashes = [passages[number].hex() for number in numbers if number >= 0]
        questions.append(_hash(name, question, *hashes))
    whole = hashlib.sha256(f"{len(passages)} {len(questions)}".encode())
    for part in (*sorted(passages), *sorted(questions)):
        whole.update(part)
    return whole.hexdigest()


def spaced(text: str) -> str:
    """Return a text with single spaces."""
    return " ".join(text.split())


def _hash(*texts: str) -> bytes:
    return bytes.fromhex(texts_sha256(map(spaced, texts)))
