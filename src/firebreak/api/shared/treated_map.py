"""Treatments that the options name: of a table, on a map with what they cost there."""

from typing import TYPE_CHECKING

from firebreak.settings.breaks import MadeBreaks
from firebreak.settings.schema import option_of

if TYPE_CHECKING:
    from firebreak.fire import FireConditions
    from firebreak.landscape.landscape import Landscape
    from firebreak.landscape.treatment_table import TreatmentRow
    from firebreak.landscape.treatments import Treatment

WHERE = option_of("treatment")


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
    from firebreak.landscape.treatment_choice import treatment_of_rows
    from firebreak.landscape.treatments import treatment_of

    rows = rows_named(breaks)
    if not rows:
        return treatment_of(breaks)
    return treatment_of_rows(rows, breaks.treatment_age, WHERE, breaks.break_width_m)


def on_map(land: "Landscape", breaks: MadeBreaks, conditions: "FireConditions",
           seed: int) -> "Landscape":
    """A landscape whose cells each have a treatment, its cost, or may not be treated.

    Raises:
        InputError: no cell can be treated, or the landscape has costs of its own.
    """
    from firebreak.fire import flames_after
    from firebreak.landscape.treatment_choice import with_treatments

    rows = rows_named(breaks)
    made = conditions.treatment
    reached = None
    if breaks.treated_flame_m is not None:
        reached = flames_after(land, made.by_cell or (made,), conditions,
                               seed) <= breaks.treated_flame_m
    return with_treatments(land, rows, WHERE, breaks.break_width_m, reached)
