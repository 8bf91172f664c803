"""Imports point down: each line of the package imports only from lines above it."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "firebreak"

BASE = frozenset({"units", "checks", "seeding", "files", "compiled"})
ENGINE = BASE | {"landscape", "fire"}
DECISION = ENGINE | {"layout", "segments"}
PLANNING = DECISION | {"env", "agent"}
TRAIN = PLANNING | {"planning", "memory"}

# What each part may import besides itself.
ALLOWED: dict[str, frozenset[str]] = {
    "__init__": frozenset(),  # `import firebreak` stays cheap
    "units": BASE,
    "checks": BASE,
    "seeding": BASE,
    "files": BASE,
    "compiled": BASE,
    "landscape": BASE,
    "fire": BASE | {"landscape"},
    # What env and agent agree on, since they do not know each other.
    "layout": BASE,
    "segments": BASE,
    "env": DECISION,
    "agent": DECISION,
    "planning": PLANNING,
    "memory": BASE,  # knows no layer: it walks the roots it is given
    "train": TRAIN,  # figures during a run are made by consumers that cli hands in
    "report": TRAIN | {"train"},
    "cli": TRAIN | {"train", "report"},
    "__main__": frozenset({"cli"}),
}
ONLY_IN = {"matplotlib": "report", "mpl_toolkits": "report"}


def part_of(relative: Path) -> str:
    """The sub-package, or the module where it lies at the top."""
    return relative.parts[0] if len(relative.parts) > 1 else relative.stem


def imported_names(tree: ast.AST, package: list[str]) -> Iterator[tuple[int, str]]:
    """(line, dotted name) of every import, wherever it stands: functions, `if TYPE_CHECKING`,
    and `import_module` with a constant name. `package` is the package that holds the module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*start, *([node.module] if node.module else [])])
            for alias in node.names:
                yield node.lineno, f"{base}.{alias.name}"
        elif isinstance(node, ast.Call) and node.args:
            function = node.func
            called = function.attr if isinstance(function, ast.Attribute) else getattr(
                function, "id", "")
            name = node.args[0]
            if (called in ("import_module", "__import__") and isinstance(name, ast.Constant)
                    and isinstance(name.value, str)):
                dots = len(name.value) - len(name.value.lstrip("."))
                start = package[: len(package) - dots + 1] if dots else []
                yield node.lineno, ".".join([*start, name.value.lstrip(".")])


def violations(root: Path) -> list[str]:
    """One line per import that points up or sideways, for the package in the folder `root`."""
    found = []
    for path in sorted(root.rglob("*.py")):
        relative = path.relative_to(root)
        part = part_of(relative)
        if part not in ALLOWED:
            found.append(f"{relative}: '{part}' has no place in the order of imports")
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
        for line, name in imported_names(tree, ["firebreak", *relative.parts[:-1]]):
            top, _, rest = name.partition(".")
            target = rest.partition(".")[0]
            if top in ONLY_IN and part != ONLY_IN[top]:
                found.append(f"{relative}:{line}: {top} belongs in {ONLY_IN[top]}/ only")
            elif (top == "firebreak" and target != part and target not in ALLOWED[part]
                  and is_module(root, target)):
                found.append(f"{relative}:{line}: {part} may not import {target}")
    return found


def is_module(root: Path, name: str) -> bool:
    """Whether `firebreak.name` is a part of the package and not a value such as __version__."""
    return name in ALLOWED or (root / name).is_dir() or (root / f"{name}.py").is_file()


def test_imports_point_down() -> None:
    assert violations(PACKAGE) == []


def test_the_package_that_is_checked_is_the_one_that_is_imported() -> None:
    import firebreak

    assert firebreak.__file__ is not None
    assert Path(firebreak.__file__).resolve().parent == PACKAGE
    assert len(list(PACKAGE.rglob("*.py"))) > 10


@pytest.mark.parametrize(("where", "code"), [
    ("fire/a.py", "from firebreak.agent.networks import QMap"),
    ("fire/a.py", "import firebreak.env"),
    ("landscape/a.py", "from firebreak import fire"),
    ("env/a.py", "from ..agent import networks"),
    ("agent/a.py", "from firebreak.env.core import step"),
    ("fire/a.py", "from firebreak.layout import OBSERVATION"),
    ("agent/deep/a.py", "from ...env import core"),
    ("planning/a.py", "def f():\n    from firebreak.train import trainer"),
    ("memory/a.py", "from firebreak.train.trainer import Trainer"),
    ("memory/a.py", "import firebreak.landscape"),
    ("train/a.py", "def f():\n    import firebreak.report.figures"),
    ("train/a.py", "import importlib\nimportlib.import_module('firebreak.report')"),
    ("train/a.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n"
                   "    from firebreak.report import figures"),
    ("report/a.py", "from firebreak import cli"),
    ("checks.py", "from .landscape import fuels"),
    ("__init__.py", "from firebreak.landscape import landscape"),
    ("cli/a.py", "from matplotlib.figure import Figure"),
    ("train/a.py", "import matplotlib"),
    ("elsewhere/a.py", "import os"),
    ("fire/a.py", "from firebreak import elsewhere"),
])
def test_a_planted_violation_is_found(tmp_path: Path, where: str, code: str) -> None:
    (tmp_path / "elsewhere").mkdir()
    path = tmp_path / where
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(code)
    assert len(violations(tmp_path)) == 1


@pytest.mark.parametrize(("where", "code"), [
    ("checks.py", "from firebreak.units import METRES_PER_FOOT"),
    ("fire/a.py", "from firebreak.fire.ring import x\nfrom . import ring\nfrom .. import units"),
    ("fire/deep/a.py", "from ..ring import x\nfrom ...landscape import fuels"),
    ("agent/a.py", "from firebreak.fire import ring\nimport torch"),
    ("env/a.py", "from firebreak.layout import OBSERVATION"),
    ("train/a.py", "from firebreak import __version__\nfrom firebreak.memory import profiler"),
    ("report/a.py", "from matplotlib.figure import Figure\nfrom firebreak.train import config"),
    ("cli/a.py", "from firebreak.report import figures\nfrom firebreak.env import core"),
    ("__main__.py", "from firebreak.cli import main"),
])
def test_an_import_from_above_is_allowed(tmp_path: Path, where: str, code: str) -> None:
    path = tmp_path / where
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(code)
    assert violations(tmp_path) == []


def loaded_by(*packages: str) -> set[str]:
    """Top-level names in sys.modules after importing every module of these packages."""
    code = """
import importlib, pkgutil, sys
for package in sys.argv[1:]:
    path = importlib.import_module(package).__path__
    for module in pkgutil.walk_packages(path, package + "."):
        importlib.import_module(module.name)
print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""
    done = subprocess.run([sys.executable, "-c", code, *packages], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def test_the_simulator_loads_no_learning_or_plotting_library() -> None:
    loaded = loaded_by("firebreak.landscape", "firebreak.fire")
    assert "firebreak" in loaded
    assert loaded.isdisjoint({"torch", "matplotlib", "gymnasium"})


def test_the_check_of_loaded_libraries_sees_a_library() -> None:
    assert "json" in loaded_by("json")
    assert "numpy" in loaded_by("numpy.typing")
