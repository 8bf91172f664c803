"""The validation command where there are no data, and the pages that it and the code must keep."""

import importlib
import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from PIL import Image

from firebreak.checks import InputError
from firebreak.memory.registry import live_counts
from firebreak.settings import retired
from firebreak.settings.scene import TOML_NAMES
from firebreak.train.config.load import load_config

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
LARGEST_FIGURE = 120_000
PAGES = [*sorted(DOCS.glob("*.md")), *(ROOT / name for name in (
    "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "src/firebreak/policies/README.md"))]
NAMED = re.compile(r"[a-z_]\w*([./][A-Za-z_]\w*)+")
PATH = re.compile(r"(tests|scripts|benchmarks|docs|configs|conda|qgis|src)/[\w./-]+|test_\w+\.py")
FILES = re.compile(  # that a command writes or reads
    r"\.(asc|csv|geojson|gif|gpkg|html|json|jsonl|lcp|md|mp4|png|pt|py|safetensors|tif|toml|txt)$")
# Owners of planted leaks, LANDFIRE's service, functions of libraries, entry points, a new preset.
EXAMPLES = {
    "configs/NAME.toml", "env.sources._SEEN", "source.landscape", "trainer.all_rewards",
    "trainer.last_rows", "trainer.transitions", "job/status",
    "job/submit", "scipy.sparse.csgraph.dijkstra", "gymnasium.make_vec", "gymnasium.make",
    "firebreak.methods", "firebreak.networks"}


@pytest.fixture(scope="module")
def validation(load) -> ModuleType:
    return load("parts")


@pytest.fixture(scope="module")
def run(load, validation, tmp_path_factory) -> tuple[Path, str]:
    """A folder made by the command without any data, on maps of few cells, for two cases."""
    out, nowhere = tmp_path_factory.mktemp("validation"), "/nowhere/at/all"
    with pytest.MonkeyPatch.context() as patch:
        shapes = load("shapes")
        patch.setattr(validation, "area_table", lambda: shapes.area_table(41))
        patch.setattr(validation, "slope_table", lambda: shapes.slope_table(41))
        with redirect_stdout(StringIO()) as said:
            load("__main__").main(["--data", nowhere, "--reference", nowhere, "--out", str(out),
                                   "--only", "ELMFIRE-34,FIRE-ARROWHEAD"])
    return out, said.getvalue()


def block(page: str, name: str) -> str:
    return page.split(f"<!-- table: {name} -->")[1].split(f"<!-- end: {name} -->")[0]


def first_cells(text: str) -> list[str]:
    return [line.split(" | ")[0] for line in text.splitlines() if line.startswith("| ")]


def test_tables_that_need_data_are_kept_and_said_and_the_others_are_made(run, validation):
    out, said = run
    before = (DOCS / "validation.md").read_text(encoding="utf-8")
    after = (out / "validation.md").read_text(encoding="utf-8")
    nowhere = Path("/nowhere/at/all")
    for part in validation.tables(nowhere, nowhere):
        if part.needs is None:
            assert block(after, part.name).count("\n| ") >= 5
        elif nowhere in part.needs.parents:
            assert block(after, part.name) == block(before, part.name) != "\n"
            assert f"{part.name}: not made, for there is no {part.needs}" in said
        else:
            assert first_cells(block(after, part.name)) == first_cells(block(before, part.name))
            assert f"{part.name}: table" in said


def test_figures_that_need_no_data_are_small_pictures_and_closed(run, validation):
    out, said = run
    for part in validation.figures(Path("/nowhere/at/all")):
        path = out / "figures" / f"{part.name}.png"
        assert path.is_file() == (part.needs is None)
        assert (f"{part.name}: not made" in said) == (part.needs is not None)
        if part.needs is None:
            assert 5_000 < path.stat().st_size < LARGEST_FIGURE
            with Image.open(path) as picture:
                assert min(picture.size) > 400
    assert live_counts().get("Figure", 0) == 0


def test_the_page_has_a_place_for_every_table_and_every_figure(validation):
    page = (DOCS / "validation.md").read_text(encoding="utf-8")
    nowhere = Path("/nowhere")
    names = [part.name for part in validation.tables(nowhere, nowhere)]
    assert sorted(re.findall(r"<!-- table: ([\w-]+) -->", page)) == sorted([
        *names, "counts", "short", "not-evaluable"])
    for name in names:
        assert "| --- |" in block(page, name)
    for part in validation.figures(nowhere):
        assert f"](figures/{part.name}.png)" in page
        assert (DOCS / "figures" / f"{part.name}.png").stat().st_size < LARGEST_FIGURE


def test_only_what_lies_between_the_markers_is_replaced(load):
    validation = load("page")
    page = "before\n<!-- table: a -->\nold\n<!-- end: a -->\n<!-- table: b -->\nB\n<!-- end: b -->"
    after = validation.replaced(page, "a", r"new \1")
    assert after == page.replace("old", r"new \1")
    with pytest.raises(InputError, match="table: c"):
        validation.replaced(page, "c", "new")


def test_a_table_names_the_case_that_is_furthest_off(load):
    tables = load("tables")
    found, cases = np.array([1.0, 2.02, 3.0]), ["one", "two", "three"]
    text = tables.compared_table([tables.Compared("rate", found, np.array([1.0, 2.0, 3.0]), cases)])
    assert text.splitlines()[-1] == "| rate | 3 | 0 | 1 % | two |"
    exact = tables.compared_table([tables.Compared("rate", found, found, cases)])
    assert exact.splitlines()[-1] == "| rate | 3 | 0 | 0 |  |"
    assert tables.turn(np.array([359.0]), np.array([1.0])) == [-2.0]


@pytest.mark.parametrize(("share", "words"), [
    (0.0, "0"), (3.8e-6, "0.00038 %"), (0.0041, "0.41 %"), (0.745, "74 %"), (1e-12, "0")])
def test_shares_are_written_out_with_two_digits(load, share, words):
    assert load("tables").percent(share) == words


def test_an_overlap_is_shared_cells_over_all_cells(load):
    maps = load("maps")
    one = np.array([[True, True, False, False]])
    assert maps.overlap(one, np.array([[False, True, True, False]])) == pytest.approx(1 / 3)


def test_the_closed_form_on_a_slope_is_the_ellipse_of_its_plane(load):
    shapes = load("shapes")
    shape = shapes.shape_of(2.0, 40.0, slope_tan=0.75, aspect_deg=250.0)
    east, north = shapes.outline(shape, 10.0)
    shoelace = 0.5 * abs(np.sum(east[:-1] * north[1:] - east[1:] * north[:-1]))
    assert shoelace == pytest.approx(shapes.area(shape, 10.0), rel=1e-3)
    level_east, level_north = shapes.outline(shape._replace(slope_tan=0.0), 10.0)
    up = -np.array([np.sin(np.radians(250.0)), np.cos(np.radians(250.0))])
    along, level = (e * up[0] + n * up[1] for e, n in ((east, north), (level_east, level_north)))
    np.testing.assert_allclose(along, 0.8 * level, atol=1e-9)  # the cosine of 3 in 4


def words_of(page: Path) -> list[str]:
    """What a page sets as code outside of its fences, with no blank in it."""
    text = page.read_text(encoding="utf-8")
    return re.findall(r"`([^`\s]+)`", re.sub(r"(?ms)^```.*?^```", "", text))


FIELDS = {key: field for field, key in TOML_NAMES.items()}


def is_key(path: str, config: object) -> bool:
    """Whether a path names a key of a run's TOML."""
    *tables, key = path.split(".")
    return is_there(".".join([*tables, FIELDS.get(key, key)]), config)


def is_there(path: str, root: object) -> bool:
    """Whether root.path exists; fields of a NamedTuple or a dataclass without default count."""
    for name in path.split("."):
        if not hasattr(root, name):
            return name in getattr(root, "__annotations__", {})
        root = getattr(root, name)
    return True


def in_the_code(word: str) -> bool:
    """Whether a dotted or slashed word is a module of the package, or what one has."""
    parts = word.replace("/", ".").removeprefix("firebreak.").split(".")
    for k in range(len(parts), -1, -1):
        name = ".".join(["firebreak", *parts[:k]])
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError:
            continue
        return k == len(parts) or is_there(".".join(parts[k:]), module)
    return False


def in_the_native_library(word: str) -> bool:
    """Tells whether FILE::NAME is a function, a struct or an entry of a source."""
    path, _, name = word.partition("::")
    return (ROOT / path).is_file() and re.search(
        rf"\b{name}\(|\bstruct {name}\b|^ENTRY\({name},",
        (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE) is not None


def in_the_checkout(word: str) -> bool:
    """Whether a path is that of a file or folder of the repository, or a test has that name."""
    return (ROOT / word).exists() or any((ROOT / "tests").rglob(word))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_name_of_code_on_a_page_exists(page):
    config = load_config("quick")
    missing = []
    for word in words_of(page):
        if word in EXAMPLES:
            there = True
        elif word.startswith("src/native/") and "::" in word:
            there = in_the_native_library(word)
        elif PATH.fullmatch(word):
            there = in_the_checkout(word)
        elif FILES.search(word):
            there = True
        elif NAMED.fullmatch(word):
            there = (is_key(word, config) or in_the_code(word)
                     or retired.option_of_key(word) is not None)
        else:
            continue
        if not there:
            missing.append(word)
    assert missing == []


@pytest.mark.parametrize(("page", "least"), [
    ("fire-model.md", 90), ("glossary.md", 30), ("engine.md", 15), ("weather.md", 4)])
def test_the_pages_that_explain_the_code_name_it(page, least):
    named = [word for word in words_of(DOCS / page) if word.startswith("src/native/")
             or (NAMED.fullmatch(word) and in_the_code(word))]
    assert len(named) >= least
