"""The checker of a built site's links finds what is broken, and nothing else."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import check_links


@pytest.mark.parametrize(("link", "found"), [
    ("b.html", 0), ("b.html#there", 0), ("#here", 0), ("folder/", 0), ("https://example.org/x", 0),
    ("a%20b.html", 0), ("none.html", 1), ("b.html#gone", 1), ("#gone", 1), ("empty/", 1)])
def test_a_broken_link_is_found(tmp_path: Path, link: str, found: int) -> None:
    (tmp_path / "b.html").write_text('<h1 id="there">B</h1>')
    (tmp_path / "a b.html").write_text("<p>")
    for folder in ("folder", "empty"):
        (tmp_path / folder).mkdir()
    (tmp_path / "folder" / "index.html").write_text("<p>")
    page = tmp_path / "a.html"
    page.write_text(f'<h1 id="here">A</h1><a href="{link}">x</a><img src="b.html">')
    check_links.read.cache_clear()
    assert len(check_links.broken(page)) == found
