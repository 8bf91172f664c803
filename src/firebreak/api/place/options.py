"""What a planner says of a plan: where it may go, what it must have, what it may cost, by when."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from annotated_types import Ge, Le

from firebreak.settings.kinds import Fraction, NotNegative, Positive

MOST_YEARS = 100


@dataclass(frozen=True)
class PlaceOptions:
    """Where breaks may go, what they cost and what the plan must have. Files of shapes or rasters
    in any reference system."""

    area: str | None = None
    """Part of the map to plan for: R0:R1,C0:C1 (half-open, from the north-west corner), or a file
    of polygons or a raster."""
    must_include: Path | None = None
    """Cells that the plan must have, shapes or a raster; they count in its cost."""
    must_exclude: Path | None = None
    """Cells that the plan must not have, shapes or a raster."""
    lines: Path | None = None
    """Shapes of lines, such as roads and ridges, that the method may choose beside its own breaks;
    they are cut into pieces of at most --segment-m. For segments, dqn-lookahead, dqn-search
    and auto."""
    only_lines: bool = False
    """Use the lines of --lines only, and no other breaks."""
    existing: Path | None = None
    """A network of breaks, or a plan, to compare the plan with; it is judged at its own cost."""
    shortest_m: NotNegative = 0.0
    """Shortest length of a connected piece of the plan; pieces of --must-include may be shorter."""
    segment_m: Positive = 500.0
    """Longest length of a segment: longer pieces of the plan are cut into segments of about this
    length."""
    money: Positive | None = None
    """Money that may be spent, in the unit of the costs, instead of --budget."""
    phases: str | None = None
    """Money that may be spent in each year, instead of --budget, such as 2027:50000,2028:80000."""
    horizon: Annotated[int, Ge(1), Le(MOST_YEARS)] | None = None
    """Plan what to build and what to keep up in so many years, with a --treatment: building and
    upkeep share the money of a year, which is --phases, or an equal part of what may be spent."""
    discount_rate: Fraction = 0.0
    """Share by which a loss counts less with each year that it comes later, with --horizon: 0.03,
    or 3%."""
    cost_per_km: NotNegative = 0.0
    """Share by which each kilometre to the nearest of --roads raises the cost."""
