"""Fuel systems: complete objects, and nothing else in the package asks for one by its name."""

import ast
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from firebreak.fire.behavior_models import MODELS
from firebreak.landscape.fuel_systems import DEFAULT_SYSTEM, SYSTEMS, FuelSystem

PACKAGE = Path(__file__).resolve().parents[3] / "src" / "firebreak"
KNOW_SYSTEMS = {"landscape/fuel_systems.py", "fire/behavior_models.py"}
OTHER_MEANINGS = {("fire/behavior/wind.py", "rothermel")}  # the wind limit of Rothermel 1972


def questions(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """(line, name) where a fuel system's name is compared, matched, or is a key of a dictionary of
    such names alone."""
    for node in ast.walk(tree):
        parts: list[ast.expr | None] = []
        if isinstance(node, ast.Compare):
            parts = [part for side in (node.left, *node.comparators) for part in (
                side.elts if isinstance(side, ast.Tuple | ast.List | ast.Set) else [side])]
        elif isinstance(node, ast.MatchValue):
            parts = [node.value]
        elif isinstance(node, ast.Dict) and all(
                isinstance(key, ast.Constant) and key.value in SYSTEMS for key in node.keys):
            parts = list(node.keys)
        for part in parts:
            if isinstance(part, ast.Constant) and part.value in SYSTEMS:
                yield part.lineno, part.value


@pytest.mark.slow
def test_no_code_asks_for_a_fuel_system_by_its_name() -> None:
    asked = [f"{path}:{line}: '{name}' belongs in a field of FuelSystem"
             for file in sorted(PACKAGE.rglob("*.py"))
             if (path := file.relative_to(PACKAGE).as_posix()) not in KNOW_SYSTEMS
             for line, name in questions(ast.parse(file.read_text(encoding="utf-8")))
             if (path, name) not in OTHER_MEANINGS]
    assert asked == []


@pytest.mark.parametrize("code", [
    "land.fuel_system == 'fbp'", "'rothermel' != system", "system in ('fbp', 'x')",
    "TABLE = {'fbp': 1}", "match system:\n    case 'fbp':\n        pass",
])
def test_a_planted_question_is_found(code: str) -> None:
    assert len(list(questions(ast.parse(code)))) == 1


def test_every_system_has_a_fire_behaviour_and_the_default_is_one() -> None:
    assert set(MODELS) == set(SYSTEMS)
    assert DEFAULT_SYSTEM in SYSTEMS
    # What is on disk.
    assert list(SYSTEMS) == ["rothermel", "fbp"]
    assert [system.name for system in SYSTEMS.values()] == list(SYSTEMS)


@pytest.mark.parametrize("system", SYSTEMS.values(), ids=SYSTEMS)
def test_the_tables_of_a_system_agree(system: FuelSystem) -> None:
    codes = system.burnable_codes
    assert codes.dtype == np.int16
    assert not codes.flags.writeable
    assert (np.diff(codes) > 0).all()
    assert set(codes.tolist()) < set(system.labels)
    assert set(system.labels) == set(system.colours)
    assert system.non_burnable in system.labels
    assert system.non_burnable not in codes
    assert {system.least_load(int(code)) for code in codes} <= set(codes.tolist())
    assert max(system.labels) <= np.iinfo(system.fuel_map_dtype).max
    assert system.label(-5) == "code -5"
    assert system.colour(-5) == "#ffffff"


def test_files_tell_the_systems_apart() -> None:
    forms = [system.cell2fire for system in SYSTEMS.values()]
    for names in ([system.layer_name for system in SYSTEMS.values()],
                  [form.lookup_table for form in forms], [form.fuel_grid for form in forms]):
        assert len(set(names)) == len(SYSTEMS)
