"""What a command chooses by itself it says, or does not choose in silence."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cell2fire_folders import write_cell2fire
from firebreak.api.shared.domains import part_of_map
from firebreak.api.shared.evaluate_steps import parts_of
from firebreak.api.shared.fire_maps import burn
from firebreak.api.shared.plan_options import SimulateOptions
from firebreak.api.shared.records import warn_of_other_options, write_options
from firebreak.api.shared.scene_options import FireOptions, MapOptions, SceneOptions
from firebreak.cli.commands.evaluate import EvaluateArguments
from firebreak.cli.commands.simulate import _hemmed_in
from firebreak.landscape.formats.assemble import LandscapeWarning
from firebreak.landscape.raster.windows import Window, list_windows
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.core.progress import no_bar


def windows(seed: int, count: int) -> list[str]:
    args = EvaluateArguments(["synthetic:2:60"], window=10, windows=count,
                             scene=SceneOptions(seed=seed))
    return [part.land.name for part in parts_of("synthetic:2:60", args)]


def test_windows_are_drawn_over_the_whole_map_by_the_seed() -> None:
    land = generate(2, (60, 60))
    packed = [window.of(land).name for window in list_windows([Window(0, 0, 60, 60)], 10, 10, land)]
    drawn = [windows(seed, 3) for seed in range(5)]
    assert drawn[0] == windows(0, 3)
    assert all(sorted(map(packed.index, some)) == list(map(packed.index, some)) for some in drawn)
    assert len({name for some in drawn for name in some}) > 3
    assert max(packed.index(name) for some in drawn for name in some) > len(packed) // 2
    assert windows(0, 1000) == packed


def test_ignitions_of_a_cell2fire_folder_are_not_left_out_in_silence(tmp_path: Path) -> None:
    folder = tmp_path / "map"
    folder.mkdir()
    land = generate(3, (12, 12))
    write_cell2fire(folder, land)
    cell = int(np.flatnonzero(land.burnable)[0]) + 1
    (folder / "Ignitions.csv").write_text(f"Year,Ncell\n1,{cell}\n")
    for given, noticed in ((None, True), (folder / "Ignitions.csv", False)):
        with pytest.warns(LandscapeWarning) as caught:
            SceneOptions(map=MapOptions(ignitions=given)).read(str(folder))
        assert noticed == any("Ignitions.csv: these ignitions are not used" in str(one.message)
                              for one in caught)


def test_an_ignition_that_bare_ground_hems_in_is_said() -> None:
    land = generate(3, (12, 12))
    fuel = np.full(land.shape, 99, land.fuel_model.dtype)
    fuel[2, 2], fuel[3, 3], fuel[0, 0], fuel[5:9, 6:9] = 1, 1, 1, 1
    land = replace(land, fuel_model=fuel)
    scene = SceneOptions(fire=FireOptions(duration_min=10.0)).scene(land, "synthetic:3:12")
    fires = scene.fires("some", 5)
    for cells, words in (([26, 26, 39, 0, 66], "3 fires start in a piece of fewer than 10"),
                         ([66, 67, 26, 79, 0], "1 fire starts in a piece of fewer than 10"),
                         ([66, 67, 66, 79, 0], "")):
        said = _hemmed_in(land, fires._replace(source=np.array(cells)))
        assert said.startswith(words)
        assert bool(said) == bool(words)


def test_a_single_fire_lasts_as_long_as_it_is_said_to() -> None:
    land = generate(3, (12, 12))
    scene = SceneOptions(fire=FireOptions(duration_min=600.0))
    part = part_of_map(land, None, scene, "synthetic:3:12")
    for count in (1, 9):
        done = burn(part, SimulateOptions(fires=count, scene=scene), no_bar)
        lasts = done.fires.duration_min.tolist()
        assert len(set(lasts)) == count
        assert (lasts == [600.0]) == (count == 1)


def test_an_option_that_a_plan_does_not_know_is_no_other_option(
        tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    path = write_options(tmp_path, SceneOptions())
    path.write_text(path.read_text().replace('"spotting": false', '"of_later": 1'))
    warn_of_other_options(tmp_path, SceneOptions())
    assert not recwarn.list
