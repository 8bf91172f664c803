"""Numbers of fires that people ask for, held against the memory that is free."""

from firebreak.env.storage.estimate import FIRE_BYTES, storage_bytes
from firebreak.env.storage.slots import sizes_for
from firebreak.fire import Scene
from firebreak.free_memory import check_free


def check_plan_fires(scene: Scene, count: int, *, kept: bool = True) -> None:
    """Refuses plan fires that would not fit the memory that is free.

    kept: they are kept burning, as most methods do.

    Raises:
        InputError: naming both sizes.
    """
    storage = storage_bytes(sizes_for(scene, 1, count, 0)) if kept else 0
    rows, cols = scene.landscape.shape
    check_free({f"{count:,} plan fires on {rows} x {cols} cells": storage + FIRE_BYTES * count},
               where=f"landscape {scene.landscape.name}",
               remedy="ask for fewer with --plan-fires, or plan a smaller area")


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
