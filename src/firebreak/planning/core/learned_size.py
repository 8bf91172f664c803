"""How large a map may be on which a policy plans at once. Loads no network."""

from typing import TYPE_CHECKING

from firebreak.checks import PART_OF_MAP, fail

if TYPE_CHECKING:
    from firebreak.landscape.landscape import Landscape

MAX_TREATABLE = 256 * 256
"""Treatable cells above which a learned plan needs an area: larger maps were not tried."""


def check_size(landscape: "Landscape", method: str, smaller: str = PART_OF_MAP) -> None:
    """Refuses a map that learned plans were not tried on. smaller: what to ask for instead.

    Raises:
        InputError: more treatable cells than MAX_TREATABLE.
    """
    treatable = int(landscape.treatable.sum())
    if treatable > MAX_TREATABLE:
        raise fail(expected=f"at most {MAX_TREATABLE:,} treatable cells (256 x 256)",
                   given=f"{treatable:,}", where=f"method {method} on {landscape.name}",
                   remedy=f"use another method such as downstream-value, or {smaller}")
