"""A file of HotpotQA's published size, read, converted and stored, against the few lines of Python
that a user would write for it.
"""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.benchmarks.measure import Case

QUESTIONS, PASSAGES, CONTEXTS = 7405, 66_000, 10
WORDS = (
    "river",
    "town",
    "album",
    "singer",
    "born",
    "north",
    "county",
    "film",
    "band",
    "station",
    "war",
)
SYLLABLES = [first + second for first in "bcdfghjklmnprstvwz" for second in "aeiou"]


def write(path: Path, questions: int, passages: int) -> None:
    """Made-up questions in HotpotQA's form; all passages are in some context.

    A passage has four sentences. Each names the passage, another one and something that nothing
    else names, so that there are some five names a passage and few near-synonyms, as in the prepared
    2WikiMultiHopQA (5.7 names and 1.4 synonym edges a passage).
    """
    draw = random.Random(0)
    names = [_name(draw) for _ in range(passages)]
    every = [
        [name, [_sentence(draw, name, names[draw.randrange(passages)]) for _ in range(4)]]
        for name in names
    ]
    records = []
    for number in range(questions):
        first = number * CONTEXTS % passages
        context = [every[(first + place) % passages] for place in range(CONTEXTS)]
        gold = draw.sample(context, 2)
        records.append(
            {
                "_id": f"{number:024x}",
                "question": f"Which {draw.choice(WORDS)} lies near {gold[0][0]}?",
                "answer": gold[1][0],
                "type": "bridge",
                "level": "hard",
                "supporting_facts": [[title, 0] for title, _ in gold],
                "context": context,
            }
        )
    path.write_text(json.dumps(records))


def _name(draw: random.Random) -> str:
    """Return two capitalised words of three syllables."""
    word = ["".join(draw.choice(SYLLABLES) for _ in range(3)).title() for _ in range(2)]
    return " ".join(word)


def _sentence(draw: random.Random, name: str, other: str) -> str:
    words = " ".join(draw.choice(WORDS) for _ in range(12))
    return f" {name} is a {words} of {_name(draw)} near {other}."


def case(quick: bool) -> Case:
    questions, passages = (50, 300) if quick else (QUESTIONS, PASSAGES)
    folder = Path(tempfile.mkdtemp(prefix="official-"))
    path = folder / "hotpot_dev_distractor_v1.json"
    write(path, questions, passages)
    place = [f"dataset.path={path}", f"paths.runs={folder / 'runs'}", "dataset=hotpotqa_dev"]

    def ours() -> tuple[Any, ...]:
        shutil.rmtree(folder / "ours", ignore_errors=True)
        _run("data", *place, f"out={folder / 'ours'}")
        return _counts(folder / "ours")

    def theirs() -> tuple[Any, ...]:
        program = f"from tests.benchmarks.cases.official import convert; convert({str(folder)!r})"
        subprocess.run([sys.executable, "-c", program], check=True)
        return _counts(folder / "theirs")

    def facts() -> dict[str, Any]:
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
        shutil.rmtree(folder)
        return {"peak_gib": round(peak, 2)}

    return Case(
        work=f"{questions} questions, {passages} passages: read, converted and stored",
        peer="json.load, a dictionary of passages, json.dumps",
        ours=ours,
        theirs=theirs,
        check=_same,
        aim=0.1,
        facts=facts,
    )


def convert(folder: str) -> None:
    """Write corpus.jsonl and queries.jsonl without any check."""
    records = json.loads((Path(folder) / "hotpot_dev_distractor_v1.json").read_text())
    numbers: dict[tuple[str, str], int] = {}
    place = Path(folder) / "theirs"
    place.mkdir(exist_ok=True)
    with (place / "queries.jsonl").open("w") as stream:
        for record in records:
            found = {}
            for title, sentences in record["context"]:
                key = title, "".join(sentences)
                found[title] = numbers.setdefault(key, len(numbers))
            gold = [found[title] for title, _ in record["supporting_facts"]]
            stream.write(json.dumps({"id": record["_id"], "supporting_ids": gold}) + "\n")
    with (place / "corpus.jsonl").open("w") as stream:
        for (title, text), number in numbers.items():
            stream.write(json.dumps({"id": number, "title": title, "text": text}) + "\n")


def _run(*arguments: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "harness", *arguments],
        check=True,
        env={**os.environ, "HF_HUB_OFFLINE": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _counts(folder: Path) -> tuple[int, int]:
    """Passages and gold passages."""
    with (folder / "corpus.jsonl").open() as passages, (folder / "queries.jsonl").open() as asked:
        return sum(1 for _ in passages), sum(
            len(json.loads(row)["supporting_ids"]) for row in asked
        )


def _same(ours: Any, theirs: Any) -> str:
    if ours != theirs:
        raise AssertionError(f"{ours} and {theirs} passages and gold passages")
    return f"{ours[0]} passages and {ours[1]} gold passages in both"
