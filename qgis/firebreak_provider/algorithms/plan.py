# SPDX-License-Identifier: GPL-2.0-or-later
# A QGIS plugin is a work with QGIS, which is under the GNU General Public Licence: so is this
# folder, version 2 or later. firebreak itself, under the MIT licence, runs as a program of its own.
"""firebreak:plan: where to put fuel breaks, and what they save."""

import os

from qgis.core import (
    QgsProcessingOutputHtml,
    QgsProcessingOutputRasterLayer,
    QgsProcessingOutputVectorLayer,
    QgsProcessingParameterEnum,
    QgsProcessingParameterFile,
    QgsProcessingParameterFolderDestination,
    QgsProcessingParameterNumber,
    QgsProcessingParameterVectorLayer,
)

from .base import LINES, OUT, POINTS, POLYGONS, FirebreakAlgorithm, option

METHODS = ("auto", "dqn", "dqn-lookahead", "segments", "downstream-value", "betweenness", "greedy",
           "strips", "burn-probability", "random")
KINDS = ("hard", "shaded")
SHAPES = (("AREA", "--area", "Plan inside these polygons only", POLYGONS),
          ("VALUE", "--value", "What is lost: houses as points or polygons", POINTS),
          ("LINES", "--lines", "Lines to choose among", LINES),
          ("MUST_EXCLUDE", "--must-exclude", "Cells that must not be treated", POINTS))
RASTERS = (("DIFFERENCE", "burn_probability_difference", "Change of burn probability"),
           ("TREATMENT", "treatment", "Treatment"))


def file_in(out, *names):
    """The path of the first of some files that a plan's folder or its data has, else the last one:
    an earlier version of the command writes all into the folder, segments.gpkg among them.
    """
    paths = [os.path.join(out, folder, name) for name in names for folder in ("data", "")]
    return next(filter(os.path.exists, paths), paths[-1])


class PlanAlgorithm(FirebreakAlgorithm):
    """`firebreak plan`."""

    NAME, TITLE = "plan", "Plan fuel breaks"
    HELP = ("Places fuel breaks within a budget so that fires destroy least, and judges them on "
            "fires that the method did not see. The segments are coloured by the order, or the "
            "year, in which to build them. The report says what the plan saves and what it "
            "depends on.")

    def initAlgorithm(self, configuration=None):
        """Parameters and outputs."""
        self.add_landscape()
        self.addParameter(QgsProcessingParameterNumber(
            "BUDGET", "Budget, percent of the cost of all treatable cells",
            QgsProcessingParameterNumber.Type.Double, 5.0, minValue=0.001, maxValue=100.0))
        self.addParameter(QgsProcessingParameterEnum("METHOD", "Method", list(METHODS),
                                                     defaultValue=0))
        self.addParameter(QgsProcessingParameterEnum("KIND", "Kind of break", list(KINDS),
                                                     defaultValue=0))
        for name, _, words, kind in SHAPES:
            self.addParameter(QgsProcessingParameterVectorLayer(name, words, [kind],
                                                                optional=True))
        self.addParameter(QgsProcessingParameterFile("WEATHER", "Weather file", optional=True))
        self.addParameter(QgsProcessingParameterNumber("TEST_FIRES", "Test fires",
                                                       defaultValue=1000, minValue=0))
        self.addParameter(QgsProcessingParameterNumber("SEED", "Seed", defaultValue=0, minValue=0))
        self.add_more()
        self.addParameter(QgsProcessingParameterFolderDestination(OUT, "Folder for the plan"))
        self.addOutput(QgsProcessingOutputVectorLayer("SEGMENTS", "Segments"))
        for output, _, name in RASTERS:
            self.addOutput(QgsProcessingOutputRasterLayer(output, name))
        self.addOutput(QgsProcessingOutputHtml("REPORT", "Report"))

    def processAlgorithm(self, parameters, context, feedback):
        """Runs it."""
        out = self.parameterAsString(parameters, OUT, context)
        shapes = [word for name, key, *_ in SHAPES
                  for word in option(key, self.shapes(parameters, name, context, feedback))]
        budget = self.parameterAsDouble(parameters, "BUDGET", context)
        self.call([
            "plan", self.landscape(parameters, context), "--budget", f"{budget:g}%",
            "--method", METHODS[self.parameterAsEnum(parameters, "METHOD", context)],
            "--break-kind", KINDS[self.parameterAsEnum(parameters, "KIND", context)],
            "--test-fires", str(self.parameterAsInt(parameters, "TEST_FIRES", context)),
            "--seed", str(self.parameterAsInt(parameters, "SEED", context)), *shapes,
            *option("--weather", self.parameterAsFile(parameters, "WEATHER", context)),
            *self.further(parameters, context), "--out", out], feedback)
        found = {output: self.show(file_in(out, f"{file}.tif"), name, output, context)
                 for output, file, name in RASTERS}
        found["SEGMENTS"] = (
            self.show(file_in(out, "plan.gpkg", "segments.gpkg"), "Segments", "SEGMENTS", context,
                      "segments")
            or self.show(file_in(out, "segments.geojson"), "Segments", "SEGMENTS", context)
            or self.show(file_in(out, "plan.tif"), "Plan", "SEGMENTS", context))
        return {OUT: out, "REPORT": f"{out}/report.html",
                **{key: value for key, value in found.items() if value}}
