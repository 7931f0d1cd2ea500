"""The Hugging Face Hub, if it answers; otherwise what is in its cache."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from urllib.error import HTTPError
from urllib.request import Request, urlopen


def check_hub() -> None:
    """Raise OSError if the Hub cannot be reached. Its own client would try for a minute."""
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE:
        raise OSError("HF_HUB_OFFLINE is set")
    try:
        urlopen(Request(constants.ENDPOINT, method="HEAD"), timeout=10).close()
    except HTTPError:
        pass  # it answers
    except OSError as error:
        why = getattr(error, "reason", error)
        raise OSError(f"{constants.ENDPOINT} cannot be reached: {why}") from error


@contextlib.contextmanager
def hub_or_cache() -> Iterator[None]:
    """Let the library `datasets` read its cache alone if the Hub cannot be reached.

    Raises:
        OSError: the Hub cannot be reached, and the data set is not in the cache.
    """
    from datasets import config

    try:
        check_hub()
    except OSError as error:
        before, config.HF_HUB_OFFLINE = config.HF_HUB_OFFLINE, True
        try:
            yield
        except OSError as missing:
            raise OSError(f"not in the cache, and {error}") from missing
        finally:
            config.HF_HUB_OFFLINE = before
    else:
        yield
