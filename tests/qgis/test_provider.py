"""The provider in QGIS itself, by qgis_process and without a window; `scripts/check_qgis.py` runs
all algorithms. `pytest -m qgis` needs QGIS.
"""

import importlib.util
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "check_qgis.py"
LAND = "synthetic:1:24"

pytestmark = [pytest.mark.qgis, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def check() -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_qgis", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    if made.PROCESS is None:
        pytest.skip("qgis_process is not installed")
    return made


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("qgis") / "Karten für José, 1 & 2"
    made.mkdir()
    return made


@pytest.fixture(scope="module")
def env(check: ModuleType, folder: Path) -> dict[str, str]:
    made: dict[str, str] = check.with_plugin(folder)
    return made


def algorithm(check: ModuleType, env: dict[str, str], *words: str) -> subprocess.CompletedProcess:
    return subprocess.run([str(check.PROCESS), *words], env=env, capture_output=True, text=True,
                          check=False)


def test_info_tells_what_the_command_tells(check: ModuleType, env: dict[str, str]) -> None:
    told = check.run("info", env, SOURCE=LAND)["TEXT"]
    assert "24 x 24 cells" in told


def test_a_plan_is_loaded_from_a_folder_of_any_name(check: ModuleType, env: dict[str, str],
                                                    folder: Path) -> None:
    out = folder / "mein Plan"
    found = check.run("plan", env, SOURCE=LAND, METHOD=4, TEST_FIRES=30,
                      MORE="--plan-fires 16 --duration-min '60'", OUT=str(out))
    assert Path(found["REPORT"]).is_file()
    assert (out / "plan.json").is_file()
    shown = [f"{out / 'plan.gpkg'}|layername=segments", found["DIFFERENCE"]]
    seen = check.looked_at(env, shown)
    assert seen.count("valid True") == len(shown)
    assert "graduatedSymbol, labels True" in seen


def test_faults_are_one_sentence(check: ModuleType, env: dict[str, str], folder: Path) -> None:
    for given, told in (
            (env, "firebreak ended with code 2: --plan-fires: expected a whole number"),
            (env | {"FIREBREAK_COMMAND": str(folder / "nowhere")}, "no command firebreak at"),
            (env | {"FIREBREAK_COMMAND": str(folder)}, "cannot be started")):
        if told.startswith("cannot"):
            (folder / "firebreak").rename(folder / "kept")
            (folder / "firebreak").write_text("not a program", encoding="utf-8")
        done = algorithm(check, given, "run", "firebreak:plan", "--", f"SOURCE={LAND}",
                         "MORE=--plan-fires many", f"OUT={folder / 'none'}")
        assert done.returncode != 0
        assert told in done.stdout + done.stderr
        assert "Traceback" not in done.stdout + done.stderr
    (folder / "kept").replace(folder / "firebreak")


def test_an_interrupt_ends_the_command_too(check: ModuleType, env: dict[str, str],
                                           folder: Path) -> None:
    process = subprocess.Popen(
        [str(check.PROCESS), "run", "firebreak:simulate", "--", "SOURCE=synthetic:1:96",
         "FIRES=1000000", f"OUT={folder / 'long'}"], env=env, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, start_new_session=True)
    try:
        for _ in range(600):
            if running(folder / "long"):
                break
            time.sleep(0.1)
        assert running(folder / "long")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=300)
        for _ in range(300):
            if not running(folder / "long"):
                return
            time.sleep(0.1)
        pytest.fail("the command runs on without QGIS")
    finally:
        for pid in running(folder / "long"):
            os.kill(pid, signal.SIGKILL)


def running(out: Path) -> list[int]:
    """Processes of this Python that write into a folder."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = place.read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        if str(out) in words and words[0] == sys.executable:
            found.append(int(place.parent.name))
    return found
