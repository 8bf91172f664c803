"""Segments of a plan, the order to build them in, what each changes, and the files that say so."""

import contextlib
import csv
import json
import sqlite3
from dataclasses import replace
from itertools import pairwise, permutations
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import rasterio
from hypothesis import given, settings
from hypothesis import strategies as st
from rasterio.warp import transform_geom

from firebreak.checks import InputError
from firebreak.fire import FireConditions, Scene, burn, make_scene
from firebreak.fire.effects.breaks import HoldRule
from firebreak.fire.fires import FireRegime
from firebreak.landscape.landscape import NODATA, Landscape
from firebreak.landscape.synthetic.closed_form import closed_form
from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.treatments import Treatment
from firebreak.planning.core import area
from firebreak.planning.core.area import lift, named_area
from firebreak.planning.core.break_segments import break_segments_of, length_m, pieces
from firebreak.planning.core.plan import pieces_of
from firebreak.planning.evaluation.build_order import in_build_order
from firebreak.planning.evaluation.effect import (
    by_weather,
    effect_of,
    exceedance,
    marginal_benefit,
    reductions,
    risk,
)
from firebreak.planning.evaluation.evaluate import evaluate
from firebreak.planning.evaluation.losses import saved_by_order, worst_tenth_mean
from firebreak.planning.making import make_plan
from firebreak.planning.output.export import read_savings, read_years
from firebreak.planning.output.export_effect import PlanResult, segment_columns, write_effect
from firebreak.planning.output.vectors import _turned, has_vector_reader

ALBERS = rasterio.crs.CRS.from_epsg(5070).to_wkt()
LAND = generate(6, (16, 18), cell_size_m=30.0)
needs_pyogrio = pytest.mark.skipif(not has_vector_reader(), reason="pyogrio (extra vector) "
                                                                   "is not installed")


@st.composite
def masks(draw: st.DrawFn) -> np.ndarray:
    share = draw(st.sampled_from([0.05, 0.2, 0.5]))
    return np.random.default_rng(draw(st.integers(0, 10_000))).random(LAND.shape) < share


@pytest.mark.slow
@settings(deadline=None)
@given(masks(), st.sampled_from([30.0, 250.0, 400.0, 10_000.0]))
def test_segments_hold_each_cell_once_and_are_connected(mask: np.ndarray, longest: float) -> None:
    found = break_segments_of(mask, LAND, longest)
    cells = np.concatenate([np.empty(0, np.int64), *(one.cells for one in found)])
    assert np.array_equal(np.sort(cells), np.flatnonzero(mask))
    for one in found:
        own = np.zeros(mask.shape, np.bool_)
        own.ravel()[one.cells] = True
        assert pieces_of(own) == 1
        assert one.area_ha == pytest.approx(one.cells.size * 0.09)
        assert set(one.path.tolist()) <= set(one.cells.tolist())
    if longest == 10_000.0:
        assert len(found) == pieces_of(mask) == len(pieces(mask))


def test_a_long_line_is_cut_into_equal_stretches() -> None:
    mask = np.zeros(LAND.shape, np.bool_)
    mask[3] = True
    found = break_segments_of(mask, LAND, 270.0)
    assert [one.cells.size for one in found] == [9, 9]
    assert [one.length_m for one in found] == [270.0, 270.0]
    mask[3, 17] = False
    mask[2, 17] = True  # the end turns up by a corner
    whole, = break_segments_of(mask, LAND, 10_000.0)
    assert whole.length_m == pytest.approx(30.0 * (17 + 2**0.5))
    assert whole.path.size == 18


def test_cutting_leaves_no_scraps() -> None:
    """The end of a branch that begins in one half is as far away as the other half."""
    mask = np.zeros(LAND.shape, np.bool_)
    mask[8] = True
    mask[9:12, 10] = True
    one, other = break_segments_of(mask, LAND, 300.0)
    assert one.cells.tolist() == list(range(8 * 18, 8 * 18 + 9))
    assert other.cells.size == 9 + 3


def test_a_ring_is_as_long_as_its_longest_shortest_way() -> None:
    mask = np.zeros(LAND.shape, np.bool_)
    mask[2:7, 2:7] = True
    mask[3:6, 3:6] = False
    cells = np.flatnonzero(mask)
    # From a corner to the opposite one, cutting the two corners between: 8 steps, or 2 fewer
    # straight ones and one diagonal.
    assert length_m(cells, LAND.shape, 1.0) == pytest.approx(1 + 6 + 2**0.5)


@pytest.fixture(scope="module")
def full() -> Landscape:
    made = generate(6, (16, 18), cell_size_m=30.0)
    fuel = made.fuel_model.copy()
    fuel[0, 0] = fuel[6, 7] = NODATA
    cost = np.random.default_rng(1).uniform(1, 2, made.shape)
    return replace(made, fuel_model=fuel, cost=cost, crs=ALBERS,
                   transform=(30.0, 0.0, -2_000_000.0, 0.0, -30.0, 1_500_000.0))


@pytest.fixture(scope="module")
def result(full: Landscape) -> PlanResult:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(area, "MARGIN", 2)
        part, offset = named_area(full, "3:13,4:15")
    scene = make_scene(part, FireConditions(scenarios=3), 0)
    plan = make_plan(scene, 0.15, 16, "downstream-value", seed=3)
    order = in_build_order(scene, break_segments_of(plan.break_mask(), part), 16)
    return PlanResult(scene, plan, full, offset, order, effect_of(scene, order, 60), 0,
                      plan.cells[:2])


def mask_of(scene: Scene, segments: list) -> np.ndarray:
    mask = np.zeros(scene.landscape.shape, np.bool_)
    for one in segments:
        mask.ravel()[one.cells] = True
    return mask


def test_every_step_is_what_burning_anew_gives(result: PlanResult) -> None:
    scene, effect = result.scene, result.effect
    fires = scene.fires("test", 60)
    for k in range(len(result.segments) + 1):
        loss = burn(scene, fires, mask_of(scene,
                                                                           result.segments[:k])).loss
        assert np.array_equal(effect.loss[k], loss)
    burned = [burn(scene, fires, mask, want="statistics").burn_probability
              for mask in (None, result.plan.break_mask())]
    np.testing.assert_allclose([effect.before, effect.after], burned, atol=1e-12)
    assert effect.cost[-1] == pytest.approx(result.plan.cost)
    assert marginal_benefit(effect).sum() == pytest.approx(
        effect.loss[0].mean() - effect.loss[-1].mean())


def test_a_curve_in_a_plans_own_order_is_what_burning_its_beginnings_gives(
        result: PlanResult) -> None:
    scene, plan, untreated = result.scene, result.plan, result.effect.loss[0]
    cost, saved = saved_by_order(scene, plan, untreated, 0.5, points=3)
    counts = [0, *np.cumsum([part.size for part in np.array_split(plan.cells, 3)])]
    assert len(set(counts)) == 4
    for k, count in enumerate(counts):
        mask = np.zeros(plan.shape, np.bool_)
        mask.ravel()[plan.cells[:count]] = True
        left = burn(scene, scene.fires("test", 60), mask).loss
        assert cost[k] == pytest.approx(scene.landscape.cost[mask].sum())
        assert saved[k] == (0.5 if k == 3 else pytest.approx(1.0 - left.mean() / untreated.mean()))
    one = replace(plan, cells=plan.cells[:1])
    assert [part.size for part in saved_by_order(scene, one, untreated, 0.1)] == [2, 2]


def test_what_a_segment_protects_is_counted_in_value(result: PlanResult) -> None:
    scene = result.scene
    fires = scene.fires("test", 60)
    burned = [burn(scene, fires, mask_of(scene, result.segments[:k]),
                   want="statistics").burn_probability for k in range(len(result.segments) + 1)]
    expected = [(scene.value * (before - after > 0.01 - 1e-9))[scene.landscape.burnable].sum()
                for before, after in pairwise(burned)]
    assert max(expected) > 0
    assert result.effect.protected == pytest.approx(expected)


def test_the_interval_of_a_cell_is_that_of_its_batches(result: PlanResult) -> None:
    scene, effect = result.scene, result.effect
    fires = scene.fires("test", 60)
    means = [burn(scene, part, mask, want="statistics").burn_probability
             for mask in (None, result.plan.break_mask())
             for part in (fires.part(slice(3 * k, 3 * k + 3)) for k in range(20))]
    changes = np.array(means[20:]) - np.array(means[:20])
    np.testing.assert_allclose(effect.half_width,
                               2.0930240544 * changes.std(axis=0, ddof=1) / 20**0.5, atol=1e-9)


def test_the_build_order_gives_up_what_is_missed_least(result: PlanResult) -> None:
    """Against all orders: no other last segment is missed less per cost on the plan fires."""
    scene, order = result.scene, result.segments
    fires = scene.fires("plan", 16)

    def loss(segments: list) -> float:
        return float(burn(scene, fires, mask_of(scene,
                                                                                 segments)).loss.mean())

    assert len(order) > 2
    for k in range(len(order), 1, -1):
        whole = order[:k]
        missed = [(loss([one for one in whole if one is not left]) - loss(whole)) / left.cost
                  for left in whole]
        assert missed[-1] <= min(missed) + 1e-9


def test_the_order_does_not_depend_on_how_segments_are_listed(result: PlanResult) -> None:
    few = result.segments[:4]
    ways = {tuple(int(one.cells[0]) for one in in_build_order(result.scene, list(some), 16))
            for some in permutations(sorted(few, key=lambda one: int(one.cells[0])))}
    assert len(ways) == 1


def test_the_two_ends_of_a_line_stay_together() -> None:
    """Only the whole door holds the fire; a cell elsewhere saves more than a part of it."""
    form = closed_form("wide-door", 12, 0)
    land = form.landscape
    regime = FireRegime(duration_min=1e7)
    scene = make_scene(land, FireConditions(scenarios=1, regime=regime), 0)
    door = np.sort(make_plan(scene, form.budget_share, 64, "downstream-value", seed=0).cells)
    beside = np.setdiff1d(np.flatnonzero(land.value.ravel() > 0), door)[:1]
    parts = []
    for cells in (beside, door[:1], door[1:]):
        mask = np.zeros(land.shape, np.bool_)
        mask.ravel()[cells] = True
        parts += break_segments_of(mask, land)
    order = in_build_order(scene, parts, 32)
    assert order[-1].cells.tolist() == beside.tolist()
    effect = effect_of(scene, order, 20)
    assert effect.loss[1].tolist() == effect.loss[0].tolist()  # half a door holds nothing
    assert effect.loss[2].max() == 0.0


def test_intervals_and_the_worst_tenth(result: PlanResult) -> None:
    effect = result.effect
    before, after = effect.loss[0], effect.loss[-1]
    found = risk(effect)
    assert found["mean_loss_before"].mean == before.mean()
    assert found["cvar90_after"].mean == worst_tenth_mean(after)
    for interval in (*found.values(), *reductions(effect)):
        assert interval.low <= interval.mean <= interval.high
    whole = reductions(effect)
    assert whole[0] == (0.0, 0.0, 0.0)
    assert whole[-1].mean == pytest.approx(found["mean_loss_reduction"].mean)
    # A plan that changes nothing saves nothing, whichever fires are drawn.
    nothing = effect._replace(loss=np.stack([before, before]))
    assert risk(nothing)["mean_loss_reduction"] == (0.0, 0.0, 0.0)
    everything = risk(effect._replace(loss=np.stack([before, np.zeros_like(before)])))
    assert everything["mean_loss_after"] == everything["cvar90_after"] == (0.0, 0.0, 0.0)
    assert everything["mean_loss_reduction"] == everything["cvar90_reduction"] == (1.0, 1.0, 1.0)


def test_a_plan_has_one_interval_wherever_it_is_told(result: PlanResult) -> None:
    """In the report's head, on its curve over the budget and in its comparison of methods."""
    compared = evaluate([result.scene], [], budget_share=result.plan.budget_share, plan_fires=4,
                        test_fires=60, seed=0, plans=[result.plan])
    own = compared.methods["downstream-value"][:3]
    for told in (reductions(result.effect)[-1], risk(result.effect)["mean_loss_reduction"]):
        assert told == pytest.approx(own)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=30))
def test_exceedance_counts_losses(losses: list[int]) -> None:
    array = np.array(losses, float)
    for loss, chance in zip(*exceedance(array), strict=True):
        assert chance == pytest.approx((array >= loss).mean())


def test_weather_is_told_apart(result: PlanResult) -> None:
    lines = by_weather(result.effect, result.scene)
    assert [line["fires"] for line in lines] == np.bincount(result.effect.scenario).tolist()
    own = result.effect.scenario == 1
    assert lines[1]["mean_loss_before"] == result.effect.loss[0, own].mean()
    assert lines[1]["low"] <= lines[1]["reduction"] <= lines[1]["high"]
    mean = sum(line["fires"] * line["mean_loss_after"] for line in lines) / 60
    assert mean == pytest.approx(result.effect.loss[-1].mean())


def test_the_interval_of_a_weather_is_that_of_paired_ratios(result: PlanResult) -> None:
    rng = np.random.default_rng(0)
    before = rng.lognormal(0.0, 1.5, 60)
    loss = np.stack([before, before * rng.uniform(0.85, 0.95, 60)])
    effect = result.effect._replace(loss=loss, scenario=np.zeros(60, np.int64))
    (line,) = by_weather(effect, result.scene)
    draws = rng.integers(60, size=(20_000, 60))
    ratios = 1.0 - loss[1][draws].sum(axis=1) / loss[0][draws].sum(axis=1)
    # A bootstrap of heavy tails is narrower, since it does not know how little it knows.
    low, high = np.percentile(ratios, (2.5, 97.5))
    assert line["low"] < low < high < line["high"]
    assert line["high"] - line["low"] < 2.0 * (high - low)
    assert by_weather(effect, result.scene) == [line]


def test_one_fire_of_a_weather_has_no_interval(result: PlanResult) -> None:
    scenario = np.array([0, *[1] * 59])
    one, many = by_weather(result.effect._replace(scenario=scenario), result.scene)
    assert (one["low"], one["high"], one["fires"]) == (None, None, 1)
    assert many["low"] is not None


def test_two_fires_at_least(result: PlanResult) -> None:
    with pytest.raises(InputError, match="at least 2 test fires, got 1"):
        effect_of(result.scene, [], 1)


def test_rasters_lie_on_the_whole_map_and_have_a_style(result: PlanResult,
                                                       tmp_path: Path) -> None:
    files = write_effect(tmp_path, result, {"method": "downstream-value", "seed": 0})
    assert sorted(path for path in tmp_path.rglob("*") if path.is_file()) == sorted(files)
    full, lifted = result.full, lift(result.plan, result.offset, result.full)
    for path in files:
        if path.suffix == ".qml":
            assert ElementTree.parse(path).getroot().tag == "qgis"
        if path.suffix != ".tif":
            continue
        with rasterio.open(path) as raster:
            assert (raster.shape, raster.crs.to_epsg()) == (full.shape, 5070)
            assert raster.transform[:6] == full.transform
            assert raster.tags()["method"] == "downstream-value"
            assert raster.read_masks(1)[[0, 6], [0, 7]].tolist() == [0, 0]
            assert raster.profile["compress"] == "deflate"
    with rasterio.open(tmp_path / "data" / "treatment.tif") as raster:
        done = raster.read(1)
        assert raster.colormap(1)[1] == (0xB2, 0x18, 0x2B, 255)
        assert np.array_equal(np.flatnonzero((done == 1) | (done == 2)), np.sort(lifted.cells))
        assert np.array_equal(np.flatnonzero(done == 2), np.sort(lifted.cells[:2]))
        assert (done[:, 0] == 255).all()  # outside the part planned for
    with rasterio.open(tmp_path / "data" / "burn_probability_difference.tif") as raster:
        assert raster.descriptions[0] == "after minus before"
        top, left = result.offset
        change = raster.read(1)[top:top + result.plan.shape[0], left:left + result.plan.shape[1]]
        expected = result.effect.after - result.effect.before
        expected[6 - top, 7 - left] = -9999.0
        np.testing.assert_allclose(change, expected, atol=1e-6)


def test_segments_are_polygons_in_degrees(result: PlanResult, tmp_path: Path) -> None:
    write_effect(tmp_path, result, {})
    collection = json.loads((tmp_path / "data" / "segments.geojson").read_text())
    columns = segment_columns(result)
    assert [feature["properties"] for feature in collection["features"]] == columns
    assert [row["build_order"] for row in columns] == list(range(1, len(columns) + 1))
    assert columns[-1]["cumulative_cost"] == pytest.approx(result.plan.cost, abs=1e-3)
    with rasterio.open(tmp_path / "data" / "segments.tif") as raster:
        ranks = raster.read(1)
    for feature in collection["features"]:
        area = transform_geom("EPSG:4326", "EPSG:5070", feature["geometry"])
        inside = rasterio.features.geometry_mask([area], result.full.shape,
                                                 rasterio.Affine(*result.full.transform),
                                                 invert=True)
        assert np.array_equal(inside, ranks == feature["properties"]["build_order"])
        for polygon in feature["geometry"]["coordinates"]:
            x, y = np.array(polygon[0]).T
            assert np.sum(x[:-1] * y[1:] - x[1:] * y[:-1]) > 0  # outer rings run against the clock


def test_rings_run_as_they_should() -> None:
    against = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 0.0)]
    for ring in (against, against[::-1]):
        assert list(_turned(ring, True)) == against
        assert list(_turned(ring, False)) == against[::-1]


@needs_pyogrio
def test_the_geopackage_opens_in_gdal(result: PlanResult, tmp_path: Path) -> None:
    import pyogrio

    write_effect(tmp_path, result, {})
    path = tmp_path / "plan.gpkg"
    assert [tuple(pair) for pair in pyogrio.list_layers(path)] == [
        ("segments", "MultiPolygon"), ("centrelines", "MultiLineString"), ("layer_styles", None)]
    columns = segment_columns(result)
    for layer in ("segments", "centrelines"):
        info = pyogrio.read_info(path, layer=layer)
        assert (info["crs"], info["features"]) == ("EPSG:5070", len(columns))
        meta, _, _, values = pyogrio.raw.read(path, layer=layer)
        assert list(meta["fields"]) == list(columns[0])
        assert values[0].tolist() == [row["build_order"] for row in columns]
    assert pyogrio.read_info(tmp_path / "data" / "segments.geojson")["crs"] == "EPSG:4326"


@needs_pyogrio
@pytest.mark.parametrize("years", [None, [2027, 2031]])
def test_the_geopackage_holds_the_styles_of_its_layers(
        result: PlanResult, tmp_path: Path, years: list[int] | None) -> None:
    count = len(result.segments)
    given = None if years is None else [years[0], *[years[1]] * (count - 1)]
    write_effect(tmp_path, result._replace(years=given), {})
    with contextlib.closing(sqlite3.connect(tmp_path / "plan.gpkg")) as package:
        rows = package.execute("SELECT f_table_name, f_geometry_column, styleQML, useAsDefault "
                               "FROM layer_styles").fetchall()
    assert [(name, default) for name, _, _, default in rows] == [("segments", 1),
                                                                 ("centrelines", 1)]
    for _, column, style, _ in rows:
        assert column == "geom"
        root = ElementTree.fromstring(style.partition("\n")[2])
        renderer = root.find("renderer-v2")
        assert renderer is not None
        assert renderer.get("attr") == ("build_order" if years is None else "year")
        ranges = [(float(one.get("lower")), float(one.get("upper")))
                  for one in renderer.iter("range")]
        numbers = range(1, count + 1) if years is None else years
        for number in numbers:
            assert sum(low < number < high for low, high in ranges) == 1
        assert len(list(renderer.iter("symbol"))) == len(ranges)
        assert root.find("labeling/settings/text-style").get("fieldName") == "build_order"
    assert (tmp_path / "data" / "segments.qml").read_text() == rows[0][2]
    assert read_years(tmp_path) == ({} if given is None else dict(enumerate(given, start=1)))
    assert read_savings(tmp_path) == [tuple(one) for one in reductions(result.effect)]
    (tmp_path / "data" / "budget_curve.csv").write_text("reduction\nmuch\n")
    with pytest.raises(InputError, match=r"budget_curve\.csv: expected a table that a plan wrote"):
        read_savings(tmp_path)


def test_without_a_reference_system_there_is_no_geojson(result: PlanResult,
                                                        tmp_path: Path) -> None:
    files = write_effect(tmp_path, result._replace(full=replace(result.full, crs=None)), {})
    names = {path.name for path in files}
    assert "segments.geojson" not in names
    assert {"treatment.tif", "segments.csv", "effect.json"} <= names


def test_tables_say_what_the_effect_is(result: PlanResult, tmp_path: Path) -> None:
    write_effect(tmp_path, result._replace(years=[2027] * len(result.segments)), {})
    tables = {name: list(csv.DictReader(
        (tmp_path / "data" / f"{name}.csv").read_text().splitlines()))
              for name in ("segments", "budget_curve", "exceedance", "weather")}
    assert tables["segments"][0]["year"] == "2027"
    curve = tables["budget_curve"]
    assert [float(row["mean_loss"]) for row in curve] == pytest.approx(
        result.effect.loss.mean(axis=1).tolist())
    assert float(curve[-1]["cost"]) == pytest.approx(result.plan.cost)
    for row in tables["exceedance"]:
        loss = float(row["loss"])
        assert float(row["before"]) == pytest.approx((result.effect.loss[0] >= loss).mean())
        assert float(row["after"]) == pytest.approx((result.effect.loss[-1] >= loss).mean())
    summary = json.loads((tmp_path / "data" / "effect.json").read_text())
    assert summary["cvar90_before"]["mean"] == pytest.approx(
        worst_tenth_mean(result.effect.loss[0]))
    assert len(summary["weather"]) == len(tables["weather"]) == 3


def test_engaged_and_held_lengths_are_those_of_the_fires_that_reach_a_segment() -> None:
    crews = FireConditions(scenarios=2, treatment=Treatment(kind="shaded"),
                           hold=HoldRule(by="hand", response_min=0.0))
    scene = make_scene(LAND, crews, 1)
    plan = make_plan(scene, 0.1, 20, "strips", seed=0)
    segments = break_segments_of(plan.break_mask(), LAND, 200.0)
    effect = effect_of(scene, segments, 60)
    burned = burn(scene, scene.fires("test", 60), plan.break_mask(), want="statistics")
    assert effect.engaged is not None
    assert effect.held is not None
    for one, engaged, held in zip(segments, effect.engaged, effect.held, strict=True):
        stopped = burned.held_probability.ravel()[one.cells].sum()
        reached = burned.burn_probability.ravel()[one.cells].sum() + stopped
        assert engaged == pytest.approx(30.0 * reached)
        assert held == pytest.approx(30.0 * stopped)
    assert 0.0 < effect.held.sum() <= effect.engaged.sum()
    alone = effect_of(make_scene(LAND, FireConditions(scenarios=2), 1), segments, 10)
    assert alone.engaged is alone.held is None
