"""What a command loads: no network library where it needs none, and nothing that is heavy before it
says that a file is missing.
"""

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("torch", "matplotlib", "scipy", "gymnasium", "numba")
_SAID = """
import sys
from firebreak.cli import main
code = main(sys.argv[1:])
print(*sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
sys.exit(code)
"""


def loaded_by(*command: str) -> tuple[int, str, set[str]]:
    """The exit code of a command, what it says on standard error, and what it has loaded."""
    done = subprocess.run([sys.executable, "-c", _SAID, *command], capture_output=True, text=True)
    *said, loaded = done.stderr.strip().split("\n")
    return done.returncode, "\n".join(said), set(loaded.split())


@pytest.mark.parametrize("command", [
    "methods", "--help", "plan --help", "train --help", "evaluate --help-all",
    "landscape info sample:santa-ana",
    pytest.param("simulate synthetic:3:12 --fires 2 --threads 1 --out maps",
                 marks=pytest.mark.slow),
    pytest.param("plan synthetic:3:12 --method strips --report none --threads 1 --out plan",
                 marks=pytest.mark.slow),
    pytest.param("evaluate synthetic:3:12 --methods none,strips --test-fires 4 --plan-fires 2",
                 marks=pytest.mark.slow)])
def test_a_command_that_needs_no_network_loads_no_library_of_them(
        command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, said, loaded = loaded_by(*command.split())
    assert code == 0, said
    # The maps of simulate are drawn, and rasters are read.
    heavy = {"torch"} if command.startswith(("simulate", "plan s", "evaluate s")) else {
        "torch", "matplotlib"}
    assert not loaded & heavy


@pytest.mark.parametrize("command", [
    "plan gone.tif", "evaluate gone.tif", "simulate gone.tif", "landscape info gone.tif",
    "landscape convert gone.tif --out new.tif", "landscape lines gone.tif --out new.geojson",
    "behavior gone.csv --out new.csv", "visualize gone", "visualize gone --serve", "train gone",
    "train --resume gone", "memory report gone",
    "memory check gone",
    *(f"{command} sample:santa-ana {option} gone" for command, option in (
        ("plan", "--policy"), ("plan", "--weather"), ("plan", "--config"), ("plan", "--existing"),
        ("plan", "--value"), ("evaluate", "--plan"), ("evaluate", "--methods dqn --policy"),
        ("simulate", "--plan"), ("simulate", "--observed"), ("visualize", "--serve --plan")))])
def test_a_missing_file_is_said_before_anything_heavy_is_loaded(command: str) -> None:
    words = command.split()
    code, said, loaded = loaded_by(*words, *(["--fires", "1"] if "--observed" in words else []))
    assert code == 2
    assert "gone" in said
    assert len(said.splitlines()) == 1
    assert not loaded & {*HEAVY}
