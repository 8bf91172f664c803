"""Corridors of cells for tests that look at nothing but the cells."""

from collections.abc import Sequence

import numpy as np

from firebreak.landscape.candidates.corridor import Corridor
from firebreak.planning.core.corridors import Corridors


def lines_of(pieces: Sequence[np.ndarray], line: Sequence[int], *, only: bool = False) -> Corridors:
    """Lines in pieces of flat cells in order, all of which are treated."""
    return Corridors(line=tuple(line), only=only, corridors=tuple(
        Corridor(np.unique(own), own, 0.0, 0.0, 0.0, "given") for own in pieces))
