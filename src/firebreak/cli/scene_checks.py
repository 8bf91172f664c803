"""What a scene is checked for before its fires burn: whether it fits memory and burns as asked."""

from typing import TYPE_CHECKING

from firebreak.checks import fail

if TYPE_CHECKING:
    from firebreak.fire.scene import Scene
    from firebreak.landscape.landscape import Landscape

BYTES_PER_CELL_ROW = 200  # travel field and fire behaviour, measured
# Of a wide scene: values and results; travel times of a step of weather; scratch memory and sums.
BYTES_PER_CELL, BYTES_PER_CELL_STEP, BYTES_PER_CELL_THREAD = 180, 110, 95
FEW_FIRES = 64  # that tell whether fires burn what is asked for


def check_memory(landscape: "Landscape", rows: int) -> None:
    """Refuses a travel field that would not fit the memory that is free.

    Raises:
        InputError: naming both sizes.
    """
    _check_free(BYTES_PER_CELL_ROW * rows, landscape, f"in {rows} rows of weather",
                "crop it, join its cells, or ask for fewer scenarios or hours")


def check_wide_memory(landscape: "Landscape", steps: int, threads: int) -> None:
    """Refuses a wide scene that would not fit the memory that is free: it holds the travel times of
    one stream of `steps` rows of weather, and scratch memory and sums of each thread.

    Raises:
        InputError: naming both sizes.
    """
    per_cell = BYTES_PER_CELL + BYTES_PER_CELL_STEP * steps + BYTES_PER_CELL_THREAD * threads
    _check_free(per_cell, landscape, f"with {steps} steps of weather on {threads} threads",
                "crop it, join its cells, or ask for fewer hours or, by NUMBA_NUM_THREADS, threads")


def _check_free(per_cell: int, landscape: "Landscape", words: str, remedy: str) -> None:
    import psutil

    cells = landscape.fuel_model.size
    needed, free = per_cell * cells, int(psutil.virtual_memory().available)
    if needed > free:
        raise fail(expected=f"at most {free / 1e9:.1f} GB, which are free,",
                   given=f"{needed / 1e9:.1f} GB for {cells:,} cells {words}",
                   where=f"landscape {landscape.name}", remedy=remedy)


def warn_of_small_fires(scene: "Scene") -> None:
    """Says so where fires burn less than half of the share asked for, however long they last."""
    import numpy as np

    from firebreak.fire.engine import burn_times
    from firebreak.landscape.source import warn

    regime = scene.conditions.regime
    if regime.duration_min is not None:
        return
    fires = scene.fires("show", FEW_FIRES)
    endless = fires._replace(duration_min=np.full(FEW_FIRES, np.inf))
    burn, burnable = burn_times(scene.field), int(scene.landscape.burnable.sum())
    share, most = (sum(times.size for times in burn(some)) / (FEW_FIRES * burnable)
                   for some in (fires, endless))
    if share < 0.5 * regime.burned_share > 0.5 * most:
        warn(f"{scene.landscape.name}: untreated fires burn {share:.0%} of the burnable cells, not "
             f"the {regime.burned_share:.0%} of --burned-share: what burns lies in pieces that "
             "they do not leave; --duration-min sets how long they last")
