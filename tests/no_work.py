"""Functions that begin work, made to fail: what is refused is refused before it."""

import re
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

import firebreak

SRC = Path(firebreak.__file__).parent


def without_work(monkeypatch: pytest.MonkeyPatch, *places: str) -> None:
    """Makes functions raise AssertionError, each named by its place in firebreak."""
    for place in places:
        _holders(place.rpartition(".")[2])
        monkeypatch.setattr(f"firebreak.{place}", work)


def work(*_: object, **__: object) -> None:
    raise AssertionError("this is work")


@cache
def _holders(name: str) -> None:
    """Imports the modules that import a function by its name: one that is imported while the
    function is replaced would keep what replaced it, also in later tests.
    """
    for path in sorted(SRC.rglob("*.py")):
        if re.search(rf"\b{name}\b", path.read_text(encoding="utf-8")):
            parts = path.relative_to(SRC.parent).with_suffix("").parts
            import_module(".".join(parts).removesuffix(".__init__"))
