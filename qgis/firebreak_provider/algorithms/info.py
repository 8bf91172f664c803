# SPDX-License-Identifier: GPL-2.0-or-later
# A QGIS plugin is a work with QGIS, which is under the GNU General Public Licence: so is this
# folder, version 2 or later. firebreak itself, under the MIT licence, runs as a program of its own.
"""firebreak:info: what a landscape is made of, and what looks wrong in it."""

from qgis.core import QgsProcessingOutputString

from .base import FirebreakAlgorithm


class InfoAlgorithm(FirebreakAlgorithm):
    """`firebreak landscape info`."""

    NAME, TITLE = "info", "Describe a landscape"
    HELP = ("Size, cell size, reference system, fuels, canopies, elevation and slope of a "
            "landscape, and what looks wrong in it.")

    def initAlgorithm(self, configuration=None):
        """Parameters and outputs."""
        self.add_landscape()
        self.addOutput(QgsProcessingOutputString("TEXT", "Description"))

    def processAlgorithm(self, parameters, context, feedback):
        """Runs it."""
        words = ["landscape", "info", self.landscape(parameters, context)]
        return {"TEXT": self.call(words, feedback)}
