# SPDX-License-Identifier: GPL-2.0-or-later
# A QGIS plugin is a work with QGIS, which is under the GNU General Public Licence: so is this
# folder, version 2 or later. firebreak itself, under the MIT licence, runs as a program of its own.
"""firebreak:evaluate: methods, or a plan, beside one another on the same test fires."""

from qgis.core import (
    QgsProcessingOutputString,
    QgsProcessingParameterFile,
    QgsProcessingParameterNumber,
    QgsProcessingParameterString,
)

from .base import FirebreakAlgorithm, option


class EvaluateAlgorithm(FirebreakAlgorithm):
    """`firebreak evaluate`."""

    NAME, TITLE = "evaluate", "Compare methods or a plan"
    HELP = ("Burns the same test fires under the plans of several methods, and under a plan of "
            "yours, and tells by how much each reduces the loss, with 95 % intervals.")

    def initAlgorithm(self, configuration=None):
        """Parameters and outputs."""
        self.add_landscape()
        self.addParameter(QgsProcessingParameterString(
            "METHODS", "Methods, separated by commas", "none,random,downstream-value,dqn"))
        self.addParameter(QgsProcessingParameterFile(
            "PLAN", "A plan to compare with them (its folder)", optional=True,
            behavior=QgsProcessingParameterFile.Behavior.Folder))
        self.addParameter(QgsProcessingParameterNumber(
            "BUDGET", "Budget, percent of the cost of all treatable cells",
            QgsProcessingParameterNumber.Type.Double, 5.0, minValue=0.001, maxValue=100.0))
        self.addParameter(QgsProcessingParameterNumber("TEST_FIRES", "Test fires",
                                                       defaultValue=1000, minValue=1))
        self.addParameter(QgsProcessingParameterNumber("SEED", "Seed", defaultValue=0, minValue=0))
        self.add_more()
        self.addOutput(QgsProcessingOutputString("TEXT", "Table"))

    def processAlgorithm(self, parameters, context, feedback):
        """Runs it."""
        budget = self.parameterAsDouble(parameters, "BUDGET", context)
        return {"TEXT": self.call([
            "evaluate", self.landscape(parameters, context), "--budget", f"{budget:g}%",
            "--methods", self.parameterAsString(parameters, "METHODS", context),
            "--test-fires", str(self.parameterAsInt(parameters, "TEST_FIRES", context)),
            "--seed", str(self.parameterAsInt(parameters, "SEED", context)),
            *option("--plan", self.parameterAsFile(parameters, "PLAN", context)),
            *self.further(parameters, context)], feedback)}
