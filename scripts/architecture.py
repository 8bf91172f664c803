"""Draws the house from the code's own imports: python scripts/architecture.py

writes docs/figures/architecture.svg. A box is a part of the package with its modules and lines, an
arrow points to a part that it imports from, as thick as the imports are many. Every part may import
units, checks, lifetime, variables, reading, free_memory, files, tensor_file, seeding and
native_library, so those arrows are left out.
"""

import ast
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "firebreak"
OUT = ROOT / "docs" / "figures" / "architecture.svg"
BASE = ("units", "checks", "lifetime", "variables", "reading", "free_memory", "files",
        "tensor_file", "seeding", "native_library")
ROWS = (("cli",), ("api",), ("report",), ("train",), ("planning",),
        ("executors", "env", "agent", "memory"), ("fire", "layout"), ("weather",), ("landscape",),
        ("settings",), ("base",))
WORDS = {"cli": "what people type", "api": "what programs call",
         "report": "what people look at", "train": "the long run",
         "planning": "every way to make a plan", "executors": "where calls run",
         "env": "the decision problem", "agent": "the learner", "memory": "what a run holds",
         "fire": "how it burns", "layout": "what an agent sees", "weather": "what fires burn in",
         "landscape": "what there is to burn", "settings": "what one can choose",
         "base": "units, files, seeding, ..."}
_WIDTH, _BOX_W, _BOX_H, _ROW_H, _GAP = 900, 254, 50, 88, 14


def parts() -> tuple[dict[str, tuple[int, int]], Counter[tuple[str, str]]]:
    """(modules, lines) of each part, and how many imports lead from one part to another."""
    sizes: dict[str, tuple[int, int]] = {}
    arrows: Counter[tuple[str, str]] = Counter()
    for path in sorted(PACKAGE.rglob("*.py")):
        relative = path.relative_to(PACKAGE)
        part = _part(relative.parts[0].removesuffix(".py"))
        if part is None:
            continue
        text = path.read_text(encoding="utf-8")
        modules, lines = sizes.get(part, (0, 0))
        sizes[part] = modules + 1, lines + text.count("\n")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("firebreak."):
                other = _part(str(node.module).split(".")[1])
                if other not in (None, part):
                    arrows[part, str(other)] += 1
    return sizes, arrows


def _part(name: str) -> str | None:
    if name in BASE:
        return "base"
    if name == "line_actions":  # as the layout: what env and agent agree on
        return "layout"
    return name if name in WORDS else None


def _places(there: Iterable[str]) -> dict[str, tuple[float, float, float]]:
    """Centre of each box, and its width."""
    places: dict[str, tuple[float, float, float]] = {}
    rows = [names for row in ROWS if (names := [name for name in row if name in there])]
    for row, names in enumerate(rows):
        width = min(_BOX_W, _WIDTH / len(names) - _GAP)
        for k, name in enumerate(names):
            places[name] = (_WIDTH * (2 * k + 1) / (2 * len(names)), 40 + _ROW_H * row, width)
    return places


def _bend(start: tuple[float, float, float], end: tuple[float, float, float]) -> float:
    """Bow of an arrow to the side, to pass the boxes between the rows of its ends."""
    rows = round(abs(start[1] - end[1]) / _ROW_H)
    if rows <= 1:
        return 0.0
    middle = (start[0] + end[0]) / 2
    right = rows % 2 == 0 if abs(middle - _WIDTH / 2) < _GAP else middle > _WIDTH / 2
    return (60.0 + 60.0 * rows) * (1 if right else -1)


def picture() -> str:
    """The SVG."""
    sizes, arrows = parts()
    places = _places(sizes)
    height = round(max(y for _, y, _ in places.values())) + 40
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
        'font-family="DejaVu Sans, sans-serif" font-size="13">',
        '<title>Parts of firebreak and the imports between them, all of which point down</title>',
        '<defs><marker id="tip" markerWidth="7" markerHeight="7" refX="6" refY="3" orient="auto" '
        'markerUnits="userSpaceOnUse"><path d="M0 0L7 3L0 6z" fill="#5a6066"/></marker></defs>',
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>']
    for (start, end), count in sorted(arrows.items()):
        if end == "base":
            continue  # every part may
        (x0, y0, _), (x1, y1, _) = places[start], places[end]
        bend = _bend(places[start], places[end])
        side = min(max(bend / 3, -70.0), 70.0)
        down = _BOX_H / 2 if y1 > y0 else -_BOX_H / 2
        thick = 0.6 + 0.35 * min(count, 40) ** 0.5
        lines.append(
            f'<path d="M{x0 + side:.0f} {y0 + down:.0f}Q{(x0 + x1) / 2 + bend:.0f} '
            f'{(y0 + y1) / 2:.0f} {x1 + side:.0f} {y1 - down:.0f}" fill="none" '
            f'stroke="#5a6066" stroke-opacity="0.55" stroke-width="{thick:.1f}" '
            f'marker-end="url(#tip)"><title>{start} imports {end} {count} times</title></path>')
    for name, (x, y, width) in places.items():
        modules, code = sizes[name]
        lines += [
            f'<rect x="{x - width / 2:.0f}" y="{y - _BOX_H / 2:.0f}" width="{width:.0f}" '
            f'height="{_BOX_H}" rx="6" fill="#eef4ee" stroke="#22331f"/>',
            f'<text x="{x:.0f}" y="{y - 5:.0f}" text-anchor="middle"><tspan font-weight="bold">'
            f'{"the rest" if name == "base" else name}</tspan>: {WORDS[name]}</text>',
            f'<text x="{x:.0f}" y="{y + 14:.0f}" text-anchor="middle" font-size="11" '
            f'fill="#5a6066">{modules} modules, {code:,} lines</text>']
    return "\n".join([*lines, "</svg>"]) + "\n"


def upward() -> list[tuple[str, str]]:
    """Imports that do not point down, of which there should be none."""
    level = {name: row for row, names in enumerate(ROWS) for name in names}
    return sorted(pair for pair in parts()[1] if level[pair[0]] > level[pair[1]])


if __name__ == "__main__":
    OUT.write_text(picture(), encoding="utf-8")
    print(OUT)
    sys.exit(1 if upward() else 0)
