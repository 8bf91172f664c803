"""The public functions and the command line: the same plan, fires, table and weights."""

import errno
import gc
import html
import json
import re
import shlex
import shutil
from collections.abc import Callable, Iterable
from dataclasses import FrozenInstanceError, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
import torch

import firebreak
from firebreak.agent.policy_file import load_policy
from firebreak.api import notebook
from firebreak.cli import main
from firebreak.cli.commands import explore
from firebreak.files import write_pieces
from firebreak.landscape.formats.folders import write_ascii_folder
from firebreak.landscape.formats.write import write_geotiff
from firebreak.memory.registry import live_counts
from firebreak.planning.methods import METHODS
from tiny import TINY

LAND = "synthetic:3:20"
FEW = {"plan_fires": 12, "test_fires": 40, "threads": 1}
TYPED = ("--plan-fires", "12", "--test-fires", "40", "--threads", "1", "--quiet")


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, and no pictures, which are tested elsewhere."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("firebreak.report.pages.plan_report._figures", lambda *_args: {})
    monkeypatch.setattr("firebreak.report.figures.animation.SHOW_FIRES", 8)
    return tmp_path


def without_seconds(path: Path) -> dict[str, object]:
    return {name: value for name, value in json.loads(path.read_text()).items()
            if name != "seconds"}


@pytest.mark.slow
@pytest.mark.parametrize(("options", "typed"), [
    pytest.param({}, (), marks=pytest.mark.slow),
    ({"method": "downstream-value", "area": "2:16,3:17", "budget": 0.1},
     ("--method", "downstream-value", "--area", "2:16,3:17", "--budget", "10%")),
    pytest.param({"break_kind": "shaded", "method": "strips", "wind_20ft_km_h": 30.0},
                 ("--break-kind", "shaded", "--method", "strips", "--wind-20ft-km-h", "30"),
                 marks=pytest.mark.slow),
])
def test_a_plan_made_both_ways_is_one_plan(options: dict[str, object], typed: tuple[str, ...],
                                           capsys: pytest.CaptureFixture[str]) -> None:
    made = firebreak.plan(LAND, **FEW, **options)
    assert list(Path.cwd().iterdir()) == []  # nothing is written
    assert main(["plan", LAND, *TYPED, *typed, "--out", "typed"]) == 0
    text = capsys.readouterr().out
    files = made.save("saved")
    typed_files = {path.relative_to("typed") for path in Path("typed").rglob("*")
                   if path.is_file()}
    assert {path.relative_to("saved") for path in files} == typed_files == {
        path.relative_to("saved") for path in Path("saved").rglob("*") if path.is_file()}
    for name in typed_files - {*map(Path, (
            "plan.json", "plan_files.json", "report.html", "plan.gpkg"))}:
        assert Path("saved", name).read_bytes() == Path("typed", name).read_bytes(), name
    assert without_seconds(Path("saved/plan.json")) == without_seconds(Path("typed/plan.json"))
    # The table, but for the seconds that planning took.
    for name, one in made.comparison.methods.items():
        assert f"{one.low:.3f} to {one.high:.3f}" in text, name
    effect = json.loads(Path("typed/data/effect.json").read_text())
    assert made.effect.reduction._asdict() == effect["mean_loss_reduction"]
    with rasterio.open("typed/data/plan.tif") as raster:
        assert (raster.read(1) == np.where(made.rank > 0, made.rank, 0)).all()
    assert (made.breaks == (made.rank > 0)).all()


@pytest.mark.usefixtures("small_pictures")
def test_fires_burned_both_ways_are_the_same_fires() -> None:
    made = firebreak.simulate(LAND, fires=30, threads=1, plan=None)
    assert list(Path.cwd().iterdir()) == []
    assert main(["simulate", LAND, "--fires", "30", "--threads", "1", "--quiet", "--out",
                 "typed"]) == 0
    with rasterio.open("typed/burn_probability.tif") as raster:
        assert (raster.read(1) == made.burn_probability.astype(np.float32)).all()
    names = {path.name for path in made.save("saved")}
    assert names | {"options.json"} == {path.name for path in Path("typed").iterdir()}


def test_methods_compared_both_ways_save_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    made = firebreak.evaluate(LAND, methods=["none", "downstream-value"], **FEW)
    assert main(["evaluate", LAND, "--methods", "none,downstream-value", *TYPED, "--json"]) == 0
    said = json.loads(capsys.readouterr().out.splitlines()[-1])
    own = made.to_json()
    for result in (said, own):
        for row in (*result["rows"], *result["methods"].values()):
            del row["seconds"]
    assert said == own
    assert made.best == "downstream-value"
    assert "downstream-value" in str(made)


@pytest.mark.slow
def test_a_policy_trained_both_ways_has_the_same_weights() -> None:
    made = firebreak.train_policy("quick", set=TINY, quiet=True)
    assert list(Path.cwd().iterdir()) == []
    changes = [word for change in TINY for word in ("--set", change)]
    assert main(["train", "quick", "--quiet", "--out", "typed", *changes]) == 0
    rows = [json.loads(line) for line in Path("typed/metrics.jsonl").read_text().splitlines()]
    assert made.weights_sha256 == rows[-1]["weights_sha256"]
    assert made.folder is None
    file = made.save("kept")
    named = firebreak.plan("synthetic:5:10", policy=file, method="dqn", **FEW)
    handed = firebreak.plan("synthetic:5:10", policy=made, method="dqn", **FEW)
    assert (named.rank == handed.rank).all()


@pytest.mark.filterwarnings("ignore:existing")  # where nothing may be treated
def test_arrays_are_taken_as_files_are() -> None:
    land = firebreak.read_landscape(LAND)
    rows, cols = np.indices(land.shape)
    grids = {"value": 1.0 + rows, "cost": 1.0 + cols % 3, "must_include": (rows == 9) & (cols < 8),
             "must_exclude": rows > 16, "area": (rows > 3) & (cols < 18),
             "existing": rows == 12}
    files = {name: str(write_geotiff(f"{name}.tif", {name: grid.astype(np.float32)}, land))
             for name, grid in grids.items()}
    options = {"method": "downstream-value", "budget": 0.2, **FEW}
    from_arrays, from_files = (firebreak.plan(land, **given, **options)
                               for given in (grids, files))
    assert from_arrays.plan.cells.size > 0
    assert (from_arrays.rank == from_files.rank).all()
    assert from_arrays.comparison.methods.keys() == from_files.comparison.methods.keys()
    assert from_arrays.effect.reduction == from_files.effect.reduction


@pytest.mark.usefixtures("small_pictures")
@pytest.mark.filterwarnings("ignore:.*no coordinate reference system")
def test_what_was_handed_in_is_written_so_that_the_folder_is_enough() -> None:
    land = firebreak.read_landscape(LAND, value=np.full((20, 20), 2.0))
    made = firebreak.plan(land, method="downstream-value", must_exclude=np.eye(20), **FEW)
    names = {path.name for path in made.save("saved")}
    assert {"plan.tif", "report.html", "treated_landscape.tif"} <= names
    assert len([*Path("saved").glob("given_must_exclude-*.tif")]) == 1
    assert len([*Path("saved").glob("landscape-*")]) == 1
    assert main(["visualize", "saved", "--export", "page.html", "--quiet", "--threads", "1"]) == 0


@pytest.mark.filterwarnings("ignore:.*no coordinate reference system")
def test_each_plan_that_is_saved_keeps_its_own_landscape(tmp_path: Path) -> None:
    plain = firebreak.read_landscape(LAND)
    options = {"method": "downstream-value", "plan_fires": 12, "test_fires": 0, "threads": 1,
               "report": "none"}
    with_value = replace(plain, value=np.full(plain.shape, 3.0, np.float32))
    own = write_ascii_folder(tmp_path / "saved" / "landscape", with_value)  # a user's folder
    before = {path: path.read_bytes() for path in own}
    made, other = (firebreak.plan(land, **options) for land in (with_value, plain))
    for one in (made, other, made, other):
        one.save("saved")
    written = sorted(path.name for path in Path("saved").glob("landscape*"))
    assert len(written) == 3  # saved again, it is the same one
    assert {path: path.read_bytes() for path in before} == before
    kept = [firebreak.read_landscape(Path("saved") / name, terrain="shipped").checksum()
            for name in written[1:]]
    assert sorted(kept) == sorted((with_value.checksum(), plain.checksum()))


@pytest.mark.filterwarnings("ignore:.*no coordinate reference system")
def test_a_landscape_that_was_changed_where_a_plan_had_saved_it_is_refused() -> None:
    land = firebreak.read_landscape(LAND)
    made = firebreak.plan(land, method="strips", plan_fires=12, test_fires=0, threads=1,
                          report="none", must_exclude=np.eye(20))
    made.save("saved")
    (folder,) = Path("saved").glob("landscape-*")
    (folder / "value.asc").write_text((folder / "elevation_m.asc").read_text())
    before = {path: path.read_bytes() for path in Path("saved").rglob("*") if path.is_file()}
    with pytest.raises(firebreak.InputError, match=f"{folder.name}: expected the landscape of"):
        made.save("saved")
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.filterwarnings("ignore:.*no coordinate reference system")
def test_each_plan_that_is_saved_keeps_its_own_arrays_and_policy(tmp_path: Path) -> None:
    policy = load_policy()
    other = policy._replace(provenance=policy.provenance | {"run": "another"})
    made = [firebreak.plan(LAND, method="strips", plan_fires=12, test_fires=0, threads=1,
                           report="none", must_exclude=grid, policy=one)
            for grid, one in ((np.eye(20), policy), (np.eye(20)[::-1], other))]
    mine = Path("saved/given_must_exclude.tif")
    mine.parent.mkdir()
    mine.write_text("a user's own")
    kept: dict[str, dict[str, str]] = {}
    for number in (0, 1, 0, 1):
        made[number].save("saved")
        now = json.loads(Path("saved/options.json").read_text())
        kept.setdefault(str(number), now)
        assert now == kept[str(number)]
    there = {path.name for path in Path("saved").iterdir() if "given" in path.name}
    assert len(there) == 5  # saved again, they are the same ones
    assert mine.read_text() == "a user's own"
    for name, said in (("given_must_exclude", "must_exclude"), ("given_policy", "policy")):
        file = next(Path("saved").glob(f"{name}-*"))
        whole = file.read_bytes()
        file.write_bytes(whole[:-1])
        one = made[str(file.resolve()) in str(kept["1"])]
        with pytest.raises(firebreak.InputError, match=f"{file.name}: expected the {said} of"):
            one.save("saved")
        assert file.read_bytes() == whole[:-1]
        file.write_bytes(whole)
    assert {path.name for path in Path("saved").iterdir() if "given" in path.name} == there


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*no coordinate reference system")
def test_a_landscape_of_any_numbers_is_saved_as_it_is() -> None:
    plain = firebreak.read_landscape(LAND)
    signs = np.where(np.indices(plain.shape).sum(axis=0) % 2, 1.0, -0.0).astype(np.float32)
    for land in (firebreak.read_landscape("sample:santa-ana"), replace(plain, value=signs + 0),
                 replace(plain, value=signs), replace(plain, value=signs * 1e30)):
        made = firebreak.plan(land, method="random", plan_fires=12, test_fires=0, threads=1,
                              report="none")
        made.save("saved")
        made.save("saved")
        kept = json.loads(Path("saved/options.json").read_text())["plan"]["landscape"]
        again = firebreak.read_landscape(kept, terrain="shipped")
        assert again.checksum() == land.checksum()


@pytest.mark.slow
@pytest.mark.usefixtures("small_pictures")
@pytest.mark.filterwarnings("ignore:.*no coordinate reference system")
@pytest.mark.parametrize("after", [Path.rename, shutil.copytree])
def test_a_folder_that_was_moved_is_enough(
        after: Callable[[Path, Path], object], tmp_path: Path,
        capsys: pytest.CaptureFixture[str]) -> None:
    land = firebreak.read_landscape(LAND, value=np.full((20, 20), 2.0), value_unit="houses")
    made = firebreak.plan(land, method="strips", must_exclude=np.eye(20), policy=load_policy(),
                          plan_fires=12, test_fires=0, threads=1, report="none")
    made.save("saved")
    there = tmp_path / "elsewhere" / "moved"
    there.parent.mkdir()
    after(Path("saved"), there)
    assert main(["visualize", str(there), "--export", "page.html", "--quiet", "--threads",
                 "1"]) == 0
    (own,) = there.glob("landscape-*")
    assert main(["simulate", str(own), "--terrain", "shipped", "--value", str(own / "value.asc"),
                 "--value-unit", "houses", "--plan", str(there), "--fires", "5", "--threads", "1",
                 "--out", "fires", "--quiet"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.slow
@pytest.mark.usefixtures("small_pictures")
@pytest.mark.filterwarnings("ignore:.*no coordinate reference system")
def test_the_command_of_a_report_makes_the_same_plan() -> None:
    land = firebreak.read_landscape("sample:santa-ana").crop(10, 10, 30, 30)
    land = replace(land, value=np.arange(900, dtype=np.float32).reshape(30, 30),
                   value_unit="houses")
    made = firebreak.plan(land, method="downstream-value", cells=True, must_exclude=np.eye(30),
                          **FEW)
    made.save("saved")
    page = Path("saved/report.html").read_text()
    (command,) = set(re.findall(r"firebreak (plan [^<]*saved[^<]*)<", page))
    words = [*shlex.split(html.unescape(command)), "--out", "again", "--quiet"]
    assert main(words) == 0
    assert Path("again/data/plan.csv").read_bytes() == Path("saved/data/plan.csv").read_bytes()


@pytest.mark.slow
@pytest.mark.usefixtures("small_pictures")
def test_a_plan_is_shown_with_the_policy_that_it_followed(
        monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    read = explore._read

    def noted(path: Any, full: Any, offset: Any, scene: Any, policy: Any, *rest: Any) -> Any:
        seen.append(policy.provenance["run"])
        return read(path, full, offset, scene, policy, *rest)

    monkeypatch.setattr(explore, "_read", noted)
    made = firebreak.plan(LAND, method="dqn", break_kind="shaded", plan_fires=12, test_fires=0,
                          threads=1, report="none")
    made.save("shaded")  # a folder that has the name of a policy
    plan = json.loads(Path("shaded/plan.json").read_text())
    for followed in (plan["policy"], plan["policy"] | {"run": "general"},
                     plan["policy"] | {"run": ["damaged"]}, None):
        Path("shaded/plan.json").write_text(json.dumps(plan | {"policy": followed}))
        assert main(["visualize", "shaded", "--export", "page.html", "--quiet", "--threads",
                     "1"]) == 0
    assert seen == ["shaded", "general", "shaded", "shaded"]


@pytest.mark.filterwarnings("ignore:.*no coordinate reference system")
def test_values_that_are_all_one_keep_their_unit() -> None:
    land = firebreak.read_landscape(LAND, value=np.ones((20, 20)), value_unit="houses")
    made = firebreak.plan(land, method="strips", plan_fires=12, test_fires=0, threads=1,
                          report="none")
    made.save("saved")
    kept = json.loads(Path("saved/options.json").read_text())["map"]
    assert kept["value_unit"] == "houses"
    assert Path(kept["value"]).is_file()


def test_what_has_no_name_in_utf8_is_refused_before_the_work(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = firebreak.plan(LAND, method="strips", plan_fires=12, test_fires=0, threads=1,
                          report="none")
    for name in ("\udcff", "a\0b"):
        with pytest.raises(firebreak.InputError, match="a name in UTF-8"):
            made.save(name)
        with pytest.raises(firebreak.InputError, match="a name in UTF-8"):
            firebreak.plan(name)
        for options in ({"value": name}, {"value": Path(name)}, {"policy": name}):
            with pytest.raises(firebreak.InputError, match="a name in UTF-8"):
                firebreak.plan(LAND, **options)
        with pytest.raises(firebreak.InputError, match="a name in UTF-8"):
            firebreak.train_policy("quick", out=name)
    assert main(["plan", LAND, "--out", "b\udcff"]) == 2
    assert "a name in UTF-8" in capsys.readouterr().err
    with pytest.raises(firebreak.InputError, match="File name too long"):
        made.save("n" * 300)
    assert not [*tmp_path.glob("*b*")]


def test_what_lies_hidden_beside_a_plan_stays() -> None:
    land = firebreak.read_landscape(LAND)
    made = firebreak.plan(land, method="strips", plan_fires=12, test_fires=0, threads=1,
                          report="none", must_exclude=np.eye(20))
    made.save("saved")
    (folder,) = Path("saved").glob("landscape-*")
    for name in (f".{folder.name}", ".given_must_exclude.tif"):
        Path("other", name).mkdir(parents=True)
        Path("other", name, "mine.txt").write_text("a user's own")
    made.save("other")
    assert [path.read_text() for path in Path("other").glob(".*/mine.txt")] == ["a user's own"] * 2
    assert len([*Path("other").glob(".*")]) == 2


def test_a_save_that_fails_midway_leaves_no_landscape(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, pieces: Iterable[bytes | memoryview]) -> int:
        if "slope" in path.name:
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        return write_pieces(path, pieces)

    made = firebreak.plan(firebreak.read_landscape(LAND), method="strips", plan_fires=12,
                          test_fires=0, threads=1, report="none")
    monkeypatch.setattr("firebreak.landscape.formats.folders.write_pieces", full)
    with pytest.raises(OSError, match="No space left"):
        made.save("new/saved")
    assert not Path("new").exists()


@pytest.mark.slow
@pytest.mark.usefixtures("small_pictures")
@pytest.mark.parametrize(("policy", "kept"), [
    (load_policy, "given_policy-*.safetensors"), (lambda: "general", None)])
def test_a_plan_by_a_policy_is_saved_so_that_the_folder_is_enough(
        policy: Callable[[], object], kept: str | None) -> None:
    made = firebreak.plan(LAND, method="dqn", policy=policy(), plan_fires=12, test_fires=0,
                          threads=1)
    made.save("saved")
    named = json.loads(Path("saved/options.json").read_text())["plan"]["policy"]
    files = [str(path.resolve()) for path in Path("saved").glob(kept)] if kept else ["general"]
    assert [named] == files
    assert main(["visualize", "saved", "--export", "page.html", "--quiet", "--threads", "1"]) == 0
    if kept is not None:
        again = firebreak.plan(LAND, method="dqn", policy=named, plan_fires=12, test_fires=0,
                               threads=1)
        assert (again.rank == made.rank).all()


@pytest.mark.slow
@pytest.mark.usefixtures("small_pictures")
@pytest.mark.parametrize("in_file", [False, True])
def test_a_plan_by_the_policy_that_comes_along_is_shown_from_its_folder(in_file: bool) -> None:
    Path("conf").mkdir()
    Path("conf/plan.toml").write_text('method = "dqn"\npolicy = "general"\n')
    asked = ("--config", "conf/plan.toml") if in_file else ("--method", "dqn", "--policy",
                                                            "general")
    assert main(["plan", LAND, *asked, "--plan-fires", "12", "--test-fires", "0", "--threads", "1",
                 "--quiet", "--out", "typed"]) == 0
    assert main(["visualize", "typed", "--export", "page.html", "--quiet", "--threads", "1"]) == 0


@pytest.mark.slow
@pytest.mark.usefixtures("small_pictures")
@pytest.mark.filterwarnings("ignore:.*no coordinate reference system")
def test_what_is_known_of_a_landscape_is_kept_when_a_plan_is_saved() -> None:
    roads = np.zeros((20, 20))
    roads[:, 7] = 1.0
    houses = (np.indices((20, 20)).sum(axis=0) % 5 == 0).astype(float)
    land = firebreak.read_landscape(LAND, value=houses, value_unit="houses", roads=roads,
                                    cost=np.full((20, 20), 2.5))
    made = firebreak.plan(land, method="downstream-value", hold="hand",
                          break_kind="shaded", **FEW)
    assert made.effect is not None
    assert made.effect.loss_unit == "houses"
    made.save("saved")
    kept = json.loads(Path("saved/options.json").read_text())
    (folder,) = Path("saved").glob("landscape-*")
    again = firebreak.read_landscape(folder, terrain="shipped", value_unit="houses",
                                     value=folder / "value.asc")
    assert kept["map"]["value_unit"] == "houses"
    for field in fields(land):
        own, other = getattr(land, field.name), getattr(again, field.name)
        if field.name == "bare_m" and own is None:  # walls, which a file has to say
            assert not other.any()
        elif isinstance(own, np.ndarray):
            assert np.array_equal(own, other), field.name
        elif field.name not in ("name", "crs"):
            assert own == other, field.name


@pytest.mark.slow
def test_a_plan_is_held_against_methods_plans_and_masks() -> None:
    made = firebreak.plan(LAND, method="downstream-value", area="2:18,2:18", **FEW)
    other = firebreak.plan(LAND, method="strips", area="2:18,2:18", **FEW)
    found = made.compare("burn-probability", other, made.breaks)
    assert {*found.methods} == {"downstream-value", "burn-probability", "strips", "given"}
    own = found.methods["downstream-value"]
    assert found.methods["given"].reduction == own.reduction
    assert own.reduction == made.comparison.methods["downstream-value"].reduction
    assert found.methods["strips"].reduction == pytest.approx(other.effect.reduction.mean)
    for wrong in (("stripes",), ("strips", "strips")):
        with pytest.raises(firebreak.InputError, match=r"^compare: expected one"):
            made.compare(*wrong)
    with pytest.raises(firebreak.InputError, match="breaks on treatable cells"):
        made.compare(np.zeros((20, 20)))


@pytest.mark.slow
def test_a_plan_without_a_policy_is_held_against_every_method_that_follows_one() -> None:
    made = firebreak.plan(LAND, method="downstream-value", **FEW)
    names = [name for name, method in METHODS.items() if method.guided]
    assert {*made.compare(*names).methods} == {"downstream-value", *names}


def test_results_are_frozen() -> None:
    made = firebreak.plan(LAND, method="downstream-value", **FEW)
    with pytest.raises(FrozenInstanceError):
        made.plan = None
    with pytest.raises(ValueError, match="read-only"):
        made.effect.burn_probability_after[0, 0] = 1.0
    for grid in (made.breaks, made.rank):
        with pytest.raises(ValueError, match="read-only"):
            grid[0, 0] = True
    fires = firebreak.simulate(made.landscape, fires=20, threads=1)
    for shown in (made, made.effect, made.comparison, made.landscape, fires):
        assert len(repr(shown)) < 200
        assert repr(shown).startswith("<")
        assert "\n" not in repr(shown)


@pytest.mark.usefixtures("small_pictures")
@pytest.mark.parametrize("folder", ["", " ", None, 3, "file", "file/below"])
def test_results_are_saved_where_a_folder_can_be(folder: object) -> None:
    Path("file").touch()
    made = firebreak.plan(LAND, method="downstream-value", plan_fires=12, test_fires=0, threads=1)
    fires = firebreak.simulate(LAND, fires=5, threads=1)
    for result in (made, fires):
        with pytest.raises(firebreak.InputError) as told:
            result.save(folder)
        assert "expected" in str(told.value)
        assert "--" not in str(told.value)
    assert [path.name for path in Path.cwd().iterdir()] == ["file"]


def test_a_comparison_takes_one_plan_or_several_and_nothing_else() -> None:
    made = firebreak.plan(LAND, method="downstream-value", plan_fires=12, test_fires=0, threads=1)
    one, several = (firebreak.evaluate(LAND, plans=plans, methods="none", **FEW).methods
                    for plans in (made, [made]))
    assert one.keys() == several.keys() == {"none", "downstream-value"}
    for plans in (made.breaks, 3, [None]):
        with pytest.raises(firebreak.InputError, match="plans: expected plans"):
            firebreak.evaluate(LAND, plans=plans, methods="none", **FEW)


@pytest.mark.usefixtures("small_pictures")
def test_a_plan_without_test_fires_is_only_a_plan() -> None:
    made = firebreak.plan(LAND, method="downstream-value", plan_fires=12, test_fires=0, threads=1)
    assert made.effect is made.comparison is made.choice is None
    assert "plan.png" in {path.name for path in made.save("saved")}
    assert "none" in made.compare("none").methods


def test_values_show_what_the_policy_places_next() -> None:
    made = firebreak.plan(LAND, **FEW, method="dqn", area="2:16,3:17")
    first = made.values()
    assert first.shape == made.landscape.shape
    assert first.ravel()[made.plan.cells[0]] == np.nanmax(first)
    assert np.isnan(first[16:]).all()
    assert np.isnan(first[:, :3]).all()
    after = made.values(made.plan.cells.size // 2)
    broken = made.plan.cells[:made.plan.cells.size // 2]
    assert np.isnan(after.ravel()[broken]).all()
    assert not np.isnan(first.ravel()[broken]).all()
    with pytest.raises(firebreak.InputError, match="cells of the plan, got 400"):
        made.values(400)
    with pytest.raises(firebreak.InputError, match="followed a policy, got one of strips"):
        firebreak.plan(LAND, **FEW | {"test_fires": 0}, method="strips").values()
    with pytest.raises(firebreak.InputError, match="followed a policy, got one of strips"):
        firebreak.plan(LAND, **FEW | {"test_fires": 0}, method="strips", policy="general").values()


@pytest.mark.slow
def test_threads_are_the_callers_again() -> None:
    from firebreak.native_library import max_threads, set_threads, thread_count

    set_threads(1)
    torch.set_num_threads(2)
    firebreak.simulate(LAND, fires=2, threads=max_threads())
    assert (thread_count(), torch.get_num_threads()) == (1, 2)


@pytest.mark.slow
def test_a_notebook_sees_a_map_and_a_table_and_no_figure_stays() -> None:
    made = firebreak.plan(LAND, method="downstream-value", **FEW)
    gc.collect()  # what other tests no longer hold
    before = live_counts()
    page = made._repr_html_()
    assert page.count("data:image/png;base64,") == 1
    assert "<table>" in page
    assert "downstream-value" in page
    fires = firebreak.simulate(LAND, fires=5, threads=1)
    assert fires._repr_html_().count("data:image/png;base64,") == 1
    hectares = fires.loss.mean() * fires.landscape.cell_size_m**2 / 1e4
    assert f"mean loss {hectares:.4g} ha" in fires._repr_html_()
    assert live_counts() == before


def test_libraries_that_are_absent_are_told_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(notebook.importlib, "import_module", absent)
    made = firebreak.plan(LAND, method="downstream-value", plan_fires=12, test_fires=0, threads=1)
    for name, ask in (("geopandas", lambda: made.lines), ("xarray", made.to_xarray)):
        with pytest.raises(firebreak.InputError, match=f"the package {name}.*pip install"):
            ask()


@pytest.mark.slow
def test_lines_and_axes_lie_where_the_plan_lies() -> None:
    pytest.importorskip("geopandas", reason="the package geopandas is absent: [notebook]")
    pytest.importorskip("rioxarray", reason="the package rioxarray is absent: [notebook]")
    made = firebreak.plan(LAND, method="downstream-value", area="2:18,2:18", **FEW)
    lines = made.lines
    assert list(lines["build_order"]) == list(range(1, len(lines) + 1))
    assert list(lines["cells"]) == [row["cells"] for row in made.effect.segments]
    grid = made.to_xarray()
    assert grid.rio.crs == lines.crs
    for line in lines.geometry:
        x, y = line.geoms[0].coords[0]
        cell = grid.sel(x=x, y=y, method="nearest")
        assert bool(cell["breaks"])
        assert int(cell["rank"]) > 0
    assert grid["rank"].shape == made.landscape.shape
