"""Passwords and keys stay in environment variables: what a configuration holds is stored with every result."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlsplit

from harness.core.errors import HarnessError

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_USER = re.compile(r"://[^/@\s'\"]*@")
_NAMED = re.compile(r"([?&][^=&\s]*(?:key|token|secret|passw|signature)[^=&\s]*=)[^&\s'\"]+", re.IGNORECASE)
_ASSIGNED = re.compile(r"password\s*=", re.IGNORECASE)
_SECRET = re.compile(r"key|token|secret|passw|signature", re.IGNORECASE)


def hide_secrets(text: str) -> str:
    """A text without the users and passwords of the addresses in it, and without what stands under a key's name."""
    return _NAMED.sub(r"\1***", _USER.sub("://", text))


def is_secret(name: str) -> bool:
    """Whether a variable is named like a key or a password."""
    return _SECRET.search(name) is not None


def check_address(name: str, url: str, mend: str, *, user: bool = False) -> None:
    """Raise for a URL with a user, a password, or a part of its query that is named like a key; it is not repeated.

    name: the knob, as it is typed.    mend: where the secret belongs.    user: whether a user's name may stand in it.
    """
    try:
        parts = urlsplit(url)
        held = bool(parts.password or (parts.username and not user) or _ASSIGNED.search(url))
        held = held or any(_SECRET.search(key) for key, _ in parse_qsl(parts.query))
    except ValueError:
        raise HarnessError(f"{name} is no URL; expected one such as http://127.0.0.1:8000/v1") from None
    if held:
        raise HarnessError(f"{name} holds a user, password or key, which would be stored with results; {mend}")


def check_variable(name: str, variable: str) -> None:
    """Raise unless it is the name of an environment variable: a key that was typed in its place is not repeated."""
    if not _NAME.fullmatch(variable):
        raise HarnessError(
            f"{name} must be the name of an environment variable (letters, digits and _), not what is in it; found "
            f"{len(variable)} characters"
        )
