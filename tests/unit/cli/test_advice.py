"""Error sentences advise options that there are; tests/conftest.py looks at each that any test
meets.
"""

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from rasterio.crs import CRS

import firebreak
from advice import strange_options
from firebreak.checks import PART_OF_MAP, InputError
from firebreak.cli import BAD_INPUT, main
from firebreak.cli.commands import PROGRAMS
from firebreak.cli.help import options_of
from firebreak.fire import FireConditions
from firebreak.landscape.formats.write import write_landscape
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.core import domain, fire_counts
from firebreak.planning.core.fire_counts import planning_bytes

SOURCES = Path(firebreak.__file__).parent


@pytest.mark.parametrize(("words", "typed", "strange"), [
    ("crop it, or name a part with --area", ["evaluate", "map.tif"], []),
    ("crop it, or name a part with --area", ["plan", "map.tif"], []),
    ("got '--aera'; set --windw", ["plan"], ["--windw of plan"]),
    (f"use segments, or {PART_OF_MAP}", ["evaluate"], []), (f"use {PART_OF_MAP}", ["simulate"], []),
    ("in bench by --area, elsewhere by --area", ["plan"], ["--area of bench"]),
    ("in evaluate by --window, elsewhere by --windw", ["simulate"], ["--windw of simulate"]),
    ("a smaller --bbox", ["landscape", "fetch", "a"], []),
    ("a smaller --bbox", ["landscape", "lines", "a"], ["--bbox of landscape lines"]),
    ("leave --seed out", ["behavior", "--seed=x"], []), ("did you mean 'plan'", ["paln"], [])])
def test_an_option_that_the_command_lacks_is_found(words: str, typed: list[str],
                                                   strange: list[str]) -> None:
    assert strange_options(InputError(f"here: expected more; {words}"), typed) == strange


def sentences() -> Iterator[tuple[Path, str]]:
    """Words of the calls that make errors, of all modules."""
    for path in sorted(SOURCES.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and {"remedy", "expected"} & {
                    keyword.arg for keyword in node.keywords}:
                words = [part.value for part in ast.walk(node)
                         if isinstance(part, ast.Constant) and isinstance(part.value, str)]
                yield path, " ".join(words)


@pytest.mark.slow
def test_every_option_that_an_error_names_is_one_of_some_command() -> None:
    every = {"--completion", "--version"}.union(*map(options_of, PROGRAMS))
    own = {SOURCES / "cli" / "commands" / f"{own.module.replace('.', '/')}.py":
           set(options_of(name)) for name, own in PROGRAMS.items()
           if sum(other.module == own.module for other in PROGRAMS.values()) == 1}
    named = [(path, option) for path, words in sentences()
             for option in re.findall(r"--[a-z][a-z0-9-]+", re.sub(r"'[^']*'", "", words))]
    assert len(named) > 100
    assert [(path.name, option) for path, option in named
            if option not in own.get(path, every)] == []


@pytest.fixture(scope="module")
def raster(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("map") / "map.tif"
    write_landscape(path, replace(generate(1, 60), crs=CRS.from_epsg(32611).to_wkt()))
    return path


@pytest.mark.parametrize(("command", "share", "words"), [
    ("plan", 0.001, "(--area)"), ("evaluate", 0.001, "(--area)"),
    ("evaluate --methods none", 0.001, "(--area)"), ("simulate", 0.001, "(--area)"),
    ("plan --plan-fires 16", 0.8, "--area 0:"), ("evaluate --plan-fires 16", 0.8, "--area 0:"),
    ("plan --plan-fires 4000", 40.0, "--plan-fires "),
    ("evaluate --plan-fires 4000", 40.0, "--plan-fires "),
    ("evaluate --window 20", 0.1, "smaller ones with --window")])
def test_memory_is_refused_with_options_of_the_command(
        monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path,
        raster: Path, command: str, share: float, words: str) -> None:
    """tests/conftest.py would raise where an option is not one of the command's. share: that is
    free of what 16 plan fires take.
    """
    free = int(share * sum(planning_bytes((60, 60), FireConditions(), 16)))
    for module in (fire_counts, sys.modules["firebreak.free_memory"]):
        monkeypatch.setattr(module, "free_bytes", lambda: free)
    assert domain.make_scene is not None  # probes the land around before plans need memory
    monkeypatch.setattr("firebreak.fire.make_scene", None)
    name, *more = command.split()
    out = [] if name == "evaluate" else ["--out", str(tmp_path / "out")]
    assert main([name, str(raster), *more, *out]) == BAD_INPUT
    said = capsys.readouterr().err
    assert "of free memory" in said
    assert words in said
