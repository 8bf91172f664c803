"""Pages of one file: templates in `assets`, filled with what is shown; they load nothing from a
network. Jinja2 escapes whatever is not markup of the templates.
"""

import base64
import platform
from collections.abc import Callable, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined

from firebreak import __version__
from firebreak.files import write_text
from firebreak.report.words import amount

PACKAGES = ("numpy", "torch", "rasterio", "scipy", "matplotlib")
_TYPES = {".png": "image/png", ".gif": "image/gif"}

Facts = dict[str, Any]
"""Values that a macro prints, by name."""


class Part(NamedTuple):
    """A part of a report: the function that finds what the macro of its name prints, or sentences
    to list, or None where the part is left out; its heading; the levels at which it appears.
    """

    facts: Callable[[Any], Facts | list[str] | None]
    title: str
    levels: Sequence[str] = ("full",)


def page(template: str, title: str, lead: str, headline: Facts, parts: Sequence[Part],
         report: Any, level: str = "full", foot: str = "") -> str:
    """A whole page: the macro `headline` of a template, and below it the parts of a level.

    Args:
        template: whose macros print the parts, given `report` and what was found for them.
        lead: plain text below the title; foot: ends the last line.
    """
    shown = []
    for find, heading, levels in parts:
        facts = find(report) if level in levels else None
        if facts is not None:
            body = (filled("elements.html", "listing", facts) if isinstance(facts, list) else
                    filled(template, find.__name__, report, facts))
            shown.append({"name": find.__name__, "title": heading, "body": body})
    head = filled(template, "headline", report, headline)
    return _templates().get_template("page.html").render(
        title=title, lead=lead, head=head, parts=shown, foot=foot, version=__version__)


def filled(template: str, macro: str, *given: Any) -> str:
    """The markup of a macro of a template, which other templates do not escape again."""
    return getattr(_templates().get_template(template).module, macro)(*given)


def write_page(path: Path, content: str) -> Path:
    """Writes a page that appears whole or not at all; returns its path."""
    write_text(path, f"{content.rstrip()}\n")
    return path


def embedded(picture: Path | bytes) -> str:
    """A picture as an address that carries it; bytes are those of a PNG."""
    kind, data = ((".png", picture) if isinstance(picture, bytes)
                  else (picture.suffix, picture.read_bytes()))
    return f"data:{_TYPES[kind]};base64,{base64.b64encode(data).decode()}"


def percents(interval: Any) -> str:
    """The ends of an interval of shares."""
    return f"{interval.low:.1%} to {interval.high:.1%}"


def sentence(words: str) -> str:
    """Words with a capital and a full stop."""
    return f"{words[0].upper()}{words[1:].removesuffix('.')}."


def versions() -> list[list[str]]:
    """Names and versions of firebreak, Python, and the packages that results may depend on."""
    return [["firebreak", __version__], ["Python", platform.python_version()],
            *([name, _version(name)] for name in PACKAGES)]


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


@cache
def _templates() -> Environment:
    found = Environment(loader=PackageLoader("firebreak.report.pages", "assets"), autoescape=True,
                        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    found.filters |= {"amount": amount, "embedded": embedded, "percents": percents,
                      "sentence": sentence,
                      "percent": lambda share, places=1: f"{share:.{places}%}",
                      "grouped": lambda count: f"{count:,}"}
    return found
