"""The layout of an observation: which channels it has, in which order, and how they are stored.

The environment makes observations of this layout, the replay stores them by it, a policy remembers
it. All channels are multiples of 1/255 in [0, 1], so one byte holds them without loss: the policy
acts on exactly what is stored.
"""

from typing import NamedTuple


class ObservationLayout(NamedTuple):
    """Channel names by kind, in channel order: dynamic, flags, static, scalars.

    dynamic: change at every step, one byte per cell.
    flags: change at every step, 0 or 1.
    static: fixed for an episode, one byte per cell.
    scalars: one number per observation, repeated over the map.
    """

    dynamic: tuple[str, ...]
    flags: tuple[str, ...]
    static: tuple[str, ...]
    scalars: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """All channel names in order."""
        return self.dynamic + self.flags + self.static + self.scalars

    @property
    def channels(self) -> int:
        """Number of channels."""
        return len(self.names)

    def channel(self, name: str) -> int:
        """Channel of a name."""
        return self.names.index(name)


OBSERVATION = ObservationLayout(
    dynamic=("burn_probability", "downstream_value"),
    flags=("breaks", "available"),
    static=("burnable", "rate_of_spread", "travel_east", "travel_north", "elevation", "slope",
            "value", "cost", "break_crossed"),
    scalars=("budget_left", "budget_share", "plan_fires", "burned_share", "best_downstream",
             "loss_left"),
)
"""The observation of this version's environments. "available" is the action mask."""
