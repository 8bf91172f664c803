"""Where the command line and a run's TOML say the same setting otherwise: the whole list.

Names and defaults of both are promises, so what differs stays; unifying it is a later decision.
"""

from typing import NamedTuple

TOML_NAMES = {"break_kind": "kind", "break_width_m": "width_m"}
"""Option -> key of [breaks], where they differ."""


class Difference(NamedTuple):
    """option: default on the command line; toml: in a run's TOML; why: they differ."""

    setting: str
    option: object
    toml: object
    why: str


DEFAULTS = (
    Difference("wind_20ft_km_h", None, 16.2, "not given means 16.2, and lets a weather file stand"),
    Difference("moisture", None, "D2L2", "not given means D2L2, and is refused without a file"),
)
WIND_SPREAD = 0.45
"""Standard deviation of the wind speed over its mean on the command line (7.29 of 16.2); a run's
TOML has wind_spread_km_h, 7.2 if not given."""
FORMS = ("weather", "layers", "losses", "treatments")
"""A path here, a path as text relative to the data there; fractions with commas, or a list."""
TOML_ONLY = ("duration_sigma", "wind_spread_km_h", "wind_direction_spread_deg", "plan_fires",
             "reward_fires")
"""Keys of [fires] that are no option of this name: duration_sigma is --duration-spread, on the
command line the default wind climate holds, and --plan-fires belongs to the command."""
