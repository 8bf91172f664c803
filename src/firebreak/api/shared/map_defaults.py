"""Options on a map that is read: the treatments that they name, and the fires, weather and crews
that are assumed where no option says them. Synthetic land and training have the defaults of the
settings.
"""

from typing import TYPE_CHECKING, NamedTuple

from firebreak.checks import fail
from firebreak.settings.scene import MadeBreaks
from firebreak.settings.schema import option_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

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


class ShapeTreatments(NamedTuple):
    """Treatments of shapes. rows: those that are asked for, and behind them those that shapes name
    beside. by_shape: of each shape those that it names. treatment: as the engine takes `rows`.
    """

    rows: "list[TreatmentRow]"
    by_shape: "Sequence[Sequence[TreatmentRow]]"
    treatment: "Treatment"


def treatments_of_shapes(path: "Path", breaks: MadeBreaks) -> ShapeTreatments | None:
    """The treatments that the shapes of a file name; None where they are what all breaks are.

    Raises:
        InputError: an unknown one, or none asked for all other breaks; an age beyond the table.
    """
    from firebreak.landscape.treatment_table import read_table, treatment_of_rows
    from firebreak.planning.output.feature_treatments import rows_of_shapes

    rows = rows_named(breaks)
    by_shape = rows_of_shapes(path, rows, read_table(breaks.treatments))
    if all(not own or own == rows for own in by_shape):
        return None
    if not rows:
        raise fail(expected="--treatment beside shapes that name their own, for all other breaks "
                            "and the unit of their costs", given="none", where=str(path),
                   remedy="name one, for example --treatment bare-line")
    every = [*rows, *{row.name: row for own in by_shape for row in own
                      if row not in rows}.values()]
    return ShapeTreatments(every, by_shape, treatment_of_rows(
        every, breaks.treatment_age, str(path), breaks.break_width_m, mixed=True))


def check_one_treatment(path: object, breaks: MadeBreaks) -> None:
    """Refuses shapes that name other treatments than those of all breaks, where one scene has to
    say what all breaks do.

    Raises:
        InputError: they do, or as of `treatments_of_shapes`.
    """
    from pathlib import Path

    from firebreak.planning.output.given import is_drawn

    if isinstance(path, Path) and is_drawn(path) and treatments_of_shapes(path, breaks) is not None:
        raise fail(expected=f"shapes whose attribute 'treatment' is {breaks.treatment} or empty",
                   given="other treatments", where=str(path),
                   remedy="give it to evaluate, which judges each shape by its own, or remove the "
                          "attribute")
