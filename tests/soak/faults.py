"""A server on 127.0.0.1 that does what an endpoint must not do, byte by byte."""

from __future__ import annotations

import contextlib
import gzip
import json
import random
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator

CANARY = "sk-canary-0123456789"
WAITS = ("86400", "1e999", "nan", "-5", "soon", "", "Sun, 06 Nov 2094 08:49:37 GMT", "9" * 400)
STATUSES = (400, 401, 403, 404, 408, 409, 413, 418, 422, 429, 500, 502, 503, 504, 599)
BODIES = (
    *(
        b"",
        b"{",
        b"null",
        b"[]",
        b"NaN",
        b"<html>busy</html>",
        b"\xff\xfe\x00",
        b'{"choices": []}',
        b"9" * 5000,
    ),
    *(
        b'{"choices": [{"message": null}]}',
        b'{"choices": [{"message": {"content": {"a": 1}}}]}',
        b"[" * 100_000,
    ),
    *(
        b'{"choices": 1}',
        b'{"choices": [{"message": {"content": "no json"}}]}',
        b'{"error": {"message": "no"}}',
    ),
    *(
        b'{"choices": [{"message": {"content": "1"}}], "usage": {"prompt_tokens": "many"}}',
        b" " * (17 << 20),
    ),
    *(
        b'{"choices": [{"message": {"content": "\\ud800"}}]}',
        b'{"choices": [{"message": {"content": null}}]}',
    ),
)
Play = Callable[["Connection"], None]


class Connection:
    """One request, and what is sent back."""

    def __init__(self, plug: socket.socket, rng: random.Random, elsewhere: str) -> None:
        self.plug, self.rng, self.elsewhere = plug, rng, elsewhere
        data = b""
        while b"\r\n\r\n" not in data and (piece := plug.recv(1 << 16)):
            data += piece
        head, _, body = data.partition(b"\r\n\r\n")
        self.headers = head.decode("latin-1")
        lines = self.headers.lower().split("\r\n")
        length = next((int(line[15:]) for line in lines if line.startswith("content-length:")), 0)
        while len(body) < length and (piece := plug.recv(1 << 16)):
            body += piece
        self.body = body

    def reply(self, status: int, body: bytes, *headers: str) -> None:
        lines = [
            f"HTTP/1.1 {status} Said",
            "content-type: application/json",
            f"content-length: {len(body)}",
            *headers,
        ]
        self.plug.sendall(
            "\r\n".join([*lines, "connection: close", "", ""]).encode("latin-1") + body
        )

    def right(self) -> None:
        """The answer: the item's number. ``/models`` is not known."""
        if not self.body:
            return self.reply(404, b"{}")
        number = json.loads(self.body)["messages"][0]["content"].rpartition(" ")[2]
        message = {"role": "assistant", "content": number}
        return self.reply(
            200, json.dumps({"choices": [{"message": message}], "model": "m"}).encode()
        )


def _status(one: Connection) -> None:
    one.reply(
        one.rng.choice(STATUSES),
        b'{"error": {"message": "so it is"}}',
        f"retry-after: {one.rng.choice(WAITS)}",
    )


def _body(one: Connection) -> None:
    one.reply(one.rng.choice((200, 200, 200, 201, 500)), one.rng.choice(BODIES))


def _echo(one: Connection) -> None:
    one.reply(
        one.rng.choice((200, 400, 401, 500)),
        json.dumps({"error": {"message": one.headers}}).encode(),
    )


def _half(one: Connection) -> None:
    one.plug.sendall(b'HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{"choices": [{"mess')


def _reset(one: Connection) -> None:
    one.plug.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def _nothing(one: Connection) -> None:
    """The connection ends."""


def _hang(one: Connection) -> None:
    one.plug.settimeout(3)
    one.plug.recv(1)


def _continue(one: Connection) -> None:
    for _ in range(2000):
        one.plug.sendall(b"HTTP/1.1 100 Continue\r\n\r\n" * 50)
        time.sleep(0.002)


def _chunks(one: Connection) -> None:
    one.plug.sendall(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
    one.plug.sendall(
        one.rng.choice(
            (b"zz\r\n", b"-5\r\n12345\r\n", b"ffffffffffffffff\r\n", b"5\r\n1234567\r\n")
        )
    )
    for _ in range(300):
        one.plug.sendall(b"10000\r\n" + b" " * 0x10000 + b"\r\n")


def _headers(one: Connection) -> None:
    lines = one.rng.choice(
        (
            b"x" * 200_000,
            b"x: y\r\n" * 2000,
            b"no colon",
            b"a: \x00",
            b"content-length: -1",
            b"content-length: many",
            b"content-length: 5\r\ncontent-length: 7",
            b": none",
            b"content-type: application/json; charset=utf-99",
        )
    )
    one.plug.sendall(b"HTTP/1.1 200 OK\r\n" + lines + b"\r\n\r\n{}")


def _protocol(one: Connection) -> None:
    one.plug.sendall(
        one.rng.choice(
            (
                b"\x15\x03\x01\x00\x02\x02\x28",
                b"\x16\x03\x03" + bytes(100),
                b"HTTP/9.9 abc\r\n\r\n",
                b"SSH-2.0-OpenSSH\r\n",
                b"PRI * HTTP/2.0\r\n\r\n",
                b"<html>old</html>",
                b"\r\n" * 5000,
            )
        )
    )


def _gzip(one: Connection) -> None:
    packed = one.rng.choice((gzip.compress(b" " * (20 << 20)), b"\x1f\x8bgarbage", b"{}"))
    one.reply(
        200, packed, f"content-encoding: {one.rng.choice(('gzip', 'br', 'zstd', 'gzip, gzip'))}"
    )


def _redirect(one: Connection) -> None:
    places = (
        "/v1/chat/completions",
        one.elsewhere,
        "file:///etc/passwd",
        "https://127.0.0.1:1/",
        "http://[",
        "",
        "//",
    )
    one.reply(one.rng.choice((301, 302, 303, 307, 308)), b"", f"location: {one.rng.choice(places)}")


FAULTS: dict[str, Play] = {
    play.__name__[1:]: play
    for play in (
        _status,
        _body,
        _echo,
        _half,
        _reset,
        _nothing,
        _hang,
        _continue,
        _chunks,
        _headers,
        _protocol,
        _gzip,
        _redirect,
    )
}


class Faulty:
    """play: what is done with a request, by its number. keys: how many requests came with the
    canary.
    """

    def __init__(self, port: int = 0, elsewhere: str = "/") -> None:
        self.listener = socket.create_server(("127.0.0.1", port))
        self.port, self.elsewhere = self.listener.getsockname()[1], elsewhere
        self.play: Callable[[int], Play] = lambda number: Connection.right
        self.asked = self.keys = 0
        self.rng = random.Random(0)
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                plug, _ = self.listener.accept()
                threading.Thread(target=self._serve, args=(plug,), daemon=True).start()

    def _serve(self, plug: socket.socket) -> None:
        with contextlib.suppress(OSError, ValueError), plug:
            plug.settimeout(10)
            one = Connection(plug, self.rng, self.elsewhere)
            self.keys += CANARY in one.headers
            self.asked += bool(one.body)
            self.play(self.asked)(one)


@contextlib.contextmanager
def faulty(elsewhere: str = "/") -> Iterator[Faulty]:
    server = Faulty(elsewhere=elsewhere)
    try:
        yield server
    finally:
        server.listener.close()
