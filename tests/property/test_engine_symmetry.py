"""North, south, east and west mean the same from the file to the arrival time.

The engine alone is turned in `test_engine_properties`; here the whole way is: terrain, fuel and
canopy, weather that may change, fire behaviour, treatments. Parents may differ where times tie, and
draws that are keyed by cell (breaches, embers) do not turn with the map.
"""

import numpy as np
import pytest

from firebreak.fire import FireConditions, Scene, burn, make_scene
from firebreak.fire.fires import FireRegime, Fires
from firebreak.landscape.formats.read import read_landscape
from firebreak.landscape.formats.write import write_landscape
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.treatments import Treatment
from firebreak.weather.scenarios import make_scenarios
from firebreak.weather.streams import make_streams

REGIME = FireRegime(duration_min=60.0)
MOIST = {"dead_moisture_1h": 0.05, "dead_moisture_10h": 0.06, "dead_moisture_100h": 0.07,
         "live_moisture_herb": 0.6, "live_moisture_woody": 0.9}


def moved(grid: np.ndarray, turns: int, mirror: bool) -> np.ndarray:
    """[..., H, W] turned anticlockwise by quarter turns, then mirrored east-west."""
    out = np.rot90(grid, turns, axes=(-2, -1))
    return np.ascontiguousarray(out[..., ::-1] if mirror else out)


def turned_deg(degrees: np.ndarray, turns: int, mirror: bool) -> np.ndarray:
    """Compass directions of what `moved` moves."""
    out = degrees - 90.0 * turns
    return (-out if mirror else out) % 360.0


def turned_land(land: Landscape, turns: int, mirror: bool) -> Landscape:
    aspect = moved(turned_deg(land.aspect_deg, turns, mirror), turns, mirror)
    return land.map_grids(lambda grid: moved(grid, turns, mirror), aspect_deg=aspect)


def scene(land: Landscape, wind_from_deg, *, stream_steps: int = 1, **conditions) -> Scene:
    """Two streams; winds of every strength, the directions as given."""
    wind_from = np.asarray(wind_from_deg, float)
    steps = make_scenarios(wind_20ft_m_min=np.linspace(120.0, 400.0, wind_from.size),
                           wind_from_deg=wind_from, **MOIST)
    return make_scene(land, FireConditions(regime=REGIME, **conditions), 0,
                      make_streams(steps, stream_steps, 12.0))


def arrival(made: Scene, source: np.ndarray, breaks: np.ndarray) -> np.ndarray:
    """Times of fires without end, one per ignition cell, in every stream by turns."""
    count = source.size
    fires = Fires(source, np.arange(count) % made.streams.weight.size, np.full(count, np.inf),
                  np.zeros(count, np.uint64))
    return burn(made, fires, breaks, want="arrival").arrivals_min


@pytest.mark.parametrize("conditions", [
    {}, {"stream_steps": 3}, {"leak": True},
    {"treatment": Treatment(kind="shaded")}, {"treatment": Treatment(width_m=6.0)}],
    ids=lambda conditions: "-".join(conditions) or "default")
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_turned_world_burns_like_the_world_turned(seed: int, conditions: dict) -> None:
    rng = np.random.default_rng(seed)
    land = generate(seed, (17, 14))
    steps = 2 * conditions.get("stream_steps", 1)
    wind_from = rng.uniform(0.0, 360.0, steps)
    breaks = (rng.random(land.shape) < 0.1) & land.treatable
    source = rng.choice(np.flatnonzero(land.burnable), 4)
    cells = np.arange(land.burnable.size).reshape(land.shape)
    before = arrival(scene(land, wind_from, **conditions), source, breaks)
    assert np.isfinite(before).sum() > 100
    for turns in range(4):
        for mirror in (False, True):
            place = np.argsort(moved(cells, turns, mirror).ravel())
            after = arrival(
                scene(turned_land(land, turns, mirror), turned_deg(wind_from, turns, mirror),
                      **conditions), place[source], moved(breaks, turns, mirror))
            np.testing.assert_allclose(after, moved(before, turns, mirror), rtol=1e-6)


def grassland(shape=(41, 31), **layers) -> Landscape:
    zeros = np.zeros(shape, np.float32)
    grids = {name: zeros for name in (
        "elevation_m", "slope_tan", "aspect_deg", "canopy_cover", "canopy_height_m",
        "canopy_base_height_m", "canopy_bulk_density_kg_m3")}
    grids |= {"fuel_model": np.full(shape, 102), "value": zeros + 1, "cost": zeros + 1,
              "treatable": zeros == 0}
    return Landscape(name="grass", cell_size_m=30.0, transform=(30.0, 0, 5e5, 0, -30.0, 5e6),
                     crs="EPSG:32611", **(grids | layers))


def reach(times: np.ndarray, minutes: float) -> dict[str, int]:
    """How many cells from the middle of the map the fire has gone each way."""
    rows, cols = np.nonzero(times <= minutes)
    middle = (times.shape[0] // 2, times.shape[1] // 2)
    return {"north": middle[0] - rows.min(), "south": rows.max() - middle[0],
            "west": middle[1] - cols.min(), "east": cols.max() - middle[1]}


def burned_from_file(path, land: Landscape, wind_from_deg: float, wind: float) -> np.ndarray:
    """Arrival times of a fire in the middle of a landscape that went through a GeoTIFF."""
    back = read_landscape(write_landscape(path, land))
    assert back.transform == land.transform
    weather = make_scenarios(wind_20ft_m_min=wind, wind_from_deg=wind_from_deg, **MOIST)
    made = make_scene(back, FireConditions(regime=REGIME), 0, weather)
    middle = np.array([(back.shape[0] // 2) * back.shape[1] + back.shape[1] // 2])
    return arrival(made, middle, np.zeros(back.shape, bool))[0]


@pytest.mark.parametrize(("wind_from", "ahead", "behind", "sides"), [
    (0.0, "south", "north", ("west", "east")), (90.0, "west", "east", ("north", "south")),
    (180.0, "north", "south", ("west", "east")), (270.0, "east", "west", ("north", "south"))])
def test_a_wind_from_the_north_drives_a_fire_on_a_file_south_and_so_on(
        tmp_path, wind_from, ahead, behind, sides) -> None:
    times = burned_from_file(tmp_path / "land.tif", grassland(), wind_from, 200.0)
    there = {"north": times[10, 15], "south": times[30, 15], "west": times[20, 5],
             "east": times[20, 25]}
    gone = reach(times, there[ahead])
    assert gone[ahead] >= 10 > 3 * gone[behind]
    assert there[sides[0]] == pytest.approx(there[sides[1]], rel=1e-6)


@pytest.mark.parametrize(("aspect", "rises", "falls"), [
    (180.0, "north", "south"), (0.0, "south", "north"), (90.0, "west", "east"),
    (270.0, "east", "west")])
def test_without_wind_a_fire_on_a_file_runs_up_the_slope(tmp_path, aspect, rises, falls) -> None:
    rows, cols = np.mgrid[:31.0, :31.0]
    ramp = {180.0: -rows, 0.0: rows, 90.0: -cols, 270.0: cols}[aspect]
    tan = np.float32(np.tan(np.radians(22.0)))  # whole degrees survive the file
    land = grassland((31, 31), elevation_m=1000.0 + 30.0 * tan * ramp,
                     slope_tan=np.full((31, 31), tan), aspect_deg=np.full((31, 31), aspect))
    times = burned_from_file(tmp_path / "land.tif", land, 0.0, 0.0)
    there = {"north": times[5, 15], "south": times[25, 15], "west": times[15, 5],
             "east": times[15, 25]}
    assert there[rises] == min(there.values())
    assert there[falls] == max(there.values()) > 1.5 * there[rises]


def test_a_break_in_the_north_of_a_file_is_in_the_north_of_the_fire(tmp_path) -> None:
    fuel = np.full((41, 31), 102)
    fuel[10, :] = 98  # water
    times = burned_from_file(tmp_path / "land.tif", grassland(fuel_model=fuel), 180.0, 200.0)
    assert np.isinf(times[:11]).all()
    assert np.isfinite(times[11:]).all()
