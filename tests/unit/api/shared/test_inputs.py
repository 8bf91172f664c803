"""What options name is told from words, and with what it is read."""

import ast
from pathlib import Path

import pytest

import firebreak
from firebreak.api.shared.inputs import inputs_of
from firebreak.api.shared.plan_options import PlanOptions
from firebreak.api.shared.scene_options import MapOptions, WeatherOptions
from firebreak.settings.schema import NAMING

WORDS = {"crs", "email", "family", "kinds", "layers", "losses", "method", "methods",
         "moisture", "phases", "service", "set", "start",
         "treatment", "value_unit"}


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, without links."""
    monkeypatch.chdir(tmp_path)
    return tmp_path.resolve()


def made(*names: str) -> None:
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).touch()


def found(place: Path, *asked: object) -> set[str]:
    return {str(path.relative_to(place)) for path in inputs_of(*asked)}


def test_words_are_no_files(place: Path) -> None:
    for word in ("hard", "front", "finney", "grazing", "dqn", "behave", "never", "derived"):
        Path(word).mkdir()
    assert found(place, PlanOptions(method="dqn")) == set()


@pytest.mark.parametrize("name", ["config.toml", "weather.toml"])
def test_words_in_toml_are_no_folders(place: Path, name: str) -> None:
    made("hard/one.tif", "wx/Weather.csv", "value.tif")
    Path(name).write_text('kind = "hard"\n[place]\nweather = "wx"\nvalue = "value.tif"\n')
    assert found(place, WeatherOptions(weather=Path(name))) == {
        name, "wx", "wx/Weather.csv", "value.tif"}


def test_one_file_that_cannot_be_read_costs_no_other(place: Path) -> None:
    made("value.tif", "layers.toml")
    Path("layers.toml").write_text("[[")
    assert found(place, MapOptions(value=Path("value.tif"), layers=Path("layers.toml"))) == {
        "value.tif", "layers.toml"}


@pytest.mark.parametrize(("named", "beside"), [
    ("a.shp", {"a.prj", "a.dbf", "a.shx", "a.cpg", "a.shp.aux.xml"}), ("a.lcp", {"a.prj"}),
    ("a.tif", {"a.tif.aux.xml"}), ("a.wtr", {"a.wnd"}), ("a.shp:price", {"a.prj"})])
def test_files_are_read_with_those_beside_them(place: Path, named: str, beside: set[str]) -> None:
    file = named.partition(":")[0]
    made(file, "a.png", *beside)
    assert found(place, MapOptions(value=Path(named))) == {file, *beside}


def test_of_a_folder_its_data_is_read(place: Path) -> None:
    made("w/fuel.asc", "w/fuel.prj", "w/Weather.csv", "w/Weathers/Weather1.csv", "w/plan.tif",
         "w/plan.csv", "w/landscape.png", "w/notes.txt")
    assert found(place, "w") == {"w", "w/fuel.asc", "w/fuel.prj", "w/Weather.csv",
                                 "w/Weathers/Weather1.csv"}


def test_of_a_run_its_policy_is_read(place: Path) -> None:
    made("run/config.toml", "run/policy.safetensors", "run/report.html")
    assert found(place, PlanOptions(policy=Path("run"))) == {
        "run", "run/config.toml", "run/policy.safetensors"}


def test_a_link_to_itself_is_nothing(place: Path) -> None:
    (place / "loop").symlink_to("loop")
    assert found(place, "loop", MapOptions(value=Path("loop"))) == set()


def test_every_option_of_text_is_a_word_or_may_name_a_file() -> None:
    """A new one is to be put in one of both."""
    source, named = Path(firebreak.__file__).parent, set()
    for part in ("cli/commands", "cli/shared", "api/shared"):
        for file in (source / part).rglob("*.py"):
            named |= {node.target.id for one in ast.walk(ast.parse(file.read_text()))
                      if isinstance(one, ast.ClassDef)
                      and one.name.endswith(("Arguments", "Options")) for node in one.body
                      if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
                      and "str" in ast.unparse(node.annotation)
                      and "Path" not in ast.unparse(node.annotation)}
    assert named <= NAMING | WORDS
