"""The losses under a plan by how many crews there are: it is they who hold breaks that burn."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.fire import Fires, Scene, burn, held_by
from firebreak.landscape.value_unit import value_unit

CREWS_KM = (1.0, 2.0, 5.0)
"""Lengths of break that crews hold in one fire, which are compared."""


class CrewLosses(NamedTuple):
    """Mean losses of the same fires without and with a plan, by crews.

    Attributes:
        labels: of the cases, from no breaks to crews without limit.
        km: f64 [n], length of break that crews hold in one fire; nan without breaks.
        burned_ha, lost: f64 [n], of a fire; lost in `unit`.
        unit: what losses are counted in.
        own: number of the case that the plan was judged in.
    """

    labels: tuple[str, ...]
    km: NDArray[np.float64]
    burned_ha: NDArray[np.float64]
    lost: NDArray[np.float64]
    unit: str
    own: int

    @property
    def saved(self) -> NDArray[np.float64]:
        """Share of the loss without breaks that is saved, f64 [n]."""
        return 1.0 - self.lost / max(float(self.lost[0]), np.finfo(float).tiny)


def crew_losses(scene: Scene, breaks: NDArray[np.bool_], fires: Fires) -> CrewLosses | None:
    """Burn fires without a plan, and under it with no crews, with some, and with crews without
    limit; None where nobody holds breaks.
    """
    hold = scene.conditions.hold
    if hold is None:
        return None
    own = np.inf if hold.crew_km is None else hold.crew_km
    lengths = sorted({0.0, *CREWS_KM, own, np.inf})
    cases = [burn(scene, fires, want="statistics")]
    for km in lengths:
        rule = None if km == 0.0 else replace(hold, crew_km=None if km == np.inf else km)
        cases.append(burn(held_by(scene, rule), fires, breaks, want="statistics"))
    unit = value_unit(scene.landscape)
    cell_ha = scene.landscape.cell_size_m**2 / 1e4
    return CrewLosses(
        labels=("no breaks", "breaks, no crews",
                *(f"crews hold {km:g} km" for km in lengths[1:-1]), "crews without limit"),
        km=np.array([np.nan, *lengths]),
        burned_ha=np.array([case.burn_probability.sum() * cell_ha for case in cases]),
        lost=np.array([case.loss.mean() * unit.per_value for case in cases]),
        unit=unit.name, own=1 + lengths.index(own))
