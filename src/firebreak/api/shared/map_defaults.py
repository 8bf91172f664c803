"""Options on a map that is read: the treatments that they name, and the fires, weather and crews
that are assumed where no option says them. Synthetic land and training have the defaults of the
settings.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

from firebreak.settings.scene import FireSettings, MadeBreaks
from firebreak.settings.schema import option_of

if TYPE_CHECKING:
    from firebreak.fire import FireRegime
    from firebreak.landscape.landscape import Landscape
    from firebreak.landscape.treatment_table import TreatmentRow
    from firebreak.landscape.treatments import Treatment
    from firebreak.weather.streams import WeatherStreams

WHERE = option_of("treatment")
HOURS = 8.0
"""Median length of a burning period."""
CREW_KM = 1.0
"""Length of break that crews hold in one fire."""
SECTORS = ("north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west")


def is_map(source: "str | Landscape") -> bool:
    """True for land that is read, and not made by a rule. source: a path or name, or the land."""
    from firebreak.landscape.names import is_made

    return not is_made(source if isinstance(source, str) else source.name)


def hours_of(fire: FireSettings, hours: float | None, on_map: bool) -> float | None:
    """The hours that are asked for, or assumed where nothing says how long fires last: a plan of an
    earlier version says the share that they burn.
    """
    is_said = fire.duration_min is not None or fire.burned_share is not None
    return HOURS if hours is None and on_map and not is_said else hours


def regime_of(hours: float | None, periods: float) -> "FireRegime | None":
    """Fires of burning periods; None for fires that last by their duration."""
    from firebreak.fire import FireRegime

    return None if hours is None else FireRegime(hours=hours, periods=periods)


def crews_of(breaks: MadeBreaks, on_map: bool) -> MadeBreaks:
    """The breaks with the length that crews are assumed to hold."""
    assumed = on_map and breaks.hold is not None and breaks.crew_km is None
    return replace(breaks, crew_km=CREW_KM) if assumed else breaks


def event_of(from_deg: float | None, seed: int) -> "tuple[WeatherStreams, str]":
    """The wind event that is assumed, and a sentence on it.

    from_deg: main direction that the wind blows from; None: one of eight sectors, by the seed.
    """
    from firebreak.seeding import generator
    from firebreak.weather.scenarios import wind_event
    from firebreak.weather.streams import constant

    sector = int(generator(seed, "wind event").integers(len(SECTORS)))
    where = (f"the {SECTORS[sector]}, drawn by the seed (--wind-from-deg gives it)"
             if from_deg is None else f"{from_deg:g} degrees")
    event = wind_event(45.0 * sector if from_deg is None else from_deg)
    return constant(event), (
        "the weather: winds of 32, 56 and 80 km/h at 20 ft in 1, 2 and 1 of 4 fires, within 22.5 "
        f"degrees of {where}, over dry fuels (D1L1, D1L2); --weather FILE or --wind-20ft-km-h "
        "gives another")


def assumed_words(*, hours: bool, crews: bool) -> list[str]:
    """Sentences on what is assumed: hours of burning periods, the length that crews hold."""
    words = []
    if hours:
        words.append(f"how long fires last: burning periods of {HOURS:g} hours (median); "
                     "--burning-hours gives another")
    if crews:
        words.append(f"crews that hold at most {CREW_KM:g} km of break in one fire; --crew-km "
                     "gives another length, or unlimited")
    return words


def rows_named(breaks: MadeBreaks) -> "list[TreatmentRow]":
    """The treatments that are asked for; none where breaks are described by themselves.

    Raises:
        InputError: an unknown one, a damaged table.
    """
    from firebreak.landscape.treatment_table import named, read_table

    if breaks.treatment is None:
        return []
    return named(breaks.treatment, read_table(breaks.treatments), WHERE)


def treatment_asked(breaks: MadeBreaks) -> "Treatment":
    """The state of a treated cell."""
    from firebreak.landscape.treatment_table import treatment_of_rows
    from firebreak.landscape.treatments import treatment_of

    rows = rows_named(breaks)
    if not rows:
        return treatment_of(breaks)
    return treatment_of_rows(rows, breaks.treatment_age, WHERE, breaks.break_width_m)


def on_map(land: "Landscape", breaks: MadeBreaks) -> "Landscape":
    """A landscape whose cells each have a treatment, its cost, or may not be treated.

    Raises:
        InputError: no cell can be treated, or the landscape has costs of its own.
    """
    from firebreak.landscape.treatment_table import with_treatments

    return with_treatments(land, rows_named(breaks), WHERE, breaks.break_width_m)
