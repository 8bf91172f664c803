"""The part of a map that is burned: an area and its margin, the same for `plan`, `simulate` and
`evaluate`.
"""

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from firebreak.api.shared.scene_options import SceneOptions
from firebreak.landscape.landscape import rectangle_of
from firebreak.landscape.names import SAMPLE, is_made, is_sample, sample_names
from firebreak.planning.core.area import Offset, area_mask, named_area

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from firebreak.landscape.landscape import Landscape
    from firebreak.landscape.raster.on_grid import ArrayOnGrid
    from firebreak.planning.core.domain import Domain


class Part(NamedTuple):
    """The part of a map to burn. source: what it was read from, empty if it was handed in; offset:
    where `land` lies in `full`; domain: how its margin was found, None where fires start in the
    part alone; may: bool of `full`, where breaks may go whatever their treatment, where it counts.
    """

    source: str
    full: "Landscape"
    land: "Landscape"
    offset: Offset
    domain: "Domain | None"
    may: "NDArray[np.bool_] | None" = None


def part_of_map(full: "Landscape", area: "str | ArrayOnGrid | None", options: SceneOptions,
                source: str) -> Part:
    """The area of a map, the whole of it if none is named, with the land where its fires come from.

    Synthetic land is all there is, and fires that are to burn a share of the map start on the map:
    they have no domain. Nor has a whole map that says itself where fires start.

    Args:
        source: what the map was read from; empty if it was handed in.

    Raises:
        InputError: no such area, or none of it on the map.
    """
    conditions = options.conditions(full, source)
    if (is_made(full.name) or conditions.regime.median_min is None
            or (area is None and not full.starts_anywhere)):
        land, offset = (full, (0, 0)) if area is None else named_area(full, area)
        return Part(source, full, land, offset, None)
    from firebreak.landscape.formats.read import with_surroundings
    from firebreak.planning.core.domain import find_domain

    inside = np.ones(full.shape, np.bool_) if area is None else area_mask(full, area)
    (first, west, rows, cols), name = rectangle_of(inside), full.name
    if area is not None:
        name += f"[{first}:{first + rows},{west}:{west + cols}]"
    # A sample that was read and handed in has surroundings by its name.
    sample = is_sample(full.name) and full.name.removeprefix(SAMPLE) in sample_names()
    wide, (row, col) = (with_surroundings(full, source or (full.name if sample else ""))
                        if full.starts_anywhere else (full, (0, 0)))
    inside = np.pad(inside, ((row, wide.shape[0] - row - full.shape[0]),
                             (col, wide.shape[1] - col - full.shape[1])))
    land, (top, left), domain = find_domain(wide, inside, conditions, options.seed, options.layers)
    return Part(source, full, replace(land, name=name), (top - row, left - col), domain)


def domain_words(*domains: "Domain | None") -> str:
    """A line on the land where fires start; nothing where there is no domain."""
    found = [domain.words() for domain in domains if domain is not None]
    if len(found) > 1:
        found = [f"fires also start around {len(found)} of the landscapes, as far as they reach"]
    return "".join(f"{words}\n" for words in found)
