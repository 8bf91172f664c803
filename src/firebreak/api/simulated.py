"""`firebreak.simulate`: fires on a landscape, and the maps that they leave."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from firebreak.api.given import Source, saving_into, source_of, with_arrays, with_files
from firebreak.api.notebook import on_axes
from firebreak.api.options import filled, verb
from firebreak.api.shared.executor_options import threads_kept, use_threads
from firebreak.api.shared.fire_maps import (
    Burned,
    Part,
    burn,
    check_maps,
    on_full,
    part_to_burn,
    write_maps,
)
from firebreak.api.shared.inputs import inputs_of
from firebreak.api.shared.plan_options import SimulateOptions
from firebreak.api.shared.progress import notebook_bars
from firebreak.files import keeping
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.value_unit import value_unit
from firebreak.planning.evaluation.fire_facts import FireFacts, fire_facts

if TYPE_CHECKING:
    import xarray

Grid = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class SimulatedFires:
    """Fires that burned on a landscape; grids are [H, W] of the whole map, nan outside the data and
    the area.

    Attributes:
        landscape: the whole map.
        maps: by the name that the file of `firebreak simulate` has, each grid: burn_probability,
            mean_arrival_time_min, rate_of_spread_m_min, spread_direction_deg,
            fireline_intensity_kw_m, flame_length_m, crown_fraction_burned, downstream_value,
            expected_loss, with `fires_per_ha_year` annual_burn_probability, and one for each class
            of flame length.
        loss: of each fire, f64 [F], in units of value.
        mean_burned_share: of the burnable cells that a fire burns.
        seconds: that it took.
    """

    landscape: Landscape
    maps: Mapping[str, Grid]
    loss: NDArray[np.float64]
    mean_burned_share: float
    seconds: float
    _part: Part
    _done: Burned
    _options: SimulateOptions
    _inputs: frozenset[Path]
    _home: Path

    @property
    def burn_probability(self) -> Grid:
        """Share of the fires that burn each cell."""
        return self.maps["burn_probability"]

    def facts(self) -> FireFacts:
        """Hours and hectares of the fires without breaks, by wind, and what of them to doubt."""
        return fire_facts(self._done.scene, self._done.fires)

    def to_xarray(self) -> "xarray.Dataset":
        """All maps on the axes x and y, with the reference system.

        Raises:
            InputError: xarray or rioxarray is not installed.
        """
        names = {name: name.replace(" ", "_") for name in self.maps}
        return on_axes({names[name]: grid for name, grid in self.maps.items()}, self.landscape,
                       {"fires": self.loss.size})

    def save(self, folder: str | Path) -> list[Path]:
        """Writes the files of `firebreak simulate` into a folder, made if need be; returns them.
        """
        with saving_into(folder, self._home) as out, keeping(self._inputs):
            check_maps(out)
            return write_maps(out, self._part, self._done,
                              with_files(self._options, out, self.landscape))

    def __repr__(self) -> str:
        return (f"<{self.loss.size:,} fires on {self.landscape.name}: {self.mean_burned_share:.1%} "
                "of the burnable cells burned on average>")

    def _repr_html_(self) -> str:
        from firebreak.report.pages.plan_report import fires_cell

        unit = value_unit(self.landscape)
        mean = f"{unit.per_value * self.loss.mean():.4g} {unit.name}"
        words = (f"{self.loss.size:,} fires burned {self.mean_burned_share:.1%} of the burnable "
                 f"cells on average; mean loss {mean}")
        return fires_cell(self._part.land, self._done.burned.burn_probability,
                          self._options.scene.seed, words)


@verb(SimulateOptions)
def simulate(landscape: Source, **options: Any) -> SimulatedFires:
    """Burns a landscape many times, as `firebreak simulate` does: the same options, the same
    defaults, the same numbers. Writes nothing.

    Args:
        landscape: a path or name that `firebreak simulate` takes, or what `read_landscape`
            returned.

    Options of rasters and shapes also take arrays [H, W] on the landscape's grid, `plan` what
    `plan` returned.

    Raises:
        InputError: one sentence that says what was expected, what was given, and what to do.
    """
    source = source_of(landscape, "simulate")
    settings = filled(SimulateOptions, options, "simulate")
    settings = with_arrays(settings, source, settings.scene)
    with threads_kept():
        use_threads(settings.scene.threads)
        part = part_to_burn(source, settings)
        done = burn(part, settings, notebook_bars(settings.scene.quiet))
    maps = {name: grid for bands in done.maps.values()
            for name, grid in on_full(bands, part).items()}
    for grid in maps.values():
        grid.flags.writeable = False
    return SimulatedFires(landscape=part.full, maps=maps, loss=done.burned.loss,
                          mean_burned_share=done.burned_share, seconds=done.seconds, _part=part,
                          _done=done, _options=settings,
                          _inputs=inputs_of(source if isinstance(source, str) else "", settings),
                          _home=Path.cwd())
