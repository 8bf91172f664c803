"""Numbers of fires and cells, compared with the memory that is free."""

from math import ceil, isqrt

from firebreak.checks import PART_OF_MAP
from firebreak.env.storage.problem import Sizes, sizes_for
from firebreak.env.storage.problem_batch import FIRE_BYTES, storage_bytes
from firebreak.fire import CLASSES, FireConditions, Scene
from firebreak.free_memory import check_free, free_bytes
from firebreak.native_library import max_threads
from firebreak.settings.planning import PLAN_FIRES

FEWEST_MEETING, SURELY = 100, 1.2
"""Plain draws that plan fires are to be worth, and a margin, for probe fires are inexact."""
CHOICE_SET = "choice"
PER_PLAN_FIRE, FEWEST_CHOICE = 16, 4000
"""Choice fires for each plan fire, and how many there are at least: with a thousand, plans seem
equal that a test of as many fires distinguishes."""
MOST_CHOICE_CELLS = 400_000_000
"""Choice fires times cells of the map, at most; but there are as many choice fires as plan fires.
"""
MOST_PLAN_FIRES, MOST_FIRE_CELLS = 1024, 100_000_000
"""Plan fires taken unasked, and these times the cells of the map, each of some 18 bytes."""

SCENE_BYTES, SCENE_MADE_BYTES = 200, 270
"""Of a cell in a row of weather: a scene's travel field and fire behaviour; while they are made."""
NETWORK_BYTES = 1800
"""Of a cell: what a network that values lines works on."""
TESTED_BYTES, TESTED_THREAD_BYTES = 200, 115
"""Of a cell: maps over test fires; sums and room to work of each thread."""
FEWEST_FIRES, FEWEST_CELLS = 16, 32
"""The fewest fires and cells that a refusal offers."""


def enough_plan_fires(scene: Scene, asked: int | None, least: int = PLAN_FIRES) -> int:
    """Number asked for, else `least`, or as many, bounded, as are worth FEWEST_MEETING draws."""
    if asked is not None:
        return asked
    if scene.meets is None:
        return least
    wanted = ceil(SURELY * FEWEST_MEETING / max(scene.meets, 1e-9))
    return max(least, min(wanted, most_plan_fires(scene.landscape.fuel_model.size)))


def most_plan_fires(cells: int) -> int:
    """The most plan fires that are taken unasked, for their meeting, on a map of so many cells."""
    return min(MOST_PLAN_FIRES, MOST_FIRE_CELLS // cells)


def choice_count(plan_fires: int, cells: int) -> int:
    """Number of choice fires for so many plan fires on a map of so many cells."""
    wanted = max(PER_PLAN_FIRE * plan_fires, FEWEST_CHOICE)
    return max(plan_fires, 2, min(wanted, MOST_CHOICE_CELLS // cells))


def check_planning(shape: tuple[int, int], conditions: FireConditions, plan_fires: int,
                   name: str) -> None:
    """Refuses a map whose scene, plan fires and tests would not fit the memory that is free, before
    any of it is taken; says what would.

    Args:
        plan_fires: kept burning; 0 for a scene alone.
        name: of the landscape.

    Raises:
        InputError: naming both sizes.
    """
    rows, cells = conditions.rows, shape[0] * shape[1]
    scene, beside = planning_bytes(shape, conditions, plan_fires)
    fires = f"{plan_fires:,} plan fires" if plan_fires else "fires"
    check_free({f"{cells:,} cells in {rows} rows of weather": scene,
                f"{fires} on them": beside}, where=f"landscape {name}",
               remedy=_fitting(shape, conditions, plan_fires))


def planning_bytes(shape: tuple[int, int], conditions: FireConditions, plan_fires: int, *,
                   learned: bool = True) -> tuple[int, int]:
    """Bytes of planning and testing at their peak: a scene that is not made yet, and the rest."""
    rows, cells = conditions.rows, shape[0] * shape[1]
    storage = 0
    if plan_fires:
        storage = storage_bytes(Sizes(
            1, shape, rows, plan_fires, 0, CLASSES if conditions.by_flame else 1,
            conditions.breach != "never" and conditions.treatment.kind == "hard",
            conditions.spotting is not None, conditions.by_flame or conditions.meets_crews,
            conditions.hold is not None), borrows=conditions.treatment.kind == "hard")
        storage += FIRE_BYTES * plan_fires + NETWORK_BYTES * cells * learned
    tested = (TESTED_BYTES + TESTED_THREAD_BYTES * max_threads()) * cells
    made = (SCENE_MADE_BYTES - SCENE_BYTES) * rows * cells
    return SCENE_BYTES * rows * cells, max(made, storage, tested)


def fits(shape: tuple[int, int], conditions: FireConditions, plan_fires: int) -> bool:
    """True where the scene of a map, and plans on it, fit the memory that is free."""
    return sum(planning_bytes(shape, conditions, plan_fires)) <= free_bytes()


def _fitting(shape: tuple[int, int], conditions: FireConditions, plan_fires: int) -> str:
    """Fires or cells that would fit, in the words of an option."""
    free = free_bytes()

    def left(fires: int) -> int:
        return free - sum(planning_bytes(shape, conditions, fires))

    if plan_fires > FEWEST_FIRES and left(FEWEST_FIRES) > 0:
        per_fire = max(left(FEWEST_FIRES) - left(2 * FEWEST_FIRES), 1) / FEWEST_FIRES
        count = min(FEWEST_FIRES + int(left(FEWEST_FIRES) / per_fire), plan_fires - 1)
        return f"use --plan-fires {count}"
    side = isqrt(int(shape[0] * shape[1] * 0.9 * free / max(free - left(plan_fires), 1)))
    if side >= FEWEST_CELLS:
        side = min(side, *shape)
        return (f"use a part of the map (--area 0:{side},0:{side} or another part of as many "
                "cells)")
    return "use fewer rows of weather (--scenarios, --hours), or a machine with more memory"


def check_plan_fires(scene: Scene, count: int, *, kept: bool = True) -> None:
    """Refuses plan fires that would not fit the memory that is free beside their scene.

    kept: they are kept burning, as most methods do.

    Raises:
        InputError: naming both sizes.
    """
    borrows = scene.field.breaks.treated is None
    storage = storage_bytes(sizes_for(scene, 1, count, 0), borrows=borrows) if kept else 0
    rows, cols = scene.landscape.shape
    check_free({f"{count:,} plan fires on {rows} x {cols} cells": storage + FIRE_BYTES * count},
               where=f"landscape {scene.landscape.name}",
               remedy=f"ask for fewer with --plan-fires, or use {PART_OF_MAP}")


def check_test_fires(name: str, count: int, methods: int, option: str = "--test-fires") -> None:
    """Refuses test fires that would not fit the memory that is free.

    Args:
        name: of the landscape.
        methods: whose losses are held for every fire.

    Raises:
        InputError: naming both sizes.
    """
    check_free({f"{count:,} fires": count * (FIRE_BYTES + 16 * methods)},
               where=f"landscape {name}", remedy=f"ask for fewer with {option}")
