"""`firebreak.read_landscape`: a landscape, with what lies on it."""

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from firebreak.api.given import source_of, with_arrays
from firebreak.api.options import filled, verb
from firebreak.api.shared.scene_options import MapOptions, RasterOptions, SceneOptions
from firebreak.landscape.landscape import Landscape
from firebreak.settings.scene import MadeBreaks, PlanBreaks


@dataclass(frozen=True, kw_only=True)
class LandscapeOptions:
    """Rasters on a landscape, and the kind of the breaks of `built`."""

    map: RasterOptions = field(default_factory=RasterOptions)
    breaks: PlanBreaks = field(default_factory=PlanBreaks)


@verb(LandscapeOptions)
def read_landscape(source: str | Path, **options: Any) -> Landscape:
    """Reads a landscape as the commands do: the same formats, options and defaults.

    Args:
        source: a landscape GeoTIFF, a FARSITE .lcp, a folder of layers, a Cell2Fire folder, or
            synthetic:SEED[:SIZE], or sample:NAME.

    Options of rasters and shapes also take arrays [H, W] on the landscape's grid. The weather of a
    Cell2Fire folder or of a sample is not part of a landscape: name it by `weather` in the calls
    that follow, or give these the folder or the sample's name.

    Raises:
        InputError: one sentence that says what was expected, what was given, and what to do.

    Warns:
        LandscapeWarning: what was assumed, resampled or left out.
    """
    settings = filled(LandscapeOptions, options, "read_landscape")
    breaks = MadeBreaks(**asdict(settings.breaks))  # treatments go with the calls that follow
    scene = SceneOptions(breaks=breaks)
    given = source_of(source, "read_landscape")
    settings = with_arrays(settings, given, scene)
    rasters = MapOptions(**vars(settings.map))
    return SceneOptions(map=rasters, breaks=breaks).read(given)
