"""The provider under Qt 6, which QGIS 4 brings. QGIS 4 itself is not needed: `qgis.core` is a
stand-in that has what the provider uses and nothing else, with enums that need their class, on
objects and signals of PyQt6.
"""

import ast
import enum
import importlib
import pkgutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

QGIS = Path(__file__).resolve().parents[2] / "qgis"
PROVIDER = "firebreak_provider"
GONE = frozenset((
    "PyQt5", "QRegExp", "QDesktopWidget", "QTextCodec", "QStringRef", "QMatrix", "QSound",
    "QLinkedList", "exec_", "QVariant"))
"""Names that Qt 6, PyQt6 or QGIS 4 have no more, or that mean another thing there."""


def faults_of(source: str) -> list[str]:
    """Enums of Qt and QGIS without their class, and names that are gone."""
    tree, found = ast.parse(source), []
    inner = {child for node in ast.walk(tree) for child in (
        [node.value] if isinstance(node, ast.Attribute) else
        [node.func] if isinstance(node, ast.Call) else [])}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node not in inner and isinstance(
                node.value, ast.Name) and node.value.id.startswith(
                "Q") and node.attr[0].isupper():
            found.append(f"{node.value.id}.{node.attr}")
        words = [node.attr] if isinstance(node, ast.Attribute) else [
            node.id] if isinstance(node, ast.Name) else [
            part for name in node.names for part in name.name.split(".")] + (
            (node.module or "").split(".") if isinstance(node, ast.ImportFrom) else []
            ) if isinstance(node, ast.Import | ast.ImportFrom) else []
        found += [word for word in words if word in GONE]
    return found


@pytest.mark.parametrize(("line", "faults"), [
    ("a = QgsProcessingParameterNumber.Double", ["QgsProcessingParameterNumber.Double"]),
    ("a.setFlags(QgsProcessingParameterDefinition.FlagAdvanced)",
     ["QgsProcessingParameterDefinition.FlagAdvanced"]),
    ("a = Qt.AlignLeft | Qt.AlignmentFlag.AlignTop", ["Qt.AlignLeft"]),
    ("a = QgsProcessingParameterNumber.Type.Double", []),
    ("a = QgsProcessingContext.LayerDetails(name)", []),
    ("dialog.exec_()", ["exec_"]),
    ("from PyQt5.QtCore import QObject", ["PyQt5"]),
    ("from qgis.PyQt.QtCore import QRegExp, Qt", ["QRegExp"]),
    ("a = QgsApplication.processingRegistry()", [])])
def test_faults_are_seen(line: str, faults: list[str]) -> None:
    assert faults_of(line) == faults


@pytest.mark.parametrize("path", sorted(QGIS.rglob("*.py")), ids=lambda path: path.stem)
def test_enums_have_their_class_and_no_name_is_gone(path: Path) -> None:
    assert faults_of(path.read_text(encoding="utf-8")) == []


def test_the_metadata_allows_the_next_version() -> None:
    assert "qgisMaximumVersion=4.99" in (QGIS / PROVIDER / "metadata.txt").read_text().splitlines()


def core(qt: Any) -> ModuleType:
    """A stand-in for qgis.core on PyQt6's QtCore."""
    made = ModuleType("qgis.core")

    class Parameter(qt.QObject):
        Flag = enum.IntFlag("Flag", ["FlagAdvanced", "FlagHidden", "FlagOptional"])
        Type = enum.IntEnum("Type", ["Integer", "Double"])
        Behavior = enum.IntEnum("Behavior", ["File", "Folder"])

        def __init__(self, name: str, *given: Any, **named: Any) -> None:
            super().__init__(objectName=name)
            self.given, self.named, self._flags = given, named, self.Flag(0)

        def flags(self) -> Any:
            return self._flags

        def setFlags(self, flags: Any) -> None:
            assert isinstance(flags, self.Flag)
            self._flags = flags

    class Algorithm:
        def __init__(self) -> None:
            self.parameters: list[Any] = []
            self.outputs: list[Any] = []

        def addParameter(self, one: Any) -> None:
            self.parameters.append(one)

        def addOutput(self, one: Any) -> None:
            self.outputs.append(one)

        def checkParameterValues(self, *_: Any) -> tuple[bool, str]:
            return True, ""

        def parameterAsEnum(self, given: dict, name: str, _: Any) -> int:
            return int(given.get(name, 0))

        parameterAsInt = parameterAsEnum

        def parameterAsDouble(self, given: dict, name: str, _: Any) -> float:
            return float(given.get(name, 5.0))

        def parameterAsString(self, given: dict, name: str, _: Any) -> str:
            return str(given.get(name, ""))

        parameterAsFile = parameterAsOutputLayer = parameterAsString

        def parameterAsRasterLayer(self, *_: Any) -> None:
            return None

    class Provider(qt.QObject):
        algorithmsLoaded = qt.pyqtSignal()

        def __init__(self) -> None:
            super().__init__()
            self.algorithms: list[Any] = []

        def addAlgorithm(self, one: Any) -> bool:
            one.initAlgorithm()
            self.algorithms.append(one)
            return True

        def refreshAlgorithms(self) -> None:
            self.loadAlgorithms()
            self.algorithmsLoaded.emit()

    class Layer(qt.QObject):
        def __init__(self, path: str, *_: str) -> None:
            super().__init__(objectName=path)

        def isValid(self) -> bool:
            return True

    registry: list[Any] = []
    holder = SimpleNamespace(addProvider=lambda one: one.load() and registry.append(one),
                             removeProvider=lambda one: (one.unload(), registry.remove(one)))
    parts = {name: Parameter for name in (
        *(f"QgsProcessingParameter{kind}" for kind in (
            "Definition", "RasterLayer", "String", "Enum", "File", "FolderDestination", "Number",
            "VectorLayer", "VectorDestination")),
        *(f"QgsProcessingOutput{kind}" for kind in ("Html", "RasterLayer", "VectorLayer", "String")
          ))}
    parts |= {"QgsProcessingAlgorithm": Algorithm, "QgsProcessingProvider": Provider,
              "QgsProcessingException": type("QgsProcessingException", (Exception,), {}),
              "QgsRasterLayer": Layer, "QgsVectorLayer": Layer,
              "QgsProcessingContext": SimpleNamespace(LayerDetails=SimpleNamespace),
              "QgsProcessing": SimpleNamespace(SourceType=enum.IntEnum("SourceType", [
                  "TypeVectorPolygon", "TypeVectorLine", "TypeVectorAnyGeometry"])),
              "QgsApplication": SimpleNamespace(processingRegistry=lambda: holder),
              "registry": registry}
    for name, part in parts.items():
        setattr(made, name, part)
    return made


@pytest.fixture
def qgis(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The stand-in, where the provider imports it."""
    qt = pytest.importorskip("PyQt6.QtCore", reason="the package PyQt6 is absent: [interop]")
    made, pyqt = core(qt), ModuleType("qgis.PyQt")
    for name, module in (("qgis", ModuleType("qgis")), ("qgis.core", made), ("qgis.PyQt", pyqt),
                         ("qgis.PyQt.QtCore", qt)):
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.syspath_prepend(str(QGIS))
    yield made
    for name in [name for name in sys.modules if name.partition(".")[0] == PROVIDER]:
        del sys.modules[name]


@pytest.mark.interop
def test_the_plugin_loads_every_module_and_goes_again(qgis: ModuleType) -> None:
    package = importlib.import_module(PROVIDER)
    names = {one.name for one in pkgutil.walk_packages(package.__path__, f"{PROVIDER}.")}
    for name in names:
        importlib.import_module(name)
    plugin = package.classFactory(None)
    plugin.initGui()
    (provider,) = qgis.registry
    assert {one.name() for one in provider.algorithms} == {
        "info", "simulate", "plan", "evaluate", "lines"}
    for one in provider.algorithms:
        assert type(one.createInstance()) is type(one)
        assert one.displayName()
        assert one.shortHelpString()
        advanced = {part.objectName() for part in one.parameters if part.flags()}
        assert advanced == (set() if one.name() == "info" else {"MORE"})
    plugin.unload()
    assert qgis.registry == []


@pytest.mark.interop
@pytest.mark.parametrize(("files", "shown"), [
    (("plan.gpkg", "data/treatment.tif", "data/plan.tif"), "plan.gpkg|layername=segments"),
    (("segments.gpkg", "treatment.tif", "plan.tif"), "segments.gpkg|layername=segments"),
    (("data/plan.tif", "data/treatment.tif"), "data/plan.tif")],
    ids=["now", "earlier", "without pyogrio"])
def test_a_plan_runs_and_is_shown_in_either_layout(
        qgis: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
        files: tuple[str, ...], shown: str) -> None:
    qt = sys.modules["qgis.PyQt.QtCore"]

    class Feedback(qt.QObject):
        progressChanged = qt.pyqtSignal(float)
        pushCommandInfo = pushConsoleInfo = lambda self, words: told.append(words)

        def setProgress(self, share: float) -> None:
            self.progressChanged.emit(share)

        def isCanceled(self) -> bool:
            return False

    told: list[str] = []
    shares: list[float] = []
    out, command = tmp_path / "out", tmp_path / "firebreak"
    def made(name: str) -> str:
        return f"mkdir -p $(dirname {out / name}); : > {out / name}"
    command.write_text("\n".join(("#!/bin/sh", "echo plan: 40% in 2 s >&2", *map(made, files),
                                  "echo done")))
    command.chmod(0o755)
    monkeypatch.setenv("FIREBREAK_COMMAND", str(command))
    algorithm = importlib.import_module(f"{PROVIDER}.algorithms.plan").PlanAlgorithm()
    algorithm.initAlgorithm()
    feedback = Feedback()
    feedback.progressChanged.connect(shares.append)
    loaded: list[Any] = []
    context = SimpleNamespace(temporaryLayerStore=lambda: SimpleNamespace(
        addMapLayer=loaded.append), project=lambda: None)
    found = algorithm.processAlgorithm({"SOURCE": "synthetic:1:24", "OUT": str(out)}, context,
                                       feedback)
    assert found["SEGMENTS"] == str(out / shown)
    assert found["TREATMENT"].endswith("treatment.tif")
    assert "DIFFERENCE" not in found
    assert len(loaded) == 2
    assert shares == [40.0]
    assert {"plan: 40% in 2 s", "done"} <= set(told)  # two pipes, so in either order
