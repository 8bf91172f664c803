"""Runs every algorithm of the QGIS provider with qgis_process on the sample; before a release.

    python3 scripts/check_qgis.py [FOLDER]

Needs QGIS (on Debian: apt-get install --no-install-recommends qgis qgis-plugin-grass- python3-qgis)
and firebreak for this Python. QGIS runs with a profile of its own in FOLDER, and without a window.
Checked are the exit codes, the files, and that QGIS reads the layers with their styles. Ends with
1 if something fails, with 77 if there is no QGIS.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = "sample:santa-ana"
NO_QGIS = 77
# Debian's wrapper hands on an option that belongs to the program with a window.
PROCESS = shutil.which("qgis_process.bin") or shutil.which("qgis_process")
_LOOK = """
import sys
from qgis.core import QgsApplication, QgsVectorLayer, QgsRasterLayer
application = QgsApplication([], False)
application.initQgis()
for path in sys.argv[1:]:
    layer = QgsRasterLayer(path, "a") if path.endswith(".tif") else QgsVectorLayer(path, "a", "ogr")
    kind = layer.renderer().type() if layer.isValid() and layer.renderer() else "none"
    named = path.endswith(".tif") or layer.labelsEnabled()
    print(f"{path.rsplit('/', 1)[-1]}: valid {layer.isValid()}, renderer {kind}, labels {named}")
"""


def environment(folder: Path) -> dict[str, str]:
    """Variables of a QGIS with a profile of its own that has the plugin, and no window."""
    plugins = folder / "profile" / "profiles" / "default" / "python" / "plugins"
    plugins.mkdir(parents=True)
    shutil.copytree(ROOT / "qgis" / "firebreak_provider", plugins / "firebreak_provider",
                    ignore=shutil.ignore_patterns("__pycache__"))
    command = folder / "firebreak"
    command.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT / "src"}" exec "{sys.executable}" -m '
                       'firebreak "$@"\n')
    command.chmod(0o755)
    kept = {name: value for name, value in os.environ.items()
            if name not in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")}
    return {**kept, "QT_QPA_PLATFORM": "offscreen", "FIREBREAK_COMMAND": str(command),
            "QGIS_CUSTOM_CONFIG_PATH": str(folder / "profile"), "HOME": str(folder),
            "XDG_RUNTIME_DIR": str(folder)}


def with_plugin(folder: Path) -> dict[str, str]:
    """`environment`, with the plugin switched on."""
    env = environment(folder)
    subprocess.run([str(PROCESS), "plugins", "enable", "firebreak_provider"], env=env, check=True,
                   stdout=subprocess.DEVNULL)
    return env


def looked_at(env: dict[str, str], layers: Sequence[str]) -> str:
    """Layers as QGIS reads them: a line each on whether it is valid, its style and labels."""
    return subprocess.run(["/usr/bin/python3", "-c", _LOOK, *layers], env=env, check=True,
                          text=True, capture_output=True).stdout


def run(name: str, env: dict[str, str], **inputs: object) -> dict[str, Any]:
    """Runs an algorithm; its outputs.

    Raises:
        SystemExit: it failed.
    """
    began = time.perf_counter()
    given = [f"{key}={value}" for key, value in inputs.items()]
    done = subprocess.run([str(PROCESS), "--json", "run", f"firebreak:{name}", "--", *given],
                          env=env, capture_output=True, text=True)
    if done.returncode != 0:
        print(done.stdout[-3000:], done.stderr[-3000:], sep="\n", file=sys.stderr)
        raise SystemExit(f"firebreak:{name} failed")
    results: dict[str, Any] = json.loads(done.stdout[done.stdout.index("{"):])["results"]
    print(f"firebreak:{name}: {time.perf_counter() - began:.0f} s, "
          f"{ {key: str(value)[:60] for key, value in results.items()} }", flush=True)
    return results


def main() -> int:
    """Runs them all."""
    if PROCESS is None:
        print("qgis_process is not installed: nothing was checked", file=sys.stderr)
        return NO_QGIS
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    env = with_plugin(folder)
    assert "cells" in run("info", env, SOURCE=SAMPLE)["TEXT"]
    lines = run("lines", env, SOURCE=SAMPLE, LINES=str(folder / "lines.gpkg"))["LINES"]
    plan = run("plan", env, SOURCE=SAMPLE, METHOD=1, TEST_FIRES=200, OUT=str(folder / "plan"))
    fires = run("simulate", env, SOURCE=SAMPLE, FIRES=100, PLAN=str(folder / "plan"),
                OUT=str(folder / "fires"))
    table = run("evaluate", env, SOURCE=SAMPLE, METHODS="none,downstream-value", TEST_FIRES=100,
                PLAN=str(folder / "plan"))["TEXT"]
    assert "downstream-value" in table
    shown = [str(folder / "plan" / "plan.gpkg") + f"|layername={name}"
             for name in ("segments", "centrelines")]
    shown += [plan["DIFFERENCE"], plan["TREATMENT"], fires["BURN_PROBABILITY"]]
    seen = looked_at(env, shown)
    print(seen, end="")
    assert Path(lines).exists()
    assert Path(plan["REPORT"]).exists()
    assert seen.count("valid True") == len(shown)
    assert seen.count("graduatedSymbol, labels True") == 2
    assert "gray" not in seen
    print("the provider runs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
