"""The Hugging Face Hub as a source: the card pins revision and hashes; what it leaves null, the first download pins."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from harness.dataset.card import Card
from harness.dataset.lock import Lock
from harness.identity import file_sha256


def download(card: Card, lock: Lock) -> Callable[[str], Path]:
    """A function from a file's name to where it lies after its download (or in the Hub's cache).

    It raises ConnectionError when the Hub does not give it, and HarnessError when its revision or bytes are not those
    of the first download, which ``lock`` remembers.
    """

    def get(name: str) -> Path:
        repo, pinned = _hub(card)
        key = f"{card.name}/hub/{name}"
        known = lock.entry(key)
        revision = pinned or (str(known["revision"]) if known else None)
        path = fetch(repo, name, revision)
        found = {"revision": revision or commit(path), "sha256": file_sha256(path)}
        lock.hold(key, found, f"{repo}/{name} on the Hub")
        return path

    return get


def _hub(card: Card) -> tuple[str, str | None]:
    if card.hub is None or card.hub["repo"] is None:
        raise ConnectionError(f"the Hub (datasets/{card.name}.yaml names no repository there)")
    return card.hub["repo"], card.hub["revision"]


def commit(path: Path) -> str | None:
    """The commit of a file in the Hub's cache: ``.../snapshots/<commit>/<file>``."""
    parts = path.parts
    return parts[parts.index("snapshots") + 1] if "snapshots" in parts else None


def fetch(repo: str, name: str, revision: str | None) -> Path:
    """Download one file of a dataset repository, or find it in the cache. Raises ConnectionError when neither works."""
    import httpx
    from huggingface_hub import constants, get_session, hf_hub_download
    from huggingface_hub.errors import EntryNotFoundError, HfHubHTTPError, HFValidationError

    try:
        return Path(hf_hub_download(repo, name, repo_type="dataset", revision=revision, local_files_only=True))
    except (OSError, EntryNotFoundError):
        pass
    where = f"{name} of the dataset {repo} on the Hub, {constants.ENDPOINT}"
    try:
        get_session().head(constants.ENDPOINT, timeout=5)
        return Path(hf_hub_download(repo, name, repo_type="dataset", revision=revision))
    except (OSError, EntryNotFoundError, HfHubHTTPError, HFValidationError, httpx.HTTPError) as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise ConnectionError(f"{where} ({reason})") from error
