"""The fuel systems that a landscape may be coded in: all that depends on the system is a field.

The same number means different fuels in two systems, so a landscape carries the name of its own
(`Landscape.fuel_system`, which is also what files and checksums hold) and asks the object for the
rest (`Landscape.fuels`). How a system burns is the one thing that is elsewhere:
`fire/behavior_models.py` lists the fire behaviour of each by its name.

A new system is one more object in `SYSTEMS`, and one more entry of that list.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from firebreak.landscape import fbp_codes, fuels

_UNKNOWN_COLOUR = "#ffffff"


@dataclass(frozen=True, kw_only=True, eq=False)
class Cell2FireForm:
    """The form of a fuel system in the folders of Cell2Fire and C2F-W.

    Attributes:
        lookup_table: file name of the table of fuels, which shows the system of a folder.
        needs_table: False where a folder without a table is of this system if its fuel grid has
            the name `fuel_grid`.
        fuel_grid: file name of the fuel raster, without its suffix.
        named_codes: codes whose label may stand as the fuel type of a lookup table.
        same_fuel: True where two burnable codes burn alike.
        unclassified: grid value that counts as bare ground where the table does not name it.
    """

    lookup_table: str
    needs_table: bool = True
    fuel_grid: str
    named_codes: Collection[int]
    same_fuel: Callable[[int, int], bool]
    unclassified: int | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class FuelSystem:
    """The codes of a fuel system, and how files hold them.

    Attributes:
        name: as files and checksums have it; never changes.
        title: in the middle of a sentence.
        known: the codes that have a meaning, in words.
        labels: short name of every known code, such as "GR2" or "C-2".
        kinds: the fuel that carries the fire, such as "grass", of every code that burns.
        titles: codes in words, of those whose short name does not say it.
        colours: hex colour of every known code.
        burnable_codes: all codes that burn, ascending, int16, read-only.
        non_burnable: the code given to a cell that is made unburnable, such as a road.
        developed: code of developed ground, of which thin strips are roads; None: there is none.
        wooded: kinds of fuel that stand under trees, of a system that has no canopy layers.
        least_load: burnable code -> code after a shaded treatment: the least load of its kind.
        with_load: burnable code and a factor -> code of its kind with so much of its fine fuel.
        uses_canopy: fires depend on the canopy layers of the map.
        uses_curing: fires depend on the grass curing of the map.
        level_slope_unit: unit of a slope layer on ground too level to show it; None: not known.
        fuel_map_dtype: of the pixels of a fuel map.
        layer_name: of the fuel grid in a folder of ASCII grids.
        file_word: word in a file's name that shows the system; None: no word does.
        held_by_flame: crews judge a fire by its flame length; else by its intensity.
        in_lcp: a FARSITE .lcp can hold the codes.
        cell2fire: how Cell2Fire and C2F-W hold them.
    """

    name: str
    title: str
    known: str
    labels: Mapping[int, str]
    kinds: Mapping[int, str]
    titles: Mapping[int, str]
    colours: Mapping[int, str]
    burnable_codes: NDArray[np.int16] = field(init=False)
    non_burnable: int
    developed: int | None
    wooded: frozenset[str]
    least_load: Callable[[int], int]
    with_load: Callable[[int, float], int]
    uses_canopy: bool
    uses_curing: bool
    level_slope_unit: Literal["percent", "degrees"] | None
    fuel_map_dtype: type
    layer_name: str
    file_word: str | None
    held_by_flame: bool
    in_lcp: bool
    cell2fire: Cell2FireForm

    def __post_init__(self) -> None:
        codes = np.array(sorted(self.kinds), dtype=np.int16)
        codes.flags.writeable = False
        object.__setattr__(self, "burnable_codes", codes)

    def label(self, code: int) -> str:
        """Short name for legends, or "code 17" for a code that is not known."""
        return self.labels.get(code, f"code {code}")

    def described(self, code: int) -> str:
        """The label with what carries the fire, such as "GR2 grass"."""
        return " ".join(filter(None, (self.label(code), self.kinds.get(code))))

    def colour(self, code: int) -> str:
        """Hex colour; white for a code that is not known."""
        return self.colours.get(code, _UNKNOWN_COLOUR)


ROTHERMEL = FuelSystem(
    name="rothermel",
    title="the models of Anderson and of Scott & Burgan",
    known="fuel models 1-13 (Anderson), 101-204 (Scott & Burgan) or 91-99",
    labels=fuels.FUEL_NAMES,
    kinds=fuels.FUEL_KINDS,
    titles=fuels.TITLES,
    colours=fuels.FUEL_COLOURS,
    non_burnable=fuels.BARREN,
    developed=fuels.URBAN,
    wooded=frozenset(),
    least_load=fuels.least_load,
    with_load=fuels.with_load,
    uses_canopy=True,
    uses_curing=False,
    level_slope_unit=None,
    fuel_map_dtype=np.uint8,
    layer_name="fuel_model",
    file_word=None,
    held_by_flame=True,
    in_lcp=True,
    cell2fire=Cell2FireForm(
        lookup_table="spain_lookup_table.csv",
        fuel_grid="fuels",
        named_codes=fuels.FUEL_MODELS,
        same_fuel=lambda one, other: one == other,
        unclassified=0))
"""The models of Anderson and of Scott & Burgan, see `fuels`."""

FBP = FuelSystem(
    name="fbp",
    title="the FBP System",
    known="FBP codes 1-105 or 405-995",
    labels={code: fuel.label for code, fuel in fbp_codes.FBP_CODES.items()},
    kinds=fbp_codes.FUEL_KINDS,
    titles=fbp_codes.TITLES,
    colours={code: fuel.colour for code, fuel in fbp_codes.FBP_CODES.items()},
    non_burnable=fbp_codes.NON_FUEL,
    developed=None,
    wooded=frozenset({"conifer", "deciduous", "mixedwood"}),
    least_load=fbp_codes.least_load,
    with_load=fbp_codes.with_load,
    uses_canopy=False,
    uses_curing=True,
    level_slope_unit="percent",
    fuel_map_dtype=np.uint16,
    layer_name="fuel_model_fbp",
    file_word="FBP",
    held_by_flame=False,
    in_lcp=False,
    cell2fire=Cell2FireForm(
        lookup_table="fbp_lookup_table.csv",
        needs_table=False,
        fuel_grid="Forest",
        named_codes=fbp_codes.FBP_CODES,
        same_fuel=fbp_codes.same_fuel))
"""The fuel types of the Canadian FBP System, see `fbp_codes`."""

SYSTEMS: dict[str, FuelSystem] = {system.name: system for system in (ROTHERMEL, FBP)}
"""By name. Messages list the names in this order."""

DEFAULT_SYSTEM = ROTHERMEL.name
"""Of a file that does not say."""
