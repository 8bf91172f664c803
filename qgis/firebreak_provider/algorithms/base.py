# SPDX-License-Identifier: GPL-2.0-or-later
# A QGIS plugin is a work with QGIS, which is under the GNU General Public Licence: so is this
# folder, version 2 or later. firebreak itself, under the MIT licence, runs as a program of its own.
"""What the algorithms share: the landscape, the run of the command, the loading of results."""

import os
import shlex

from qgis.core import (
    QgsProcessing,
    QgsProcessingAlgorithm,
    QgsProcessingContext,
    QgsProcessingException,
    QgsProcessingParameterDefinition,
    QgsProcessingParameterRasterLayer,
    QgsProcessingParameterString,
    QgsRasterLayer,
    QgsVectorLayer,
)

from ..command import CommandError, find_command, run, split_words

LAYER, SOURCE, MORE, OUT = "LAYER", "SOURCE", "MORE", "OUT"


class FirebreakAlgorithm(QgsProcessingAlgorithm):
    """An algorithm that starts one command of firebreak."""

    NAME = TITLE = HELP = ""

    def name(self):
        """The name after the colon."""
        return self.NAME

    def displayName(self):
        """The name in the toolbox."""
        return self.TITLE

    def shortHelpString(self):
        """What it does."""
        return self.HELP

    def createInstance(self):
        """Another one."""
        return type(self)()

    def add_landscape(self):
        """The map: a layer of QGIS, or what firebreak takes beside it."""
        self.addParameter(QgsProcessingParameterRasterLayer(
            LAYER, "Landscape: a LANDFIRE GeoTIFF of 8 bands", optional=True))
        self.addParameter(QgsProcessingParameterString(
            SOURCE, "or a folder, a file, sample:santa-ana, synthetic:1:64", optional=True))

    def add_more(self):
        """Options that have no field of their own."""
        more = QgsProcessingParameterString(
            MORE, "Further options, as on the command line (firebreak plan --help-all)",
            optional=True)
        more.setFlags(more.flags() | QgsProcessingParameterDefinition.Flag.FlagAdvanced)
        self.addParameter(more)

    def checkParameterValues(self, parameters, context):
        """One landscape, neither none nor two."""
        ok, words = super().checkParameterValues(parameters, context)
        if ok and bool(self.parameterAsRasterLayer(parameters, LAYER, context)) == bool(
                self.parameterAsString(parameters, SOURCE, context).strip()):
            return False, "Give a landscape: a layer, or a folder or name; not both."
        return ok, words

    def landscape(self, parameters, context):
        """The landscape as the command takes it."""
        layer = self.parameterAsRasterLayer(parameters, LAYER, context)
        if layer is None:
            return self.parameterAsString(parameters, SOURCE, context).strip()
        return layer.source()

    def shapes(self, parameters, name, context, feedback):
        """The file of a vector layer, written if it has none; None if it was not given."""
        if parameters.get(name) in (None, ""):
            return None
        return self.parameterAsCompatibleSourceLayerPath(
            parameters, name, context, ["gpkg", "geojson", "shp"], "gpkg", feedback)

    def further(self, parameters, context):
        """The further options as words.

        Raises:
            QgsProcessingException: a quotation mark is not closed.
        """
        try:
            return split_words(self.parameterAsString(parameters, MORE, context))
        except CommandError as error:
            raise QgsProcessingException(str(error)) from error

    def call(self, words, feedback):
        """Runs `firebreak WORDS`; returns what it printed.

        Raises:
            QgsProcessingException: it is not there, was stopped or failed.
        """
        try:
            words = [find_command(_setting()), *words]
            feedback.pushCommandInfo(shlex.join(words))
            return run(words, feedback.pushConsoleInfo, feedback.setProgress, feedback.isCanceled)
        except CommandError as error:
            raise QgsProcessingException(str(error)) from error

    def show(self, path, name, output, context, layer_name=None):
        """Loads a file into the project once the algorithm has ended, with the style beside it or
        in it; returns its path, or None where there is no such file.
        """
        if not os.path.exists(path):
            return None
        source = path if layer_name is None else f"{path}|layername={layer_name}"
        layer = (QgsRasterLayer(path, name) if path.endswith(".tif")
                 else QgsVectorLayer(source, name, "ogr"))
        if not layer.isValid():
            raise QgsProcessingException(f"QGIS cannot read {source}.")
        context.temporaryLayerStore().addMapLayer(layer)
        if context.project() is not None:
            context.addLayerToLoadOnCompletion(
                layer.id(), QgsProcessingContext.LayerDetails(name, context.project(), output))
        return source


def option(name, value):
    """An option with its value, or nothing where there is none."""
    return [] if value in (None, "") else [name, str(value)]


def _setting():
    try:
        from processing.core.ProcessingConfig import ProcessingConfig

        return ProcessingConfig.getSetting("FIREBREAK_COMMAND") or ""
    except ImportError:
        return ""


POLYGONS, LINES, POINTS = (QgsProcessing.SourceType.TypeVectorPolygon,
                           QgsProcessing.SourceType.TypeVectorLine,
                           QgsProcessing.SourceType.TypeVectorAnyGeometry)
