"""The Hugging Face Hub as a source: single files, and data sets that the library `datasets`
reads.
"""

from __future__ import annotations

import re
from contextlib import nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from harness.core.errors import HarnessError
from harness.core.identity import file_sha256
from harness.core.input.hub import check_hub, hub_or_cache

if TYPE_CHECKING:
    from datasets import Dataset

COMMIT = re.compile(r"/([0-9a-f]{40})/")
"""The commit in the path of a cached file of a data set of the Hub."""


class HubError(HarnessError):
    """A data set or a file that cannot be had from the Hub or read; reason: why, in short."""

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


def load_table(
    path: str,
    configuration: str | None = None,
    split: str | None = None,
    revision: str | None = None,
) -> tuple[Dataset, dict[str, str]]:
    """Return one split of a data set, and the facts that say where it comes from.

    Args:
        path: a Parquet file, a folder that `Dataset.save_to_disk` wrote, a folder that
            `datasets.load_dataset` reads, or an id on the Hub.
        configuration: of the data set; None if it has one only.
        split: of the data set. A Parquet file and a saved data set without splits are taken whole.
        revision: commit or tag on the Hub; None is the newest.

    Raises:
        HubError: the file is damaged, or there is no such data set, configuration or split.
    """
    import pyarrow as pa

    from datasets import load_dataset

    place = Path(path).expanduser()
    try:
        if (saved := _load_saved(place, split)) is not None:
            return saved
        with nullcontext() if place.exists() else hub_or_cache():
            table = load_dataset(path, configuration, split=split, revision=revision)
    except (OSError, ValueError, pa.ArrowException) as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise HubError(
            f"dataset.path={path}: no split {split} of configuration {configuration} can be read "
            f"({reason}); give a .json, .jsonl or .parquet file of its publishers, a saved data "
            "set or an id on the Hub; a folder of BEIR is dataset=folder",
            f"{path}: {reason}",
        ) from error
    commit = COMMIT.search(table.cache_files[0]["filename"]) if table.cache_files else None
    known = {
        "folder" if place.is_dir() else "hub": path,
        "configuration": configuration,
        "split": split,
        "revision": commit[1] if commit and not place.is_dir() else revision,
    }
    return table, {key: value for key, value in known.items() if value is not None}


def _load_saved(place: Path, split: str | None) -> tuple[Dataset, dict[str, str]] | None:
    """Return a Parquet file, or a split of a saved data set; None if ``place`` is neither.

    Raises:
        ValueError: the saved data set has no such split.
    """
    import pyarrow.parquet as pq

    from datasets import Dataset, DatasetDict, load_from_disk

    if place.is_file():
        facts = {"file": place.name, "sha256": file_sha256(place)}
        return Dataset(pq.read_table(place)), facts
    if not any((place / name).is_file() for name in ("state.json", "dataset_dict.json")):
        return None
    saved = load_from_disk(str(place))
    if not isinstance(saved, DatasetDict):
        return saved, {"folder": place.name}
    if split is None or split not in saved:
        raise ValueError(f"it has the splits {', '.join(saved)}")
    return saved[split], {"folder": place.name, "split": split}


def commit(path: Path) -> str | None:
    """Return the commit of a file in the Hub's cache (``.../snapshots/<commit>/<file>``), or
    None.
    """
    parts = path.parts
    return parts[parts.index("snapshots") + 1] if "snapshots" in parts else None


def fetch(repo: str, name: str, revision: str | None) -> Path:
    """Return a file of a dataset repository, from the cache or downloaded. Raise HubError if both
    fail.
    """
    from huggingface_hub import constants, hf_hub_download
    from huggingface_hub.errors import EntryNotFoundError

    get = partial(
        hf_hub_download,
        repo,
        name,
        repo_type="dataset",
        revision=revision,
        cache_dir=constants.HF_HUB_CACHE,
    )
    with suppress(OSError, EntryNotFoundError):
        return Path(get(local_files_only=True))
    try:
        check_hub()
        return Path(get())
    except (OSError, EntryNotFoundError, ValueError) as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise HubError(
            f"{name} of the dataset {repo} on the Hub, {constants.ENDPOINT} ({reason})",
            f"{name} of {repo}: {reason}",
        ) from error
