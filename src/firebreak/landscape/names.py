"""What a landscape may be named by: a path, or a word and what follows it, such as `synthetic:7`.

`sample:NAME` stands for a folder that comes with firebreak, with a map, its roads and its weather.
"""

from pathlib import Path

from firebreak.checks import fail, unknown_name

SYNTHETIC, CLOSED_FORM, SAMPLE = "synthetic:", "closed-form:", "sample:"
SAMPLES = Path(__file__).resolve().parents[1] / "samples"
"""A folder for each sample, made by `scripts/make_sample.py`."""
LANDSCAPE_FILE, ROADS_FILE, WEATHER_FILE, ABOUT_FILE = (
    "landscape.tif", "roads.tif", "weather.toml", "about.toml")


def is_path(spec: str | Path) -> bool:
    """Whether a landscape is named by where it lies, and not by a word."""
    return not str(spec).startswith((SYNTHETIC, CLOSED_FORM, SAMPLE))


def is_sample(spec: str | Path) -> bool:
    """Whether it is `sample:NAME`."""
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
    """Where a landscape's files lie; that of a synthetic one does not exist.

    Raises:
        InputError: no sample has this name.
    """
    return sample_folder(spec) if is_sample(spec) else Path(spec)


def check_there(spec: str | Path) -> None:
    """Refuses a path at which nothing is.

    Raises:
        InputError: nothing is there.
    """
    if is_path(spec) and not Path(spec).exists():
        raise fail(expected="a landscape file or folder", given="no such path", where=str(spec),
                   remedy="check the path, or use synthetic:SEED or sample:santa-ana")


def weather_place(spec: str | Path) -> Path:
    """Where weather lies; `sample:NAME` is the weather of a sample.

    Raises:
        InputError: no sample has this name.
    """
    return sample_folder(spec) / WEATHER_FILE if is_sample(spec) else Path(spec)


def beside(base: Path, spec: str | Path) -> Path:
    """A path that is relative to a folder; `sample:NAME` as it is."""
    return Path(spec) if is_sample(spec) else base / spec
