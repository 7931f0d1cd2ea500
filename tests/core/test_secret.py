"""What may not stand in a configuration."""

import base64
import os

import pytest

from harness.core.configuration.composition import compose
from harness.core.errors import HarnessError
from harness.core.secret import (
    check_address,
    check_variable,
    hide_logins,
    hide_secrets,
    hide_values,
    is_secret,
)
from harness.sweep.trial.plan import Plan

CANARY = "hunter2-canary"


@pytest.mark.parametrize(
    "url",
    [
        f"https://me:{CANARY}@example.org/v1",
        f"https://{CANARY}@example.org/v1",
        f"https://a.org/v1?api_key={CANARY}",
        f"https://a.org/?X-Token={CANARY}",
        f"host=a password={CANARY}",
        f"https://[{CANARY}",
    ],
)
def test_a_secret_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(HarnessError, match=r"^encoder\.base_url ") as caught:
        check_address("encoder.base_url", url, "put it away")
    assert CANARY not in str(caught.value)


def test_what_is_written_holds_no_secret() -> None:
    text = (
        f"uri: http://me:{CANARY}@host:5000/?a=1&api_key={CANARY}&b=2 and "
        f"postgresql+psycopg://me:{CANARY}@db/x"
    )
    assert (
        hide_secrets(text)
        == "uri: http://host:5000/?a=1&api_key=***&b=2 and postgresql+psycopg://db/x"
    )
    assert hide_secrets("a: sqlite:///x/mlflow.db") == "a: sqlite:///x/mlflow.db"


def test_a_stored_configuration_holds_no_secret() -> None:
    given = (f"tracking.uri=http://me:{CANARY}@127.0.0.1:5000",)
    stored = Plan(compose(overrides=given), given).stored()
    assert CANARY not in stored
    assert "uri: http://127.0.0.1:5000" in stored


def test_what_is_no_secret() -> None:
    check_address("x", "http://127.0.0.1:8000/v1?api-version=2", "")
    check_address("x", "postgresql://me@localhost/db?host=/tmp", "", user=True)
    check_variable("x", "OPENAI_API_KEY")


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("Bearer tok-12345!", "Bearer ***!"),
        (f"Basic {base64.b64encode(b'bob:tok-12345').decode()}", "Basic ***"),
        (
            f"[{base64.urlsafe_b64encode(b'x' + 'ÿ~tok-12345'.encode()).decode().rstrip('=')}]",
            "[***]",
        ),
        ("http://host/?t=p%40ss", "http://host/?t=***"),
        ("p@ss and false", "*** and false"),
        ("nothing of it", "nothing of it"),
    ],
)
def test_whatever_a_library_says_goes_out_without_the_values(
    text: str, hidden: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_TOKEN", "tok-12345")
    monkeypatch.setenv("TOKENIZERS_PARALLELISM", "false")
    monkeypatch.setenv("TRACKER", "https://bob:p%40ss@example.org/x")
    assert hide_values(text) == hidden


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        *((name, True) for name in ("OPENAI_API_KEY", "HF_TOKEN", "PGPASSWORD", "apikey", "KEY")),
        *((name, True) for name in ("AWS_SECRET_ACCESS_KEY", "CLIENT_SECRET", "GITHUB_TOKEN_2")),
        *((name, False) for name in ("KEYBOARD", "MAX_TOKENS", "TOKENIZERS_PARALLELISM", "MONKEY")),
        *((name, False) for name in ("SECRETARY", "AWS_ACCESS_KEY_ID", "TOKEN_LIMIT", "COMPASS")),
    ],
)
def test_a_variable_is_secret_by_its_name(name: str, secret: bool) -> None:
    assert is_secret(name) == secret


@pytest.mark.parametrize(
    ("value", "hidden"),
    [
        ("12345678", False),
        ("1e400000", False),
        ("short", False),
        ("entitled", False),
        ("x" * 8, True),
    ],
)
def test_a_value_that_is_no_secret(
    value: str, hidden: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A number, a short word, and a word that the command has."""
    monkeypatch.setattr("sys.argv", ["harness", "fuse", "lists={entitled: a.trec}"])
    monkeypatch.setenv("SOME_KEY", value)
    assert ("***" in hide_values(f"it is {value}.")) == hidden


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("api_key=abcdefgh: no such key", "api_key=***: no such key"),
        ("encoder.token=abcdefgh", "encoder.token=***"),
        ("password = 'abcdefgh'", "password = '***'"),
        ("x.y=sk-proj-0123456789abcdef", "x.y=***"),
        ("max_tokens=1000 and k=[5,10]", "max_tokens=1000 and k=[5,10]"),
        ("Every key of conf/ is set as key=value", "Every key of conf/ is set as key=value"),
    ],
)
def test_what_looks_like_a_key_is_hidden(said: str, shown: str) -> None:
    assert hide_values(said) == shown


def test_results_are_shown_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "document-17")
    assert hide_logins("q1 document-17 1") == "q1 document-17 1"
    assert hide_logins("at http://me:document-17@h/") == "at http://me:***@h/"


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("at https://me:pass@host/x", "at https://me:***@host/x"),
        ("Authorization: Basic bWU6cGFzcw==", "Authorization: Basic ***"),
        ("sent Bearer abc123def456ghi7 to", "sent Bearer *** to"),
        ("https://host/?api_key=abc&n=2", "https://host/?api_key=***&n=2"),
        ("Basic authentication, bearer of news", "Basic authentication, bearer of news"),
    ],
)
def test_a_login_that_somebody_repeats_is_hidden(
    said: str, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though no variable of this process holds it."""
    monkeypatch.setattr(os, "environ", {})
    assert hide_values(said) == shown


def test_the_link_of_an_mlflow_view_is_printed_whole() -> None:
    link = "http://127.0.0.1:5000/#/experiments/1/runs?viewStateShareKey=0123456789ab"
    assert hide_values(link) == link
    assert hide_values("http://h/x?api_key=0123456789ab") == "http://h/x?api_key=***"
