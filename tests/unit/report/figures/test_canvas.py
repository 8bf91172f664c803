"""Each planning method has one colour, told apart from all others."""

import numpy as np
from matplotlib.colors import to_rgb

from firebreak.planning.core.plan import EXISTING
from firebreak.planning.methods import CHOOSERS, METHODS
from firebreak.report.figures.canvas import COLOURS, OTHER, colour_of

LEAST_APART = 0.08  # of the length of a side of the cube of colours


def test_every_method_has_a_colour_of_its_own() -> None:
    assert set(COLOURS) == {*METHODS, *CHOOSERS, EXISTING}
    rgb = np.array([to_rgb(colour) for colour in [*COLOURS.values(), OTHER]])
    apart = np.linalg.norm(rgb[:, None] - rgb[None], axis=2)
    apart[np.diag_indices(len(rgb))] = 1.0
    assert apart.min() > LEAST_APART


def test_plans_from_elsewhere_share_one() -> None:
    assert colour_of("my_plan.csv") == colour_of("another") == OTHER
