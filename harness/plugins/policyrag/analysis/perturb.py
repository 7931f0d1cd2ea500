"""Small changes of a question that leave what it asks: another wording, or another form of a name
in it.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from harness.benchmark import Benchmark
from harness.core.identity import texts_sha256
from harness.graph.extractor import Mentions

OPENINGS = ("Tell me, {}", "Do you know {}", "I would like to know {}", "Please answer: {}")
WORDINGS = (
    (r"\bfilm\b", "movie"),
    (r"\bmovie\b", "film"),
    (r"\bcountry\b", "nation"),
    (r"\bdied\b", "passed away"),
    (r"\bbirthplace\b", "place of birth"),
    (r"\bplace of birth\b", "birthplace"),
    (r"\bplace of death\b", "place where the death occurred"),
    (r"\bcompany\b", "firm"),
    (r"\blocated\b", "situated"),
    (r"\bbegan\b", "started"),
    (r"\bstarted\b", "began"),
    (r"\bwrote\b", "authored"),
    (r"\bspouse\b", "husband or wife"),
    (r"\bchild\b", "son or daughter"),
    (r"\boccupation\b", "profession"),
)


def paraphrase(question: str, mentions: Sequence[str], draw: random.Random) -> str | None:
    """The question behind an opening, with synonyms of common words where none is part of a name.

    mentions: the names in it, as they stand.
    """
    opening = draw.choice(OPENINGS)
    first = question.partition(" ")[0]
    named = any(question.startswith(name) for name in mentions)
    text = question if named or first.isupper() else question[:1].lower() + question[1:]
    for pattern, other in WORDINGS:
        if re.search(pattern, text) and not any(
            re.search(pattern, name, re.I) for name in mentions
        ):
            text = re.sub(pattern, other, text, count=1)
            break
    return opening.format(text)


def alias(question: str, mentions: Sequence[str], draw: random.Random) -> str | None:
    """The question with one name in another form; None where no name has one.

    A bracketed tail or a leading article is left out; of three words and more the middle ones
    become initials (``George J. Rankin``); of two the first does (``G. Rankin``).
    """
    forms = [(name, other) for name in dict.fromkeys(mentions) if (other := _form(name)) != name]
    if not forms:
        return None
    name, other = draw.choice(forms)
    return question.replace(name, other, 1)


KINDS: Mapping[str, Callable[[str, Sequence[str], random.Random], str | None]] = {
    "paraphrase": paraphrase,
    "alias": alias,
}


def perturb(
    benchmark: Benchmark, mentions: Mentions, members: Sequence[int], seed: int
) -> Benchmark:
    """The benchmark with its ``members`` alone (query numbers), each followed by what ``KINDS``
    make of it.

    Ids are ``ID``, ``ID#paraphrase``, ``ID#alias``; what draws is seeded by ``seed``, the id and
    the kind, so that a question's perturbation does not depend on the others. Gold, answers and the
    rest are the question's own.
    """
    from datasets import Dataset

    rows, gold, chain = [], [], []
    for number in members:
        row = dict(benchmark.queries[int(number)])
        part = slice(mentions.indptr[number], mentions.indptr[number + 1])
        text = row["question"].encode()
        places = zip(mentions.start[part].tolist(), mentions.end[part].tolist(), strict=True)
        names = [text[start:end].decode() for start, end in places if start >= 0]
        variants = {
            "": row["question"],
            **{
                f"#{kind}": change(
                    row["question"], names, random.Random(f"{seed} {row['id']} {kind}")
                )
                for kind, change in KINDS.items()
            },
        }
        for suffix, question in variants.items():
            if question is not None and (not suffix or question != row["question"]):
                rows.append({**row, "id": f"{row['id']}{suffix}", "question": question})
                gold.append(benchmark.gold[number])
                chain.append(benchmark.chain[number])
    sha256 = texts_sha256(
        [benchmark.sha256, json.dumps([[row["id"], row["question"]] for row in rows])]
    )
    return Benchmark(
        f"{benchmark.name}-perturbed",
        benchmark.corpus,
        Dataset.from_list(rows),
        np.array(gold, dtype=np.int32).reshape(len(rows), -1),
        np.array(chain, dtype=np.bool_),
        sha256,
    )


def _form(name: str) -> str:
    short = re.sub(r"\s*\([^()]*\)$|^(?:The|A|An) (?=\w)", "", name)
    if short != name:
        return short
    parts = name.split(" ")
    if len(parts) == 2:
        return f"{parts[0][:1]}. {parts[1]}"
    middle = [f"{part[:1]}." if part[:1].isupper() else part for part in parts[1:-1]]
    return " ".join([parts[0], *middle, parts[-1]]) if len(parts) > 2 else name
