"""``unlinked``: where a text names another passage's title, a description of what that is stands in its place."""

from __future__ import annotations

import re

from harness.benchmark.text import Gazetteer, Words, normal, opens_sentence, sentences, words
from harness.plugins.twins.twin.content import Changes, Content

_IS = re.compile(r"\b(?:is|was|are|were) (?:an?|the|one of the) ((?:\b[A-Z]\.|[^,.;:()])+)")
_REST = re.compile(
    r"\s+(?:\w*[^\We]ed\s+)?(?:who|which|that|whose|where|of|in|on|at|by|from|for|with|and|born|located|directed|released"
    r"|based|known|written|made)\b.*"
)
_ARTICLE = re.compile(r"\b[Tt]he\s+$")
_JOINED = re.compile(r"[ \u00a0\-–'’.&]{1,2}")
LONGEST = 4
"""Words of a description, its last ones."""
NOTHING = "this"


def unlink(content: Content, seed: int) -> tuple[Content, Changes]:
    """Each place of a text that names the title of another passage holds ``the`` and what that passage says it is.

    A title is named where its words, without what stands in brackets, follow one another and begin with no small
    letter (of titles that overlap the first, then the longest); no number is a name, and no single word in a run of
    words with capitals (``Comedy`` in ``Comedy Central``). What it is: the words after ``is a`` in its passage's first
    sentence, up to the first preposition or comma, the last ``LONGEST`` of them (``the American film director``);
    ``this`` where that sentence has none. A ``the`` before the name goes with it. Nothing is drawn by the seed.
    """
    names = _titles(content)
    gazetteer, owners = Gazetteer(list(names)), list(names.values())
    kinds = [_kind(content.corpus[place]["text"]) for place in owners]
    corpus, named, within, without, changed = [], 0, 0, 0, 0
    for row in content.corpus:
        text, own = row["text"], normal(row["title"])
        at, made, last = words(text), [], 0
        for number, first, after in gazetteer.find(at):
            if gazetteer.names[number] == own or text[at.start[first]].islower():
                continue
            if after - first == 1 and _is_part(text, at, first):
                within += 1
                continue
            before = _ARTICLE.sub("", text[last : at.start[first]])
            made += [before, kinds[number]]
            last = at.end[after - 1]
            named += 1
            without += kinds[number] == NOTHING
        corpus.append({**row, "text": "".join([*made, text[last:]])})
        changed += bool(made)
    return Content(corpus, content.queries), {
        "titles": len(names),
        "places where a text named another passage's title": named,
        "of them described by `this` alone": without,
        "titles of one word left, being part of a longer name": within,
        "passages with another text": changed,
    }


def _titles(content: Content) -> dict[str, int]:
    """The first passage of each title that is a name."""
    names: dict[str, int] = {}
    for place, row in enumerate(content.corpus):
        names.setdefault(normal(row["title"]), place)
    return {name: place for name, place in names.items() if name and not name.isdigit()}


def _is_part(text: str, at: Words, number: int) -> bool:
    """Whether a word with a capital stands right before it, but for one that opens a sentence, or right after it."""
    return _goes_on(text, at, number) or (
        _goes_on(text, at, number - 1)
        and text[at.start[number - 1]].isupper()
        and not opens_sentence(text, at, number - 1)
    )


def _goes_on(text: str, at: Words, number: int) -> bool:
    """Whether only a blank, a hyphen or the stop of an initial parts a word from the next, which has a capital."""
    if not 0 <= number < len(at.texts) - 1:
        return False
    gap = text[at.end[number] : at.start[number + 1]]
    initial = at.end[number] - at.start[number] == 1
    return text[at.start[number + 1]].isupper() and _JOINED.fullmatch(gap) is not None and ("." not in gap or initial)


def _kind(text: str) -> str:
    found = _IS.search(sentences(text)[0])
    if found is None:
        return NOTHING
    said = _REST.sub("", found[1]).split()
    return " ".join(["the", *said[-LONGEST:]]) if said else NOTHING
