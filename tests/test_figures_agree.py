"""A figure that stands on several pages is the same on each."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = {
    path.name: " ".join(path.read_text(encoding="utf-8").split())
    for path in (ROOT / "README.md", *sorted((ROOT / "reports/docs/pages").rglob("*.md")))
}


@pytest.mark.parametrize(
    ("what", "pages"),
    [(r'significant"? in ([\d.]+)%', 2), (r"protocol's winner in ([\d.]+)%", 2),
     (r"([\d]+)% of (?:MuSiQue's|its) test questions share a gold passage with tune", 2),
     (r"`?fitted`?, by score \| [^|]*\| (57\.8)|alone find (57\.8) on MuSiQue|to (57\.8) last_hop@5 on MuSiQue", 2),
     (r"62\.6 / ([\d.]+)", 2), (r"(?<!\d)94\.0 / (96\.0)", 2)],
)  # fmt: skip
def test_a_figure_on_several_pages_is_one_figure(what, pages):
    found = {
        (name, value)
        for name, text in PAGES.items()
        for match in re.finditer(what, text)
        for value in match.groups()
        if value
    }
    assert len({value for _, value in found}) == 1, found
    assert len({name for name, _ in found}) >= pages, found
