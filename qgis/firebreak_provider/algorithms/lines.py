# SPDX-License-Identifier: GPL-2.0-or-later
# A QGIS plugin is a work with QGIS, which is under the GNU General Public Licence: so is this
# folder, version 2 or later. firebreak itself, under the MIT licence, runs as a program of its own.
"""firebreak:lines: lines of a map on which a fire may be held."""

from qgis.core import (
    QgsProcessingOutputVectorLayer,
    QgsProcessingParameterNumber,
    QgsProcessingParameterVectorDestination,
    QgsProcessingParameterVectorLayer,
)

from .base import LINES, FirebreakAlgorithm, option


class LinesAlgorithm(FirebreakAlgorithm):
    """`firebreak landscape lines`."""

    NAME, TITLE = "lines", "Find candidate lines"
    HELP = ("Finds corridors on which a fire may be held, each with a name. "
            "firebreak:plan takes them as lines to choose among.")

    def initAlgorithm(self, configuration=None):
        """Parameters and outputs."""
        self.add_landscape()
        self.addParameter(QgsProcessingParameterVectorLayer("ROADS", "Roads", [LINES],
                                                            optional=True))
        self.addParameter(QgsProcessingParameterNumber(
            "LEAST_M", "Shortest line, m", QgsProcessingParameterNumber.Type.Double, 300.0,
            minValue=0.0))
        self.add_more()
        self.addParameter(QgsProcessingParameterVectorDestination("LINES", "Lines"))
        self.addOutput(QgsProcessingOutputVectorLayer("LINES", "Lines"))

    def processAlgorithm(self, parameters, context, feedback):
        """Runs it."""
        out = self.parameterAsOutputLayer(parameters, "LINES", context)
        self.call(["landscape", "lines", self.landscape(parameters, context),
                   "--least-m", f"{self.parameterAsDouble(parameters, 'LEAST_M', context):g}",
                   *option("--roads", self.shapes(parameters, "ROADS", context, feedback)),
                   *self.further(parameters, context), "--out", out], feedback)
        return {"LINES": out}
