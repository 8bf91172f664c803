"""Breaks, and the rules by which fire crosses them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from annotated_types import Ge

from firebreak.settings.kinds import NotNegative, Positive

HoldBy = Literal["hand", "equipment"]
"""Crews that hold breaks, with hand tools, or with dozers and engines."""
BreakKind = Literal["hard", "shaded"]
BreachRule = Literal["never", "wilson", "wilson-trees", "flame-length"]
TOML_NAMES = {"break_kind": "kind", "break_width_m": "width_m"}
"""Keys of [breaks] in a run's TOML that are not the names of their options."""
DRAWN_BREACH: BreachRule = "wilson-trees"
"""Rule by which fire crosses breaks that a mixture of training draws as breached."""
DRAWN_HOLD_BY: HoldBy = "equipment"
"""Crews of breaks that a mixture of training draws as held."""


@dataclass(frozen=True, kw_only=True)
class BreakSettings:
    """The breaks of plans, and of fires that meet them."""

    break_kind: BreakKind = "hard"
    """Bare ground, or the fuel of the least load of the same kind under fewer and higher crowns,
    which burns."""
    break_width_m: Positive | None = None
    """Width of the bare strip; the whole cell if not given. It holds every fire unless a rule of
    --breach says otherwise."""
    breach: BreachRule = "never"
    """Rule by which fire crosses a hard break: never, by Wilson 1988 (with or without trees beside
    it), or where flames are longer than two thirds of the width."""
    leak: bool = False
    """Fire passes the corner at which two breaks, or a break and bare ground, touch."""
    hold: HoldBy | None = None
    """Crews hold breaks, with hand tools or with equipment: a break stops a fire if the crews are
    there first and the flames are short enough for them (Rothermel 1983). Nobody holds breaks if
    not given."""
    response_min: NotNegative = 60.0
    """Minutes from ignition until crews are at the nearest road, or at every break if no roads are
    given; an assumption."""
    crew_speed_km_h: Positive = 3.0
    """Speed of crews from the nearest road to a break; an assumption."""
    crew_km: Positive | Literal["unlimited"] | None = None
    """Kilometres of break that crews hold in a fire, where it comes first; if not given, 1 on maps
    that are read, else unlimited."""


@dataclass(frozen=True, kw_only=True)
class PlanBreaks(BreakSettings):
    """The breaks of plans, beside bare ground that is there already."""

    breach: BreachRule | None = None  # type: ignore[assignment]
    """Rule by which fire crosses a hard break: by Wilson 1988 (with or without trees beside it), or
    where flames are longer than two thirds of the width. If not given, never; roads and other bare
    ground of a map are crossed by their width. never: nothing crosses either of them."""


@dataclass(frozen=True, kw_only=True)
class TreatmentSettings:
    """The making of breaks, by the table of treatments."""

    treatment: str | None = None
    """Way to make breaks, with its cost by slope and its ageing: bare-line,
    mastication, thinning-pile-burn, prescribed-fire, grazing, shaded-break. Of several with commas
    each cell takes the cheapest that can be done there. Instead of --break-kind and --cost."""
    treatment_age: Annotated[int, Ge(0)] = 0
    """Years since the breaks were made, without upkeep."""


@dataclass(frozen=True, kw_only=True)
class MadeBreaks(TreatmentSettings, PlanBreaks):
    """The breaks of plans, and of fires that meet them, and their making."""

    treatments: Path | None = None
    """TOML table of treatments of your own, beside those that come with firebreak or instead."""
