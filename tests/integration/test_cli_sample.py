"""`sample:NAME` wherever a landscape is named: commands, files of options, Python, training."""

import json
from pathlib import Path

import pytest

import firebreak
from firebreak.api.shared.scene_options import SceneOptions, WeatherOptions
from firebreak.cli import main
from firebreak.cli.shared.plan_record import recorded
from firebreak.train.config.load import load_config
from firebreak.train.data.splits import make_splits

Out = pytest.CaptureFixture[str]
NAME = "sample:santa-ana"
FEW = ("--cells", "--plan-fires", "8", "--test-fires", "16", "--threads", "1")


@pytest.fixture(autouse=True)
def no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures take seconds and are tested elsewhere."""
    monkeypatch.setattr("firebreak.report.pages.plan_report.write_plan_report",
                        lambda *_args, **_options: [])


def test_info_tells_source_and_box(capsys: Out) -> None:
    assert main(["landscape", "info", NAME]) == 0
    told = capsys.readouterr().out
    for words in ("88 x 88 cells of 30 m", "from 117.6700 W to 117.6414 W", "source: LANDFIRE",
                  "version: ", "box: 437938 to 440578 m east", "roads: developed cells"):
        assert words in told


@pytest.mark.parametrize("command", [
    ("plan", "sample:none"), ("simulate", "sample:none"), ("evaluate", "sample:none"),
    ("landscape", "info", "sample:none"), ("plan", NAME, "--weather", "sample:none"),
    ("visualize", "sample:none", "--export", "x.html"),
    ("landscape", "lines", "sample:none", "--out", "x.geojson")])
def test_an_unknown_sample_is_one_sentence(command: tuple[str, ...], tmp_path: Path,
                                           monkeypatch: pytest.MonkeyPatch, capsys: Out) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*command]) == 2
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 1
    assert "expected one of santa-ana, got sample 'none'" in told[0]
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_a_plan_has_the_samples_weather_and_can_be_shown_again(tmp_path: Path, capsys: Out,
                                                               monkeypatch: pytest.MonkeyPatch,
                                                               ) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["plan", NAME, "--method", "downstream-value", *FEW, "--out", "made"]) == 0
    weather = Path("made/data/weather.csv").read_text().splitlines()[1:]
    assert {round(float(row.split(",")[3]), 1) for row in weather} <= {22.5, 45.0, 67.5}
    assert capsys.readouterr().err == ""
    assert recorded(Path("made")).landscape == NAME


def test_a_wind_that_is_given_takes_the_place_of_its_own() -> None:
    land = firebreak.read_landscape(NAME)
    own = SceneOptions().conditions(land, NAME)
    given = SceneOptions(weather=WeatherOptions(wind_from_deg=225.0)).conditions(land, NAME)
    assert own.weather is not None
    assert given.weather is not None
    assert {*given.weather.steps.wind_from_deg.tolist()} == {202.5, 225.0, 247.5}
    drawn = SceneOptions(weather=WeatherOptions(wind_20ft_km_h=30.0)).conditions(land, NAME)
    assert drawn.weather is None


@pytest.mark.slow
@pytest.mark.usefixtures("small_pictures")
def test_crews_come_by_its_roads(tmp_path: Path, capsys: Out) -> None:
    assert main(["plan", NAME, "--method", "downstream-value", "--hold", "hand",
                 "--break-kind", "shaded", "--budget", "0.01", *FEW, "--report", "brief", "--out",
                 str(tmp_path)]) == 0
    assert "crews that hold breaks" in capsys.readouterr().out


@pytest.mark.slow
def test_a_file_of_options_and_python_take_it(tmp_path: Path, capsys: Out) -> None:
    (tmp_path / "plan.toml").write_text(
        f'landscape = "{NAME}"\nmethod = "downstream-value"\nplan_fires = 8\n'
        "test_fires = 16\n[place]\ncells = true\n"
        f'[weather]\nweather = "{NAME}"\n')
    assert main(["plan", "--config", str(tmp_path / "plan.toml"), "--json", "--out",
                 str(tmp_path / "made")]) == 0
    cells = json.loads(capsys.readouterr().out.splitlines()[-1])["n_cells"]
    made = firebreak.plan(NAME, method="downstream-value", cells=True, plan_fires=8,
                          test_fires=16)
    assert made.plan.cells.size == cells
    assert firebreak.read_landscape(NAME).shape == (88, 88)


@pytest.mark.slow
def test_training_cuts_windows_of_it_in_its_weather(tmp_path: Path) -> None:
    config = load_config("quick", [
        'landscapes.kind="windows"', f'landscapes.maps=["{NAME}"]', "landscapes.size=12",
        "landscapes.block=22", f'fires.weather="{NAME}"', "fires.burned_share=0.05",
        "evaluation.test_landscapes=1", "evaluation.validation_landscapes=1"])
    splits = make_splits(config, tmp_path)
    assert splits.test[NAME][0].landscape.shape == (12, 12)
    directions = splits.train[0].conditions.weather.steps.wind_from_deg
    assert (directions.min(), directions.max()) == pytest.approx((22.5, 67.5))


def test_a_plan_on_a_closed_form_can_be_shown_again(tmp_path: Path) -> None:
    assert main(["plan", "closed-form:door:12", "--method", "downstream-value", *FEW, "--budget",
                 "0.01", "--out", str(tmp_path / "made")]) == 0
    assert recorded(tmp_path / "made").landscape == "closed-form:door:12"
