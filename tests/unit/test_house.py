"""The house: folders that can be taken in at a glance, and modules that import in one direction.

An import counts wherever it stands: in a function, under TYPE_CHECKING, or as `import_module` with
a constant name. `from package import name` counts as an import of the module `name` if there is
one, else of the package's __init__.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "firebreak"
MOST_MODULES = 15

Graph = dict[str, set[str]]


def crowded(root: Path) -> list[str]:
    """Folders below `root` of more modules than fit, __init__ not counted."""
    counts = {folder: len({*folder.glob("*.py")} - {folder / "__init__.py"})
              for folder in [root, *root.rglob("*")] if folder.is_dir()}
    return [f"{folder.relative_to(root)}: {count} modules" for folder, count in counts.items()
            if count > MOST_MODULES]


def modules_of(root: Path) -> dict[str, Path]:
    """Files by the dotted name that they are imported by."""
    found = {}
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports_of(root: Path) -> Graph:
    """By module: the modules of the package that it imports."""
    modules = modules_of(root)
    return {name: {*_imported(name, path, modules)} - {name} for name, path in modules.items()}


def _imported(name: str, path: Path, modules: dict[str, Path]) -> Iterator[str]:
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute("." * node.level + (node.module or ""), package)
            for alias in node.names:
                yield from [each for each in (f"{base}.{alias.name}", base) if each in modules][:1]
        elif isinstance(node, ast.Call) and _is_import_module(node.func) and node.args:
            target = node.args[0]
            if isinstance(target, ast.Constant) and isinstance(target.value, str):
                yield from {_absolute(target.value, package)} & modules.keys()


def _absolute(name: str, package: str) -> str:
    dots = len(name) - len(name.lstrip("."))
    if not dots:
        return name
    above = package.split(".")
    return ".".join([*above[:len(above) - dots + 1], *filter(None, [name[dots:]])])


def _is_import_module(function: ast.expr) -> bool:
    called = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return called in ("import_module", "__import__")


def cycles(graph: Graph) -> list[str]:
    """One line for each set of modules that reach each other: the shortest cycle from the first."""
    reached = {module: _reached(module, graph) for module in graph}
    left, found = sorted(graph), []
    while left:
        module = left[0]
        together = {other for other in reached[module] if module in reached[other]}
        left = [other for other in left[1:] if other not in together]
        if together:
            found.append(f"{' -> '.join(_cycle_from(module, graph))} (of {len(together)})")
    return found


def _reached(module: str, graph: Graph) -> set[str]:
    seen: set[str] = set()
    left = [*graph[module]]
    while left:
        other = left.pop()
        if other not in seen:
            seen.add(other)
            left += graph[other]
    return seen


def _cycle_from(module: str, graph: Graph) -> list[str]:
    paths, seen = [[module]], {module}
    for path in paths:  # grows meanwhile: shorter paths come first
        for other in sorted(graph[path[-1]]):
            if other == module:
                return [*path, module]
            if other not in seen:
                seen.add(other)
                paths.append([*path, other])
    raise AssertionError(f"{module} does not reach itself")


def test_no_folder_is_crowded() -> None:
    assert crowded(PACKAGE) == []


def test_every_folder_of_unit_tests_is_one_of_the_package() -> None:
    tests = Path(__file__).resolve().parent
    folders = {path.parent.relative_to(tests) for path in tests.rglob("test_*.py")}
    assert [folder for folder in sorted(folders) if not (PACKAGE / folder).is_dir()] == []


def test_every_folder_of_the_package_has_unit_tests() -> None:
    """Commands are tested by running them: tests/integration."""
    tests = Path(__file__).resolve().parent
    folders = [path.parent.relative_to(PACKAGE) for path in PACKAGE.rglob("__init__.py")]
    assert [folder for folder in sorted(folders) if "commands" not in folder.parts
            and not [*(tests / folder).rglob("test_*.py")]] == []


@pytest.mark.slow
def test_no_modules_import_in_cycles() -> None:
    graph = imports_of(PACKAGE)
    assert len(graph) > 100
    assert sum(map(len, graph.values())) > 500
    assert cycles(graph) == []


def write(root: Path, files: dict[str, str]) -> None:
    for name, code in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(code)


@pytest.mark.parametrize("folder", ["", "fire/", "fire/travel/"])
def test_a_crowded_folder_is_found(tmp_path: Path, folder: str) -> None:
    write(tmp_path, {f"{folder}{name}.py": "" for name in ["__init__", *"abcdefghijklmno"]})
    assert crowded(tmp_path) == []
    write(tmp_path, {f"{folder}p.py": ""})
    assert crowded(tmp_path) == [f"{folder.rstrip('/') or '.'}: 16 modules"]


PLANTED = {
    "at the top": "from firebreak.env import b",
    "the name of a module": "from firebreak.env.b import f",
    "the whole name": "import firebreak.env.b",
    "relative": "from . import b",
    "relative, from above": "from ..env.b import f",
    "in a function": "def f():\n    from firebreak.env.b import g",
    "for types": "from typing import TYPE_CHECKING\n"
                 "if TYPE_CHECKING:\n    from firebreak.env.b import g",
    "by name": "import importlib\ndef f():\n    return importlib.import_module('firebreak.env.b')",
    "by relative name": "from importlib import import_module\nimport_module('.b', __package__)",
}


@pytest.mark.parametrize("code", PLANTED.values(), ids=PLANTED.keys())
def test_a_cycle_is_found(tmp_path: Path, code: str) -> None:
    root = tmp_path / "firebreak"
    files = {"__init__.py": "", "env/__init__.py": "", "env/a.py": code,
             "env/b.py": "import firebreak.env.c", "env/c.py": "import os"}
    write(root, files)
    assert cycles(imports_of(root)) == []
    write(root, {"env/c.py": "from firebreak.env import a"})
    assert cycles(imports_of(root)) == [
        "firebreak.env.a -> firebreak.env.b -> firebreak.env.c -> firebreak.env.a (of 3)"]


def test_a_cycle_through_a_package_is_found(tmp_path: Path) -> None:
    """A name that __init__ holds is taken from __init__, which imports the taker."""
    root = tmp_path / "firebreak"
    write(root, {"__init__.py": "", "env/__init__.py": "from firebreak.env.a import f",
                 "env/a.py": "from firebreak.env import core", "env/core.py": ""})
    assert cycles(imports_of(root)) == []
    write(root, {"env/a.py": "from firebreak.env import Problem"})
    assert cycles(imports_of(root)) == ["firebreak.env -> firebreak.env.a -> firebreak.env (of 2)"]


def test_two_cycles_are_two(tmp_path: Path) -> None:
    root = tmp_path / "firebreak"
    write(root, {"__init__.py": "", "a.py": "from . import b, c", "b.py": "from . import a",
                 "c.py": "from . import d", "d.py": "from . import c"})
    assert len(cycles(imports_of(root))) == 2


def test_no_two_files_of_tests_have_one_name() -> None:
    # pytest imports them by their name alone, and stops at the second.
    names = Counter(path.name for path in (PACKAGE.parents[1] / "tests").rglob("test_*.py"))
    assert [name for name, count in names.items() if count > 1] == []


OPENERS = {"What", "Whether", "How", "Which", "Of", "That", "By", "As", "In", "Has", "So", "Where",
           "Without", "With", "Those", "Does", "When", "On", "From", "To", "It", "They"}
"""First words that leave a reader waiting for the noun or the verb."""


def open_words(path: Path) -> Iterator[str]:
    """Docstrings of functions, classes and modules that begin with one of OPENERS; docstrings of
    options are their help.
    """
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
            text = ast.get_docstring(node) or ""
            if text.partition(" ")[0] in OPENERS:
                line = getattr(node, "lineno", 1)
                yield f"{path.name}:{line}: {text.splitlines()[0]}"


def test_docstrings_open_with_a_noun_or_a_verb() -> None:
    root = PACKAGE.parents[1]
    folders = (PACKAGE, *(root / name for name in ("scripts", "benchmarks", "examples")))
    assert [line for folder in folders for path in sorted(folder.rglob("*.py"))
            for line in open_words(path)] == []


def test_a_docstring_that_opens_otherwise_is_found(tmp_path: Path) -> None:
    path = tmp_path / "one.py"
    path.write_text('def f():\n    """Whether it rains."""\ndef g():\n    """Return the rain."""\n')
    assert list(open_words(path)) == ["one.py:1: Whether it rains."]
