"""Lines of code below src by part, and words of the pages: python scripts/line_counts.py [--write]

Counted: every text file of code below src (Python, stubs, C++, templates, style, scripts), with
code, docstrings and blanks apart; data and prose are not. benchmarks/rivals stands on a line of its
own, outside the total. With --write the table of docs/architecture.md is written anew.

Words of the pages are those with a letter or a digit, code included. Rows of tables that a script
writes are generated; sentences that it writes were written by hand, and count so.
"""

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "architecture.md"
MARKS = "<!-- line counts -->\n", "<!-- end of line counts -->"
BOUND = 48_000
PYTHON = {".py", ".pyi"}
OTHERS = {".cpp", ".h", ".css", ".html", ".js", ".j2", ".jinja", ".jinja2"}
_COMMENT = re.compile(r"/\*.*?\*/|<!--.*?-->|\{#.*?#\}|^\s*//[^\n]*", re.DOTALL | re.MULTILINE)

MADE = {"licences", "results-tables", "validation-cases"}
"""Pages that a script writes as a whole; results.md is made of results.template.md."""
MOST_PAGES, MOST_WORDS = 30, 45_000
"""Bounds of what is written by hand."""
_ROW = re.compile(r"^\|.*$", re.MULTILINE)
_BLOCK = re.compile(r"^<!-- (?:table|line counts).*?^<!-- end", re.DOTALL | re.MULTILINE)
_WORD = re.compile(r"\S*[^\W_]\S*")

Counts = Counter[str]
"""Files, lines, and the lines by kind: code, docs (docstrings and comments), blank."""


def counts_of(path: Path) -> Counts:
    """Count one file; a line with both code and a comment is code."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    filled = {k for k, line in enumerate(lines) if line.strip()}
    docs = filled & (_python_docs(text) if path.suffix in PYTHON else _comments(text))
    return Counter(files=1, lines=len(lines), code=len(filled - docs), docs=len(docs),
                   blank=len(lines) - len(filled))


def _comments(text: str) -> set[int]:
    """The lines, from 0, that are empty without their comments."""
    without = _COMMENT.sub(lambda found: "\n" * found[0].count("\n"), text)
    return {k for k, line in enumerate(without.splitlines()) if not line.strip()}


def _python_docs(text: str) -> set[int]:
    """The lines, from 0, of docstrings and of comments that stand alone."""
    strings = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Expr)
               and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)]
    return {k for node in strings for k in range(node.lineno - 1, node.end_lineno or 0)} | {
        k for k, line in enumerate(text.splitlines()) if line.lstrip().startswith("#")}


def _parts() -> Iterator[tuple[str, Path]]:
    """Each file of code below src, and each rival, with the part that it belongs to."""
    package = ROOT / "src" / "firebreak"
    for path in sorted([*(ROOT / "src").rglob("*"), *(ROOT / "benchmarks/rivals").rglob("*.py")]):
        if path.suffix not in PYTHON | OTHERS:
            continue
        if path.suffix in OTHERS:
            yield ("native (C++)" if path.suffix in {".cpp", ".h"} else "templates, style, scripts",
                   path)
        elif not path.is_relative_to(package):
            yield "benchmarks/rivals", path
        else:
            folder = path.relative_to(package).parts[0]
            yield folder if (package / folder).is_dir() else "modules at the top", path


def by_part() -> dict[str, Counts]:
    """The counts of each part."""
    parts: dict[str, Counts] = {}
    for part, path in _parts():
        parts.setdefault(part, Counter()).update(counts_of(path))
    return parts


def table() -> str:
    """The table in Markdown: the parts below src, their total beside its bound, the rivals."""
    parts = by_part()
    rivals = parts.pop("benchmarks/rivals")
    total: Counts = sum(parts.values(), Counter())
    rows = [*sorted(parts.items()), (f"all of src (bound: {BOUND:,})", total),
            ("benchmarks/rivals, outside src", rivals)]
    kinds = ("files", "lines", "code", "docs", "blank")
    return "\n".join(["| part | files | lines | code | docstrings, comments | blank |",
                      "|---|---|---|---|---|---|",
                      *(f"| {part} | {' | '.join(f'{count[kind]:,}' for kind in kinds)} |"
                        for part, count in rows)])


def words_of(page: Path) -> Counts:
    """Count the words of a page: written by hand, and generated."""
    text = page.read_text(encoding="utf-8")
    parts = [text] if page.stem in MADE else _BLOCK.findall(text)
    made = sum(len(_WORD.findall(row)) for part in parts for row in _ROW.findall(part))
    return Counter(hand=len(_WORD.findall(text)) - made, generated=made)


def pages() -> dict[str, Counts]:
    """The words of each page of the documentation, by its name."""
    return {path.stem: words_of(path) for path in sorted((ROOT / "docs").glob("*.md"))
            if path.stem != "results.template"}


if __name__ == "__main__":
    print(table())
    counted = pages()
    for name, count in [*counted.items(), ("all", sum(counted.values(), Counter()))]:
        print(f"{name:20} {count['hand']:7,} words by hand {count['generated']:7,} generated")
    print(f"{len(counted.keys() - MADE)} pages by hand; most: {MOST_PAGES}, {MOST_WORDS:,} words")
    if "--write" in sys.argv[1:]:
        before, rest = PAGE.read_text(encoding="utf-8").split(MARKS[0])
        after = rest.split(MARKS[1])[1]
        PAGE.write_text(f"{before}{MARKS[0]}{table()}\n{MARKS[1]}{after}", encoding="utf-8")
