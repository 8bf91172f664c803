"""The sealed test set: no training can draw it, it is what was sealed, and it is opened once."""

import json
import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
import sealed
import sealed_windows
from protocol import PARTS, Part

from firebreak.agent.policy_place import SHIPPED
from firebreak.checks import InputError
from firebreak.landscape.raster.windows import Window
from firebreak.landscape.synthetic.families import FAMILIES, FBP_FAMILIES, HELD_OUT, family_named
from firebreak.train.config.load import load_config, presets

ROOT = Path(__file__).parents[2]
OLD = ROOT / "benchmarks" / "policies" / "segments.safetensors"
SPEC = json.loads(sealed.SPEC.read_text())
SETS = sealed.sets_of(SPEC)


def overlap(one: Window, other: Window) -> bool:
    return (one.row < other.row + other.rows and other.row < one.row + one.rows
            and one.col < other.col + other.cols and other.col < one.col + one.cols)


def test_the_specification_is_that_which_was_sealed(monkeypatch: pytest.MonkeyPatch,
                                                    tmp_path: Path) -> None:
    assert sealed.specification() == SPEC
    other = tmp_path / "sealed.json"
    other.write_text(json.dumps(SPEC | {"seed": SPEC["seed"] + 1}))
    monkeypatch.setattr(sealed, "SPEC", other)
    with pytest.raises(InputError, match="the specification that was sealed"):
        sealed.specification()


@pytest.mark.slow
def test_synthetic_land_is_that_which_was_sealed() -> None:
    for name, one in SETS.items():
        if one.map is None:
            found = sealed.land_checksum(one, Path(), SPEC["seed"])
            assert found == SPEC["land"][name], name


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::firebreak.landscape.formats.assemble.LandscapeWarning")
def test_land_of_maps_is_that_which_was_sealed_and_windows_follow_the_rule(
        data_dir: Path) -> None:
    sealed.check(SPEC, data_dir)
    real = [one for one in SETS.values() if one.map]
    drawn = sealed_windows.drawn(real, data_dir, SPEC["seed"])
    assert drawn == {one.name: list(one.corners) for one in real}


def test_no_configuration_can_name_the_sealed_family() -> None:
    name = SPEC["family"]["name"]
    assert name not in FAMILIES | FBP_FAMILIES | HELD_OUT
    with pytest.raises(InputError, match="choose one of them"):
        family_named(name)
    known = {code for family in (FAMILIES | HELD_OUT).values() for code, _, _ in family.fuels}
    assert not known & {code for code, _, _ in SPEC["family"]["fuels"]}


@pytest.mark.parametrize("preset", presets())
def test_no_preset_trains_or_validates_on_sealed_maps(preset: str) -> None:
    land = load_config(preset).landscapes
    maps = {one.map for one in SETS.values() if one.map}
    assert maps
    assert not maps & {*land.maps}


def test_the_sealed_seed_is_used_nowhere_else() -> None:
    number = re.compile(rf"(?<!\d){SPEC['seed']}(?!\d)")
    for folder in ("src", "configs", "benchmarks", "scripts", "tests", "docs"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".py", ".toml", ".md", ".json", ".jsonl") and path != sealed.SPEC:
                assert not number.search(path.read_text(encoding="utf-8")), path
    assert SPEC["seed"] != PARTS["main"].seed


def test_sealed_windows_lie_apart_from_one_another_and_from_the_jobs() -> None:
    shown: dict[str, list[Window]] = {}
    for one in SETS.values():
        if one.map is None:
            continue
        factor = 3 if one.cell_size_m == 90 else 1
        full = one.size + 2 * (one.size // 10)
        assert len(one.corners) == one.count
        areas = [Window(max(job.row - 16, 0), max(job.col - 16, 0), job.rows + 32, job.cols + 32)
                 for job in sealed_windows.job_areas(one.map)]
        assert areas
        for corner in one.corners:
            window = sealed_windows.scaled(Window(*corner, full, full), factor)
            before = shown.setdefault(one.map, list(areas))
            assert not any(overlap(window, other) for other in before)
            before.append(window)


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the parts that were measured, instead of measuring them."""
    measured: list[str] = []
    monkeypatch.setattr(sealed, "OPENED", tmp_path / "opened.json")
    monkeypatch.setattr(sealed, "check", lambda spec, data: None)
    monkeypatch.setattr(sealed, "measure", lambda name, *rest: measured.append(name) or [])
    return measured


def test_without_the_option_nothing_is_opened(
        tmp_path: Path, opened: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["open", "--data", str(tmp_path), "--policy", str(OLD), "--records",
                 str(tmp_path / "r.jsonl")]
    assert sealed.main(arguments) == 2
    said = capsys.readouterr().err
    assert "expected --open-once" in said
    assert said.count("\n") == 1
    assert not opened
    assert not list(tmp_path.iterdir())


def test_it_is_opened_for_one_policy_which_may_go_on(
        tmp_path: Path, opened: list[str], capsys: pytest.CaptureFixture[str],
        monkeypatch: pytest.MonkeyPatch) -> None:
    def run(policy: Path, records: str = "r.jsonl") -> int:
        return sealed.main(["open", "--data", str(tmp_path), "--policy", str(policy), "--records",
                            str(tmp_path / records), "--open-once"])

    assert run(OLD) == 0
    first = (tmp_path / "opened.json").read_text()
    told = json.loads(first)
    assert told["policies"].keys() == {OLD.stem, SHIPPED.stem}
    assert told["specification"] == sealed.SHA256
    assert opened == list(SPEC["parts"])
    assert run(OLD) == 0
    assert (tmp_path / "opened.json").read_text() == first
    other = tmp_path / "other.safetensors"
    other.write_bytes(SHIPPED.read_bytes())
    capsys.readouterr()
    assert run(other) == 2
    assert "sealed test set, opened " in capsys.readouterr().err
    assert run(OLD, "other.jsonl") == 2
    assert "the records that it was opened for" in capsys.readouterr().err
    monkeypatch.setattr(sealed, "hash_of_code", lambda: "another")
    assert run(OLD) == 2
    assert "the code that it was opened for" in capsys.readouterr().err
    assert opened == 2 * list(SPEC["parts"])


def test_a_policy_of_the_shipped_ones_name_is_refused(
        tmp_path: Path, opened: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """One of the two would not be measured, and the set would be open."""
    own = tmp_path / SHIPPED.name
    own.write_bytes(OLD.read_bytes())
    assert sealed.main(["open", "--data", str(tmp_path), "--policy", str(own), "--records",
                        str(tmp_path / "r.jsonl"), "--open-once"]) == 2
    assert "a policy of another name" in capsys.readouterr().err
    assert not opened
    assert not sealed.OPENED.exists()


def test_what_is_measured_is_said_whole_by_the_specification() -> None:
    for name, given in SPEC["parts"].items():
        assert given.keys() == set(Part._fields) - {"seed"}, name
