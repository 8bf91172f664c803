"""How inner code is compiled: that of the engine, and what else runs per cell."""

from functools import partial

import numba

compiled = partial(numba.njit, cache=True, _nrt=False)
"""numba.njit for functions that allocate nothing, such as all that runs per cell of a fire.

Without numba's runtime no array is reference-counted; counting took a third of a fire's time. No
fastmath: the order of evaluation is part of the promise that a fire has the same bits everywhere.
"""
