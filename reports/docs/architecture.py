"""The drawing of the rooms, made from the imports of the code: who imports whom, and how often."""

from __future__ import annotations

import ast
import sys
import tomllib
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CELL, LEFT, TOP = 46, 330, 30
STYLE = "font-family:system-ui,sans-serif;font-size:13px;fill:#222"


def rooms() -> list[str]:
    """The rooms, the highest first, as the import contract of pyproject.toml lists them."""
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
        "importlinter"
    ]["contracts"]
    return [
        name for name in contract[0]["layers"] if name not in ("__main__", "testing", "(plugins)")
    ]


def imports() -> Counter[tuple[str, str]]:
    """How many import statements of one room name a module of another."""
    found: Counter[tuple[str, str]] = Counter()
    for room in rooms():
        for path in (ROOT / "harness" / room).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                names += (
                    [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                )
                found.update(
                    (room, name.split(".")[1]) for name in names if name.startswith("harness.")
                )
    return found


def contents(room: str) -> str:
    """The folders of a room, or its first files where it has none."""
    folder = ROOT / "harness" / room
    inside = sorted(path.name for path in folder.iterdir() if (path / "__init__.py").is_file())
    files = sorted(path.stem for path in folder.glob("*.py") if not path.stem.startswith("_"))
    names = inside or files
    shown = names[:4] if len(", ".join(names)) > 34 else names
    return ", ".join(shown) + (", ..." if len(shown) < len(names) else "")


def drawing() -> str:
    """SVG: a row a room, the highest on top; in its columns the rooms below it, with a disc for its
    imports of each.
    """
    order, counts = rooms(), imports()
    width, height = LEFT + CELL * (len(order) - 1) + 60, TOP + CELL * len(order)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" style="{STYLE}">'
    ]
    for row, room in enumerate(order):
        parts += _box(room, TOP + row * CELL)
        x = LEFT + (row - 1) * CELL + CELL // 2
        if row:
            y = TOP + row * CELL
            parts.append(f'<line x1="{x}" y1="{TOP + 20}" x2="{x}" y2="{y + 2}" stroke="#ddd"/>')
            parts.append(
                f'<text x="{x}" y="{y + 16}" text-anchor="middle" font-size="11" '
                f'fill="#3949ab">{room}</text>'
            )
        for above, other in enumerate(order[:row]):
            parts += _disc(
                x, TOP + above * CELL + 20, counts[other, room], f"{other} imports {room}"
            )
    return "\n".join([*parts, "</svg>"])


def _box(room: str, y: int) -> list[str]:
    lines = sum(
        len(path.read_bytes().splitlines()) for path in (ROOT / "harness" / room).rglob("*.py")
    )
    shape = f'x="4" y="{y}" width="{LEFT - 20}" height="{CELL - 6}" rx="6"'
    return [
        f'<rect {shape} fill="#e8eaf6" stroke="#3949ab"/>',
        f'<text x="16" y="{y + 17}" font-weight="600">{room}</text>',
        f'<text x="{LEFT - 26}" y="{y + 17}" text-anchor="end" fill="#666">{lines} lines</text>',
        f'<text x="16" y="{y + 33}" font-size="11">{contents(room)}</text>',
    ]


def _disc(x: int, y: int, count: int, title: str) -> list[str]:
    if not count:
        return []
    shape = f'cx="{x}" cy="{y}" r="{min(18, 5 + 1.6 * count**0.5):.1f}" fill="#7986cb"'
    return [
        f"<circle {shape}><title>{title}: {count}</title></circle>",
        f'<text x="{x}" y="{y + 4}" text-anchor="middle" font-size="11">{count}</text>',
    ]


if __name__ == "__main__":
    sys.stdout.write(drawing())
