"""A Hugging Face Hub of one data set, served from a folder on 127.0.0.1: the addresses that its
client asks for.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import unquote, urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@contextmanager
def served(folder: Path, repository: str) -> Iterator[str]:
    """The address of a Hub whose data set ``repository`` has the files of ``folder``."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Hub, folder, repository))
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


class Hub(BaseHTTPRequestHandler):
    """``/datasets/<repository>/resolve/<revision>/<file>`` with the headers that the client reads,
    what a revision is, and the list of its files.
    """

    def __init__(self, folder: Path, repository: str, *args: object) -> None:
        self.folder, self.repository = folder, repository
        super().__init__(*args)  # type: ignore[arg-type]

    def do_HEAD(self) -> None:
        self.answer()

    def do_GET(self) -> None:
        self.answer()

    def answer(self) -> None:
        path = unquote(urlsplit(self.path).path)
        about = f"/api/datasets/{self.repository}"
        if path == "/":
            self.say(200)
        elif (
            path.startswith(f"/datasets/{self.repository}/resolve/")
            and (file := self.file(path)).is_file()
        ):
            data = file.read_bytes()
            self.say(
                200,
                data,
                {"X-Repo-Commit": COMMIT, "ETag": f'"{hashlib.sha256(data).hexdigest()}"'},
            )
        elif path.startswith(f"{about}/revision/"):
            names = [{"rfilename": file.name} for file in sorted(self.folder.iterdir())]
            self.say_json({"id": self.repository, "sha": COMMIT, "tags": [], "siblings": names})
        elif path.startswith(f"{about}/tree/"):
            self.say_json([self.entry(file) for file in sorted(self.folder.iterdir())])
        else:
            self.say(404, headers={"X-Error-Code": "EntryNotFound", "X-Repo-Commit": COMMIT})

    def file(self, path: str) -> Path:
        return self.folder / path.rpartition("/")[2]

    def entry(self, file: Path) -> dict[str, object]:
        data = file.read_bytes()
        return {
            "type": "file",
            "oid": hashlib.sha1(data).hexdigest(),
            "size": len(data),
            "path": file.name,
        }

    def say_json(self, content: object) -> None:
        self.say(200, json.dumps(content).encode(), {"Content-Type": "application/json"})

    def say(self, status: int, body: bytes = b"", headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass
