"""Compiles what planning calls, so that no plan's time includes it."""

from functools import cache

import numpy as np

from firebreak.env.storage.problem import problem_of
from firebreak.env.storage.slots import SLOT_0
from firebreak.fire import FireConditions, Fires, burn, make_scene, pad
from firebreak.landscape.synthetic.generate import generate
from firebreak.line_actions import COMPASS, line_steps
from firebreak.planning.core.rounds import loaded
from firebreak.planning.patterns.candidates import flow_of, ground_of, rated_lines
from firebreak.planning.ranking.trees import path_scores, tree_scratch


@cache
def warm_up() -> None:
    """Burns one fire of a map of 8 x 8 cells, once per process: a round of placement, the scores of
    fire trees, the lines that fire crosses.
    """
    scene = make_scene(generate(0, 8), FireConditions(scenarios=1), 0)
    start = np.flatnonzero(scene.landscape.burnable)[:1]
    fires = Fires(start, np.zeros(1, np.int64), np.array([np.inf]), np.zeros(1, np.uint64))
    burn(scene, fires, want="statistics")
    slots = loaded(problem_of(scene, 0.5, fires, fires))
    trees, work = slots.plan_trees(0), tree_scratch(scene.field.shape)
    value = pad(scene.value.astype(np.float64))
    path_scores(trees, value, work)
    rated_lines(scene.landscape, ground_of(slots), flow_of(trees.code, value, work),
                [line_steps(COMPASS[0], 8, joined=False)], [1, 2])
    slots.place(0, int(np.flatnonzero(slots.available[0])[0]))
    slots.update(SLOT_0)
