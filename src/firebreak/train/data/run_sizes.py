"""Sizes of parts of a run that follow from its configuration, for what makes them and for what
tells their memory before.
"""

from firebreak.train.config.schema import RunConfig

VALIDATION_ENVS = 4
"""Problems of validation played at once: enough for the native calls, little beside what training
holds.
"""
CELLS = 40_000
"""Cells of the maps of a learner step of the fit."""


def states_of_a_step(cells: int, of_a_step: int = CELLS) -> int:
    """States of a learner step of the fit, on maps of so many cells."""
    return max(2, round(of_a_step / cells))


def shortest_episode(config: RunConfig, side: int) -> int:
    """A lower bound for the steps of an episode: what the least budget buys at unit cost on a map
    of which half burns, and of which a mixture's margins leave a quarter; one where it draws parts,
    breaks that stand or dear slopes, and for lines, of which one may take all. side: rows of a map.
    """
    mixture = config.mixture
    if config.agent.segments or mixture.parts or mixture.existing or mixture.slope_costs:
        return 1
    inside = side - 2 * config.landscapes.margin
    least = mixture.budget[0] if mixture.budget else config.budget
    share = 0.5 * (0.25 if mixture.margin else 1.0)
    return max(int(share * least * inside**2), 1)
