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
_VARIABLE = re.compile(
    r"(^|_)((API|AUTH|ACCESS)?(KEY|TOKEN)|SECRET|CREDENTIALS?)_?\d*$|(^|_)SECRET_|PASS(WORD|WD|PHRASE)",
    re.IGNORECASE,
)
"""Names of variables that hold a secret: OPENAI_API_KEY and PGPASSWORD, not KEYBOARD, MAX_TOKENS or
AWS_ACCESS_KEY_ID.
"""
_KEY = re.compile(
    r"\b(?:sk-|hf_|gh[oprsu]_|github_pat_|glpat-|xox[a-z]-|AKIA)(?=[\w-]*\d)[\w-]{16,}"
)
"""Keys that are known by how they begin."""
_TYPED = re.compile(
    r"(?<![A-Za-z])((?:(?:api|auth|access|private|secret)[_-]?key|(?:api|auth|access)?_?token|"
    r"secret|passw(?:or)?d|passphrase)\s*=\s*['\"]?)[^\s'\",;&{}]{3,}[^\s'\",;:&{}]",
    re.IGNORECASE,
)
"""A key of the command line, or a setting, that is named like a secret, with its value."""
SHORTEST = 8
"""Smallest number of letters of a value that is hidden. Shorter values occur in too many words."""


def hide_secrets(text: str) -> str:
    """Return a text without the users and passwords of addresses and without values named like a
    key.
    """
    return _NAMED.sub(r"\1***", _USER.sub("://", text))


def hide_logins(text: str) -> str:
    """Return a text without what its place in an address, a login or a query shows to be secret."""
    text = _NAMED.sub(r"\1***", _LOGIN.sub(r"\1***@", _BEARER.sub(r"\1***", text)))
    return _BASIC.sub(lambda match: "Basic ***" if ":" in _decoded(match[1]) else match[0], text)


def hide_values(text: str) -> str:
    """Return a text without logins and the secrets of this process, plain, quoted for an address,
    or in base64.

    Secrets are the values of variables that are named like a key (at least ``SHORTEST`` letters,
    no number, no existing file, no name that the command gives), the passwords of addresses in
    variables and arguments, and what looks like a key. Every text of a library and every message is
    passed through here before it is printed, written or cut; results are not.
    """
    text = _KEY.sub("***", _TYPED.sub(r"\1***", hide_logins(text)))
    if not (values := set(_values())):
        return text
    for value in sorted(values, key=len, reverse=True):
        for form in (value, quote(value, safe="")):
            text = text.replace(form, "***")

    def mask(match: re.Match[str]) -> str:
        decoded = _decoded(match[0])
        return "***" if any(value in decoded for value in values) else match[0]

    return _ENCODED.sub(mask, text)


def _values() -> Iterator[str]:
    words = {word for text in sys.argv for word in re.split(r"[\s=,:{}\[\]'\"]+", text)}
    for name, value in os.environ.items():
        if is_secret(name) and _is_secret_value(value) and not (value.isalpha() and value in words):
            yield value
    for text in (*os.environ.values(), *sys.argv):
        yield from (unquote(password) for password in _PASSWORD.findall(text))


def _decoded(text: str) -> str:
    plain = text.rstrip("=").translate({ord("-"): "+", ord("_"): "/"})
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4)).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return ""


def _is_secret_value(value: str) -> bool:
    try:
        float(value)
    except ValueError:
        return len(value) >= SHORTEST and not os.path.exists(value)
    return False


def is_secret(name: str) -> bool:
    """Return whether a variable is named like a key or a password."""
    return _VARIABLE.search(name) is not None


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
