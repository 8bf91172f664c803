# SPDX-License-Identifier: GPL-2.0-or-later
# A QGIS plugin is a work with QGIS, which is under the GNU General Public Licence: so is this
# folder, version 2 or later. firebreak itself, under the MIT licence, runs as a program of its own.
"""A Processing provider that starts the command `firebreak`."""


def classFactory(iface):
    """The plugin; QGIS calls this."""
    from .plugin import FirebreakPlugin

    return FirebreakPlugin(iface)
