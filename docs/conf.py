"""Builds the documentation: python -m sphinx -W -b html docs docs/_build"""

import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "scripts")]

import api_pages  # noqa: E402
import reference_pages  # noqa: E402

from firebreak import __version__  # noqa: E402

api_pages.main()
reference_pages.main()

project = "firebreak"
author = "The firebreak developers"
copyright = author
release = version = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build", "results.template.md"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = f"firebreak {version}"
html_show_sourcelink = False
autodoc_typehints = "description"
autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
napoleon_use_ivar = True  # attributes are listed once, in their class's own words
python_use_unqualified_type_names = True
# Types of other packages and of numpy are named, not linked: nothing is fetched to build this.
nitpicky = False
# A setting has the same name wherever it is said: a link to it may lead to any of these places.
suppress_warnings = ["ref.python"]

_CODE = re.compile(r"`([^`]+)`")
_SECTION = re.compile(r"(Args|Attributes|Raises|Returns|Warns|Yields):$")


def as_rest(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Docstrings are plain text with `code` in it: makes reStructuredText of them."""
    section = False
    for k, line in enumerate(lines):
        if line and not line.startswith(" "):
            section = bool(_SECTION.match(line)) or line.startswith("- ")
        if not section:  # an indent there only says that a paragraph goes on
            line = line.lstrip()
        pieces = _CODE.split(line)
        for j, piece in enumerate(pieces):
            pieces[j] = (f"``{piece}``" if j % 2 else
                         re.sub(r"([*|]|(?<=\w)_(?=\W|$))", r"\\\1", piece))
        lines[k] = "".join(pieces)


def of_no_use(app: Any, what: str, name: str, thing: Any, skip: bool, options: Any) -> bool | None:
    """Fields of named tuples, whose own docstrings say nothing, are listed by their class."""
    alias = "Alias for field number" in (getattr(thing, "__doc__", "") or "")
    return True if alias else None


def setup(app: Any) -> None:
    """Before napoleon, which reads sections such as Args."""
    app.connect("autodoc-process-docstring", as_rest, priority=400)
    app.connect("autodoc-skip-member", of_no_use)
