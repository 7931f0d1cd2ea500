"""The ledger's last hash in a git tag: who can write the ledger cannot write the tags that others have fetched."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from harness.core.errors import HarnessError
from harness.sweep.heldout.ledger import Ledger

TAG = re.compile(r"harness-ledger/([0-9a-f]{12})/(\d+)")


def sign(ledger: Ledger, repository: Path) -> str:
    """Tag the ledger's head in a git repository; the tag's name, ``harness-ledger/FIRST/LINES``.

    FIRST: of the hash of the ledger's first line, so that one repository can hold the tags of several ledgers.
    """
    entries = ledger.entries()
    if not entries:
        raise HarnessError(f"{ledger.path}: there is no line to sign; run `harness heldout` first")
    last = entries[-1]["sha256"]
    tag = f"harness-ledger/{entries[0]['sha256'][:12]}/{len(entries)}"
    if tag in _git(repository, "tag", "--list", tag).split():
        _compare(ledger, entries, repository, tag)
        return tag
    _git(repository, "tag", "--annotate", "--message", f"{len(entries)} lines, last {last}", tag)
    return tag


def check_signatures(ledger: Ledger, repository: Path) -> Iterator[str]:
    """Compare the ledger with each tag of it; a line about them. Raises HarnessError for a tag that it contradicts."""
    try:
        tags = [tag for tag in _git(repository, "tag", "--list", "harness-ledger/*").split() if TAG.fullmatch(tag)]
    except HarnessError:
        return  # no repository, so no tags
    entries = ledger.entries()
    own = [tag for tag in tags if entries and tag.split("/")[1] == entries[0]["sha256"][:12]]
    for tag in own:
        _compare(ledger, entries, repository, tag)
    if tags:
        yield f"signatures {len(own)} tags of this ledger agree; {len(tags) - len(own)} are of other ledgers"


def _compare(ledger: Ledger, entries: list[dict[str, str]], repository: Path, tag: str) -> None:
    count = int(tag.split("/")[2])
    message = _git(repository, "tag", "--list", "--format=%(contents)", tag)
    signed = re.search(r"last ([0-9a-f]{64})", message)
    found = entries[count - 1]["sha256"] if count <= len(entries) else f"only {len(entries)} lines"
    if signed is None or signed[1] != found:
        held = signed[1][:20] if signed else repr(message)
        raise HarnessError(
            f"{ledger.path}: line {count} is {found[:20]}, the git tag {tag} holds {held}; "
            "the ledger was rewritten after it was signed: restore it from a copy"
        )


def _git(repository: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(["git", "-C", str(repository), *arguments], capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise HarnessError("git is not installed; it holds the ledger's signatures") from error
    if done.returncode:
        reason = (done.stderr.strip() or "no reason given").splitlines()[0]
        raise HarnessError(
            f"git -C {repository} {arguments[0]}: {reason}; give repository=DIR, a git repository of yours"
        )
    return done.stdout
