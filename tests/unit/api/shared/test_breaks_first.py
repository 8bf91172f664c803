"""Breaks of another place are refused before any layer of a map is read."""

import json
from pathlib import Path

import pytest
from tests.unit.planning.output.test_given import LAND, NORTH, SMALL, WEST, drawn, line

from firebreak.api.shared.scene_options import SceneOptions
from firebreak.cli import main
from firebreak.landscape.formats.write import write_landscape


@pytest.fixture
def unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A map that nobody may read, and files of breaks."""
    monkeypatch.chdir(tmp_path)
    write_landscape("land.tif", LAND)
    drawn(Path("away.geojson"), line(900, 2, 9))
    drawn(Path("south.geojson"), line(20, 2, 9))
    Path("bad.geojson").write_text(json.dumps({
        "type": "FeatureCollection", "crs": {"type": "name", "properties": {"name": "none"}},
        "features": [line(5, 2, 9)]}))
    Path("other").mkdir()
    Path("other/plan.json").write_text(json.dumps({"shape": [7, 9]}))
    Path("other/plan.csv").write_text("row,col\n1,1\n")

    def read(*_: object, **__: object) -> None:
        raise AssertionError("the map is read")

    monkeypatch.setattr(SceneOptions, "read", read)
    return tmp_path


@pytest.mark.parametrize(("file", "more", "words"), [
    ("away.geojson", [], "expected shapes that cover cells of the landscape, got none: they lie"),
    ("south.geojson", ["--area", "0:9,0:20"], "expected shapes that cover cells of the area"),
    ("bad.geojson", [], "expected shapes with a reference system"),
    ("other", [], "other/plan.json: expected cells of land.tif, 24 x 30, got shape (7, 9)")])
@pytest.mark.parametrize("words_of", [["evaluate", "--methods", "none", "--plan"],
                                      ["plan", "--out", "out", "--improve"],
                                      ["plan", "--out", "out", "--existing"]],
                         ids=["evaluate", "improve", "existing"])
def test_breaks_of_another_place_are_refused_first(
        unread: Path, words_of: list[str], file: str, more: list[str], words: str,
        capsys: pytest.CaptureFixture[str]) -> None:
    assert main([words_of[0], "land.tif", *SMALL, *more, *words_of[1:], file]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1


def geojson(path: str, *coordinates: object, system: str | None = "EPSG:32611") -> None:
    named = {"crs": {"type": "name", "properties": {"name": system}}} if system else {}
    lines = [{"type": "LineString", "coordinates": own} for own in coordinates]
    Path(path).write_text(json.dumps({"type": "FeatureCollection", **named, "features": [
        {"type": "Feature", "properties": {}, "geometry": own} for own in lines]}))


@pytest.mark.parametrize(("coordinates", "system", "words"), [
    ([["a", 1], [2, 2]], "EPSG:32611", "expected shapes with coordinates of their system"),
    ([[[1, 2]], [[3, 4]]], "EPSG:32611", "expected shapes with coordinates of their system"),
    ([[500_015.0, 4_999_800.0], [500_300.0, 4_999_800.0]], None, "which looks like metres"),
    ([[45.1, -117.0], [45.2, -117.0]], None, "write the longitude first"),
    ([[1e300, 2.0], [3.0, 4.0]], "EPSG:32611", "coordinates nowhere on the Earth")])
def test_damaged_shapes_are_refused_for_what_they_are(
        unread: Path, coordinates: object, system: str | None, words: str,
        capsys: pytest.CaptureFixture[str]) -> None:
    geojson("s.geojson", coordinates, system=system)
    assert main(["plan", "land.tif", *SMALL, "--existing", "s.geojson", "--out", "out"]) == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(("more", "system", "others"), [
    (["--crs", "EPSG:32610"], "EPSG:32610", []),
    ([], None, [[[0.0, 89.0], [1.0, 89.0]], [[0.0, -89.0], [1.0, -89.0]]])],
    ids=["the system that --crs names", "others at the poles"])
def test_a_line_on_the_map_is_left_to_the_reader(
        unread: Path, more: list[str], system: str | None, others: list[object]) -> None:
    on_map = ([[WEST + 45.0, NORTH - 165.0], [WEST + 285.0, NORTH - 165.0]] if system
              else [[-116.999, 45.151], [-116.995, 45.151]])
    geojson("s.geojson", on_map, *others, system=system)
    with pytest.raises(AssertionError, match="the map is read"):
        main(["plan", "land.tif", *SMALL, *more, "--existing", "s.geojson", "--out", "out"])


def test_breaks_on_the_map_are_left_to_the_reader(unread: Path) -> None:
    with pytest.raises(AssertionError, match="the map is read"):
        main(["plan", "land.tif", *SMALL, "--area", "15:24,0:20", "--existing", "south.geojson",
              "--out", "out"])
