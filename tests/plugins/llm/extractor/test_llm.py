"""The extractor `llm`: the path, every fault of an endpoint, and a real model on 127.0.0.1."""

import json
import re
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.core.configuration.extensions import folders
from harness.core.errors import HarnessError
from harness.core.identity import identity
from harness.graph.extractor import Extraction, artifact
from harness.graph.extractor.offline import Offline
from harness.plugins.llm.endpoint.conversation import MALFORMED
from harness.plugins.llm.extractor.llm import LLM, message_of
from harness.work.store import Store
from tests.plugins.llm.endpoint.model import smollm2
from tests.plugins.llm.endpoint.scripted import local, served

TITLES = Offline(model=None, spans=False)
WORLD = {
    "Dune (film)": "Dune was filmed by David Lynch.",
    "David Lynch": "David Lynch grew up in Missoula.",
    "Missoula": "Missoula lies on the Clark Fork.",
}
GRAPH = [
    ("dune", "filmed by", "david lynch"),
    ("david lynch", "grew up in", "missoula"),
    ("missoula", "lies on", "clark fork"),
]


def good(number: int, message: str) -> str:
    """What a perfect model would say."""
    passage = message.partition("Passage:\n")[2]
    if "Entities:" not in message:
        names = [name for name in ("Dune", "David Lynch", "Missoula") if name in passage]
        return json.dumps({"entities": names})
    found = re.search(r"\n(.*?) (?:was )?(filmed by|grew up in|lies on) (?:the )?(.*?)\.", passage)
    assert found is not None
    triple = dict(zip(("subject", "predicate", "object"), found.groups(), strict=True))
    return json.dumps({"triples": [triple]})


def extractor(url: str, folder: Path, **more: Any) -> LLM:
    return LLM(base=TITLES, **local(url, folder, timeout=2, **more))


def triples(extraction: Extraction) -> list[tuple[str, str, str]]:
    found = extraction.triples
    rows = zip(found.subject, found.predicate, found.object, strict=True)
    return [(extraction.names[s], found.predicates[p], extraction.names[o]) for s, p, o in rows]


def test_entities_then_triples(titled: Any, tmp_path: Path) -> None:
    with served(good) as endpoint:
        llm = extractor(endpoint.url, tmp_path)
        made = artifact(llm, titled(WORLD, []), Store(tmp_path))
    assert triples(Extraction.load(made.path)) == GRAPH
    assert len(endpoint.requests) == 6
    asked = {body["messages"][0]["content"]: body for body in endpoint.requests}
    first = next(body for message, body in asked.items() if "Entities:" not in message)
    sent = [first[key] for key in ("model", "temperature", "seed", "max_tokens")]
    assert sent == ["tiny/model", 0, 0, 2048]
    assert first["response_format"]["json_schema"]["schema"]["required"] == ["entities"]
    assert any("- Dune\n- David Lynch\n" in message for message in asked)
    wanted = {
        "answers": 6,
        "answers_paid": 6,
        "tokens": {"prompt": 600, "completion": 60},
        "malformed": {"invalid": 0, "cut": 0, "refused": 0},
        "triples": 3,
        "self_loops": 0,
    }
    assert {name: made.facts[name] for name in wanted} == wanted
    assert (made.path / MALFORMED).read_text() == ""


def test_answers_are_kept_by_model_prompt_and_passage(titled: Any, tmp_path: Path) -> None:
    """Another corpus with the same passages, another base pays nothing; another model or prompt
    does.
    """
    with served(good) as endpoint:
        llm = extractor(endpoint.url, tmp_path)
        artifact(llm, titled(WORLD, []), Store(tmp_path / "one"))
        more = titled({**WORLD, "More": "More lies on Less."}, [])
        again = artifact(llm, more, Store(tmp_path / "two"))
        assert (again.facts["answers"], again.facts["answers_paid"]) == (8, 2)
        assert again.facts["tokens_paid"] == {"prompt": 200, "completion": 20}
        other = replace(llm, base=Offline(model=None))
        artifact(other, titled(WORLD, []), Store(tmp_path / "three"))
        assert len(endpoint.requests) == 8
        artifact(replace(llm, model="other"), titled(WORLD, []), Store(tmp_path / "four"))
        assert len(endpoint.requests) == 14
        own = tmp_path / "own.txt"
        own.write_text("Name them.\nPassage:\n{passage}")
        mine = replace(llm, entities=str(own))
        assert identity(mine) != identity(llm)
        artifact(mine, titled(WORLD, []), Store(tmp_path / "five"))
        assert len(endpoint.requests) == 17, "the triples are asked of the same messages as before"


@pytest.mark.parametrize(
    "fault",
    [
        ("status", 429),
        ("status", 503),
        ("half", None),
        ("garbage", b"<html>"),
        ("garbage", b'{"choices": []}'),
        ("hang", 2.5),
    ],
    ids=["429", "503", "half", "html", "nothing", "time-out"],
)
def test_what_goes_better_the_next_time_is_asked_again(
    titled: Any, tmp_path: Path, fault: Any
) -> None:
    play = lambda number, message: fault if number == 2 else good(number, message)  # noqa: E731
    with served(play) as endpoint:
        made = artifact(extractor(endpoint.url, tmp_path), titled(WORLD, []), Store(tmp_path))
    assert triples(Extraction.load(made.path)) == GRAPH
    assert (len(endpoint.requests), made.facts["answers_paid"]) == (7, 6)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("I am sorry", "invalid"),
        ('{"triples": 3}', "invalid"),
        ('{"triples": [{"subject": "a"', "invalid"),
        (("cut", '{"triples": [{"subject": "a"'), "cut"),
        (("status", 400), "refused"),
    ],
)
def test_malformed_answers_are_counted_and_listed(
    titled: Any, tmp_path: Path, answer: Any, why: str
) -> None:
    def play(number: int, message: str) -> Any:
        return answer if "Entities:" in message and "Clark" in message else good(number, message)

    with served(play) as endpoint:
        made = artifact(extractor(endpoint.url, tmp_path), titled(WORLD, []), Store(tmp_path))
    assert triples(Extraction.load(made.path)) == GRAPH[:2]
    assert made.facts["malformed"] == {"invalid": 0, "cut": 0, "refused": 0, why: 1}
    (row,) = [json.loads(line) for line in (made.path / MALFORMED).read_text().splitlines()]
    assert (row["passage"], row["stage"], row["why"]) == ("d002", "triples", why)
    assert row["answer"] == ("" if why == "refused" else answer[1] if why == "cut" else answer)


def test_wrong_items_of_a_right_answer_are_counted(titled: Any, tmp_path: Path) -> None:
    def play(number: int, message: str) -> str:
        if "Entities:" not in message:
            return 'Here you are:\n```json\n{"entities": ["Dune", 3, " "]}\n```'
        short, empty = {"subject": "Dune", "object": "x"}, {**TRIPLE, "object": "!"}
        return json.dumps({"triples": [short, ["a", "b", "c"], empty]})

    with served(play) as endpoint:
        made = artifact(extractor(endpoint.url, tmp_path), titled(WORLD, []), Store(tmp_path))
    assert set(triples(Extraction.load(made.path))) == {("a", "b", "c")}
    counts = ("not_entities", "not_triples", "empty_names")
    assert [made.facts[name] for name in counts] == [3, 3, 6]


TRIPLE = {"subject": "a", "predicate": "b", "object": "c"}


def test_a_model_that_never_answers_as_asked_builds_nothing(titled: Any, tmp_path: Path) -> None:
    with (
        served(lambda number, message: "no") as endpoint,
        pytest.raises(HarnessError, match=r"3 of 3.*d000"),
    ):
        artifact(extractor(endpoint.url, tmp_path), titled(WORLD, []), Store(tmp_path))


def test_concurrency_is_limited(titled: Any, tmp_path: Path) -> None:
    import time

    now, most, lock = [0], [0], threading.Lock()

    def play(number: int, message: str) -> str:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.02)
        with lock:
            now[0] -= 1
        return good(number, message)

    with served(play) as endpoint:
        world = titled({f"T{n}": f"T{n} lies on U{n}." for n in range(12)}, [])
        artifact(extractor(endpoint.url, tmp_path, parallel=3), world, Store(tmp_path))
    assert most[0] <= 3


@pytest.mark.parametrize("status", [401, 404])
def test_what_the_user_can_mend(titled: Any, tmp_path: Path, status: int) -> None:
    with (
        served(lambda number, message: ("status", status)) as endpoint,
        pytest.raises(HarnessError, match=rf"extractor\.base_url={endpoint.url}: {status}"),
    ):
        artifact(extractor(endpoint.url, tmp_path), titled(WORLD, []), Store(tmp_path))


def test_prompts(tmp_path: Path) -> None:
    text = "{entities} | {passage} | end"
    filled = message_of(text, "a {entities} {passage}", ["x", "y"])
    assert filled == "- x\n- y | a {entities} {passage} | end"
    assert message_of(text, "a") == "(none were found) | a | end"
    with pytest.raises(HarnessError, match=r"extractor\.triples=tripels:.*triples"):
        extractor("http://127.0.0.1:9/v1", tmp_path, triples="tripels").content()
    assert any((folder / "extractor/prompts/entities.txt").is_file() for folder in folders())


@pytest.mark.slow
def test_a_real_model(titled: Any, tmp_path: Path) -> None:
    """What SmolLM2-135M finds is poor, the path is what is proved."""
    with smollm2() as url:
        tiny = {"model": "smollm2-135m", "parallel": 1, "max_tokens": 256}
        llm = LLM(base=TITLES, timeout=900, **local(url, tmp_path, **tiny))
        world = {"David Lynch": WORLD["David Lynch"]}
        made = artifact(llm, titled(world, []), Store(tmp_path))
        assert made.facts["answers_paid"] == 2
        assert made.facts["tokens"]["prompt"] > 200
        assert made.facts["openie_entities"] > 0
        again = artifact(llm, titled(world, ["Who?"]), Store(tmp_path))
        assert (again.facts["answers"], again.facts["answers_paid"]) == (2, 0)


def test_an_estimate_before_anything_is_asked(tmp_path: Path) -> None:
    """Worked by hand: of 8 and 12 letters beside the passages' 4 and 20; 4 letters a token, answers
    of at most 10.
    """
    one, two = tmp_path / "one.txt", tmp_path / "two.txt"
    one.write_text("8 lett: {passage}")
    two.write_text("{passage}{entities}")
    llm = extractor(
        "http://127.0.0.1:9/v1", tmp_path, entities=str(one), triples=str(two), max_tokens=10
    )
    nobody = len("(none were found)")
    letters = (8 + 4) + (8 + 20) + (4 + nobody) + (20 + nobody)
    asked = -(-letters // 4) + 2 * 10
    text = llm.asked(["four", "twenty letters are it"[:20]], [])
    assert text == f"tiny/model: 4 calls, {asked} tokens asked and 40 answered at most"
