"""What importing a part loads. Who may import whom: the contracts of `lint-imports`."""

import ast
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "firebreak"


def test_the_package_imports_nothing_by_itself() -> None:
    """`import firebreak` stays cheap: only what is asked for is imported."""
    tree = ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8"))
    assert not [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]


def test_the_package_that_is_checked_is_the_one_that_is_imported() -> None:
    import firebreak

    assert firebreak.__file__ is not None
    assert Path(firebreak.__file__).resolve().parent == PACKAGE
    assert len(list(PACKAGE.rglob("*.py"))) > 10


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
    loaded = loaded_by("firebreak.landscape", "firebreak.weather", "firebreak.fire")
    assert "firebreak" in loaded
    assert loaded.isdisjoint({"torch", "matplotlib", "gymnasium"})


def test_the_check_of_loaded_libraries_sees_a_library() -> None:
    assert "json" in loaded_by("json")
    assert "numpy" in loaded_by("numpy.typing")
