"""Checks the links inside a built site: each leads to a file that is there, and to a place in it.

    python scripts/check_links.py docs/_build

Addresses of other sites are not looked up. Ends with 1 if a link is broken.
"""

import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LINKS = {"a": "href", "link": "href", "img": "src", "script": "src", "source": "src"}


class Page(HTMLParser):
    """The links of a page, and the places in it that others may lead to."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Takes what a tag says."""
        given = dict(attrs)
        self.places |= {value for key in ("id", "name") if (value := given.get(key))}
        target = given.get(LINKS.get(tag, ""))
        if target:
            self.links.append(target)


@cache
def read(path: Path) -> Page:
    """A page."""
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def broken(path: Path) -> list[str]:
    """The links of a page that lead nowhere."""
    wrong = []
    for link in read(path).links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        file = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if file.is_dir():
            file /= "index.html"
        if not file.is_file():
            wrong.append(f"{link}: no such file")
        elif (place := unquote(parts.fragment)) and file.suffix == ".html" and (
                place not in read(file).places):
            wrong.append(f"{link}: no such place")
    return wrong


def main() -> int:
    """Prints the broken links of all pages of a folder."""
    folder = Path(sys.argv[1]).resolve()
    pages = sorted(folder.rglob("*.html"))
    found = [f"{page.relative_to(folder)}: {words}" for page in pages for words in broken(page)]
    links = sum(len(read(page).links) for page in pages)
    print("\n".join([*found, f"{len(pages)} pages, {links} links, {len(found)} broken"]))
    return 1 if found or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
