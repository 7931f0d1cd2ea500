"""Passwords and keys: they stay in environment variables, because configurations are stored with
results.
"""

from __future__ import annotations

import base64
import binascii
import os
import re
import sys
from collections.abc import Iterator
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from harness.core.errors import HarnessError

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_USER = re.compile(r"://[^/@\s'\"]*@")
_NAMED = re.compile(
    r"([?&](?!viewStateShareKey=)[^=&\s]*(?:key|token|secret|passw|signature)[^=&\s]*=)"
    r"[^&\s'\"]+",
    re.IGNORECASE,
)
"""A part of a query that is named like a key. MLflow's viewStateShareKey only names a view."""
_PASSWORD = re.compile(r"://[^/@\s:'\"]*:([^/@\s'\"]+)@")
_LOGIN = re.compile(r"(://[^/@\s:'\"]*:)[^/@\s'\"]+@")
_BASIC = re.compile(r"Basic\s+([A-Za-z0-9+/_-]{6,}={0,2})", re.IGNORECASE)
_BEARER = re.compile(r"(Bearer\s+)(?=\S*[0-9])[\w.~+/-]{12,}=*", re.IGNORECASE)
_ENCODED = re.compile(r"[A-Za-z0-9+/_-]{6,}={0,2}")
_ASSIGNED = re.compile(r"password\s*=", re.IGNORECASE)
_SECRET = re.compile(r"key|token|secret|passw|signature", re.IGNORECASE)
SHORTEST = 4
"""Smallest number of letters of a value that is hidden. Shorter values occur in too many words."""
SWITCHES = ("true", "false", "none", "null")
"""Values of variables with such a name that are no keys, such as TOKENIZERS_PARALLELISM."""


def hide_secrets(text: str) -> str:
    """Return a text without the users and passwords of addresses and without values named like a
    key.
    """
    return _NAMED.sub(r"\1***", _USER.sub("://", text))


def hide_values(text: str) -> str:
    """Return a text without the secrets of this process, plain, quoted for an address, or in
    base64.

    Secrets are the values of variables that are named like a key, and the passwords of addresses in
    variables and arguments. Other secrets are recognised by their place in an address, a login or a
    query. Every text of a library is passed through here before it is printed, written or cut.
    """
    text = _NAMED.sub(r"\1***", _LOGIN.sub(r"\1***@", _BEARER.sub(r"\1***", text)))
    text = _BASIC.sub(lambda found: "Basic ***" if ":" in _decoded(found[1]) else found[0], text)
    if not (values := set(_values())):
        return text
    for value in sorted(values, key=len, reverse=True):
        for form in (value, quote(value, safe="")):
            text = text.replace(form, "***")
    return _ENCODED.sub(
        lambda found: "***" if any(value in _decoded(found[0]) for value in values) else found[0],
        text,
    )


def _values() -> Iterator[str]:
    for name, value in os.environ.items():
        if (
            is_secret(name)
            and len(value) >= SHORTEST
            and value.lower() not in SWITCHES
            and not os.path.exists(value)
        ):
            yield value
    for text in (*os.environ.values(), *sys.argv):
        yield from (unquote(password) for password in _PASSWORD.findall(text))


def _decoded(text: str) -> str:
    plain = text.rstrip("=").translate({ord("-"): "+", ord("_"): "/"})
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4)).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return ""


def is_secret(name: str) -> bool:
    """Return whether a variable is named like a key or a password."""
    return _SECRET.search(name) is not None


def check_address(name: str, url: str, mend: str, *, user: bool = False) -> None:
    """Raise HarnessError for a URL with a user, a password, or a query part that is named like a
    key.

    The message does not repeat the URL.

    Args:
        name: the key as it is typed.
        url: the address.
        mend: where the secret belongs.
        user: whether a user's name is allowed.
    """
    try:
        parts = urlsplit(url)
        held = bool(parts.password or (parts.username and not user) or _ASSIGNED.search(url))
        held = held or any(_SECRET.search(key) for key, _ in parse_qsl(parts.query))
    except ValueError:
        raise HarnessError(
            f"{name} is not a URL; expected one such as http://127.0.0.1:8000/v1"
        ) from None
    if held:
        raise HarnessError(
            f"{name} holds a user, password or key, which would be stored with results; {mend}"
        )


def check_variable(name: str, variable: str) -> None:
    """Raise HarnessError unless the text is the name of an environment variable.

    The message does not repeat it, since a key may have been typed instead.
    """
    if not _NAME.fullmatch(variable):
        raise HarnessError(
            f"{name} must be the name of an environment variable (letters, digits and _), not "
            "what is in it; found "
            f"{len(variable)} characters"
        )
