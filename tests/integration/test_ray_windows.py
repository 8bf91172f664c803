"""Plans by windows on a Ray cluster: the plan of this process, though a node dies while it is made.
"""

import warnings
from contextlib import closing

import numpy as np
import pytest

from firebreak.executors.choice import open_executor
from firebreak.fire import FireConditions, FireRegime, make_scene
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.windows.make import (
    Region,
    WindowPlan,
    WindowSettings,
    make_region,
    plan_by_windows,
    region_recipe,
)
from firebreak.planning.windows.region import RegionWorker
from ray_workers import TwoNodes, nodes_of_workers

# Warnings are Ray's own.
pytestmark = [pytest.mark.ray, pytest.mark.timeout(300), pytest.mark.filterwarnings("ignore")]

SETTINGS = WindowSettings(core=32)
LIMIT_S = 10.0


@pytest.fixture(scope="module")
def region() -> Region:
    wide = make_scene(generate(5, 64), FireConditions(
        scenarios=2, regime=FireRegime(burned_share=0.02)), 5, tiled=True)
    return make_region(wide, 0.1, "downstream-value", seed=5, plan_fires=24)


def check_same(here: WindowPlan, there: WindowPlan) -> None:
    assert np.array_equal(here.plan.cells, there.plan.cells)
    assert (here.promised, here.rated, here.risen) == (there.promised, there.rated, there.risen)


def test_a_plan_outlives_a_node_that_dies_while_lines_are_judged(nodes: TwoNodes,
                                                                 region: Region) -> None:
    """The worker of the dead node finds no CPU: it is given up, and said to be."""
    with closing(open_executor("in-process", region_recipe(region))) as executor:
        here = plan_by_windows(region, 0.1, executor, SETTINGS)
    assert 0 < here.taken < here.lines
    killed: list[float] = []

    def kill(share: float) -> None:
        if share > 0.57 and not killed:
            killed.append(share)
            executor._seats.start_limit_s = LIMIT_S  # the first start may take longer
            nodes.kill_second()
            nodes_of_workers(lambda alive: alive < 2)  # a worker outlives its node for a while

    with closing(open_executor("ray", region_recipe(region), 2)) as executor:
        assert len(nodes_of_workers(lambda alive: alive == 2)) == 2
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            there = plan_by_windows(region, 0.1, executor, SETTINGS, report=kill)
            while executor.restarts and not executor.given_up:
                executor.submit(0, RegionWorker.footprints.__name__, np.arange(2), ())
                while executor.answers():
                    pass
        assert killed
        assert executor.restarts == executor.given_up == 1
    check_same(here, there)
    assert any(f"is given up: it did not begin within {LIMIT_S:g} s; 1 go on" in str(one.message)
               for one in told)
