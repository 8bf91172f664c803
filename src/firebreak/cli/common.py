"""What the commands share: parsing, threads, the JSON line, output folders."""

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import tyro

from firebreak.checks import fail

if TYPE_CHECKING:
    from firebreak.fire.scene import Scene
    from firebreak.landscape.landscape import Landscape

SCHEMA = 1
WIND_SPREAD = 0.45  # standard deviation of the wind speed over its mean
Arguments = TypeVar("Arguments")


def parse(kind: type[Arguments], arguments: list[str], command: str) -> Arguments:
    """Parses a command's options into its dataclass; --help and mistakes end the program."""
    return tyro.cli(kind, args=arguments, prog=f"firebreak {command}",
                    config=(tyro.conf.FlagCreatePairsOff, tyro.conf.OmitArgPrefixes))


def use_threads(count: int, torch_threads: int | None = None) -> None:
    """Sets the threads that burn fires (0 = all cores) and, if given, those of the network."""
    from firebreak.fire.engine import most_threads, set_threads

    set_threads(count or most_threads())
    if torch_threads is not None:
        import torch

        torch.set_num_threads(torch_threads)


def print_json(content: dict[str, Any]) -> None:
    """The machine-readable last line."""
    print(json.dumps({"schema": SCHEMA, **content}, allow_nan=False))


def chosen_folder(given: Path | None, name: str) -> Path:
    """The output folder: `given`, or outputs/NAME-TIME. It is not made yet.

    Raises:
        InputError: `given` is a file.
    """
    folder = given or Path("outputs") / f"{name}-{time.strftime('%Y%m%d-%H%M%S')}"
    if folder.exists() and not folder.is_dir():
        raise fail(expected="a folder", given="a file", where=str(folder),
                   remedy="choose another --out")
    return folder


def new_folder(given: Path | None, name: str) -> Path:
    """`chosen_folder`, made."""
    folder = chosen_folder(given, name)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@dataclass
class SceneOptions:
    """The options of every command that burns fires on landscapes."""

    burned_share: float = 0.15
    """Mean share of the burnable cells that an untreated fire burns; durations are set for it."""
    edge_share: float = 0.0
    """Share of fires that enter from the map's edge."""
    scenarios: int = 8
    """Weather scenarios."""
    wind_20ft_km_h: float = 16.2
    """Mean wind speed 20 ft above the vegetation."""
    wind_from_deg: float | None = None
    """Main wind direction; drawn from the seed if not given."""
    spread: Literal["front", "graph"] = "front"
    """Elliptical front, or the fast eight-neighbour graph (too slow a fire under wind)."""
    terrain: Literal["derived", "shipped"] = "derived"
    """Slope and aspect from elevation, or the file's own."""
    crs: str | None = None
    """Coordinate reference system to use instead of the file's own."""
    seed: int = 0
    """Names the weather, the fires and the random plans."""
    threads: int = 0
    """Threads that burn fires; 0 = all cores."""
    json: bool = False
    """End with one machine-readable line."""

    def read(self, spec: str) -> "Landscape":
        """The landscape that a command was given."""
        from firebreak.landscape.readers import read_landscape

        return read_landscape(spec, terrain=self.terrain, crs=self.crs)


def scene_of(landscape: "Landscape", options: SceneOptions) -> "Scene":
    """The scene of a landscape under a command's options."""
    from firebreak.fire.fires import FireRegime
    from firebreak.fire.scene import FireConditions, make_scene
    from firebreak.fire.weather import WindClimate
    from firebreak.units import M_MIN_PER_KM_H

    speed = options.wind_20ft_km_h * M_MIN_PER_KM_H
    climate = WindClimate(dominant_from_deg=options.wind_from_deg, wind_20ft_mean_m_min=speed,
                          wind_20ft_spread_m_min=WIND_SPREAD * speed)
    regime = FireRegime(burned_share=options.burned_share, edge_share=options.edge_share)
    return make_scene(landscape, FireConditions(
        climate=climate, regime=regime, scenarios=options.scenarios, spread=options.spread),
        options.seed)
