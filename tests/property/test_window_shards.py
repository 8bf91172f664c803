"""Shards = whole, bit for bit: for any split of the fires, any order of calls, any executor, under
every rule of breaks and fires.
"""

import gc
import tracemalloc
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from firebreak import free_memory
from firebreak.checks import InputError
from firebreak.executors.choice import open_executor
from firebreak.fire import RIM, FireConditions, FireRegime, Fires, Scene, burn, make_scene
from firebreak.fire.effects.breaks import HoldRule
from firebreak.fire.effects.losses import ResponseFunction
from firebreak.fire.effects.spotting import SpottingModel
from firebreak.fire.travel.stencil import UNBURNED
from firebreak.fire.travel.travel_field import padded_cells, unpad
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.treatments import Treatment
from firebreak.planning.core.rules import FREE, PlanRules, short_pieces
from firebreak.planning.windows import memory
from firebreak.planning.windows.choose import Ratings
from firebreak.planning.windows.cores import widened
from firebreak.planning.windows.kept import NOTHING_KEPT
from firebreak.planning.windows.line_plan import ShardedFires
from firebreak.planning.windows.make import (
    Region,
    WindowPlan,
    WindowSettings,
    make_region,
    plan_by_windows,
    region_recipe,
)
from firebreak.planning.windows.memory import cell_bytes, shards_in_turn
from firebreak.planning.windows.reached import saved_in_order
from firebreak.planning.windows.region import RegionWorker, footprints_of
from firebreak.planning.windows.shards.shard import Shard, room_to_burn
from firebreak.planning.windows.shards.shard_plan import (
    ROOM,
    LineTable,
    ShardPlan,
    Wanted,
    bytes_of_shards,
    known_boxes,
    loss_bound,
    shards_of,
)
from firebreak.weather.scenarios import WindClimate, draw_scenarios
from firebreak.weather.streams import WeatherStreams
from native_probes import uniforms
from strategies import of_widths, with_roads

SIZE, FIRES = 90, 24
LITTER, SHORT_GRASS, GRASS, BRUSH = 181, 101, "GR4", 145
HAND = HoldRule(by="hand", response_min=90.0)
HOT = WindClimate(wind_20ft_mean_m_min=500.0, dead_moisture_1h=(0.03, 0.04))
"""Fires that crews hold by chance: with shorter flames they hold all."""
HOURLY = WeatherStreams(draw_scenarios(WindClimate(), np.random.default_rng(4), 6), 3, 20.0,
                        np.array([0.5, 0.5]))
KINDS = {
    "hard": {},
    "by value of flames": {"response": ResponseFunction(name="r", loss=(0.1, 0.2, 0.4, 0.6, 0.8,
                                                                        1.0))},
    "hourly": {"weather": HOURLY},
    "of several periods": {"regime": FireRegime(hours=4.0, periods=2.5)},
    "narrow": {"treatment": Treatment(width_m=20.0)},
    "narrow, by flames": {"treatment": Treatment(width_m=8.0), "breach": "flame-length"},
    "narrow, by chance": {"treatment": Treatment(width_m=2.0), "breach": "wilson"},
    "shaded": {"treatment": Treatment(kind="shaded")},
    "shaded and held": {"treatment": Treatment(kind="shaded"), "hold": HAND, "climate": HOT},
    "narrow and held by few": {
        "treatment": Treatment(width_m=2.0), "breach": "wilson", "climate": HOT,
        "hold": HoldRule(by="equipment", response_min=5.0, crew_km=0.2)},
    "attacked": {"attack_min": 240.0},
    "of several widths, by chance": {"land": of_widths(generate(5, SIZE)), "breach": "wilson"},
    "roads": {"land": with_roads(generate(5, SIZE))},
    "embers": {"spotting": SpottingModel(surface_brands_per_ha=0.5)},
    "embers over shaded": {"spotting": SpottingModel(surface_brands_per_ha=0.5),
                           "treatment": Treatment(kind="shaded")}}


class Case(NamedTuple):
    region: Region
    boxes: list
    lines: list


def made(rules: PlanRules = FREE, land: Landscape | None = None, fires: int = FIRES,
         burned_share: float = 0.01, **conditions: object) -> Case:
    regime = {"regime": FireRegime(burned_share=burned_share)}
    wide = make_scene(land or generate(5, SIZE), FireConditions(
        scenarios=2, **regime | conditions), 5, tiled=True)  # type: ignore[arg-type]
    region = make_region(wide, 0.1, "downstream-value", seed=5, plan_fires=fires, rules=rules)
    boxes = [one.box for one in footprints_of(wide, region.fires, ())]
    rng = np.random.default_rng(1)
    free = np.flatnonzero(wide.landscape.treatable)
    lines = [np.intersect1d(free, cell + SIZE * (k % 2) * np.arange(9) + (k % 2 == 0)
                            * np.arange(9)) for k, cell in enumerate(rng.choice(free, 60))]
    taken = np.zeros(SIZE * SIZE, bool)
    apart = []
    for line in lines:
        if line.size and not taken[line].any():
            apart.append(line)
            taken[line] = True
    return Case(region, boxes, apart)


CASES: dict[str, Case] = {}


def case_of(kind: str) -> Case:
    if kind not in CASES:
        CASES[kind] = made(**KINDS[kind])
    return CASES[kind]


@pytest.fixture(scope="module")
def case() -> Case:
    return case_of("hard")


@cache
def scene_of(wide: Scene) -> Scene:
    return make_scene(wide.landscape, wide.conditions, 5)


def burned_loss(case: Case, taken: tuple[int, ...]) -> np.ndarray:
    """Of each fire, burned anew on the whole map, in whole units."""
    wide, fires = case.region.scene, case.region.fires
    scene = scene_of(wide)
    mask = np.zeros((SIZE, SIZE), bool)
    for line in taken:
        mask.ravel()[case.lines[line]] = True
    loss = burn(scene, fires, mask).loss
    return loss * 2.0**(48 - int(np.ceil(np.log2(loss_bound(wide, FIRES)))))


def shards_in(case: Case, most: int, places: int = 99) -> list[ShardPlan]:
    boxes = known_boxes(case.boxes, case.region.scene)
    return shards_of(boxes, case.region.fires.scenario, most, places)


@pytest.mark.slow
@settings(max_examples=3, deadline=None)
@pytest.mark.parametrize("kind", KINDS)
@given(seed=st.integers(0, 2**32 - 1), most=st.sampled_from([1, 3, 99]),
       places=st.sampled_from([1, 2, 5, 99]))
@example(seed=7, most=99, places=2)
def test_shards_rate_as_the_whole_map_does_for_any_split_and_order(kind: str, seed: int, most: int,
                                                                   places: int) -> None:
    """And where fires wait for one of few places."""
    case = case_of(kind)
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(case.lines)).tolist()
    taken, numbers = tuple(order[:rng.integers(0, 9)]), order[9:15]
    worker = RegionWorker(case.region)
    worker.receive(case.lines)
    shards = shards_in(case, most, places)
    assert sorted(np.concatenate([shard.fires for shard in shards]).tolist()) == list(range(FIRES))
    saved = np.zeros((len(numbers), FIRES))
    lost = 0
    for k in rng.permutation(len(shards)).tolist():
        if rng.random() < 0.5:  # what it held before must not matter
            worker.rate(k, shards[k], tuple(order[:3]), [Wanted(order[10])])
        found = worker.rate(k, shards[k], taken, [Wanted(line) for line in numbers])
        for line, (fires, units) in enumerate(zip(found.fires, found.saved, strict=True)):
            saved[line, shards[k].fires[fires]] = units
        lost += worker.lost(k, shards[k], taken)
    before = burned_loss(case, taken)
    assert lost == pytest.approx(before.sum(), rel=1e-12)
    for line, row in zip(numbers, saved, strict=True):
        after = burned_loss(case, (*taken, line))
        assert row == pytest.approx(before - after, rel=1e-9, abs=1e-10 * before.sum())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("most", "places"), [(99, 99), (3, 2)])
def test_what_a_line_that_stands_saves_is_what_burns_without_it(kind: str, most: int,
                                                                places: int) -> None:
    case = case_of(kind)
    order = np.random.default_rng(3).permutation(len(case.lines)).tolist()
    taken, numbers = tuple(order[:12]), order[2:8]
    worker = RegionWorker(case.region)
    worker.receive(case.lines)
    saved = np.zeros((len(numbers), FIRES))
    for k, shard in enumerate(shards_in(case, most, places)):
        found = worker.rate(k, shard, taken, [Wanted(line) for line in numbers], True)
        for line, (fires, units) in enumerate(zip(found.fires, found.saved, strict=True)):
            saved[line, shard.fires[fires]] = units
        again = worker.lost(k, shard, taken)
        assert again == RegionWorker.lost(fresh_worker(case), k, shard, taken)
    after = burned_loss(case, taken)
    assert saved.sum() > 0
    for line, row in zip(numbers, saved, strict=True):
        before = burned_loss(case, tuple(other for other in taken if other != line))
        assert row == pytest.approx(before - after, rel=1e-9, abs=1e-10 * before.sum())


@pytest.mark.slow
def test_embers_land_where_a_line_stood_far_from_what_a_waiting_fire_burned() -> None:
    """On small cells, which embers cross by dozens: a fire that waits is not known by its box."""
    side, block, count = 100, 10, 60
    wide = make_scene(replace(generate(5, side), cell_size_m=10.0), FireConditions(
        scenarios=2, regime=FireRegime(duration_min=60.0), climate=WindClimate(
            wind_20ft_mean_m_min=800.0, dead_moisture_1h=(0.02, 0.03)), spotting=SpottingModel(
            surface_brands_per_ha=60.0, crown_brands_per_ha=60.0, ignition_delay_min=0.0)), 5,
        tiled=True)
    region = make_region(wide, 0.1, "downstream-value", seed=5, plan_fires=count)
    boxes = known_boxes([one.box for one in footprints_of(wide, region.fires, ())], wide)
    row, col = np.indices((side, side)) // block
    lines = [line for number in range((side // block)**2)
             if (number // (side // block) + number) % 2 and (line := np.flatnonzero(
                 (row * (side // block) + col == number) & wide.landscape.treatable)).size]
    worth = {}
    for places in (99, 4):
        worker = RegionWorker(region)
        worker.receive(lines)
        saved = np.zeros((len(lines), count), np.int64)
        for k, shard in enumerate(shards_of(boxes, region.fires.scenario, 99, places)):
            found = worker.rate(k, shard, tuple(range(len(lines))),
                                [Wanted(line) for line in range(len(lines))], True)
            for line, (fires, units) in enumerate(zip(found.fires, found.saved, strict=True)):
                saved[line, shard.fires[fires]] = units
        worth[places] = saved
    assert worth[4].sum() > 0
    np.testing.assert_array_equal(worth[99], worth[4])


def litter() -> Case:
    """Slow fuel, whose breaks burn fast."""
    land = generate(5, SIZE)
    return made(land=replace(land, fuel_model=np.full_like(land.fuel_model, LITTER),
                             treatable=np.ones((SIZE, SIZE), np.bool_)),
                treatment=Treatment(kind="shaded", fine_fuel=1.0, fuels=(("TL", GRASS),)),
                climate=HOT)


def attacked() -> Case:
    """Grass, and brush in it that burns hot: fires are contained once that lies behind them, but
    not beside a break, where it is the edge.
    """
    land, (row, col) = generate(5, SIZE), np.indices((SIZE, SIZE)) % 6
    fuel = np.where((row < 2) & (col < 2), BRUSH, SHORT_GRASS).astype(land.fuel_model.dtype)
    return made(land=replace(land, fuel_model=fuel, treatable=np.ones((SIZE, SIZE), np.bool_),
                             cell_size_m=30.0),
                fires=100, burned_share=0.1, attack_min=30.0, climate=HOT)


@pytest.mark.slow
@pytest.mark.parametrize(("case", "rows", "more"), [
    (litter, range(3, SIZE, 20), range(8, SIZE, 20)),
    (attacked, range(2, SIZE, 12), range(7, SIZE, 36))])
def test_lines_are_judged_by_fires_that_run_far_on_under_breaks(
        case: Callable[[], Case], rows: range, more: range) -> None:
    """By any shards as on the whole map, where lines lie that no shard had near before."""
    lines = [row * SIZE + col + np.arange(29) for row in (*rows, *more) for col in (1, 31, 61)]
    own = case()._replace(lines=lines)
    wide, fires = own.region.scene, own.region.fires
    taken = tuple(range(3 * len(rows)))
    others = tuple(range(len(taken), len(lines)))
    mask = np.zeros((SIZE, SIZE), bool)
    mask.ravel()[np.concatenate(lines[:len(taken)])] = True
    further = []
    for k, box in enumerate(own.boxes):
        one = burn(wide, fires.part(np.array([k])), mask, want="arrival").arrivals_min[0]
        row, col = np.nonzero(np.isfinite(one))
        further.append(max(box[0] - row.min(), box[1] - col.min(), row.max() + 1 - box[2],
                           col.max() + 1 - box[3]))
    assert max(further) > ROOM
    before = burned_loss(own, taken).sum()
    saves = [before - burned_loss(own, (*taken, line)).sum() for line in others]
    worth = [burned_loss(own, tuple(one for one in taken if one != line)).sum() - before
             for line in taken]
    assert sum(one != 0.0 for one in worth) > 5
    for most in (1, 99):
        with closing(open_executor("in-process", region_recipe(own.region))) as executor:
            sharded = ShardedFires(own.region, shards_in(own, most), lines, executor, NOTHING_KEPT)
            assert sharded.lost(taken) == pytest.approx(before, rel=1e-12)
            ratings = Ratings(lines, SIZE, sharded.meets)
            wanted = ratings.wanted(others)
            ratings.put(others, wanted, sharded.rate(taken, wanted))
            assert [ratings.saved(line) for line in others] == pytest.approx(
                saves, rel=1e-9, abs=1e-10 * before)
            assert sharded.worth(taken) == pytest.approx(worth, rel=1e-9, abs=1e-10 * before)


def fresh_worker(case: Case) -> RegionWorker:
    worker = RegionWorker(case.region)
    worker.receive(case.lines)
    return worker


LARGER = {
    "shaded, by value of flames": KINDS["by value of flames"] | KINDS["shaded"],
    "twelve hours": {"weather": WeatherStreams(draw_scenarios(
        WindClimate(), np.random.default_rng(4), 24), 12, 20.0, np.array([0.5, 0.5]))}}


@pytest.mark.parametrize("kind", [*KINDS, *LARGER])
def test_what_a_cell_of_a_shard_takes_is_told(kind: str) -> None:
    case = case_of(kind) if kind in KINDS else made(**LARGER[kind])
    scene, fires = case.region.scene, case.region.fires
    plan = ShardPlan((0, 0, SIZE, SIZE), 0, np.flatnonzero(fires.scenario == 0)[:2])
    args = (scene, plan, fires.part(plan.fires), 1.0, room_to_burn(scene))
    Shard(*args)  # what is made once for all
    gc.collect()
    tracemalloc.start()
    shard = Shard(*args)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    told = bytes_of_shards([plan], [(0, 0, SIZE - 2 * ROOM, SIZE - 2 * ROOM)] * FIRES,
                           cell_bytes(scene))
    del shard
    assert told / 1.25 < held < 1.25 * told


def test_every_kind_is_one_of_its_own() -> None:
    """Else what is tested above of a kind would be of hard breaks."""
    taken = tuple(range(12))
    lost = {kind: burned_loss(case_of(kind), taken).sum() for kind in KINDS}
    lost["hard, where crews hold"] = burned_loss(made(climate=HOT), taken).sum()
    assert len(set(lost.values())) == len(lost)


def test_only_the_fires_asked_for_are_rated(case: Case) -> None:
    (first, *_), worker = shards_in(case, 99), RegionWorker(case.region)
    worker.receive(case.lines)
    every = worker.rate(0, first, (), [Wanted(line) for line in range(len(case.lines))])
    line = max(range(len(case.lines)), key=lambda k: every.fires[k].size)
    some = every.fires[line][1:3]
    found = worker.rate(0, first, (), [Wanted(line, some), Wanted(line)])
    assert found.fires[0].tolist() == some.tolist()
    assert found.saved[0].tolist() == every.saved[line][1:3].tolist()
    assert found.fires[1].tolist() == every.fires[line].tolist()


def test_a_shard_whose_fires_run_on_under_a_break_looks_further(
        monkeypatch: pytest.MonkeyPatch) -> None:
    """With no room at all, fires that a break of other fuel speeds up would be cut off."""
    monkeypatch.setattr("firebreak.planning.windows.shards.shard.ROOM", 10)
    case = case_of("shaded")
    wide, fires = case.region.scene, case.region.fires
    for plan in shards_in(case, 2)[:6]:
        shard = Shard(wide, plan, fires.part(plan.fires), loss_bound(wide, FIRES))
        found = shard.rate([Wanted(line) for line in range(20)],
                           LineTable(case.lines, SIZE))
        before = burned_loss(case, ())
        for line in range(20):
            row = np.zeros(FIRES)
            row[plan.fires[found.fires[line]]] = found.saved[line]
            after = burned_loss(case, (line,))
            assert row[plan.fires] == pytest.approx((before - after)[plan.fires], rel=1e-9,
                                                    abs=1e-10 * before.sum())

@pytest.mark.parametrize("side", range(4))
def test_a_shard_is_cut_where_no_fire_comes_near(side: int,
                                                 monkeypatch: pytest.MonkeyPatch) -> None:
    """Though on three sides it is cut far off."""
    monkeypatch.setattr("firebreak.planning.windows.shards.shard.ROOM", 4)
    case = case_of("hard")
    wide, fires = case.region.scene, case.region.fires
    for plan in shards_in(case, 2)[:6]:
        box = list(widened(plan.box, 20, (SIZE, SIZE)))
        box[side] = plan.box[side]
        shard = Shard(wide, plan._replace(box=tuple(box)), fires.part(plan.fires),
                      loss_bound(wide, FIRES))
        own = shard._window
        burned = unpad(shard._slots.fires.code != UNBURNED, (own.rows, own.cols)).any(axis=0)
        rows, cols = np.nonzero(burned)
        assert rows.size
        assert own.row == 0 or rows.min() >= RIM
        assert own.col == 0 or cols.min() >= RIM
        assert own.row + own.rows == SIZE or rows.max() < own.rows - RIM
        assert own.col + own.cols == SIZE or cols.max() < own.cols - RIM


@pytest.mark.parametrize("kind", ["hard", "narrow, by chance"])
def test_what_each_segment_saves_once_those_before_it_stand(kind: str) -> None:
    case = case_of(kind)
    segments, done = case.lines[:12], list[float]()
    with closing(open_executor("in-process", region_recipe(case.region))) as executor:
        found = saved_in_order(case.region, segments, executor, done.append)
    assert sum(done) == FIRES
    lost = [burned_loss(case, tuple(range(count))).sum() for count in range(13)]
    assert max(found) > 0.01
    assert found == pytest.approx([(before - after) / lost[0] for before, after in pairwise(lost)],
                                  rel=1e-9, abs=1e-12)


def test_what_segments_save_is_measured_in_the_memory_that_is_free(
        monkeypatch: pytest.MonkeyPatch) -> None:
    """By fewer fires at a time, with the same sums; if one is too many, that is said."""
    case = case_of("hard")
    boxes, each = [(0, 0, SIZE, SIZE)] * FIRES, cell_bytes(case.region.scene)
    with closing(open_executor("in-process", region_recipe(case.region))) as executor:
        def largest() -> tuple[int, int]:
            shards = shards_in_turn(case.region, boxes, executor)
            assert sum(shard.fires.size for shard in shards) == FIRES
            return max((shard.fires.size, bytes_of_shards([shard], boxes, each))
                       for shard in shards)

        every, whole = largest()
        found = saved_in_order(case.region, case.lines[:4], executor)
        monkeypatch.setattr(memory, "free_bytes", lambda: whole - 1)
        fewer, part = largest()
        assert fewer < every
        assert part < whole
        assert saved_in_order(case.region, case.lines[:4], executor) == found
        for module in (memory, free_memory):
            monkeypatch.setattr(module, "free_bytes", lambda: 20_000)
        with pytest.raises(InputError, match=r"1 test fire at a time.*use --report none$"):
            largest()


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), first=st.integers(0, 30), cols=st.integers(1, 40),
       draw=st.integers(0, 8))
def test_fires_on_some_rows_meet_the_luck_of_the_whole_map(seed: int, first: int, cols: int,
                                                           draw: int) -> None:
    rng = np.random.default_rng(seed)
    cells = first * cols + rng.integers(0, 20 * cols, 9)
    fires = make_fires(cells, rng)
    part = fires.on_rows(first, cols)
    assert (uniforms(fires.key, padded_cells(cells, cols), draw)
            == uniforms(part.key, padded_cells(part.source, cols), draw)).all()


def make_fires(cells: np.ndarray, rng: np.random.Generator) -> Fires:
    count = cells.size
    return Fires(cells, np.zeros(count, np.int64), np.ones(count),
                 rng.integers(0, 2**64, count, np.uint64))


def planned(region: Region, name: str, workers: int, most: int = 2**20) -> WindowPlan:
    with closing(open_executor(name, region_recipe(region), workers)) as executor:  # type: ignore[arg-type]
        return plan_by_windows(region, 0.1, executor, WindowSettings(core=45),
                               most_shard_fires=most)


def check_plans(case: Case) -> WindowPlan:
    one = planned(case.region, "in-process", 1)
    assert one.windows == 4
    assert 0 < one.taken < one.lines
    assert one.plan.cost <= one.plan.budget * (1.0 + 1e-9)
    for other in (planned(case.region, "in-process", 3), planned(case.region, "in-process", 2, 1)):
        assert (other.plan.cells == one.plan.cells).all()
        assert (other.promised, other.risen, other.rated) == (one.promised, one.risen, one.rated)
    wide, fires = case.region.scene, case.region.fires
    scene = make_scene(wide.landscape, wide.conditions, 5)
    before, after = (burn(scene, fires, mask).loss.sum()
                     for mask in (None, one.plan.break_mask()))
    assert one.promised == pytest.approx(1.0 - after / before, rel=1e-9)
    return one


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["hard", pytest.param("narrow and held by few",
                                                       marks=pytest.mark.slow)])
def test_a_plan_has_the_same_bits_for_any_shards_and_workers(kind: str) -> None:
    check_plans(case_of(kind))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["hourly", "narrow, by chance", "shaded", "attacked", "embers"])
def test_a_plan_of_any_kind_has_the_same_bits(kind: str) -> None:
    check_plans(case_of(kind))


@pytest.mark.slow
def test_a_plan_keeps_to_its_rules() -> None:
    """What must be included comes first and is paid for; no piece is too short."""
    land = case_of("hard").region.scene.landscape
    include = np.flatnonzero(land.treatable)[400:404]
    shortest_m = 5.0 * land.cell_size_m
    rules = PlanRules(include=include, shortest_m=shortest_m)
    one = check_plans(made(rules))
    assert one.plan.cells[:4].tolist() == include.tolist()
    assert not short_pieces(one.plan.cells, rules, land)
    free = planned(case_of("hard").region, "in-process", 1)
    assert short_pieces(free.plan.cells, PlanRules(shortest_m=shortest_m), land)


@pytest.mark.slow
def test_a_plan_has_the_same_bits_in_processes(case: Case) -> None:
    one, two = planned(case.region, "in-process", 1), planned(case.region, "processes", 2)
    assert (one.plan.cells == two.plan.cells).all()
    assert one.promised == two.promised
