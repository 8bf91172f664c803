"""Names of landscapes: a path, or a word and what follows it, such as `synthetic:7`; and of the
rasters that firebreak writes into folders, which are no layers of a landscape there.

`sample:NAME` stands for a folder that comes with firebreak, with a map, its roads and its weather.
"""

import re
from pathlib import Path

from firebreak.checks import fail, unknown_name
from firebreak.reading import check_ordinary

SYNTHETIC, CLOSED_FORM, SAMPLE = "synthetic:", "closed-form:", "sample:"
SAMPLES = Path(__file__).resolve().parents[1] / "samples"
"""A folder for each sample, made by `scripts/make_sample.py`."""
LANDSCAPE_FILE, ROADS_FILE, WEATHER_FILE, ABOUT_FILE = (
    "landscape.tif", "roads.tif", "weather.toml", "about.toml")
SURROUNDINGS_FILE = "surroundings.tif"
"""In the folder of a landscape: a map that holds it and the land around it, from which fires come.
"""

FUEL_MAP = "landscape_fuels.tif"
"""The fuels in colours, which `landscape info` writes."""
SIMULATED = frozenset(f"{name}.tif" for name in (
    "burn_probability", "mean_arrival_time_min", "rate_of_spread_m_min", "spread_direction_deg",
    "fireline_intensity_kw_m", "flame_length_m", "crown_fraction_burned", "downstream_value",
    "expected_loss", "annual_burn_probability", "flame_length_probability"))
"""The maps that `simulate` writes."""
DATA = "data"
"""The folder of a plan's rasters, tables and pictures, in that of the plan."""
PLANNED = frozenset(f"{name}.tif" for name in (
    "plan", "segments", "treated_landscape", "treatment", "burn_probability_before",
    "burn_probability_after", "burn_probability_difference"))
"""The rasters that `plan` writes."""
_GIVEN = re.compile(r"given_\w+-[0-9a-f]{8}\.tif")


def is_path(spec: str | Path) -> bool:
    """True where a landscape is named by where it lies, and not by a word."""
    return not str(spec).startswith((SYNTHETIC, CLOSED_FORM, SAMPLE))


def is_made(name: str) -> bool:
    """True for the name of land that is made by a rule: synthetic, or closed-form."""
    return name.startswith((SYNTHETIC, CLOSED_FORM.removesuffix(":")))


def is_sample(spec: str | Path) -> bool:
    """True for `sample:NAME`."""
    return str(spec).startswith(SAMPLE)


def sample_names() -> list[str]:
    """The samples that come with firebreak."""
    return sorted(path.name for path in SAMPLES.iterdir() if (path / LANDSCAPE_FILE).is_file())


def sample_folder(spec: str | Path) -> Path:
    """The folder of `sample:NAME`.

    Raises:
        InputError: no sample has this name.
    """
    name = str(spec).removeprefix(SAMPLE)
    if name not in sample_names():
        raise unknown_name("sample", name, sample_names(), "landscape")
    return SAMPLES / name


def path_of(spec: str | Path) -> Path:
    """The path of a landscape's files; that of a synthetic one does not exist.

    Raises:
        InputError: no sample has this name.
    """
    return sample_folder(spec) if is_sample(spec) else Path(spec)


def check_there(spec: str | Path) -> None:
    """Refuse a path at which neither a file nor a folder is.

    Raises:
        InputError: nothing is there, or a pipe or device.
    """
    if not is_path(spec):
        return
    if spec == "" or not Path(spec).exists():
        raise fail(expected="a landscape file or folder",
                   given="no such path" if spec else "no name", where=str(spec) or "landscape",
                   remedy="check the path, or use synthetic:SEED or sample:santa-ana")
    check_ordinary(spec, str(spec))


def weather_place(spec: str | Path) -> Path:
    """The path of weather; `sample:NAME` is the weather of a sample.

    Raises:
        InputError: no sample has this name.
    """
    return sample_folder(spec) / WEATHER_FILE if is_sample(spec) else Path(spec)


def beside(base: Path, spec: str | Path) -> Path:
    """A path that is relative to a folder; `sample:NAME` as it is."""
    return Path(spec) if is_sample(spec) else base / spec


def is_own(name: str) -> bool:
    """Return whether a raster of this name is no layer of the landscape in whose folder it is."""
    return (name in (FUEL_MAP, SURROUNDINGS_FILE) or name in SIMULATED or name in PLANNED
            or _GIVEN.fullmatch(name) is not None)
