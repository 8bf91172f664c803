"""Every reader of files from outside, with whole files of its formats to damage."""

import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
import rasterio
import rasterio.shutil
from rasterio.crs import CRS

from cell2fire_folders import write_cell2fire
from faults.hostile import Reader
from firebreak.api.plans.area import planning_area
from firebreak.cli.commands.behavior_cases import cases_in
from firebreak.cli.shared.plan_record import options_in
from firebreak.cli.shared.tables import read_table
from firebreak.fire.effects.losses import read_layers
from firebreak.landscape.formats import landfire as service
from firebreak.landscape.formats.folders import write_ascii_folder
from firebreak.landscape.formats.landfire import landscape_of_archive
from firebreak.landscape.formats.overlays import with_rasters
from firebreak.landscape.formats.read import read_landscape
from firebreak.landscape.formats.tables import read_firebreaks, read_ignitions
from firebreak.landscape.formats.write import write_geotiff, write_landscape
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.raster.on_grid import read_on_grid
from firebreak.landscape.raster.shapes import mask_of_shapes
from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.treatments import treatment_of
from firebreak.planning.output.vectors import has_vector_reader
from firebreak.reading import read_toml
from firebreak.train.config.load import load_config, preset_file
from firebreak.weather.formats.read import read_weather
from firebreak.weather.scenarios import rose_of


def readers(folder: Path) -> Iterator[Reader]:
    """The readers, each with its files in the folder."""
    land = replace(generate(3, (12, 12), cell_size_m=30.0), crs=CRS.from_epsg(5070).to_wkt(),
                   transform=(30.0, 0.0, -2_000_000.0, 0.0, -30.0, 1_500_000.0))
    tif = write_landscape(folder / "map.tif", land)
    yield Reader("landscape GeoTIFF", [tif], lambda: read_landscape(tif))
    lcp = folder / "map.lcp"
    _write_lcp(tif, lcp)
    yield Reader("FARSITE .lcp", [lcp], lambda: read_landscape(lcp))
    grids = write_ascii_folder(folder / "ascii", land)
    yield Reader("folder of ASCII grids", grids, lambda: read_landscape(folder / "ascii"))
    tables = write_cell2fire(folder / "c2f", land)
    yield Reader("Cell2Fire folder", tables, lambda: read_landscape(folder / "c2f"))
    value = write_geotiff(folder / "value.tif", {"value": land.value}, land)
    yield Reader("value raster", [value], lambda: read_on_grid(value, land))
    yield from _point_lists(folder, land)
    yield from _weather(folder)
    yield from _shapes(folder, land)
    yield from _settings(folder, land)
    yield from _fetched(folder, tif)


def _write_lcp(tif: Path, lcp: Path) -> None:
    with rasterio.open(tif) as source:
        bands = np.stack([np.clip(source.read(k), -9999, 32000) for k in range(1, 9)])
        profile = source.profile | {"driver": "GTiff", "count": 8, "dtype": "int16",
                                    "nodata": None, "compress": None}
    plain = lcp.with_suffix(".whole.tif")
    with rasterio.open(plain, "w", **profile) as file:
        file.write(bands.astype(np.int16))
    rasterio.shutil.copy(plain, lcp, driver="LCP", LATITUDE=40, LINEAR_UNIT="METER")
    plain.unlink()


def _text(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _point_lists(folder: Path, land: Landscape) -> Iterator[Reader]:
    points = _text(folder / "points.csv", "row,col", "3,4", "5,6", "7,7")
    yield Reader("ignition points", [points], lambda: with_rasters(land, ignition=points))
    ids = _text(folder / "Ignitions.csv", "Year,Ncell", "1,3", "2,44")
    yield Reader("Cell2Fire ignitions", [ids], lambda: read_ignitions(ids, 144))
    breaks = _text(folder / "breaks.csv", "Year,Ncell", "1,3,4,5,6,7")
    yield Reader("Cell2Fire fire breaks", [breaks], lambda: read_firebreaks(breaks, 144))


def _weather(folder: Path) -> Iterator[Reader]:
    csv = _text(folder / "Weather.csv", "Scenario,datetime,APCP,TMP,RH,WS,WD",
                "A,2001-10-16 13:00,0,17.7,20,23,235", "A,2001-10-16 14:00,0.5,16.9,18,0,0",
                "A,2001-10-16 15:00,0,16.1,20,11.5,360")
    yield Reader("Cell2Fire weather", [csv], lambda: read_weather(csv))
    station = _text(folder / "station.csv", "datetime,TMP,RH,APCP,WS,WD", *(
        f"2023-01-01 {hour:02}:00:00,9,80,1,{10 + hour},305" for hour in range(9)))
    yield Reader("station weather", [station], lambda: read_weather(station))
    wxs = _text(folder / "a.wxs", "RAWS_UNITS: English", "RAWS_ELEVATION: 100", "RAWS: 2",
                "Year Mth Day Time Temp RH HrlyPcp WindSpd WindDir CloudCov",
                "2023 2 1 2300 50 64 0.10 10 155 30", "2023 2 2 0000 59 68 0.00 20 360 0")
    yield Reader("FARSITE .wxs", [wxs], lambda: read_weather(wxs))
    wtr = _text(folder / "b.wtr", "METRIC", "2 1 12 600 1400 10 30 80 20 482 100 400",
                "2 2 0 600 1400 12 32 80 20 482")
    wnd = _text(folder / "b.wnd", "METRIC", "2 1 0 23 155 0", "2 1 1230 11.5 0 50",
                "2 2 2300 46 90 0")
    yield Reader("FARSITE .wtr and .wnd", [wtr, wnd], lambda: read_weather(wnd))


def _shapes(folder: Path, land: Landscape) -> Iterator[Reader]:
    a, _, c, _, e, f = land.transform
    corners = [[c + a * x, f + e * y] for x, y in ((1, 1), (5, 1), (9, 6), (2, 8), (1, 1))]
    line = [[c + a * x, f + e * 3.5] for x in range(12)]
    parts = [{"type": "Feature", "properties": {"name": "a"},
              "geometry": {"type": kind, "coordinates": coordinates}} for kind, coordinates in (
        ("Polygon", [corners]), ("MultiPolygon", [[[[x - 90, y] for x, y in corners]]]),
        ("LineString", line))]
    system = {"type": "name", "properties": {"name": "EPSG:5070"}}
    plain = _text(folder / "area.geojson", json.dumps(
        {"type": "FeatureCollection", "crs": system, "features": parts}, indent=1))
    yield Reader("shapes as GeoJSON", [plain], lambda: mask_of_shapes(plain, land, touched=True))
    if not has_vector_reader():
        return
    from pyogrio import raw

    meta, _, shapes, values = raw.read(io.BytesIO(json.dumps(
        {"type": "FeatureCollection", "features": parts[:1] * 3}).encode()))
    for suffix, driver in (("gpkg", "GPKG"), ("shp", "ESRI Shapefile"), ("fgb", "FlatGeobuf"),
                           ("kml", "KML"), ("gml", "GML")):
        own = folder / suffix
        own.mkdir()
        path = own / f"area.{suffix}"
        raw.write(path, shapes, values, list(meta["fields"]), driver=driver, crs="EPSG:5070",
                  geometry_type=meta["geometry_type"])
        yield Reader(f"shapes as .{suffix}", sorted(own.iterdir()),
                     lambda path=path: mask_of_shapes(path, land, touched=True))


def _settings(folder: Path, land: Landscape) -> Iterator[Reader]:
    config = folder / "config.toml"
    config.write_bytes(preset_file("general").read_bytes())
    yield Reader("configuration", [config], lambda: load_config(str(config)))
    rose = _text(folder / "rose.toml", "wind_from_deg = [0, 90, 180]", "wind_20ft_mph = [5, 20]",
                 "frequency = [[1, 2], [3, 4], [5, 6]]", 'moisture = "D2L2"', "curing = 0.5")
    yield Reader("wind rose", [rose], lambda: rose_of(read_toml(rose), str(rose)))
    layers = _text(folder / "layers.toml", "[[layer]]", 'raster = "value.tif"', "weight = 2.0",
                   "losses = [0, 0.2, 0.4, 0.6, 0.8, 1]", 'name = "houses"')
    yield Reader("value layers", [layers], lambda: read_layers(layers, land))
    own = preset_file("plan").read_text(encoding="utf-8").replace(
        "\nbudget = ", "\n# budget = ").replace("# area = ", 'area = "0:9,1:12"  # ').replace(
        "# must_exclude = ", 'must_exclude = "area.geojson"  # ')
    plan = _text(folder / "plan.toml", own, "[[layer]]", 'raster = "value.tif"', "weight = 5.0",
                 "[[phase]]", "year = 2027", "budget = 3", "[[phase]]", "year = 2028", "budget = 4")
    yield Reader("options of a plan", [plan], lambda: _planned(plan, land))
    cases = _text(folder / "cases.csv", "fuel_model,m1h_pct,m10h_pct,m100h_pct,mherb_pct,"
                  "mwoody_pct,midflame_wind_mph,wind_from_deg,slope_pct,aspect_deg",
                  "1,6,7,8,60,90,5,0,10,0")
    fbp = _text(folder / "fbp.csv", "FuelType,FFMC,BUI,WS,WD", "C2,90,60,20,90", "M1,85,40,5,0")
    for table in (cases, fbp):
        yield Reader(f"cases ({table.stem})", [table], lambda table=table: _results(table))


def _results(path: Path) -> object:
    table = read_table(path)
    return cases_in(table).results(table)


def _planned(path: Path, land: Landscape) -> object:
    options = options_in(path)
    breaks, weather = options.scene.breaks, options.scene.weather
    treatment_of(breaks)
    place = planning_area(options.place, land, options.budget, options.scene, "")
    return place, options.scene.layers(land), weather


def _fetched(folder: Path, tif: Path) -> Iterator[Reader]:
    """What LANDFIRE's service answers and sends."""
    (folder / "told").mkdir()
    told = _text(folder / "told" / "answer.json", json.dumps({
        "jobId": "j1", "status": "Succeeded", "queuePosition": 3, "success": True,
        "messages": [{"type": "error", "description": "No  data"}, {"message": "Begin"}],
        "outputFile": "https://lfps.usgs.gov/output/j1.zip"}, indent=1))
    yield Reader("answers of LANDFIRE", [told], lambda: _asked(told))
    archive, names = folder / "landfire.zip", service.product_layers()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as made:
        made.write(tif, "j1.tif")
        made.writestr("j1.xml", "<x/>")
    target = folder / "fetched.tif"
    yield Reader("archive of LANDFIRE", [archive], lambda: read_landscape(
        landscape_of_archive(archive, target, names)))


class _Answer(io.BytesIO):
    """What the service sends, without a service."""

    headers: dict[str, str] = {}  # noqa: RUF012


def _asked(told: Path) -> object:
    with patch.object(service, "_open", lambda url: _Answer(told.read_bytes())):
        name = service.submit(service.SERVICE, (-114.0, 46.0, -113.9, 46.1), "a@b.org",
                              service.product_layers(), None, lambda: 60.0)
        job = service.status(service.SERVICE, name, lambda: 60.0)
        if job.archive is not None:
            service.download(service.SERVICE, job.archive, told.parent, lambda: 60.0)
        return str(service.failed(service.SERVICE, job))
