"""Plans as planners ask for them: areas, masks, costs, years, files of options, all outputs."""

import contextlib
import csv
import json
import re
import tomllib
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio

from firebreak.cli import main
from firebreak.cli.commands.plan import PlanArguments
from firebreak.cli.shared.plan_record import options_in
from firebreak.landscape.formats.treated import with_standing_breaks
from firebreak.landscape.formats.write import write_landscape
from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.treatments import Treatment, treated_landscape

Out = pytest.CaptureFixture[str]
SIZE = 24
WEST, NORTH = -2_000_000.0, 1_500_000.0
FEW = ("--plan-fires", "12", "--test-fires", "24", "--method", "downstream-value", "--cells",
       "--threads", "1")
ALONE = ("--test-fires", "0", "--report", "none")
"""A plan that nothing judges and nobody draws."""
CONFIG = Path(__file__).resolve().parents[2] / "configs" / "plan.toml"

pytestmark = pytest.mark.filterwarnings("ignore:.*disagree")


@pytest.fixture(autouse=True)
def no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures of a full report take seconds and are tested elsewhere."""
    from firebreak.report.pages.plan_report import write_plan_report

    monkeypatch.setattr("firebreak.report.pages.run_report.write_simulation_report",
                        lambda *_args, **_options: [])
    monkeypatch.setattr("firebreak.report.pages.plan_report.write_plan_report",
                        lambda out, report, *more: [] if report.level == "full" else
                        write_plan_report(out, report, *more))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with land.tif of 24 x 24 cells of 30 m in CONUS Albers."""
    monkeypatch.chdir(tmp_path)
    land = replace(generate(3, SIZE, cell_size_m=30.0),
                   crs=rasterio.crs.CRS.from_epsg(5070).to_wkt(),
                   transform=(30.0, 0.0, WEST, 0.0, -30.0, NORTH))
    write_landscape("land.tif", land)
    return tmp_path


def shapes(name: str, top: float, bottom: float, left: float, right: float) -> str:
    x0, x1, y0, y1 = WEST + 30 * left, WEST + 30 * right, NORTH - 30 * bottom, NORTH - 30 * top
    ring = [[x0, y0], [x1, y0], [x1, y1], [x0, y1], [x0, y0]]
    Path(name).write_text(json.dumps({
        "type": "FeatureCollection", "features": [
            {"type": "Feature", "properties": {},
             "geometry": {"type": "Polygon", "coordinates": [ring]}}],
        "crs": {"type": "name", "properties": {"name": "EPSG:5070"}}}))
    return name


def plan(capsys: Out, *options: str) -> dict[str, Any]:
    """The JSON line of a plan."""
    assert main(["plan", *options, "--out", "out", "--json"]) == 0
    return json.loads(capsys.readouterr().out.strip().splitlines()[-1])


def ranks() -> np.ndarray:
    with rasterio.open("out/data/plan.tif") as raster:
        return raster.read(1)


def refused(capsys: Out, *options: str) -> str:
    assert main(["plan", "land.tif", *FEW, *options, "--out", "bad"]) == 2
    assert not Path("bad").exists()
    lines = capsys.readouterr().err.strip().splitlines()
    return [line for line in lines if "warning" not in line][-1]


@pytest.mark.slow
def test_a_polygon_bounds_the_plan_and_all_outputs_lie_on_the_map(place: Path,
                                                                  capsys: Out) -> None:
    done = plan(capsys, "land.tif", *FEW, "--area", shapes("area.geojson", 4, 20, 5, 18),
                "--must-exclude", shapes("no.geojson", 4, 20, 5, 9), "--budget", "0.1")
    rows, cols = np.nonzero(ranks() > 0)
    assert rows.size == done["n_cells"] > 0
    assert (rows.min() >= 4, rows.max() < 20, cols.min() >= 9, cols.max() < 18) == (True,) * 4
    assert {*done["files"]} >= {f"out/{name}" for name in (
        "plan.json", "options.json", *(f"data/{name}" for name in (
            "treatment.tif", "treated_landscape.tif", "segments.geojson", "segments.csv",
            "burn_probability_before.tif", "burn_probability_after.tif",
            "burn_probability_difference.tif", "exceedance.csv", "budget_curve.csv", "weather.csv",
            "effect.json", "firebreaks.csv")))}
    for path in map(Path, done["files"]):
        if path.suffix == ".tif":
            with rasterio.open(path) as raster:
                assert (raster.shape, raster.crs.to_epsg()) == ((SIZE, SIZE), 5070), path
                assert raster.nodata is not None
    with (rasterio.open("land.tif") as before,
          rasterio.open("out/data/treated_landscape.tif") as after):
        changed = (before.read() != after.read()).any(axis=0)
    assert np.array_equal(changed, ranks() > 0)


@pytest.mark.slow
def test_money_roads_years_and_cells_to_have(place: Path, capsys: Out) -> None:
    done = plan(capsys, "land.tif", *FEW, "--cost-per-km", "2",
                "--roads", shapes("road.geojson", 0.4, 0.6, 0, 24),
                "--must-include", shapes("have.geojson", 12.1, 12.9, 6.1, 8.9),
                "--phases", "2027:20,2028:14", "--segment-m", "100")
    assert done["cost_unit"] == "cost"
    assert 0 < done["cost"] <= 34
    placed = ranks()
    with rasterio.open("out/data/treatment.tif") as raster:
        assert set(raster.read(1)[12, 6:9].tolist()) <= {2, 3}  # had to be, or does not burn
    assert (placed[12, 6:9] > 0).any()
    with Path("out/data/segments.csv").open(newline="") as file:
        segments = list(csv.DictReader(file))
    first = sum(float(row["cost"]) for row in segments if row["year"] == "2027")
    assert 0 < first <= 20 * 1.00001
    assert {row["year"] for row in segments} == {"2027", "2028"}


@pytest.mark.slow
def test_an_existing_network_is_compared_at_its_own_cost(place: Path, capsys: Out) -> None:
    assert main(["plan", "land.tif", *FEW, "--existing", shapes("old.geojson", 11.1, 11.9, 0, 24),
                 "--out", "out"]) == 0
    assert "existing" in capsys.readouterr().out
    Path("out/data/plan.csv").replace("mine.csv")
    assert main(["plan", "land.tif", *FEW, "--existing", "mine.csv", "--out", "again"]) == 0
    table = capsys.readouterr().out
    found = {line.split()[0]: line.split()[2] for line in table.splitlines() if "to 0." in line}
    assert found["downstream-value"] == found["existing"]  # the same cells save the same
    assert found["downstream-value-at-existing-cost"] == found["existing"]  # at the same cost
    assert "downstream-value-at-existing-cost - existing" in table


def test_a_network_that_does_not_fit_is_refused_before_any_plan_is_made(
        place: Path, capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firebreak.fire.make_scene",
                        lambda *_args, **_options: pytest.fail("the scene was made"))
    Path("mine.csv").write_text("rank,row,col\n1,99,3\n")
    assert "mine.csv" in refused(capsys, "--existing", "mine.csv")


@pytest.mark.slow
def test_an_existing_network_is_judged_at_equal_cost_and_drawn(
        place: Path, capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    results: list[Any] = []
    monkeypatch.setattr("firebreak.report.pages.plan_report.write_plan_report",
                        lambda out, result, *_args: results.append(result) or [])
    assert main(["plan", "land.tif", *FEW, "--budget", "2%", "--existing",
                 shapes("old.geojson", 11.1, 11.9, 0, 24), "--out", "out"]) == 0
    table = capsys.readouterr().out
    assert "budget 2 % of the treatable cost, " in table  # the plan's, not the network's own
    costs = {line.split()[0]: line.split()[1] for line in table.splitlines() if "to 0." in line}
    assert costs["downstream-value-at-existing-cost"] == costs["existing"]
    assert float(costs["existing"]) > 1.5 * float(costs["downstream-value"]) > 0
    (result,) = results
    row, = set(result.existing // result.land.shape[1])  # of the land that burns around the map
    assert row + result.result.offset[0] == 11
    assert result.existing.size == float(costs["existing"])


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["hard", "shaded"])
def test_breaks_that_stand_already_cost_nothing_and_are_there_from_the_start(
        place: Path, capsys: Out, kind: str) -> None:
    old = shapes("old.geojson", 11.1, 11.9, 0, 24)
    options = ("land.tif", *FEW, "--break-kind", kind, "--money", "12")
    effects = []
    for built in ((), ("--built", old)):
        done = plan(capsys, *options, *built)
        assert 0 < done["cost"] <= 12
        effect = json.loads(Path("out/data/effect.json").read_text())
        effects.append(effect["mean_loss_before"]["mean"])
    assert (ranks()[11] == 0).all()
    assert effects[1] != effects[0]
    with (rasterio.open("land.tif") as before,
          rasterio.open("out/data/treated_landscape.tif") as after):
        fuel = before.read(4), after.read(4)
    burned = fuel[0][11] > 99
    assert (fuel[1][11][burned] != fuel[0][11][burned]).any()
    bare = generate(3, SIZE).fuels.non_burnable
    assert ((fuel[1][11][burned] == bare).all()) == (kind == "hard")
    assert main(["visualize", "out", "--export", "e.html", "--threads", "1"]) == 0


def test_shaded_breaks_that_stand_already_are_the_treated_fuel() -> None:
    land = generate(3, SIZE, cell_size_m=30.0)
    mask = np.zeros(land.shape, np.bool_)
    mask[11] = True
    shaded = Treatment(kind="shaded")
    standing = with_standing_breaks(land, mask, shaded, "old")
    treated = treated_landscape(land, shaded)
    there = mask & land.burnable
    for name in ("fuel_model", "canopy_cover", "canopy_base_height_m",
                 "canopy_bulk_density_kg_m3"):
        grid = np.where(there, getattr(treated, name), getattr(land, name))
        assert np.array_equal(getattr(standing, name), grid), name
    assert np.array_equal(standing.treatable, land.treatable & ~there)
    assert np.array_equal(standing.cost, land.cost)
    assert standing.name == land.name


@pytest.mark.slow
def test_short_pieces_are_not_planned(place: Path, capsys: Out) -> None:
    assert main(["plan", "land.tif", "--plan-fires", "12", "--test-fires", "24", "--method",
                 "segments", "--cells", "--shortest-m", "110", "--budget", "0.03", "--threads", "1",
                 "--out", "out"]) == 0
    with Path("out/data/segments.csv").open(newline="") as file:
        assert min(float(row["length_m"]) for row in csv.DictReader(file)) >= 110


def test_the_documented_file_has_every_key_and_its_default() -> None:
    """configs/plan.toml: what is set is the default, and what is commented out is known."""
    text = CONFIG.read_text()
    stated = options_in(CONFIG)
    default = PlanArguments(landscape="synthetic:1:64", method="auto")
    assert asdict(stated) == asdict(default)
    everything = re.sub(r"^# ?(?=[a-z_0-9]+ = |\[\[)", "", text, flags=re.MULTILINE)
    tree = tomllib.loads(everything)
    named = {key for key, value in tree.items() if not isinstance(value, dict | list)}
    groups = asdict(default)
    scene = groups.pop("scene")
    known = set(groups) - {"place", "windows", "config"} | {"seed", "threads"}
    assert named == known
    for group in ("place", "windows", "map", "weather", "fire", "breaks"):
        own = groups[group] if group in groups else scene[group]
        assert set(tree[group]) == set(own), group
    assert set(tree["layer"][0]) == {"raster", "name", "weight", "losses"}
    assert set(tree["phase"][0]) == {"year", "budget"}


def looked_at_from_elsewhere(place: Path, capsys: Out) -> None:
    """A plan's folder is enough to explore it: its inputs are found again, or missed aloud."""
    rows = np.loadtxt("out/data/plan.csv", delimiter=",", skiprows=1, usecols=(1, 2), dtype=int)
    with contextlib.chdir(place.parent):
        page = place / "explorer.html"
        look = ["visualize", str(place / "out"), "--export", str(page), "--threads", "1"]
        assert main(look) == 0, capsys.readouterr().err
        data = json.loads(page.read_text().split('id="data">')[1].split("</script>")[0])
        own = data["plans"][0]
        shown = np.stack(np.divmod(np.sort(own["cells"]), data["cols"]), axis=1)
        offset = shown - rows[np.lexsort(rows.T[::-1])]  # of the map in the land around it
        assert len(shown) == len(rows)
        assert (offset == offset[0]).all()
        with rasterio.open(place / "out" / "data" / "segments.tif") as raster:
            row, col = np.divmod(own["cells"], data["cols"]) - offset[0][:, None]
            assert raster.read(1)[row, col].tolist() == own["build_order"]
        assert own["build_order"] == sorted(own["build_order"])
        assert own["build_order"][-1] > 1
        capsys.readouterr()
        assert main([*look, "--area", "0:10,0:10"]) == 2
        assert "a plan's folder alone" in capsys.readouterr().err
        (place / "land.tif").rename(place / "moved.tif")
        assert main(look) == 2
        assert "expected the landscape of the plan, got nothing there" in capsys.readouterr().err
        (place / "moved.tif").rename(place / "land.tif")


def test_a_plan_without_its_options_is_not_guessed_at(place: Path, capsys: Out) -> None:
    plan(capsys, "land.tif", *FEW[:2], *ALONE, "--method", "random", "--cells")
    for text in (None, "{}", "[]", '{"plan": 3}', '{"plan": {"relative_to": 1}}'):
        Path("out/options.json").unlink()
        if text is not None:
            Path("out/options.json").write_text(text)
        assert main(["visualize", "out", "--export", "e.html"]) == 2
        said = capsys.readouterr().err
        assert "expected the options of a plan" in said
        assert "give the plan's landscape, and --plan out" in said
        Path("out/options.json").touch()


@pytest.mark.slow
@pytest.mark.filterwarnings("always:.*have changed since")
def test_a_changed_landscape_warns(place: Path, capsys: Out) -> None:
    plan(capsys, "land.tif", *FEW[:2], *ALONE, "--method", "random", "--cells")
    record = json.loads(Path("out/plan.json").read_text())
    Path("out/plan.json").write_text(json.dumps(record | {"landscape_checksum": "0" * 64}))
    assert main(["visualize", "out", "--export", "e.html"]) == 0
    assert "have changed since this plan was made" in capsys.readouterr().err


@pytest.mark.slow
def test_a_file_of_options_is_read_beside_its_own_paths(place: Path, capsys: Out) -> None:
    folder = place / "plans"
    folder.mkdir()
    shapes("plans/area.geojson", 4, 20, 5, 18)
    with rasterio.open("land.tif") as raster:
        profile = raster.profile | {"count": 1, "dtype": "float32", "nodata": None}
    with rasterio.open("plans/houses.tif", "w", **profile) as raster:
        raster.write(np.full((SIZE, SIZE), 2.0, np.float32), 1)
    (folder / "plan.toml").write_text("""
landscape = "../land.tif"
method = "downstream-value"
plan_fires = 12
test_fires = 24
seed = 4
threads = 1
[place]
area = "area.geojson"
cells = true
[fire]
burning_hours = 0.5
[[layer]]
raster = "houses.tif"
weight = 3.0
[[phase]]
year = 2027
budget = 6
[[phase]]
year = 2028
budget = 4
""")
    done = plan(capsys, "--config", "plans/plan.toml")
    assert 0 < done["cost"] <= 10
    assert json.loads(Path("out/options.json").read_text())["fire"]["burning_hours"] == 0.5
    looked_at_from_elsewhere(place, capsys)
    effect = json.loads(Path("out/data/effect.json").read_text())
    assert effect["mean_loss_before"]["mean"] % 6.0 < 6.0  # cells of 3 x 2
    over = plan(capsys, "--config", "plans/plan.toml", "--phases", "2027:3")
    assert over["cost"] <= 3


@pytest.mark.parametrize(("options", "message"), [
    (("--area", "outside.geojson"), "none: they lie outside it"),
    (("--area", "3:9"), "an area like R0:R1,C0:C1, or a file of polygons"),
    (("--must-include", "half.geojson", "--area", "0:10,0:10"), "that may be treated, got"),
    (("--must-include", "half.geojson", "--must-exclude", "half.geojson"), "that must be both"),
    (("--must-include", "half.geojson", "--budget", "0.01"), "pays for what must be included"),
    (("--money", "0.5"), "buys the cheapest cell"),
    (("--money", "-3"), "a number above 0, got -3"),
    (("--money", "3", "--phases", "2027:3"), "limits in different units, got two amounts of money"),
    (("--phases", "2027"), "a year and a budget for each phase"),
    (("--phases", "2028:3,2027:3"), "years in ascending order"),
    (("--cost-per-km", "1"), "--roads beside --cost-per-km"),
    (("--shortest-m", "-1"), "--shortest-m: expected a number of at least 0"),
    (("--shortest-m", "1e5"), "pieces of at least 100000 m"),
    (("--existing", "outside.geojson"), "none: they lie outside it"),
    (("--built", "outside.geojson"), "none: they lie outside it"),
    (("--built", "half.geojson", "--breach", "wilson"), "--built: expected breaks as wide as"),
    (("--built", "half.geojson", "--break-width-m", "5"), "leave --break-width-m out"),
])
def test_what_does_not_fit_is_refused_in_one_sentence(place: Path, capsys: Out,
                                                      options: tuple[str, ...],
                                                      message: str) -> None:
    shapes("outside.geojson", 100, 120, 5, 18)
    shapes("half.geojson", 0, 24, 0, 12)
    assert message in refused(capsys, *options)


@pytest.mark.parametrize(("text", "message"), [
    ("bugdet = 0.1", "did you mean 'budget'?"),
    ("budget = 'much'",
     "plan.toml, line 1, key budget: expected a share (5%), an area (40ha), money (20000) or"),
    ("budget = true", "key budget: expected a share (5%), an area (40ha), money"),
    ("[breaks]\nhold = true", "key breaks.hold: expected one of equipment, hand, got true"),
    ("[[phase]]\nyear = inf\nbudget = 3", "a year and a budget for each phase"),
    ("[place]\nareas = '1'", "did you mean 'place.area'?"),
    ("place = 3", "plan.toml, line 1, key place: expected a table, got 3"),
    ("[breaks]\nbreach = 'sometimes'",
     "line 2, key breaks.breach: expected one of flame-length, never, "),
    ("budget = ", "a TOML file"),
    ("[[phase]]\nyear = 2027", "a year and a budget for each phase"),
])
def test_files_of_options_are_checked(place: Path, capsys: Out, text: str, message: str) -> None:
    Path("plan.toml").write_text(text)
    assert message in refused(capsys, "--config", "plan.toml")


def test_a_map_too_large_is_refused_before_its_layers_are_loaded(
        place: Path, capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firebreak.api.shared.scene_checks.BYTES_PER_CELL_ROW", 10**15)
    monkeypatch.setattr("firebreak.landscape.formats.read.read_landscape",
                        lambda *_args, **_options: pytest.fail("the layers were loaded"))
    assert "GB for 576 cells in 8 rows of weather" in refused(capsys)
    assert "GB for 20 cells" in refused(capsys, "--area", "3:7,4:9")
    with rasterio.open("land.tif") as raster:
        profile, bands = raster.profile | {"count": 1}, raster.read()
    Path("layers").mkdir()
    with rasterio.open("layers/fuel.tif", "w", **profile) as raster:
        raster.write(bands[:1])
    assert main(["plan", "layers", *FEW, "--out", "bad"]) == 2
    assert "GB for 576 cells in 1 rows" in capsys.readouterr().err


@pytest.mark.parametrize(("command", "told"), [
    ("evaluate land.tif --methods none", "576 cells on "),
    ("evaluate land.tif --methods strips", "576 cells in 8 rows of weather"),
    ("simulate land.tif --fires 5", "576 cells on "),
    ("simulate land.tif --fires 5 --area 3:7,4:9", "20 cells on "),
    ("simulate land.tif --fires 1000000000000", "1,000,000,000,000 fires")])
def test_commands_that_burn_refuse_a_size_before_they_load_a_map(
        place: Path, capsys: Out, monkeypatch: pytest.MonkeyPatch, command: str,
        told: str) -> None:
    if "1000000000000" not in command:
        for name in ("BYTES_PER_CELL_ROW", "BYTES_PER_CELL"):
            monkeypatch.setattr(f"firebreak.api.shared.scene_checks.{name}", 10**15)
    monkeypatch.setattr("firebreak.landscape.formats.read.read_landscape",
                        lambda *_args, **_options: pytest.fail("the layers were loaded"))
    assert main([*command.split(), "--threads", "1"]) == 2
    error = capsys.readouterr().err
    assert told in error
    assert len(error.splitlines()) == 1
    assert not Path("outputs").exists()


@pytest.mark.slow
def test_simulate_burns_the_area_of_a_plan(place: Path, capsys: Out) -> None:
    """Fires burn the part that the plan was made for; its maps lie on the whole map."""
    area = ("--area", "0:5,0:4", "--threads", "1")
    plan(capsys, "land.tif", *FEW, *area, "--budget", "20%")
    effect = json.loads(Path("out/data/effect.json").read_text())["mean_loss_before"]["mean"]
    means = []
    for name, options in (("bare", ()), ("treated", ("--plan", "out"))):
        assert main(["simulate", "land.tif", "--fires", "30", *area, *options, "--out", name]) == 0
        with rasterio.open(f"{name}/burn_probability.tif") as raster:
            burned = raster.read(1)
            assert (raster.shape, raster.crs.to_epsg()) == ((SIZE, SIZE), 5070)
            outside = burned == raster.nodata
        assert outside[21:].all()  # the area and 16 cells around it
        assert outside[:, 20:].all()
        assert not outside[:21, :20].all()
        means.append(np.where(outside, 0.0, burned).sum())
    assert means[1] < means[0]
    assert 0.3 * effect < 0.09 * means[0] < 3.0 * effect  # hectares, and cells of 0.09 ha
    assert main(["simulate", "land.tif", "--area", "3:9", "--out", "bad"]) == 2
    assert "an area like R0:R1,C0:C1" in capsys.readouterr().err


@pytest.mark.usefixtures("small_pictures")
def test_a_report_may_be_brief_or_left_out(tmp_path: Path,
                                           capsys: pytest.CaptureFixture[str]) -> None:
    small = ["plan", "synthetic:5:24", "--method", "downstream-value", "--plan-fires", "16",
             "--test-fires", "40", "--scenarios", "2", "--threads", "1", "--quiet"]
    assert main([*small, "--report", "none", "--out", str(tmp_path / "none")]) == 0
    assert sorted(path.name for path in (tmp_path / "none").iterdir()) == [
        "data", "options.json", "plan.json", "plan_files.json"]
    assert sorted(path.name for path in (tmp_path / "none" / "data").iterdir()) == [
        "firebreaks.csv", "plan.csv", "plan.tif", "treated_landscape.tif"]
    capsys.readouterr()
    assert main([*small, "--report", "brief", "--out", str(tmp_path / "brief")]) == 0
    names = {path.name for path in (tmp_path / "brief").rglob("*")}
    assert {"report.html", "plan.png", "segments.csv"} <= names
    assert not {"exceedance.png", "fire.gif", "doubt.csv", "effect.json"} & names
    page = (tmp_path / "brief" / "report.html").read_text()
    assert "lower on the 16 plan fires" in page
    assert "<b>40 fires</b>" in page
    words = capsys.readouterr().out
    row = next(line for line in words.splitlines() if line.startswith("downstream-value  "))
    assert f"{float(row.split()[2]):.1%}" in page
    assert "random" not in words
