"""Small changes of a question that keep its meaning: other words, or another form of a name."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Mapping, Sequence

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
    """Return the question after an opening, with a synonym of a common word that is not part of a
    name.

    Args:
        question: the text.
        mentions: the names in it.
        draw: source of random numbers.
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
    """Return the question with one name in another form, or None if no name has one.

    A bracketed tail or a leading article is left out; the middle words of three or more become
    initials (``George J. Rankin``), and the first of two does (``G. Rankin``).
    """
    form_of = {name: _form(name) for name in mentions}
    forms = [(name, form) for name, form in form_of.items() if form != name]
    if not forms:
        return None
    name, form = draw.choice(forms)
    return question.replace(name, form, 1)


KINDS: Mapping[str, Callable[[str, Sequence[str], random.Random], str | None]] = {
    "paraphrase": paraphrase,
    "alias": alias,
}


def perturb(
    benchmark: Benchmark, mentions: Mentions, members: Sequence[int], seed: int
) -> Benchmark:
    """Return the benchmark with its ``members`` (query numbers), each followed by its
    perturbations.

    Ids are ``ID``, ``ID#paraphrase`` and ``ID#alias``. Draws are seeded by ``seed``, the id and the
    kind, so a perturbation does not depend on other questions. Gold, answers and the rest are those
    of the question.
    """
    from datasets import Dataset

    rows, taken = [], []
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
                taken.append(number)
    sha256 = texts_sha256(
        [benchmark.sha256, json.dumps([[row["id"], row["question"]] for row in rows])]
    )
    return Benchmark(
        f"{benchmark.name}-perturbed",
        benchmark.corpus,
        Dataset.from_list(rows),
        benchmark.gold[taken],
        benchmark.chain[taken],
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
