"""Links between the pages: each leads to a file that there is, and to a heading that it has."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import run_docs  # noqa: E402

MORE = ("CHANGELOG.md", "src/firebreak/policies/README.md", "benchmarks/policies/README.md")
PAGES = run_docs.pages([*run_docs.PAGES, *MORE])
FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?\s*\)")
ELSEWHERE = re.compile(r"[a-z]+:")


def without_code(text: str) -> str:
    """A page without fences and code, in which brackets mean other things."""
    return re.sub(r"`[^`\n]*`", "", FENCE.sub("", text))


def anchors(text: str) -> set[str]:
    """What MyST and GitHub make of a page's headings, and anchors that it sets itself."""
    body = FENCE.sub("", text)
    found: set[str] = set(re.findall(r"^\(([\w-]+)\)=$", body, re.MULTILINE))
    for heading in re.findall(r"^#{1,6} (.+?)\s*$", body, re.MULTILINE):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        slug = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        number = 1
        while (name := slug if number == 1 else f"{slug}-{number - 1}") in found:
            number += 1
        found.add(name)
    return found


def broken(page: Path) -> list[str]:
    """The links of a page that lead nowhere."""
    wrong = []
    for target in LINK.findall(without_code(page.read_text(encoding="utf-8"))):
        if ELSEWHERE.match(target):
            continue
        name, _, anchor = target.partition("#")
        file = page if not name else (page.parent / name).resolve()
        made = file.parent == ROOT / "docs" / "api"  # by scripts/api_pages.py, at each build
        if not made and not file.exists():
            wrong.append(f"{target}: no such file")
        elif anchor and file.suffix == ".md" and not made and anchor not in anchors(
                file.read_text(encoding="utf-8")):
            wrong.append(f"{target}: no such heading")
    return wrong


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    assert broken(page) == []


@pytest.mark.parametrize("page", [page for page in PAGES if page.parent == ROOT / "docs"],
                         ids=lambda page: page.name)
def test_a_page_of_the_site_links_to_what_the_site_has(page: Path) -> None:
    """The site is built of docs/ alone."""
    targets = [target.partition("#")[0] for target in LINK.findall(
        without_code(page.read_text(encoding="utf-8"))) if not ELSEWHERE.match(target)]
    assert [target for target in targets if target
            and not (page.parent / target).resolve().is_relative_to(ROOT / "docs")] == []


def test_there_are_links_to_check() -> None:
    counts = [len(LINK.findall(without_code(page.read_text(encoding="utf-8")))) for page in PAGES]
    assert sum(counts) > 100


@pytest.mark.parametrize("text", ["[a](none.md)", "[a](other.md#none)", "[a](#none)",
                                  "![a](figures/none.png)"])
def test_a_broken_link_is_found(tmp_path: Path, text: str) -> None:
    (tmp_path / "other.md").write_text("# Other\n\n## The part, in *words*\n")
    page = tmp_path / "page.md"
    page.write_text(f"# Page\n\n{text}\n[b](other.md#the-part-in-words) [c](#page) [d](other.md)\n"
                    "[e](https://example.org/none) `[f](none.md)`\n")
    assert len(broken(page)) == 1
