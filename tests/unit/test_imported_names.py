"""Names of the package that tests, benchmarks and scripts import are there, wherever the import
stands: many stand in functions that only long runs call, and the type checker does not read tests.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
READERS = sorted(path for folder in ("tests", "benchmarks", "scripts")
                 for path in (ROOT / folder).rglob("*.py"))


def file_of(module: str) -> Path | None:
    """The file of a module or package; None if there is none."""
    place = ROOT / "src" / Path(*module.split("."))
    found = (place.with_suffix(".py"), place / "__init__.py")
    return next((path for path in found if path.is_file()), None)


@cache
def defined(path: Path) -> frozenset[str]:
    """The names that a module binds, in its conditions too."""
    return frozenset(_bound(ast.parse(path.read_text(encoding="utf-8")).body))


def _bound(body: list[ast.stmt]) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.If | ast.Try | ast.With):
            yield from _bound([*node.body, *getattr(node, "orelse", ())])
        else:
            yield from (name.id for name in ast.walk(node) if isinstance(name, ast.Name)
                        and isinstance(name.ctx, ast.Store))


def absent(source: str) -> Iterator[str]:
    """The names that a source imports from the package and that are not there."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            asked = [(alias.name, "") for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            asked = [(node.module, alias.name) for alias in node.names]
        else:
            continue
        for module, name in asked:
            if module.split(".")[0] != "firebreak" or module == "firebreak":
                continue
            path = file_of(module)
            if path is None or (name and name not in defined(path)
                                and file_of(f"{module}.{name}") is None):
                yield f"{module}.{name}".rstrip(".")


@pytest.mark.parametrize("path", READERS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_imported_names_are_there(path: Path) -> None:
    assert list(absent(path.read_text(encoding="utf-8"))) == []


def test_names_that_have_moved_are_found() -> None:
    assert sorted(absent("def f():\n    from firebreak.train.run import best_policy\n"
                         "    from firebreak.files import write_text, write_texts\n"
                         "    from firebreak.train.run import trainer\n"
                         "import firebreak.nowhere\n")) == [
        "firebreak.files.write_texts", "firebreak.nowhere", "firebreak.train.run.best_policy"]
