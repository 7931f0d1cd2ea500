"""Named entities of a spaCy pipeline, with only the pipes that its recogniser needs."""

from __future__ import annotations

import functools
import importlib
import importlib.util
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from harness.core.arrays import Int32Array
from harness.core.errors import HarnessError
from harness.graph.extractor.recognition.transition import Transitions

LABELS = (
    "EVENT",
    "FAC",
    "GPE",
    "LANGUAGE",
    "LAW",
    "LOC",
    "NORP",
    "ORG",
    "PERSON",
    "PRODUCT",
    "WORK_OF_ART",
)
"""Labels of the entities that are kept. Numbers, dates and amounts name nothing."""


@functools.lru_cache(maxsize=1)
def pipeline(model: str) -> Any:
    """Return the model of an installed package or a folder, reduced to its recogniser.

    A package has a function ``load()``, as spaCy's models do.
    """
    import spacy

    try:
        nlp = importlib.import_module(model).load() if model.isidentifier() else spacy.load(model)
        if "ner" not in nlp.pipe_names:
            raise OSError(f"it has no entity recogniser, only {', '.join(nlp.pipe_names)}")
    except (ImportError, OSError) as error:
        raise HarnessError(
            f"extractor.model={model} cannot be loaded ({str(error).splitlines()[0]}); "
            f"install it (pip install {model.replace('_', '-')}) or set extractor.model=null for "
            "no recogniser"
        ) from error
    for name in {*nlp.pipe_names} - {"ner"} - _feeds(nlp):
        nlp.disable_pipe(name)
    return nlp


def _feeds(nlp: Any) -> set[str]:
    """Return the pipes whose vectors the recogniser uses."""
    layers = nlp.get_pipe("ner").model.walk()
    listening = {node.upstream_name for node in layers if hasattr(node, "upstream_name")}
    if "*" not in listening:
        return listening
    return {pipe for pipe in nlp.pipe_names if hasattr(nlp.get_pipe(pipe), "listening_components")}


def needless(model: str) -> tuple[str, ...]:
    """Return libraries that spaCy would import but a model does not need: torch, if no layer uses
    it.

    thinc imports torch if it is installed, which takes most of the time of importing spaCy. A layer
    of torch has "torch" or "transformer" in the name of its architecture in config.cfg.
    """
    installed = importlib.util.find_spec(model) if model.isidentifier() else None
    folder = Path(installed.origin).parent if installed and installed.origin else Path(model)
    texts = [path.read_text(encoding="utf-8").lower() for path in folder.rglob("config.cfg")]
    used = any("torch" in text or "transformer" in text for text in texts)
    return ("torch",) if texts and not used else ()


@functools.lru_cache(maxsize=1)
def _transitions(model: str) -> Transitions | None:
    return Transitions.of(pipeline(model))


class Recogniser:
    """A finder of named entities. Its pipeline is loaded once in each process."""

    def __init__(self, model: str) -> None:
        self.model = model
        list(entities(model, ["A first text, in Paris."], 1))

    def find(self, job: tuple[Sequence[str], bool]) -> list[Int32Array]:
        """Return int32[M_i, 3] for each text: first character, the one after the last, whether the
        label is kept.

        Args:
            job: the texts, and whether the result for a text must not depend on the others.
        """
        texts, alone = job
        batch = 1 if alone else max(1, len(texts))
        entity_places = entities(self.model, texts, batch)
        return [np.array(places, dtype=np.int32).reshape(-1, 3) for places in entity_places]


def entities(model: str, texts: Sequence[str], batch: int) -> Iterator[list[tuple[int, int, int]]]:
    """Yield the entities of each text: first character, character after the last, and 1 if the
    label is kept.

    A leading article and a trailing ``'s`` are left out.

    Args:
        model: the spaCy model.
        texts: the texts.
        batch: number of texts that spaCy computes together, which may change the last bits of a
            score. ``Transitions`` computes all together and leaves close choices to spaCy, one text
            at a time.
    """
    from threadpoolctl import threadpool_limits

    nlp, fast = pipeline(model), _transitions(model)
    longest = max(map(len, texts), default=0)
    nlp.max_length = max(nlp.max_length, longest + 1)
    if fast is None:
        for document in nlp.pipe(texts, batch_size=batch):
            yield _places(document)
        return
    documents = [nlp.make_doc(text) for text in texts]
    with threadpool_limits(1):
        predicted = fast(documents)
    for document, spans in zip(documents, predicted, strict=True):
        if spans is None:
            (document,) = nlp.pipe([document])
        yield _places(document, spans)


def _places(
    document: Any, spans: Iterable[tuple[int, int, str]] | None = None
) -> list[tuple[int, int, int]]:
    places = []
    if spans is None:
        spans = [(span.start, span.end, span.label_) for span in document.ents]
    for first, after, label in spans:
        tokens = list(document[first:after])
        while tokens and (tokens[0].is_punct or tokens[0].lower_ in ("the", "a", "an")):
            del tokens[0]
        while tokens and (tokens[-1].is_punct or tokens[-1].lower_ in ("'s", "’s", "'")):
            del tokens[-1]
        if tokens:
            end = tokens[-1].idx + len(tokens[-1])
            places.append((tokens[0].idx, end, int(label in LABELS)))
    return places
