# SPDX-License-Identifier: GPL-2.0-or-later
# A QGIS plugin is a work with QGIS, which is under the GNU General Public Licence: so is this
# folder, version 2 or later. firebreak itself, under the MIT licence, runs as a program of its own.
"""firebreak:simulate: burn many fires, with or without a plan."""

from qgis.core import (
    QgsProcessingOutputRasterLayer,
    QgsProcessingParameterFile,
    QgsProcessingParameterFolderDestination,
    QgsProcessingParameterNumber,
)

from .base import OUT, FirebreakAlgorithm, option

MAPS = (("BURN_PROBABILITY", "burn_probability", "Burn probability"),
        ("FLAME_LENGTH", "flame_length_m", "Flame length, m"),
        ("DOWNSTREAM_VALUE", "downstream_value", "Downstream value"))


class SimulateAlgorithm(FirebreakAlgorithm):
    """`firebreak simulate`."""

    NAME, TITLE = "simulate", "Simulate fires"
    HELP = ("Burns fires on a landscape in drawn or given weather. The results are maps: how often "
            "each cell burns, with which flames, and how much burns behind it.")

    def initAlgorithm(self, configuration=None):
        """Parameters and outputs."""
        self.add_landscape()
        self.addParameter(QgsProcessingParameterNumber("FIRES", "Number of fires",
                                                       defaultValue=1000, minValue=1))
        self.addParameter(QgsProcessingParameterFile(
            "PLAN", "Burn with the breaks of a plan (its folder)", optional=True,
            behavior=QgsProcessingParameterFile.Behavior.Folder))
        self.addParameter(QgsProcessingParameterFile("WEATHER", "Weather file", optional=True))
        self.addParameter(QgsProcessingParameterNumber("SEED", "Seed", defaultValue=0, minValue=0))
        self.add_more()
        self.addParameter(QgsProcessingParameterFolderDestination(OUT, "Folder for the results"))
        for output, _, name in MAPS:
            self.addOutput(QgsProcessingOutputRasterLayer(output, name))

    def processAlgorithm(self, parameters, context, feedback):
        """Runs it."""
        out = self.parameterAsString(parameters, OUT, context)
        self.call(["simulate", self.landscape(parameters, context),
                   "--fires", str(self.parameterAsInt(parameters, "FIRES", context)),
                   "--seed", str(self.parameterAsInt(parameters, "SEED", context)),
                   *option("--plan", self.parameterAsFile(parameters, "PLAN", context)),
                   *option("--weather", self.parameterAsFile(parameters, "WEATHER", context)),
                   *self.further(parameters, context), "--out", out], feedback)
        found = {output: self.show(f"{out}/{file}.tif", name, output, context)
                 for output, file, name in MAPS}
        return {OUT: out, **{key: value for key, value in found.items() if value}}
