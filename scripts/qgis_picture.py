"""Opens a plan in QGIS as its styles show it, over the hillshade of its map, and takes a picture.

    python3 scripts/qgis_picture.py my_plan docs/figures/qgis.png

Needs QGIS, Xvfb and Pillow (on Debian: apt-get install --no-install-recommends qgis xvfb). QGIS
runs with a profile of its own. Ends with 77 if there is no QGIS.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

SIZE, SECONDS, NO_QGIS = "1280x860x24", 100, 77
COLOURS, GREYS = 256, 128
_INSIDE = """
import os
from osgeo import gdal
from qgis.core import (QgsCubicRasterResampler, QgsProject, QgsRasterLayer, QgsRectangle,
                       QgsVectorLayer)
from qgis.PyQt.QtCore import QTimer
from qgis.PyQt.QtWidgets import QDockWidget
from qgis.utils import iface

folder, out = os.environ["PLAN_FOLDER"], os.environ["PLAN_PICTURE"]
package = f"{folder}/plan.gpkg"
shade = os.path.dirname(out) + "/shade.tif"
gdal.DEMProcessing(shade, f"{folder}/data/treated_landscape.tif", "hillshade", options=["-b", "1"])
relief = QgsRasterLayer(shade, "hillshade")
relief.resampleFilter().setZoomedInResampler(QgsCubicRasterResampler())
QgsProject.instance().addMapLayer(relief)
whole = QgsVectorLayer(package, "plan", "ogr")
names = [name.split("!!::!!")[1] for name in whole.dataProvider().subLayers()]
view = QgsRectangle()
for name in ("footprints", "segments", "alternatives", "centrelines", "anchors"):
    if name in names:
        layer = QgsVectorLayer(f"{package}|layername={name}", name, "ogr")
        assert layer.isValid(), name
        QgsProject.instance().addMapLayer(layer)
        view.combineExtentWith(layer.extent())
        if name == "segments":  # its cells and labels would hide the lines and theirs
            QgsProject.instance().layerTreeRoot().findLayer(layer).setItemVisibilityChecked(False)
view.scale(1.6)
window, canvas = iface.mainWindow(), iface.mapCanvas()
for dock in window.findChildren(QDockWidget):
    dock.setVisible(dock.objectName() == "Layers")
iface.messageBar().clearWidgets()
window.resize(1180, 760)

def look():
    iface.messageBar().clearWidgets()
    canvas.setExtent(view)
    canvas.refreshAllLayers()
    canvas.waitWhileRendering()
    QTimer.singleShot(4000, take)

def take():
    window.grab().save(out)
    os._exit(0)

QTimer.singleShot(4000, look)
"""


def main() -> int:
    """Takes the picture; returns the exit code."""
    folder, out = (Path(word).resolve() for word in sys.argv[1:3])
    if not (shutil.which("qgis") and shutil.which("xvfb-run")):
        print("no QGIS, or no Xvfb: apt-get install --no-install-recommends qgis xvfb")
        return NO_QGIS
    with tempfile.TemporaryDirectory() as name:
        inside, shot = Path(name) / "inside.py", Path(name) / "shot.png"
        inside.write_text(_INSIDE)
        kept = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
        subprocess.run(
            ["xvfb-run", "-a", "-s", f"-screen 0 {SIZE}", "qgis", "--nologo", "--noversioncheck",
             "--profiles-path", name, "--code", str(inside)], check=False, timeout=SECONDS,
            env={**kept, "HOME": name, "PLAN_FOLDER": str(folder), "PLAN_PICTURE": str(shot),
                 "XDG_RUNTIME_DIR": name})
        seen = Image.open(shot).convert("RGB")
        # One palette of the plan's colours and of the greys of the relief.
        palette = seen.quantize(COLOURS - GREYS, Image.Quantize.MAXCOVERAGE).getpalette() or []
        greys = [level for k in range(GREYS) for level in [round(255 * k / (GREYS - 1))] * 3]
        both = Image.new("P", (1, 1))
        both.putpalette(palette[:3 * (COLOURS - GREYS)] + greys)
        seen.quantize(palette=both, dither=Image.Dither.NONE).save(out, optimize=True)
    print(out)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
