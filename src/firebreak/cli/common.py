"""What the commands share: parsing, threads, the JSON line, output folders."""

import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

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
    from firebreak.fire.engine import set_threads

    set_threads(count or os.cpu_count() or 1)
    if torch_threads is not None:
        import torch

        torch.set_num_threads(torch_threads)


def print_json(content: dict[str, Any]) -> None:
    """The machine-readable last line."""
    print(json.dumps({"schema": SCHEMA, **content}, allow_nan=False))


def new_folder(given: Path | None, name: str) -> Path:
    """The output folder: `given`, or a fresh outputs/NAME-TIME. It is made here.

    Raises:
        InputError: `given` is a file, or a folder that already holds a run.
    """
    folder = given or Path("outputs") / f"{name}-{time.strftime('%Y%m%d-%H%M%S')}"
    if folder.exists() and not folder.is_dir():
        raise fail(expected="a folder", given="a file", where=str(folder),
                   remedy="choose another --out")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


class SceneOptions(Protocol):
    """The options that say what weather and fires are like."""

    burned_share: float
    edge_share: float
    scenarios: int
    wind_20ft_km_h: float
    wind_from_deg: float | None
    spread: Literal["front", "graph"]
    seed: int


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
