"""What `firebreak visualize` is asked to show: its options, and the run that they name."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from firebreak.api.shared.scene_options import FireOptions, MapOptions, SceneOptions, WeatherOptions
from firebreak.checks import fail
from firebreak.settings.breaks import BreakSettings
from firebreak.settings.kinds import Share
from firebreak.settings.planning import BUDGET, PLAN_FIRES

if TYPE_CHECKING:
    from firebreak.train.config.schema import RunConfig
    from firebreak.train.data.splits import Splits

DEFAULT_PORT = 8710


@dataclass
class VisualizeArguments:
    """Draw a run: learning curve, memory, maps, Q-maps, an animated fire. Or open the explorer."""

    runs: Annotated[list[str], tyro.conf.Positional]
    """Folder of a run made by `firebreak train`, or several, such as of several seeds, for their
    learning curves in one figure; for the explorer also the folder of a plan, or a landscape (a
    file or folder, synthetic:SEED[:SIZE], or sample:NAME)."""
    out: Path | None = None
    """Folder for the curves of several runs; a new one under outputs/ if not given."""
    data: str | None = None
    """Folder that the maps of the run are relative to; else FIREBREAK_DATA."""
    landscape: int = 0
    """Which test landscape of a run to draw, counted from 0."""
    seed: int | None = None
    """Seed of the test landscapes, weather and fires drawn, instead of the run's test seed; of a
    landscape's weather and fires, 0 if not given."""
    serve: bool = False
    """Open the explorer on loopback until Ctrl-C: step through the plan, light fires, turn the
    wind, move breaks."""
    port: int = DEFAULT_PORT
    """Port of --serve; 0 for any free one."""
    export: Path | None = None
    """Write the explorer as one HTML file that needs no server."""
    plan: Path | None = None
    """Plan to explore, for a landscape: a folder, plan.csv, plan.tif or a Cell2Fire table."""
    method: str | None = None
    """How to plan for a landscape where no --plan is given; dqn if not given."""
    policy: Path | None = None
    """Policy of the plan and of the Q-map; the one that comes with firebreak if not given."""
    budget: Share = BUDGET
    """Share of the treatable cells' cost that a landscape's plan may spend."""
    area: str | None = None
    """Explore these cells of a landscape only: R0:R1,C0:C1."""
    plan_fires: int = PLAN_FIRES
    """Plan fires: the fires that every method plans against on a landscape."""
    map: MapOptions = field(default_factory=MapOptions)
    weather: WeatherOptions = field(default_factory=WeatherOptions)
    fire: FireOptions = field(default_factory=FireOptions)
    breaks: BreakSettings = field(default_factory=BreakSettings)
    threads: int = 0
    """Threads that burn fires; 0 = all cores."""
    quiet: bool = False
    """No progress bar."""
    json: bool = False
    """End with one machine-readable line."""

    def scene_options(self) -> SceneOptions:
        """The options of a landscape's scene."""
        return SceneOptions(map=self.map, weather=self.weather, fire=self.fire, breaks=self.breaks,
                            seed=self.seed or 0, threads=self.threads, json=self.json)


def run_parts(folder: Path, args: VisualizeArguments) -> "tuple[RunConfig, Splits]":
    """The configuration and the landscapes of a run.

    Raises:
        InputError: not the folder of a run.
    """
    from firebreak.train.config.load import data_folder
    from firebreak.train.data.splits import make_splits

    config = run_config(folder, args)
    return config, make_splits(config, data_folder(config, args.data))


def run_config(folder: Path, args: VisualizeArguments) -> "RunConfig":
    """The configuration of a run.

    Raises:
        InputError: not the folder of a run.
    """
    from firebreak.train.config.load import load_config

    stored = folder / "config.toml"
    if not stored.is_file():
        raise fail(expected="a run folder with config.toml", given="none there", where=str(folder),
                   remedy="train one with 'firebreak train quick', or ask for --serve to explore "
                          "a landscape or a plan")
    return load_config(str(stored), [] if args.seed is None
                       else [f"evaluation.test_seed={args.seed}"])
