"""Fuel models by their load of fine fuel: which model stands for a fuel with less of it, or more.

The load of fine fuel is that of dead fuel under 1/4 inch and of live fuel, as Scott & Burgan 2005
(GTR-153) tell it of each model. That a treated or regrown fuel burns as the model of the nearest
load is an assumption: models differ in more than load.
"""

from functools import cache

from firebreak.landscape.fuels import FUEL_MODELS

_LIKE = (
    (1, 3), (2,), (4, 6), (5,), (7,), (8, 10), (9, 8), (11, 12, 13),  # of Anderson
    (101, 102, 104, 107), (103, 105, 106, 108, 109),  # grass of dry and of humid climates
    (121, 122), (123, 124),  # grass and shrubs, dry and humid
    (141, 142, 145, 147), (143,), (144,), (146,), (148, 149),  # shrubs, dry and humid
    (161, 165), (162, 163), (161, 164),  # timber with an understory: litter, grass, dwarf conifers
    (181, 185, 188), (183,), (184,), (187,), (182, 186, 189),  # litter of conifers, of broadleaves
    (201, 202, 203, 204))  # slash and blowdown
"""Models of one kind, among which less load never means longer flames, and rates at most 30 %
higher (a test holds it). Those that stand alone stay as they are. A model of two kinds belongs to
the first.
"""


def fine_load_lb_ft2(code: int) -> float:
    """Load of fine fuel of a model: dead under 1/4 inch, herbs and live woody fuel."""
    model = FUEL_MODELS[code]
    return model.load_1h_lb_ft2 + model.load_herb_lb_ft2 + model.load_woody_lb_ft2


@cache
def with_load(code: int, factor: float) -> int:
    """The model of the same kind whose load of fine fuel is nearest to `factor` times that of a
    model that burns; never more load where the factor is below 1, nor less where it is above.
    """
    wanted = factor * fine_load_lb_ft2(code)
    kind = next(models for models in _LIKE if code in models)
    return min(kind, key=lambda other: (abs(fine_load_lb_ft2(other) - wanted), other != code))
