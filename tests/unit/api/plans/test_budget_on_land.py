"""The limits of a budget on a landscape, and what may be spent in each year of a horizon."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.api.plans.area import PlanningArea, as_counted, planning_area, priced
from firebreak.api.shared.budget import money_by_year
from firebreak.api.shared.plan_options import PlaceOptions
from firebreak.api.shared.scene_options import SceneOptions
from firebreak.checks import InputError
from firebreak.cli.shared.plan_record import options_in
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.core.plan import plan_on
from firebreak.settings.budget import Limits, read_budget
from firebreak.settings.scene import MadeBreaks

LAND = generate(3, 12)
SCENE = SceneOptions()
WHOLE = float(np.count_nonzero(LAND.treatable))


@dataclass(frozen=True)
class OnlyLand:
    """All of a scene that a budget looks at."""

    landscape: Landscape


def placed(budget: float | str | Limits = 0.5, land: Landscape = LAND,
           **options: object) -> PlanningArea:
    return planning_area(PlaceOptions(**options), land, read_budget(budget), SCENE, "")


def test_all_the_money_is_shared_in_equal_parts() -> None:
    for place, whole in ((placed(), 0.5 * WHOLE), (placed("12"), 12.0),
                         (placed("9000000", horizon=4), 9e6)):
        years, money = money_by_year(place.phases, place.money, 4)
        assert years == [1, 2, 3, 4]
        assert money == pytest.approx([whole / 4] * 4)


def test_phases_have_their_own_and_other_years_nothing() -> None:
    place = placed("2027:5,2029:7", horizon=4)
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
        placed(options_in(config).budget)
    config.write_text("[[phase]]\nyear = 2030\nbudget = 3.5\n")
    assert placed(options_in(config).budget).phases == [(2030, 3.5)]


def test_a_plan_is_made_for_no_more_than_all_breaks_cost() -> None:
    place = placed("9000000", horizon=4)
    assert (place.share, place.rules.budget) == (1.0, WHOLE)
    for budget in ("9000000", "2027:9000000"):
        with pytest.raises(InputError, match=f"--budget: expected a budget of at most {WHOLE:g}"):
            placed(budget)


def test_an_area_is_money_where_every_cell_costs_the_same() -> None:
    assert LAND.cell_size_m == 100.0  # a cell is a hectare
    place = placed("9ha")
    assert (place.money, place.rules.budget, place.most_cells) == (9.0, 9.0, None)
    assert placed("9ha and 5").rules.budget == placed("5 and 9ha").rules.budget == 5.0
    assert placed("10% and 9ha").rules.budget == 9.0
    assert placed("1% and 9ha").rules.budget == pytest.approx(0.01 * WHOLE)
    narrow = SceneOptions(breaks=MadeBreaks(break_width_m=25.0))
    strip = planning_area(PlaceOptions(), LAND, Limits(hectares=9.0), narrow, "")
    assert strip.rules.budget == 36.0


@pytest.mark.parametrize(("budget", "words"), [
    ("0.9ha", "expected an area from 1 ha, one cell, to"), ("9999ha", "all treatable cells, got")])
def test_an_area_is_at_least_a_cell_and_at_most_all_of_them(budget: str, words: str) -> None:
    with pytest.raises(InputError, match=f"^--budget: .*{words}"):
        placed(budget)


def test_an_area_alone_pays_for_no_years() -> None:
    with pytest.raises(InputError, match="--budget: expected money or a share together with --hor"):
        placed("9ha", horizon=3)
    assert placed("9ha and 20", horizon=3).rules.budget == 9.0


@given(cells=st.floats(1.0, 60.0), money=st.none() | st.floats(5.0, 150.0),
       seed=st.integers(0, 2**32 - 1))
@settings(max_examples=60)
def test_whatever_a_counted_budget_buys_keeps_to_both_limits(
        cells: float, money: float | None, seed: int) -> None:
    rng = np.random.default_rng(seed)
    land = replace(LAND, cost=rng.uniform(1.0, 5.0, LAND.shape).astype(np.float32))
    budget = f"{cells!r}ha" if money is None else f"{cells!r}ha and {money!r}cost"
    area = placed(budget, land)
    assert area.most_cells == cells
    scene, share = as_counted(OnlyLand(land), area, area.share)
    price = scene.landscape.cost.ravel().astype(np.float64)
    order = rng.permutation(np.flatnonzero(land.treatable))
    spent = np.cumsum(price[order])
    bought = order[spent <= area.rules.budget * (1.0 + 1e-9)]
    assert bought.size <= cells * (1.0 + 1e-6)
    true = float(land.cost.ravel()[bought].astype(np.float64).sum())
    assert true <= (np.inf if money is None else money) * (1.0 + 1e-6)
    assert 0.0 < share <= 1.0
    if money is None:  # where an area alone limits it, all of it is spent
        assert bought.size == int(cells * (1.0 + 1e-6))
    plan = priced(plan_on(scene.landscape, bought, method="x", budget=area.rules.budget,
                          budget_share=share), area, read_budget(budget))
    assert plan.cost == true
    assert plan.landscape_checksum == land.checksum()
