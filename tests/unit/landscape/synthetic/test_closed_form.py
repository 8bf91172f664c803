"""Maps whose best plan is known: that it is as good as it is said to be, and the best."""

import numpy as np
import pytest
from scipy.ndimage import binary_dilation

from firebreak.checks import InputError
from firebreak.fire import FireConditions, Scene, burn, make_scene
from firebreak.fire.fires import FireRegime
from firebreak.landscape.formats.read import read_landscape
from firebreak.landscape.synthetic.closed_form import CLOSED_FORMS, closed_form

LONG = FireRegime(duration_min=1e7, duration_sigma=0.0)


def scene_of(name: str, size: int, seed: int = 0, **conditions: object) -> Scene:
    return make_scene(closed_form(name, size, seed).landscape,
                      FireConditions(scenarios=2, regime=LONG, **conditions),
                      0)  # type: ignore[arg-type]


def loss_under(scene: Scene, breaks: np.ndarray) -> float:
    losses = burn(scene, scene.fires("check", 40), breaks).loss
    return float(losses.mean())


def best_plan(name: str, size: int, seed: int = 0) -> np.ndarray:
    """The burnable cells beside the area where fires start: neck, door, the corner's two sides."""
    land = closed_form(name, size, seed).landscape
    starts = (land.ignition_weight > 0) & land.burnable
    return binary_dilation(starts) & land.burnable & ~starts


@pytest.mark.parametrize("seed", [0, 1, 2, 3, 4, 5])
@pytest.mark.parametrize("name", CLOSED_FORMS)
def test_losses_are_as_stated_in_every_weather(name: str, seed: int) -> None:
    form, scene = closed_form(name, 11, seed), scene_of(name, 11, seed)
    nothing = np.zeros((11, 11), bool)
    assert loss_under(scene, nothing) == form.untreated_loss
    best = best_plan(name, 11, seed)
    assert best.sum() == form.budget_cells
    assert form.landscape.treatable[best].all()
    assert loss_under(scene, best) == form.optimal_loss


def test_no_other_cell_is_better_in_a_corridor() -> None:
    form, scene = closed_form("corridor", 9), scene_of("corridor", 9)
    for cell in np.flatnonzero(form.landscape.treatable):
        breaks = np.zeros((9, 9), bool)
        breaks.ravel()[cell] = True
        assert loss_under(scene, breaks) >= form.optimal_loss


def test_the_optimum_is_what_no_plan_can_save() -> None:
    # In the corner fires start where nothing can be treated; behind the doors all is saved.
    corner = closed_form("corner", 10).landscape
    starts = corner.ignition_weight > 0
    assert not corner.treatable[starts].any()
    assert corner.value[starts].sum() == closed_form("corner", 10).optimal_loss
    assert closed_form("door", 10).optimal_loss == closed_form("wide-door", 10).optimal_loss == 0.0


@pytest.mark.parametrize("name", ["corner", "wide-door"])
def test_one_cell_less_saves_little(name: str) -> None:
    form, scene = closed_form(name, 10), scene_of(name, 10)
    for cell in np.flatnonzero(best_plan(name, 10)):
        breaks = best_plan(name, 10)
        breaks.ravel()[cell] = False
        assert loss_under(scene, breaks) >= form.untreated_loss - form.budget_cells


@pytest.mark.parametrize("name", CLOSED_FORMS)
def test_seeds_move_and_turn_the_map(name: str) -> None:
    grids = {closed_form(name, 12, seed).landscape.checksum() for seed in range(8)}
    assert len(grids) > 2
    assert closed_form(name, 12, 3).landscape.checksum() in grids


@pytest.mark.parametrize("name", CLOSED_FORMS)
def test_the_share_buys_the_budget_exactly(name: str) -> None:
    form = closed_form(name, 15)
    cells = form.budget_share * form.landscape.treatable.sum()
    assert form.budget_cells < cells < form.budget_cells + 1


def test_they_are_read_by_name() -> None:
    assert read_landscape("closed-form:door").shape == (40, 40)
    land = read_landscape("closed-form:wide-door:12:3")
    assert land.name == "closed-form:wide-door:12:3"
    assert land.checksum() == closed_form("wide-door", 12, 3).landscape.checksum()


@pytest.mark.parametrize(("spec", "message"), [
    ("closed-form:dor", "did you mean 'door'"), ("closed-form:door:4", "at least 8"),
    ("closed-form:door:x", "closed-form:NAME"), ("closed-form:door:12:-1", "closed-form:NAME")])
def test_bad_names_are_refused(spec: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_landscape(spec)
