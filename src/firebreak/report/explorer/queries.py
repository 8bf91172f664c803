"""Questions of the explorer page, read from a query: every parameter named, bounded and checked.

A mistake is an `InputError`, one sentence, which the server answers with status 400. Nothing here
ever becomes a path.
"""

from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import parse_qsl

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail, unknown_name
from firebreak.landscape.landscape import Landscape
from firebreak.reading import number_in
from firebreak.report.explorer.state import Wind

MOST_QUERY = 20_000  # characters
MOST_EDITS = 1000
BOUNDS: dict[str, tuple[float, float]] = {
    "wind_km_h": (0.0, 150.0), "wind_from_deg": (0.0, 360.0), "dead_moisture": (0.01, 0.6),
    "minutes": (1.0, 100_000.0)}
"""Lowest and highest number of each parameter that is one."""

_BREAKS = ("plan", "step", "add", "remove")
PARAMETERS: dict[str, tuple[str, ...]] = {
    "/api/state": (*_BREAKS, "q"), "/api/gain": (*_BREAKS, "cell"),
    "/api/fire": (*_BREAKS, "cell", *BOUNDS), "/api/plans": ()}
"""The parameters of each address."""


class EditedBreaks(NamedTuple):
    """Breaks that a question is about: the plan's first cells, and these as edited by hand."""

    prefix: tuple[int, ...]
    cells: tuple[int, ...]


def parameters(address: str, query: str) -> dict[str, str]:
    """A query's parameters, each once and known.

    Raises:
        InputError: too long a query, an unknown parameter, or one given twice.
    """
    if len(query) > MOST_QUERY:
        raise fail(expected=f"at most {MOST_QUERY:,} characters", given=f"{len(query):,}",
                   where=address, remedy="edit fewer cells")
    pairs = parse_qsl(query, keep_blank_values=True)
    given = dict(pairs)
    for name in given:
        if name not in PARAMETERS[address]:
            raise unknown_name("parameter", name[:40], PARAMETERS[address], address)
    if len(given) < len(pairs):
        raise fail(expected="each parameter once", given="one twice", where=address,
                   remedy="leave the second out")
    return given


def number(given: Mapping[str, str], name: str) -> float:
    """A parameter within its BOUNDS.

    Raises:
        InputError: missing, not a number, or outside.
    """
    low, high = BOUNDS[name]
    try:
        value = number_in(given[name])
    except (KeyError, ValueError):
        value = float("nan")
    if not low <= value <= high:  # written so that nan fails too
        raise fail(expected=f"a number from {low:g} to {high:g}", given=_shown(given, name),
                   where=name, remedy="choose a number in this range")
    return value


def whole(given: Mapping[str, str], name: str, most: int) -> int:
    """A parameter that is a whole number from 0 to `most`.

    Raises:
        InputError: missing, not a whole number, or outside.
    """
    text = given.get(name, "")
    if not (text.isascii() and text.isdigit() and len(text) < 12 and int(text) <= most):
        raise fail(expected=f"a whole number from 0 to {most}", given=_shown(given, name),
                   where=name, remedy="choose a number in this range")
    return int(text)


def wind_of(given: Mapping[str, str]) -> Wind:
    """The weather in a query, rounded so that the same wind is recognised."""
    return Wind(round(number(given, "wind_km_h"), 1),
                round(number(given, "wind_from_deg"), 1) % 360.0,
                round(number(given, "dead_moisture"), 3))


def burnable_cell(given: Mapping[str, str], land: Landscape) -> int:
    """A cell in which a fire can start.

    Raises:
        InputError: no cell of the map, or one that does not burn.
    """
    cell = whole(given, "cell", land.fuel_model.size - 1)
    _check_cells([cell], land.burnable, "a cell that burns", "a cell that does not")
    return cell


def breaks_of(given: Mapping[str, str], plans: Mapping[str, tuple[int, ...]],
              land: Landscape) -> EditedBreaks:
    """The first `step` cells of a plan, less those in `remove`, and those in `add`.

    Raises:
        InputError: no such plan or step, cells that are not treatable, broken already, or not there
            to be removed.
    """
    name = given.get("plan", "")
    if name not in plans:
        raise unknown_name("plan", name[:40], plans, "plan")
    prefix = plans[name][:whole(given, "step", len(plans[name]))]
    own = np.zeros(land.shape, np.bool_)
    own.flat[list(prefix)] = True
    added, removed = (_cells(given, key, land) for key in ("add", "remove"))
    _check_cells(added, land.treatable, "a treatable cell", "a cell that is not")
    _check_cells(added, ~own, "a cell without a break", "a break")
    _check_cells(removed, own, "a break of the plan", "a cell without one")
    gone = set(removed)
    return EditedBreaks(prefix, (*(cell for cell in prefix if cell not in gone), *added))


def _cells(given: Mapping[str, str], name: str, land: Landscape) -> list[int]:
    """A list of different cells, which may be empty or missing."""
    words = [word for word in given.get(name, "").split(",") if word]
    if len(words) > MOST_EDITS:
        raise fail(expected=f"at most {MOST_EDITS} cells", given=f"{len(words)}", where=name,
                   remedy="edit fewer cells")
    cells = [whole({name: word}, name, land.fuel_model.size - 1) for word in words]
    if len(set(cells)) < len(cells):
        raise fail(expected="each cell once", given="one twice", where=name,
                   remedy="leave the second out")
    return cells


def _check_cells(cells: list[int], right: NDArray[np.bool_], expected: str, given: str) -> None:
    """Refuses flat cells that are False in a mask [H, W], in words for the first of them."""
    for cell in cells:
        if not right.flat[cell]:
            row, col = divmod(cell, right.shape[1])
            raise fail(expected=expected, given=given, where=f"row {row}, column {col}",
                       remedy="choose another cell")


def _shown(given: Mapping[str, str], name: str) -> str:
    return f"'{given[name][:40]}'" if name in given else "none"
