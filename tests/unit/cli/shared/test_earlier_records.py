"""Plans of earlier versions are shown with the fires that they were made with."""

import json
from pathlib import Path
from typing import Any

import pytest

from cell2fire_folders import write_cell2fire
from firebreak.api.shared.plan_options import PlanOptions
from firebreak.api.shared.records import OPTIONS_FILE, write_record
from firebreak.cli.shared.plan_record import recorded
from firebreak.fire import FireConditions, FireRegime
from firebreak.landscape.synthetic.generate import generate
from firebreak.settings.binding import bind
from firebreak.settings.sources import keywords


def conditions_of(folder: Path, *, earlier: bool, **options: Any) -> FireConditions:
    """Those of a plan that was kept, `earlier` by a version that knew no burning periods."""
    land = folder / "map"
    if not land.is_dir():
        land.mkdir()
        write_cell2fire(land, generate(3, (12, 12)))
    options |= {"crs": "EPSG:32611"}
    write_record(folder, bind(PlanOptions, keywords(options, "plan")).options, str(land))
    if earlier:
        record = json.loads((folder / OPTIONS_FILE).read_text())
        for name in ("burning_hours", "burning_periods"):
            del record["fire"][name]
        record["fire"]["burned_share"] = record["fire"]["burned_share"] or 0.15
        (folder / OPTIONS_FILE).write_text(json.dumps(record))
    made = recorded(folder)
    return made.scene.conditions(made.scene.read(made.landscape), made.landscape)


@pytest.mark.parametrize(("options", "regime"), [
    ({}, FireRegime()), ({"burned_share": 0.3}, FireRegime(burned_share=0.3)),
    ({"duration_min": 60.0}, FireRegime(duration_min=60.0))])
def test_a_plan_of_an_earlier_version_keeps_its_fires(tmp_path: Path, options: dict[str, float],
                                                      regime: FireRegime) -> None:
    crews = {"hold": "hand", "break_kind": "shaded"}
    made = conditions_of(tmp_path, earlier=True, **options, **crews)
    assert made.regime == regime
    assert made.hold is not None
    assert made.hold.crew_km is None
    assert made.weather is None
    assert made.climate.wind_20ft_mean_m_min == FireConditions().climate.wind_20ft_mean_m_min
    assert made.assumed == ()


def test_a_plan_of_this_version_has_the_fires_that_were_assumed(tmp_path: Path) -> None:
    made = conditions_of(tmp_path, earlier=False)
    assert made.regime == FireRegime(hours=8.0, periods=1.2)
    assert len(made.assumed) == 2
