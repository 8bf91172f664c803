"""What a plan is made from stays in its folder, however it is named."""

from pathlib import Path

import pytest

from firebreak.api.plans.run import take_place_of_earlier
from firebreak.api.shared.inputs import inputs_of
from firebreak.api.shared.scene_options import MapOptions
from firebreak.files import write_text
from firebreak.planning.output.earlier import FILES_FILE, writing_into

EARLIER = ("plan.json", "segments.gpkg", "burn_probability_before.tif", "weather.csv",
           "report.html")


def left_after(out: Path, *asked: object) -> set[str]:
    """The names that are left of an earlier plan beside the next, which wrote plan.json alone."""
    out.mkdir(exist_ok=True)
    files = [out / name for name in EARLIER]
    for written, options in ((files, ("synthetic:1:20",)), (files[:1], asked)):
        with writing_into(out) as writing:
            for path in written:
                write_text(path, path.name)
            assert take_place_of_earlier(writing, inputs_of(*options)) == out / FILES_FILE
    return {path.name for path in files if path.exists()} - {"plan.json"}


def test_what_nothing_is_made_from_is_removed(tmp_path: Path) -> None:
    assert left_after(tmp_path / "plan", "synthetic:1:20", None, MapOptions()) == set()


@pytest.mark.parametrize("named", ["plan/segments.gpkg", "plan/segments.gpkg:price",
                                   "plan/segments.gpkg:price:EUR"])
def test_a_file_stays_whatever_follows_its_name(tmp_path: Path, named: str) -> None:
    assert left_after(tmp_path / "plan", MapOptions(value=tmp_path / named)) == {"segments.gpkg"}


def test_a_file_in_a_folder_with_a_colon_stays(tmp_path: Path) -> None:
    out = tmp_path / "a:b"
    assert left_after(out, MapOptions(value=out / "segments.gpkg:price")) == {"segments.gpkg"}


@pytest.mark.parametrize(("beside", "before"), [("plan", ""), (".", "plan/")])
def test_rasters_that_a_file_of_layers_names_stay(tmp_path: Path, beside: str,
                                                  before: str) -> None:
    (tmp_path / "plan").mkdir()
    layers = tmp_path / beside / "layers.toml"
    layers.write_text(f'[[layer]]\nraster = "{before}burn_probability_before.tif"\n'
                      f'[[layer]]\nraster = "{before}segments.gpkg:price"\nweight = 2.0\n')
    assert left_after(tmp_path / "plan", MapOptions(layers=layers)) == {
        "burn_probability_before.tif", "segments.gpkg"}


def test_what_may_be_read_stays_where_the_folder_itself_is_named(tmp_path: Path) -> None:
    assert left_after(tmp_path / "plan", str(tmp_path / "plan")) == {
        "burn_probability_before.tif", "weather.csv"}


def test_what_may_be_read_stays_where_a_file_of_layers_cannot_be(tmp_path: Path) -> None:
    layers = tmp_path / "layers.toml"
    layers.write_text("[[layer]\n")
    assert left_after(tmp_path / "plan", MapOptions(layers=layers)) == {
        "burn_probability_before.tif", "weather.csv"}
