# SPDX-License-Identifier: GPL-2.0-or-later
# A QGIS plugin is a work with QGIS, which is under the GNU General Public Licence: so is this
# folder, version 2 or later. firebreak itself, under the MIT licence, runs as a program of its own.
"""The provider: its algorithms, and the setting that names the environment."""

from qgis.core import QgsProcessingProvider

from .algorithms.evaluate import EvaluateAlgorithm
from .algorithms.info import InfoAlgorithm
from .algorithms.lines import LinesAlgorithm
from .algorithms.plan import PlanAlgorithm
from .algorithms.simulate import SimulateAlgorithm

SETTING = "FIREBREAK_COMMAND"


class FirebreakProvider(QgsProcessingProvider):
    """The algorithms of firebreak."""

    def id(self):
        """The name before the colon."""
        return "firebreak"

    def name(self):
        """The name in the toolbox."""
        return "firebreak"

    def load(self):
        """Adds the setting, then the algorithms."""
        # There is no registry of settings in qgis_process before Processing's own plugin is loaded.
        try:
            from processing.core.ProcessingConfig import ProcessingConfig, Setting

            ProcessingConfig.addSetting(Setting(
                self.name(), SETTING, "Command firebreak, or the folder of its environment", "",
                valuetype=Setting.STRING))
            ProcessingConfig.readSettings()
        except ImportError:
            pass
        self.refreshAlgorithms()
        return True

    def unload(self):
        """Takes the setting away."""
        try:
            from processing.core.ProcessingConfig import ProcessingConfig

            ProcessingConfig.removeSetting(SETTING)
        except ImportError:
            pass

    def loadAlgorithms(self):
        """Called by QGIS."""
        for algorithm in (InfoAlgorithm, SimulateAlgorithm, PlanAlgorithm, EvaluateAlgorithm,
                          LinesAlgorithm):
            self.addAlgorithm(algorithm())
