"""`from firebreak import plan`: lazy, never shadowed by a module, and typed."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import firebreak

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts"))
import python_stub  # noqa: E402

FUNCTIONS = ("evaluate", "plan", "read_landscape", "simulate", "train_policy")
SHADOWED = """
import importlib, pkgutil, firebreak
for module in pkgutil.walk_packages(firebreak.__path__, "firebreak."):
    if module.name != "firebreak.__main__":
        importlib.import_module(module.name)
print(*(name for name in firebreak.__all__ if type(getattr(firebreak, name)).__name__ == "module"))
print(*(name for name in firebreak.__all__ if callable(getattr(firebreak, name))))
"""


def said_by(code: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_no_public_name_is_that_of_a_module() -> None:
    """An import of the module would put it in the name's place."""
    inside = Path(firebreak.__path__[0])
    modules = {path.stem for path in inside.glob("*.py")} | {
        path.name for path in inside.iterdir() if path.is_dir()}
    assert "planning" in modules
    assert modules.isdisjoint(firebreak.__all__)


@pytest.mark.slow
def test_the_names_are_functions_after_every_module_is_imported() -> None:
    shadowed, functions = said_by(SHADOWED)
    assert shadowed == ""
    assert set(FUNCTIONS) <= set(functions.split())


def test_importing_the_package_loads_none_of_it() -> None:
    (loaded,) = said_by("import sys; before = {*sys.modules}; import firebreak\n"
                        "print(*sorted({*sys.modules} - before))")
    assert loaded == "firebreak"


def test_asking_for_reading_loads_no_learning_library() -> None:
    (loaded,) = said_by("import sys; from firebreak import read_landscape\n"
                        "print(*sorted({name.partition('.')[0] for name in sys.modules}))")
    assert {"numpy", "firebreak"} <= {*loaded.split()}
    assert {"torch", "matplotlib", "gymnasium"}.isdisjoint(loaded.split())


def test_every_name_is_the_one_that_its_module_has() -> None:
    for name, place in firebreak._PLACES.items():
        own = getattr(importlib.import_module(f"firebreak.{place}"), name)
        assert getattr(firebreak, name) is own
    assert {*firebreak._PLACES, "__version__"} == {*firebreak.__all__}
    assert {*firebreak.__all__} <= {*dir(firebreak)}


def test_another_name_is_none() -> None:
    with pytest.raises(AttributeError, match="no attribute 'plans'"):
        _ = firebreak.plans


def test_what_type_checkers_read_is_up_to_date() -> None:
    assert python_stub.OUT.read_text(encoding="utf-8") == python_stub.text(), (
        "run scripts/python_stub.py")
