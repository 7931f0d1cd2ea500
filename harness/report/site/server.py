"""The site on this machine beside MLflow: a server of files that ends with the process that started it.

``python -m harness.report.site.server FOLDER HOST PORT MLFLOW PAGE``: MLflow's address, and the one below it that the
name of a view completes. It ends when its standard input does.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

SERVER = "/data/server.js"
"""What the site from disk has empty: who serves it."""


class Handler(SimpleHTTPRequestHandler):
    """Files of the site alone; of ``SERVER`` the content names MLflow's address."""

    links, host = "", ""

    def do_GET(self) -> None:
        """A file, or who serves it."""
        if not self._is_asked():
            return None
        if self.path.partition("?")[0] != SERVER:
            return super().do_GET()
        content = self.links.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/javascript; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        return None

    def do_HEAD(self) -> None:
        """A file's head."""
        if self._is_asked():
            super().do_HEAD()

    def _is_asked(self) -> bool:
        """Whether a file of the folder is asked for by an address of this server; else the answer is an error.

        A page of another name that leads to this machine is refused, and what a link leads to outside of the folder.
        """
        address, port = self.connection.getsockname()[:2]
        if self.headers.get("Host", "").lower() not in {f"{name}:{port}" for name in (address, self.host, "localhost")}:
            self.send_error(421, "this server has another address")
        elif not Path(self.translate_path(self.path)).resolve().is_relative_to(self.directory):
            self.send_error(404)
        else:
            return True
        return False

    def list_directory(self, path: object) -> None:
        """Nothing is listed."""
        self.send_error(404)

    def end_headers(self) -> None:
        """A newer site shows at once, and a file is what its name says."""
        self.send_header("Cache-Control", "no-cache")
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def log_message(self, format: str, *arguments: Any) -> None:
        """Nothing is printed."""


def start(folder: Path, host: str, port: int, mlflow: str, page: str) -> None:
    """Serve the folder from another process for as long as this one lives, whatever it becomes."""
    ours, theirs = os.pipe()
    line = [sys.executable, "-P", "-m", __name__, str(folder.resolve()), host, str(port), mlflow, page]
    subprocess.Popen(line, stdin=ours, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(ours)
    os.set_inheritable(theirs, True)  # so that it stays open when this process becomes MLflow's server


def make(folder: str, host: str, port: int, mlflow: str, page: str) -> ThreadingHTTPServer:
    """The server, not yet serving."""
    text, name = json.dumps(json.dumps({"mlflow": mlflow, "page": page})), host.lower()

    class Site(Handler):
        links = f'put("server",{text});\n'
        host = name

        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments, directory=str(Path(folder).resolve()))

    return ThreadingHTTPServer((host, port), Site)


def main(arguments: Sequence[str]) -> None:
    """Serve until standard input ends."""
    folder, host, port, mlflow, page = arguments
    server = make(folder, host, int(port), mlflow, page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        sys.stdin.buffer.read()
    except KeyboardInterrupt:
        return


if __name__ == "__main__":
    main(sys.argv[1:])
