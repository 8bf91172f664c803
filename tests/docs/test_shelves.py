"""The four shelves of the documentation: every page stands on one of them, once."""

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
TREE = re.compile(r"^```\{toctree\}\n:caption: (.+?)\n(.*?)^```", re.DOTALL | re.MULTILINE)
SHELVES = ("Planners", "Researchers", "Reference", "Model and engine")
MADE = {"api/commands", "api/configuration"}
"""Pages that each build writes."""


def shelves() -> dict[str, list[str]]:
    """Pages by the caption that they stand under."""
    found = TREE.findall((DOCS / "index.md").read_text(encoding="utf-8"))
    return {caption: [line for line in lines.splitlines() if line and not line.startswith(":")]
            for caption, lines in found}


def test_there_are_four_shelves_and_the_modules() -> None:
    assert tuple(shelves()) == (*SHELVES, "Modules")


def test_every_page_stands_on_one_shelf() -> None:
    listed = [page for name in SHELVES for page in shelves()[name]]
    written = {path.stem for path in DOCS.glob("*.md")} - {"index", "results.template"}
    assert sorted(listed) == sorted(written | MADE)


def test_the_roads_of_a_planner_and_of_a_researcher_come_first() -> None:
    pages = shelves()
    assert min(len(pages[name]) for name in SHELVES) >= 4
    assert pages["Planners"][:4] == ["start", "plan-your-map", "which-fires", "plan-outputs"]
    assert pages["Researchers"][:3] == ["train-your-policy", "how-it-works", "examples"]
