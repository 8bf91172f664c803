# SPDX-License-Identifier: GPL-2.0-or-later
# A QGIS plugin is a work with QGIS, which is under the GNU General Public Licence: so is this
# folder, version 2 or later. firebreak itself, under the MIT licence, runs as a program of its own.
"""The plugin: it adds the provider to Processing, and nothing else."""

from qgis.core import QgsApplication

from .provider import FirebreakProvider


class FirebreakPlugin:
    """What QGIS loads."""

    def __init__(self, iface):
        self.iface, self.provider = iface, None

    def initProcessing(self):
        """Called by QGIS, and by qgis_process."""
        self.provider = FirebreakProvider()
        QgsApplication.processingRegistry().addProvider(self.provider)

    def initGui(self):
        """Called by QGIS with a window."""
        self.initProcessing()

    def unload(self):
        """Called by QGIS at the end."""
        if self.provider is not None:
            QgsApplication.processingRegistry().removeProvider(self.provider)
