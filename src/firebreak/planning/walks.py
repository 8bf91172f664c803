"""Compiles the walks over trees and lines, so that no plan's time includes it."""

from functools import cache

import numpy as np

from firebreak.env.problem import problem_of
from firebreak.fire.fires import Fires
from firebreak.fire.scene import FireConditions, make_scene
from firebreak.fire.travel import pad
from firebreak.landscape.synthetic import generate
from firebreak.planning.lines import Ground, flow_of, rated_lines
from firebreak.planning.rounds import loaded
from firebreak.planning.trees import dominated, path_scores, share_kept, tree_scratch
from firebreak.segments import COMPASS, line_steps


@cache
def warm_up_walks() -> None:
    """Once per process, on a map of 8 x 8 cells."""
    scene = make_scene(generate(0, 8), FireConditions(scenarios=1), 0)
    start = np.flatnonzero(scene.landscape.burnable)[:1]
    fires = Fires(start, np.zeros(1, np.int64), np.array([np.inf]), np.zeros(1, np.uint64))
    slots = loaded(problem_of(scene, 0.5, fires, fires))
    trees, work = slots.plan_trees(0), tree_scratch(scene.field.shape)
    value = pad(scene.value.astype(np.float64))
    path_scores(trees, value, work)
    dominated(trees, value, work, pad(share_kept(scene)))
    ground = Ground(slots.breaks[0], slots.available[0], float(slots.budget_left[0]))
    rated_lines(scene.landscape, ground, flow_of(trees.code, value, work),
                [line_steps(COMPASS[0], 8, joined=False)], [1, 2])
