"""The colour of each planning method, the same in every picture, table and page."""

from collections.abc import Mapping
from types import MappingProxyType

COLOURS: Mapping[str, str] = MappingProxyType({
    "none": "#8c8c8c", "random": "#5f6b73",
    "burn-probability": "#c2185b", "downstream-value": "#1b7837", "betweenness": "#00838f",
    "segments": "#7b2d90", "strips": "#8c510a", "greedy": "#b8860b",
    "dqn": "#d95f02", "dqn-lookahead": "#a63603", "dqn-search": "#f28e2b",
    "auto": "#1f6fb4", "existing": "#0097b8"})
"""By name; a method that is not here has OTHER."""

OTHER = "#444444"


def colour_of(name: str) -> str:
    """The colour of a method, #rrggbb. Plans that were made elsewhere share one."""
    return COLOURS.get(name, OTHER)
