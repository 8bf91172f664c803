"""What may be spent in each year of a horizon."""

from pathlib import Path

import numpy as np
import pytest

from firebreak.api.plans.area import PlanningArea, planning_area
from firebreak.api.plans.money import money_by_year
from firebreak.api.shared.plan_options import PlaceOptions
from firebreak.api.shared.scene_options import SceneOptions
from firebreak.checks import InputError
from firebreak.cli.shared.plan_record import options_in
from firebreak.landscape.synthetic.generate import generate

LAND = generate(3, 12)
SCENE = SceneOptions()
WHOLE = float(np.count_nonzero(LAND.treatable))


def placed(budget: float = 0.5, **options: object) -> PlanningArea:
    return planning_area(PlaceOptions(**options), LAND, budget, SCENE, "")


def test_all_the_money_is_shared_in_equal_parts() -> None:
    for place, whole in ((placed(), 0.5 * WHOLE), (placed(money=12.0), 12.0),
                         (placed(money=9e6, horizon=4), 9e6)):
        years, money = money_by_year(place.phases, place.money, 4)
        assert years == [1, 2, 3, 4]
        assert money == pytest.approx([whole / 4] * 4)


def test_phases_have_their_own_and_other_years_nothing() -> None:
    place = placed(phases="2027:5,2029:7", horizon=4)
    assert money_by_year(place.phases, place.money, 4) == (
        [2027, 2028, 2029, 2030], [5.0, 0.0, 7.0, 0.0])
    assert money_by_year(place.phases, place.money, 3)[0] == [2027, 2028, 2029]
    with pytest.raises(InputError, match="phases within 2 years from 2027, got 2029"):
        money_by_year(place.phases, place.money, 2)


@pytest.mark.parametrize("phase", [
    "year = 2030.5\nbudget = 3", "year = true\nbudget = 3", "year = 2030\nbudget = true",
    'year = 2030\nbudget = "x"', "year = 2030", "year = nan\nbudget = 3", "year = 0\nbudget = 3"])
def test_a_phase_of_a_file_is_a_whole_year_and_money(tmp_path: Path, phase: str) -> None:
    config = tmp_path / "plan.toml"
    config.write_text(f"[[phase]]\n{phase}\n")
    with pytest.raises(InputError, match=r"expected (a year and|years from 1)"):
        planning_area(options_in(config).place, LAND, 0.5, SCENE, "")
    config.write_text("[[phase]]\nyear = 2030\nbudget = 3.5\n")
    assert planning_area(options_in(config).place, LAND, 0.5, SCENE, "").phases == [(2030, 3.5)]


def test_a_plan_is_made_for_no_more_than_all_breaks_cost() -> None:
    place = placed(money=9e6, horizon=4)
    assert (place.share, place.rules.budget) == (1.0, WHOLE)
    with pytest.raises(InputError, match=f"--money: expected a budget of at most {WHOLE:g}"):
        placed(money=9e6)
    with pytest.raises(InputError, match="--phases: expected a budget of at most"):
        placed(phases="2027:9e6")
