"""``unlinked``: where a text names another passage's title, a description of what that is stands in its place."""

from __future__ import annotations

import re

from harness.benchmark.text import Gazetteer, normal, sentences, words
from harness.benchmark.twin.content import Changes, Content

_IS = re.compile(r"\b(?:is|was|are|were) (?:an?|the|one of the) ([^,.;:()]+)")
_REST = re.compile(
    r"\s+(?:who|which|that|whose|where|of|in|on|at|by|from|for|with|and|born|located|directed|released|based|known|written"
    r"|made)\b.*"
)
LONGEST = 4
"""Words of a description, its last ones."""
NOTHING = "this"


def unlink(content: Content, seed: int) -> tuple[Content, Changes]:
    """Each place of a text that names the title of another passage holds ``the`` and what that passage says it is.

    A title is named where its words, without what stands in brackets, follow one another and begin with no small
    letter (of titles that overlap the first, then the longest). What it is: the words after ``is a`` in its passage's
    first sentence, up to the first preposition or comma, the last ``LONGEST`` of them (``the American film director``);
    ``this`` where that sentence has none. Nothing is drawn by the seed.
    """
    names: dict[str, int] = {}
    for place, row in enumerate(content.corpus):
        names.setdefault(normal(row["title"]), place)
    names.pop("", None)
    gazetteer, owners = Gazetteer(list(names)), list(names.values())
    kinds = [_kind(content.corpus[place]["text"]) for place in owners]
    corpus, named, without, changed = [], 0, 0, 0
    for row in content.corpus:
        text, own = row["text"], normal(row["title"])
        at, made, last = words(text), [], 0
        for number, first, after in gazetteer.find(at):
            if gazetteer.names[number] == own or text[at.start[first]].islower():
                continue
            made += [text[last : at.start[first]], kinds[number]]
            last = at.end[after - 1]
            named += 1
            without += kinds[number] == NOTHING
        corpus.append({**row, "text": "".join([*made, text[last:]])})
        changed += bool(made)
    return Content(corpus, content.queries), {
        "titles": len(names),
        "places where a text named another passage's title": named,
        "of them described by `this` alone": without,
        "passages with another text": changed,
    }


def _kind(text: str) -> str:
    found = _IS.search(sentences(text)[0])
    if found is None:
        return NOTHING
    said = _REST.sub("", found[1]).split()
    return " ".join(["the", *said[-LONGEST:]]) if said else NOTHING
