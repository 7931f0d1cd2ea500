"""What a device setting means, where there is no GPU and where there seems to be one."""

import pytest
import torch

from harness.core import device
from harness.core.device import check_device, gpus, resolve_device
from harness.core.errors import HarnessError


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    device._why_no_gpu.cache_clear()
    device._warn_once.cache_clear()
    device._log_gpu_choice.cache_clear()
    monkeypatch.setattr(device, "CARDS", device.Path("/nowhere"))


@pytest.fixture
def no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.version, "cuda", None)


@pytest.mark.parametrize("name", ["gpu", "mps", "cuda:x", "cuda:", "", None, 0, "CUDA"])
def test_a_name_that_is_none(name: object) -> None:
    with pytest.raises(HarnessError, match="cuda:0"):
        check_device("device", name)


@pytest.mark.usefixtures("no_gpu")
def test_without_a_gpu() -> None:
    assert resolve_device("auto") == "cpu"
    assert resolve_device("cpu") == "cpu"
    assert gpus() == []
    for name in ("cuda", "cuda:1"):
        with pytest.raises(
            HarnessError, match=rf"encoder.device={name}.*GPU.*use encoder.device=auto"
        ):
            resolve_device(name, "encoder.device")


def made_up(monkeypatch: pytest.MonkeyPatch, works: bool, count: int = 2) -> None:
    class Card:
        def add(self, value: int) -> "Card":
            return self

        def cpu(self) -> None:
            if not works:
                raise RuntimeError(
                    "CUDA error: no kernel image is available for execution\non the device"
                )

    monkeypatch.setattr(torch.version, "cuda", "13.0")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: count)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "Made-up 100")
    monkeypatch.setattr(torch, "ones", lambda *_, **__: Card())


def test_of_two_cards_it_is_said_that_fusion_takes_one(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    made_up(monkeypatch, works=True)
    assert [resolve_device("auto", key) for key in ("device", "device", "encoder.device")] == [
        "cuda"
    ] * 3
    assert [message for message in caplog.messages if "one of 2 GPUs" in message] == caplog.messages
    assert len(caplog.messages) == 1


def test_two_made_up_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    made_up(monkeypatch, works=True)
    assert resolve_device("auto") == "cuda"
    assert resolve_device("cuda:1") == "cuda:1"
    assert gpus() == ["cuda:0", "cuda:1"]
    with pytest.raises(HarnessError, match=r"device=cuda:2:.*2 GPUs.*cuda:0.*cuda:1"):
        resolve_device("cuda:2")


def test_a_gpu_that_does_not_work_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    made_up(monkeypatch, works=False)
    with pytest.raises(HarnessError, match=r"100.*CUDA_VISIBLE") as found:
        resolve_device("auto")
    assert "\n" not in str(found.value)


def test_a_card_that_torch_cannot_use_is_said_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: device.Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "0000:01:00.0").mkdir()
    monkeypatch.setattr(device, "CARDS", tmp_path)
    monkeypatch.setattr(torch.version, "cuda", None)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert [resolve_device("auto"), resolve_device("auto")] == ["cpu", "cpu"]
    assert [record.message for record in caplog.records] == [
        "device=auto: this machine has an NVIDIA GPU that torch cannot use "
        f"(torch {torch.__version__} is built without CUDA); taking the CPU"
    ]
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    caplog.clear()
    device._warn_once.cache_clear()
    assert resolve_device("auto") == "cpu"
    assert not caplog.records
