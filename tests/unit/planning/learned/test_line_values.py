"""Values of lines where breaks may go into a part of the map alone, against those of the whole."""

from dataclasses import replace

import numpy as np
import pytest

from firebreak.env.core import allowed, treatable_part
from firebreak.env.storage.problem import problem_of
from firebreak.env.storage.problem_batch import SLOT_0, ProblemBatch
from firebreak.fire import FireConditions, make_scene
from firebreak.landscape.synthetic.generate import generate
from firebreak.line_actions import SHAPES
from firebreak.planning.core.rounds import loaded
from firebreak.planning.learned.policy import _q_values, line_values
from untrained import untrained

FIRES = 12


def slots_in(rows: slice, cols: slice, size: int) -> ProblemBatch:
    """Of a map of which a part may be treated, with some breaks."""
    scene = make_scene(generate(8, size), FireConditions(scenarios=2), 1)
    free = np.zeros((size, size), bool)
    free[rows, cols] = True
    land = replace(scene.landscape, treatable=scene.landscape.treatable & free)
    fires = scene.fires("plan", FIRES)
    slots = loaded(problem_of(replace(scene, landscape=land), 0.3, fires, fires.first(0)))
    for cell in np.flatnonzero(land.treatable)[5:40:6].tolist():
        slots.place(0, cell)
    slots.update(SLOT_0)
    return slots


@pytest.mark.parametrize(("rows", "cols", "size"), [
    (slice(9, 27), slice(12, 31), 40), (slice(0, 16), slice(17, 33), 33),
    (slice(20, 37), slice(1, 9), 37), (slice(1, 33), slice(0, 33), 33)])
def test_lines_of_a_part_are_worth_what_they_are_on_the_map(rows: slice, cols: slice,
                                                            size: int) -> None:
    slots, policy = slots_in(rows, cols, size), untrained(SHAPES)
    found, may = line_values(policy, slots), allowed(slots, SLOT_0, lines=True)[0]
    assert (np.isfinite(found) == may).all()
    assert may.sum() > 100
    expected = _q_values(policy, slots)[may]
    np.testing.assert_allclose(found[may], expected, rtol=0, atol=1e-5 * np.abs(expected).max(),
                               err_msg="beyond rounding, which is relative to the largest value")


def test_the_part_holds_all_that_may_be_treated_and_no_more() -> None:
    slots = slots_in(slice(9, 27), slice(12, 31), 40)
    free, part = slots.land.treatable[0], treatable_part(slots)
    assert free[part].sum() == free.sum()
    assert free[part].any(axis=0)[[0, -1]].all()
    assert free[part].any(axis=1)[[0, -1]].all()
    slots.land.treatable[0] = False
    assert treatable_part(slots) == (slice(0, 40), slice(0, 40))
