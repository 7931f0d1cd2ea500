"""Chromium without a window, driven through its DevTools pipe: pages are opened, clicked and
photographed.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any

CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-sync",
    "--disable-component-update",
    "--no-first-run",
    "--remote-debugging-pipe",
)
COMPLAINTS = ("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled")


class Browser:
    """One tab. ``complaints``: every exception, and all that was written to the console, of the
    pages so far.
    """

    def __init__(self, folder: Path) -> None:
        self.complaints: list[str] = []
        self._count, self._left = 0, b""
        theirs, self._out = os.pipe()
        self._in, ours = os.pipe()

        def pipes() -> None:  # 3 and 4 are the numbers that Chromium expects
            one, other = os.dup(theirs), os.dup(ours)
            os.dup2(one, 3)
            os.dup2(other, 4)

        line = [str(CHROMIUM), *OPTIONS, f"--user-data-dir={folder}", "about:blank"]
        self._process = subprocess.Popen(
            line,
            preexec_fn=pipes,
            close_fds=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs)
        os.close(ours)
        self._session: str | None = None
        target = self._send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._send("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Log"):
            self._send(f"{domain}.enable")
        self.show()

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._out)
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._in)

    def show(
        self, width: int = 1280, height: int = 900, dark: bool = False, media: str = ""
    ) -> None:
        """How wide the window is, whether the reader wants dark colours, and ``print`` for
        paper.
        """
        self._send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._send("Emulation.setEmulatedMedia", media=media, features=[scheme])

    def open(self, url: str) -> None:
        """Open a page as a new reader would, without what an earlier one has loaded."""
        self._send("Page.navigate", url="about:blank")
        self._send("Page.navigate", url=url)

    def wait(self, condition: str, seconds: float = 30) -> None:
        """Until a JavaScript expression is true; what is asked while one page takes another's place
        is asked again.
        """
        end = time.monotonic() + seconds
        while not self._is_true(condition):
            assert time.monotonic() < end, (
                f"never true: {condition}\n{self.text()}\n{self.complaints}"
            )
            time.sleep(0.02)

    def _is_true(self, condition: str) -> bool:
        try:
            return bool(self.evaluate(f"!!({condition})"))
        except AssertionError as error:
            if "navigated" not in str(error):
                raise
            return False

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression, or of its promise."""
        found = self._send(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def click(self, selector: str, text: str = "") -> None:
        """Choose the first element that the selector finds and that has the text, where the reader
        would click.
        """
        wanted = json.dumps(selector), json.dumps(text)
        found = "[...document.querySelectorAll({})].find(e => e.textContent.includes({}))".format(
            *wanted
        )
        self.wait(f"{found} !== undefined")
        place = self.evaluate(
            f"(e => {{ e.scrollIntoView({{block: 'center', inline: 'center'}}); const b = "
            "e.getClientRects()[0]; "
            f"return [b.x + b.width / 2, b.y + b.height / 2]; }})({found})"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self._send(
                "Input.dispatchMouseEvent",
                type=kind,
                x=place[0],
                y=place[1],
                button="left",
                clickCount=1,
            )

    def move(self, x: float, y: float) -> None:
        """Point at a place of the window."""
        self._send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def press(self, key: str) -> None:
        """Press a key, such as ``Tab`` or ``Enter``."""
        text = {"text": "\r"} if key == "Enter" else {}
        code = {"Enter": 13, "Tab": 9}[key]
        self._send(
            "Input.dispatchKeyEvent",
            type="keyDown",
            key=key,
            code=key,
            windowsVirtualKeyCode=code,
            **text,
        )
        self._send(
            "Input.dispatchKeyEvent", type="keyUp", key=key, code=key, windowsVirtualKeyCode=code
        )

    def text(self) -> str:
        """What the page says."""
        return str(self.evaluate("document.body.innerText"))

    def save_to(self, folder: Path) -> None:
        """Where files go that a page offers."""
        self._send("Page.setDownloadBehavior", behavior="allow", downloadPath=str(folder))

    def photograph(self, path: Path, whole: bool = True) -> None:
        """The page as a PNG file."""
        found = self._send("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(found["data"]))

    def _send(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._count += 1
        message: dict[str, Any] = {"id": self._count, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("method") in COMPLAINTS:
                self.complaints.append(json.dumps(answer["params"]))
            if answer.get("id") == self._count:
                assert "error" not in answer, answer["error"]
                result: dict[str, Any] = answer["result"]
                return result

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._left:
            more = os.read(self._in, 1 << 16)
            assert more, "Chromium has ended"
            self._left += more
        line, _, self._left = self._left.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        return message
