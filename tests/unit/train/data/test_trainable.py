"""What one can plan under one can train under; what cannot be trained is one sentence."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from rasterio.crs import CRS

from firebreak.checks import InputError
from firebreak.cli import BAD_INPUT, main
from firebreak.env.gym_env import FuelbreakVectorEnv
from firebreak.fire.effects.losses import CLASSES, loss_by_class, read_layers
from firebreak.fire.scene import value_by_class_of
from firebreak.landscape.formats.read import read_landscape
from firebreak.landscape.formats.write import write_geotiff, write_landscape
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.raster.windows import SYMMETRIES, aggregate, dihedral, turn
from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.treatment_table import read_table, with_treatments
from firebreak.settings.agent import AgentSettings
from firebreak.train.config.load import as_toml, load_config
from firebreak.train.config.setup import all_treated, conditions_of, treat_as, treated_draw
from firebreak.train.data.splits import Splits, check_compared, make_splits
from firebreak.train.rollout.gains import ActionGains
from tiny import TINY

HOURLY = ('fires.weather="Weather.csv"', "fires.hours=4")
LOSSES = ("fires.losses=[0.1,0.2,0.4,0.6,0.8,1.0]",)
SHADED = ('breaks.kind="shaded"',)
BREACH = ('breaks.breach="wilson"', "breaks.width_m=8")
SPOTTING = ("fires.spotting=true",)
WINDOWS = ('landscapes.kind="windows"', 'landscapes.maps=["m.tif"]', "landscapes.block=8",
           "landscapes.size=8")
LAYERS = ('fires.layers="layers.toml"', *WINDOWS)
JOBS = ("mixture.shaded=0.3", "mixture.narrow=0.3", "mixture.parts=0.5", "mixture.existing=0.5",
        "mixture.slope_costs=0.5", "budget=0.3")
HELD = (*JOBS, "mixture.held=0.3")
ALL_JOBS = ("mixture.shaded=0.2", "mixture.narrow=0.2", "mixture.breached=0.3", *HELD[2:])
LINES = ("agent.segments=true", "agent.gain_share=0.25", "agent.discount_end=0",
         "agent.gain_fires=6")

ROWS = {
    "shaded": SHADED, "narrow": ("breaks.width_m=8",), "breach": BREACH,
    "leak": ("breaks.leak=true",), "losses": LOSSES, "spotting": SPOTTING,
    "crown": ("fires.crown=cruz",), "hourly": HOURLY,
    "wind from": ("fires.wind_from_deg=225",),
    "wind towards": (*HOURLY, "fires.wind_towards=true"), "layers": LAYERS,
    "bare lines": ("breaks.treatment=bare-line",),
    "treatments": ("breaks.treatment=prescribed-fire,shaded-break", "breaks.treatment_age=1"),
    "jobs": (*JOBS, "mixture.breached=0.3"), "held jobs": HELD, "all jobs": ALL_JOBS,
    "changing weather": ("mixture.changing_weather=0.5",),
    "land of the FBP System": ("mixture.fbp=1",),
    "treatments on maps": ("breaks.treatment=shaded-break", *WINDOWS)}
PAIRS = {
    "hourly, spotting, losses": (*HOURLY, *SPOTTING, *LOSSES),
    "shaded, spotting, losses": (*SHADED, *SPOTTING, *LOSSES),
    "breach, spotting": (*BREACH, *SPOTTING), "breach, hourly": (*BREACH, *HOURLY),
    "shaded, hourly": (*SHADED, *HOURLY),
    "layers, spotting, hourly": (*LAYERS, *SPOTTING, *HOURLY),
    "layers, shaded": (*LAYERS, *SHADED),
    "jobs, hourly, losses": (*JOBS, "mixture.breached=0.3", *HOURLY, *LOSSES),
    "held jobs, hourly": (*HELD, *HOURLY), "held jobs, an attack": (
        *HELD, "fires.initial_attack=300"), "jobs on maps": (*JOBS, *WINDOWS),
    "all jobs beside breaks that are breached": (*ALL_JOBS, *BREACH),
    "breached jobs beside crews": (*SHADED, "breaks.hold=hand", "mixture.breached=0.4"),
    "all jobs, changing weather": (*ALL_JOBS, "mixture.changing_weather=0.5", "mixture.fbp=0.3"),
    "changing weather, spotting, losses": ("mixture.changing_weather=0.5", *SPOTTING, *LOSSES),
    "changing weather, crews": (*SHADED, "mixture.changing_weather=0.5", "breaks.hold=hand"),
    "jobs of crews": (*JOBS, 'breaks.kind="shaded"', "breaks.hold=hand"),
    "parts, treatments": ("breaks.treatment=shaded-break", "mixture.parts=0.5",
                          "mixture.existing=0.5"),
    "both fuel systems, spotting": ("mixture.fbp=0.5", *SPOTTING),
    "both fuel systems, held jobs": ("mixture.fbp=0.5", *HELD),
    "the FBP System, breached jobs": ("mixture.fbp=1", *JOBS, "mixture.breached=0.3"),
    "losses, value maps": (*LOSSES, "mixture.value_maps=0.5"),
    "treatments, crews": ("breaks.treatment=shaded-break", "breaks.hold=hand",
                          "breaks.response_min=10")}
REFUSED = {
    "a break wider than a cell of a map": (
        (*WINDOWS, "breaks.width_m=40"), "expected a break no wider than a cell of 30 m, got 40 m"),
    "a break wider than a synthetic cell": (("breaks.width_m=400",), "a cell of 100 m"),
    "shaded breaks with a rule of breach": ((*SHADED, 'breaks.breach="wilson"'),
                                            "no breaks.breach beside breaks.kind"),
    "shaded breaks with a width": ((*SHADED, "breaks.width_m=8"), "no breaks.width_m beside"),
    "an unknown treatment": (("breaks.treatment=grasing",), "did you mean 'grazing'"),
    "an age without a treatment": (("breaks.treatment_age=2",), "breaks.treatment together with "
                                   "breaks.treatment_age"),
    "a treatment beside a kind": (("breaks.treatment=grazing", *SHADED), "no breaks.kind beside "
                                  "breaks.treatment"),
    "a treatment older than its table": (("breaks.treatment=grazing", "breaks.treatment_age=11"),
                                         "at most 10 years"),
    "a treatment that nothing allows": (("breaks.treatment=cliffs", "breaks.treatments=own.toml"),
                                        "landscapes on which the treatment can be done"),
    "a table that is not there": (("breaks.treatment=own", "breaks.treatments=none.toml"),
                                  "no such file"),
    "hours without weather": (("fires.hours=4",), "fires.weather together with fires.hours"),
    "directions without weather": (("fires.wind_towards=true",), "with fires.wind_towards"),
    "a wind with a weather file": ((*HOURLY, "fires.wind_from_deg=10"), "beside fires.weather"),
    "layers with losses": ((*LAYERS, *LOSSES), "no fires.losses beside fires.layers"),
    "layers with value maps": ((*LAYERS, "mixture.value_maps=0.5"), "no mixture.value_maps beside"),
    "layers on synthetic land": (LAYERS[:1], "got synthetic landscapes"),
    "more kinds than episodes": (
        ("mixture.shaded=0.7", "mixture.narrow=0.6"), "at most 1, got 1.3"),
    "changing weather beside weather": ((*HOURLY, "mixture.changing_weather=0.1"),
                                       "no mixture.changing_weather beside fires.weather"),
    "crews of two rules": ((*SHADED, "breaks.hold=hand", "mixture.held=0.1"), "no mixture.held"),
    "kinds beside a treatment": (("breaks.treatment=grazing", "mixture.narrow=0.1"),
                                 "no mixture.narrow"),
    "dear slopes beside a treatment": (("breaks.treatment=grazing", "mixture.slope_costs=0.1"),
                                       "no mixture.slope_costs"),
    "an empty family": (('landscapes.family=""', "mixture.fbp=0.5"), "expected a text, "
                        "not empty"),
    "an unknown family": (("landscapes.family=ridgs",), "did you mean 'ridges'"),
    "a family beside those of the FBP System": (("landscapes.family=ridges", "mixture.fbp=0.5"),
                                                "no mixture.fbp beside landscapes.family"),
    "land of the FBP System beside maps": ((*WINDOWS, "mixture.fbp=0.5"), "got windows of maps"),
    "crews on land of two systems": ((*SHADED, "breaks.hold=hand", "mixture.fbp=0.5"),
                                     "land of one fuel system together with breaks.hold"),
    "an attack on land of two systems": (("fires.initial_attack=30", "mixture.fbp=0.5"),
                                         "got fbp and rothermel"),
    "held breaks where no crews are drawn": (("mixture.held=0.1", "mixture.fbp=1"),
                                             "'rothermel' together with mixture.held")}


OWN_TABLE = """
[cliffs]
title = "what only level ground allows"
currency = "USD"
upkeep = { per_ha_year = 1, source = "assumed" }
[[cliffs.state]]
to_year = 2
surface = "bare"
source = "assumed"
[[cliffs.cost]]
to_slope_percent = 1
per_ha = 5
source = "assumed"
"""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A map, weather by the hour, and two value layers on the map."""
    folder = tmp_path_factory.mktemp("data")
    land = replace(generate(0, 48, cell_size_m=30.0), crs=CRS.from_epsg(32611).to_wkt())
    write_landscape(folder / "m.tif", land)
    (folder / "Weather.csv").write_text("Instance,datetime,WS,WD,TMP,RH\n" + "".join(
        f"W,2020-07-01 {h:02d}:00,{10 + h},{200 + 5 * h},30,20\n" for h in range(8, 16)))
    rng = np.random.default_rng(4)
    for name in ("houses", "forest"):
        grid = rng.integers(0, 9, land.shape).astype(np.float32)
        write_geotiff(folder / f"{name}.tif", {name: grid}, land, nodata=-9999.0, dtype="float32",
                      tags={})
    (folder / "layers.toml").write_text(
        '[[layer]]\nraster = "houses.tif"\nweight = 3.0\n'
        '[[layer]]\nraster = "forest.tif"\nlosses = [0, 0.1, 0.3, 0.5, 0.9, 1]\n')
    (folder / "own.toml").write_text(OWN_TABLE)
    return folder


def splits_of(data: Path, *changes: str) -> Splits:
    tiny = [change for change in TINY if not change.startswith("landscapes.size")]
    return make_splits(load_config("quick", [*tiny, "landscapes.size=8", *changes]), data)


@pytest.mark.parametrize("lines", [(), LINES], ids=["cells", "lines"])
@pytest.mark.parametrize("changes", [*ROWS.values(), *PAIRS.values()], ids=[*ROWS, *PAIRS])
def test_one_trains_under_what_one_plans_under(
        data: Path, changes: tuple[str, ...], lines: tuple[str, ...]) -> None:
    source = splits_of(data, "evaluation.validation_landscapes=1", *changes, *lines).train[0]
    env = FuelbreakVectorEnv(source, 2)
    _, info = env.reset(seed=1)
    rng, rewards = np.random.default_rng(0), []
    for _ in range(3):
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in info["action_mask"]])
        _, reward, _, _, info = env.step(actions)
        rewards.append(reward)
    assert np.isfinite(rewards).all()
    assert np.any(rewards)
    settings = AgentSettings(segments=bool(lines), gain_share=1.0, gain_fires=6)
    values = np.zeros(env.single_action_space.n, np.float32)
    _, gains, _ = ActionGains(source.sizes(2), settings, 0).of(env.slots, 0, values, 0)
    assert gains.max() > 0.0


@pytest.mark.parametrize(("changes", "words"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_trained_is_refused_before_anything_is_written(
        data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], changes: tuple[str, ...],
        words: str) -> None:
    out = tmp_path / "run"
    words_of_changes = [word for change in (*TINY, *changes) for word in ("--set", change)]
    assert main(["train", "quick", *words_of_changes, "--data", str(data), "--out",
                 str(out)]) == BAD_INPUT
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1
    assert not out.exists()


UNCOMPARED = {
    "a method of lines by a policy of cells": (
        ("evaluation.methods=['none', 'dqn-lookahead']",),
        "expected a policy that places lines, got a policy that places single cells"),
    "a map too large for greedy": (
        ("evaluation.methods=['greedy']", "landscapes.size=70", "fires.plan_fires=300"),
        "at most 1,600 treatable cells"),
}


@pytest.mark.parametrize(("changes", "words"), UNCOMPARED.values(), ids=UNCOMPARED)
def test_what_cannot_be_compared_is_refused_before_the_run(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str], changes: tuple[str, ...], words: str) -> None:
    def late(*_: object, **__: object) -> None:
        raise AssertionError("too late")

    monkeypatch.setattr("firebreak.train.run.trainer.ParallelTrainer", late)
    path, out = tmp_path / "c.toml", tmp_path / "run"
    path.write_text(as_toml(load_config("quick", [*TINY, *changes])))
    assert main(["train", str(path), "--out", str(out)]) == BAD_INPUT
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1
    assert not out.exists()


@pytest.mark.parametrize("changes", [
    ("evaluation.methods=['none', 'dqn-lookahead', 'dqn-search', 'greedy']", *LINES),
    ("evaluation.methods=['dqn', 'dqn-search', 'segments']",)])
def test_what_can_be_compared_is_taken(changes: tuple[str, ...]) -> None:
    config = load_config("quick", [*TINY, *changes])
    before = torch.random.get_rng_state()
    check_compared(config, make_splits(config, Path()))
    assert torch.equal(before, torch.random.get_rng_state())


def test_the_folder_of_the_option_counts_before_that_of_the_environment(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("FIREBREAK_DATA", str(tmp_path / "environment"))
    path = tmp_path / "c.toml"
    path.write_text(as_toml(load_config("quick", [*TINY, *WINDOWS])))
    assert main(["train", str(path), "--data", str(tmp_path / "option"),
                 "--out", str(tmp_path / "run")]) == BAD_INPUT
    assert str(tmp_path / "option" / "m.tif") in capsys.readouterr().err


def test_layers_of_a_window_are_those_read_for_its_map(data: Path) -> None:
    splits = splits_of(data, *LAYERS, "landscapes.turned=false")
    whole = read_landscape(data / "m.tif")
    lost = loss_by_class(read_layers(data / "layers.toml", whole))
    scenes = [splits.train[0].problem(3, episode).scene for episode in range(4)]
    for scene in [*scenes, *splits.test["m.tif"], *(p.scene for p in splits.validation[0])]:
        land = scene.landscape
        _, _, left, _, _, top = land.transform
        row = round((whole.transform[5] - top) / 30.0)
        col = round((left - whole.transform[2]) / 30.0)
        assert (land.fuel_model == whole.crop(row, col, 8, 8).fuel_model).all()
        assert scene.value_by_class.shape == (CLASSES, 8, 8)
        assert (scene.value_by_class == lost[:, row:row + 8, col:col + 8]).all()


def test_layers_of_a_turned_window_are_turned(data: Path) -> None:
    scene = splits_of(data, *LAYERS, "landscapes.turned=false").train[0].problem(3, 0).scene
    for k in range(SYMMETRIES):
        lost = value_by_class_of(dihedral(scene.landscape, k), scene.conditions, None)
        assert (lost == turn(scene.value_by_class, k)).all()


@pytest.mark.parametrize("kind", [(), WINDOWS], ids=["synthetic", "windows"])
def test_treatments_are_chosen_on_every_landscape_as_plans_choose_them(
        data: Path, kind: tuple[str, ...]) -> None:
    splits = splits_of(data, "breaks.treatment=mastication,thinning-pile-burn", *kind)
    rows = [read_table()[name] for name in ("mastication", "thinning-pile-burn")]
    scenes = [splits.train[0].problem(3, episode).scene for episode in range(6)]
    scenes += [problem.scene for problem in splits.validation[0]]
    scenes += [scene for own in splits.test.values() for scene in own]
    for scene in scenes:
        land = scene.landscape
        assert land.treatment is not None
        assert land.treatable.any()
        assert scene.conditions.treatment.name == "mastication, thinning-pile-burn"
        bare = replace(land, treatment=None, cost=np.ones(land.shape, np.float32),
                       treatable=land.burnable)
        again = with_treatments(bare, rows, "x")
        np.testing.assert_array_equal(again.treatment, land.treatment)
        np.testing.assert_array_equal(again.cost, land.cost)
        assert not (land.treatable & ~again.treatable).any()


def test_a_landscape_that_no_treatment_suits_is_drawn_again(data: Path) -> None:
    config = load_config("quick", [*TINY, "breaks.treatment=mastication"])
    treat = treat_as(config, conditions_of(config, data), data)
    level, steep = (replace(land, slope_tan=np.full(land.shape, slope, np.float32))
                    for land, slope in ((generate(1, 8), 0.05), (generate(2, 8), 0.9)))
    asked = []

    def draw(seed: int, episode: int) -> Landscape:
        asked.append(seed)
        return steep if len(asked) < 3 else level

    made = treated_draw(draw, treat)(7, 0)
    assert made.treatment is not None
    np.testing.assert_array_equal(made.fuel_model, level.fuel_model)
    assert len(set(asked)) == 3
    assert asked[0] == 7
    assert [one.name for one in all_treated([steep, level], treat)] == [level.name]
    with pytest.raises(InputError, match="the treatment can be done"):
        all_treated([steep], treat)


def test_layers_of_joined_cells_are_means_as_values_are(data: Path) -> None:
    source = splits_of(data, *LAYERS, "landscapes.aggregate=2").train[0]
    whole = read_landscape(data / "m.tif")
    for layer, kind in zip(read_layers(data / "layers.toml", whole), source.conditions.layers,
                           strict=True):
        assert (layer.name, layer.weight, layer.response) == (kind.name, kind.weight, kind.response)
    assert source.problem(0, 0).scene.landscape.cell_size_m == 60.0
    assert aggregate(whole, 2).layers == ()


def test_a_landscape_without_layers_has_the_checksum_it_had(data: Path) -> None:
    land = read_landscape(data / "m.tif")
    layered = splits_of(data, *LAYERS, "landscapes.turned=false").train[0].problem(3, 0)
    window = layered.scene.landscape
    bare = window.map_grids(lambda grid: grid, layers=())
    assert window.checksum() != bare.checksum()
    assert window.fire_checksum() == bare.fire_checksum()
    assert land.checksum() == read_landscape(data / "m.tif").checksum()
