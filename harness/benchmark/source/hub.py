"""The Hugging Face Hub as a source, then mirrors: the card pins revision and hashes; what it leaves
null, the first download pins.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from harness.benchmark.source.card import Card
from harness.benchmark.source.lock import Lock
from harness.core.files import make_folder, whole
from harness.core.identity import file_sha256


def download(card: Card, lock: Lock, folder: Path) -> Callable[[str], Path]:
    """A function from a file's name to where it lies after its download (or in the Hub's cache).

    folder: where files of mirrors are put. It raises ConnectionError when neither the Hub nor a
    mirror gives it, and HarnessError when its revision or bytes are not those of the first
    download, which ``lock`` remembers.
    """

    def get(name: str) -> Path:
        if (folder / name).is_file():
            return folder / name
        try:
            return of_hub(name)
        except ConnectionError as error:
            tried = [str(error)]
        from huggingface_hub import constants

        for mirror in [] if constants.HF_HUB_OFFLINE else card.mirrors:
            try:
                return _of_mirror(f"{mirror}/{name}", folder / name)
            except OSError as error:
                tried.append(f"the mirror {urlsplit(mirror).netloc} ({error})")
        raise ConnectionError("; ".join(tried))

    def of_hub(name: str) -> Path:
        repo, pinned = _hub(card)
        key = f"{card.name}/hub/{name}"
        known = lock.entry(key)
        revision = pinned or (str(known["revision"]) if known else None)
        path = fetch(repo, name, revision)
        found = {"revision": revision or commit(path), "sha256": file_sha256(path)}
        lock.hold(key, found, f"{repo}/{name} on the Hub")
        return path

    return get


def _of_mirror(address: str, path: Path) -> Path:
    """Download a file to ``path``. Raises OSError where nobody gives it."""
    with urlopen(address, timeout=10) as answer:
        content = answer.read()
    make_folder(path.parent)
    with whole(path) as beside:
        beside.write_bytes(content)
    return path


def _hub(card: Card) -> tuple[str, str | None]:
    if card.hub is None or card.hub["repo"] is None:
        raise ConnectionError(f"the Hub (datasets/{card.name}.yaml names no repository there)")
    return card.hub["repo"], card.hub["revision"]


def commit(path: Path) -> str | None:
    """The commit of a file in the Hub's cache: ``.../snapshots/<commit>/<file>``."""
    parts = path.parts
    return parts[parts.index("snapshots") + 1] if "snapshots" in parts else None


def fetch(repo: str, name: str, revision: str | None) -> Path:
    """Download one file of a dataset repository, or find it in the cache. Raises ConnectionError
    when neither works.
    """
    from huggingface_hub import constants, hf_hub_download
    from huggingface_hub.errors import EntryNotFoundError

    cache = constants.HF_HUB_CACHE
    with suppress(OSError, EntryNotFoundError):
        return Path(
            hf_hub_download(
                repo,
                name,
                repo_type="dataset",
                revision=revision,
                cache_dir=cache,
                local_files_only=True,
            )
        )
    try:
        if not constants.HF_HUB_OFFLINE:
            _reach(constants.ENDPOINT)
        return Path(
            hf_hub_download(repo, name, repo_type="dataset", revision=revision, cache_dir=cache)
        )
    except (OSError, EntryNotFoundError, ValueError) as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise ConnectionError(
            f"{name} of the dataset {repo} on the Hub, {constants.ENDPOINT} ({reason})"
        ) from error


def _reach(place: str) -> None:
    """Raise OSError at once when nobody answers there: the Hub's client would try for half a
    minute.
    """
    with suppress(HTTPError):
        urlopen(Request(place, method="HEAD"), timeout=10).close()
