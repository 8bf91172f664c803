"""Stand-ins that tests put in the place of names of the package: each name is there, and somebody
looks it up where the stand-in is put. A module that took the name when it was loaded keeps the
original, and the test would pass without its stand-in.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from tests.unit.test_imported_names import ROOT, defined, file_of

TESTS = sorted((ROOT / "tests").rglob("*.py"))
_DOTTED = re.compile(r"firebreak(\.\w+)+")
_COMMANDS = "firebreak.cli.commands."


def stand_ins(source: str) -> Iterator[str]:
    """The dotted names of the package that a test replaces, named by a string, or by a module that
    the test imports and a string.
    """
    tree = ast.parse(source)
    modules = {alias.asname or alias.name: f"{node.module}.{alias.name}"
               for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module
               for alias in node.names}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute | ast.Name):
            continue
        called = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
        if any(word.arg == "raising" for word in node.keywords):
            continue  # a name that need not be there
        match called, node.args:
            case "setattr" | "delattr" | "patch", [ast.Constant(value=str(name)), *_]:
                found = name
            case "setattr" | "delattr" | "object", [
                    ast.Name(id=module), ast.Constant(value=str(name)), *_]:
                found = f"{modules.get(module, '')}.{name}"
            case _:
                continue
        if _DOTTED.fullmatch(found) and file_of(found.rpartition(".")[0]):
            yield found


@cache
def trees() -> dict[Path, ast.Module]:
    """The sources of the package."""
    return {path: ast.parse(path.read_text(encoding="utf-8"))
            for path in (ROOT / "src").rglob("*.py")}


@cache
def looked_up(path: Path) -> frozenset[str]:
    """The names that a module of the package looks up in itself when its code runs, or that code
    takes from other modules at each call or as `module.name`; the latter two dotted.
    """
    tree, found = trees()[path], set[str]()
    modules = {alias.asname or alias.name: f"{node.module}.{alias.name}"
               for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)
               for alias in node.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found.add(f"{modules.get(node.value.id, node.value.id)}.{node.attr}")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found |= {f"{own.module}.{alias.name}" for own in ast.walk(node)
                      if isinstance(own, ast.ImportFrom) for alias in own.names}
    return frozenset(found)


def nobody_looks_up(dotted: str) -> bool:
    """True for a name that is not there, or whose stand-in has no effect."""
    module, _, name = dotted.rpartition(".")
    place = file_of(module)
    assert place is not None
    if name not in defined(place):
        return True
    if module.startswith(_COMMANDS) and name == "run":
        return False  # `function_of` finds it by its name
    return name not in looked_up(place) and all(dotted not in looked_up(path) for path in trees())


@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_stand_ins_are_looked_up(path: Path) -> None:
    names = stand_ins(path.read_text(encoding="utf-8"))
    assert [name for name in names if nobody_looks_up(name)] == []


def test_a_stand_in_that_nobody_looks_up_is_found() -> None:
    found = list(stand_ins(
        'from firebreak.planning.core import limits\n'
        'from firebreak.planning.evaluation import drawn as plans\n'
        'def test(monkeypatch):\n'
        '    monkeypatch.setattr("firebreak.free_memory.free_bytes", int)\n'
        '    monkeypatch.setattr(limits, "process_time", int)\n'
        '    monkeypatch.setattr(limits, "sleep", int)\n'
        '    monkeypatch.setattr(limits, "sleep", int, raising=False)\n'
        '    mock.patch.object(plans, "Reporter", int)\n'
        '    monkeypatch.setattr("firebreak.planning.methods.burned_probability", int)\n'
        '    monkeypatch.setattr("os.replace", int)\n'))
    assert {name: nobody_looks_up(name) for name in found} == {
        "firebreak.free_memory.free_bytes": False,
        "firebreak.planning.core.limits.process_time": False,
        "firebreak.planning.core.limits.sleep": True,
        "firebreak.planning.evaluation.drawn.Reporter": False,
        "firebreak.planning.methods.burned_probability": True}


def test_a_name_that_others_took_when_they_were_loaded_is_found() -> None:
    assert nobody_looks_up("firebreak.fire.Scene")
    assert not nobody_looks_up("firebreak.fire.make_scene")
