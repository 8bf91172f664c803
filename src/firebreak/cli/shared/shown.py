"""The options of `firebreak visualize`, and what they ask to show."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from annotated_types import Ge, Le

from firebreak.api.shared.scene_options import FireOptions, MapOptions, SceneOptions, WeatherOptions
from firebreak.checks import fail
from firebreak.settings.binding import Bound
from firebreak.settings.kinds import AtLeastOne, Count, Share
from firebreak.settings.planning import BUDGET
from firebreak.settings.scene import MadeBreaks
from firebreak.settings.schema import POSITIONAL, leaves, option_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from firebreak.train.config.schema import RunConfig
    from firebreak.train.data.splits import Splits

DEFAULT_PORT = 8710


@dataclass(frozen=True)
class VisualizeArguments:
    """Draw a run: learning curve, memory, maps, Q-maps, an animated fire. Or open the explorer."""

    runs: Annotated[list[str], POSITIONAL]
    """Folder of a run made by `firebreak train`. Several, such as those of several seeds: their
    learning curves in one figure. The explorer also takes the folder of a plan, or a landscape (a
    file or folder, synthetic:SEED[:SIZE], or sample:NAME)."""
    out: Path | None = None
    """Folder for the curves of several runs; a new one under outputs/ if not given."""
    data: str | None = None
    """Folder that the run's maps are relative to; FIREBREAK_DATA if not given."""
    landscape: Annotated[int, Ge(0)] = 0
    """Number of the test landscape of a run to draw, counted from 0."""
    seed: int | None = None
    """Seed of the test landscapes, weather and fires that are drawn; if not given, the test seed of
    a run, and 0 for the weather and fires of a landscape."""
    serve: bool = False
    """Serve the explorer to this machine's browser until Ctrl-C: step through the plan, light
    fires, turn the wind, move breaks."""
    port: Annotated[int, Ge(0), Le(65_535)] = DEFAULT_PORT
    """Port of --serve; 0 for any free one."""
    export: Path | None = None
    """Write the explorer as one HTML file that needs no server."""
    plan: Path | None = None
    """Plan of a landscape to explore: a folder, plan.csv, Cell2Fire's table, a raster of breaks
    or shapes."""
    method: str | None = None
    """Planning method for a landscape without --plan; dqn if not given."""
    policy: Path | None = None
    """Policy of the plan and of the Q-map; one that comes with firebreak if not given."""
    budget: Share = BUDGET
    """Share of the treatable cells' cost that a landscape's plan may spend."""
    area: str | None = None
    """Part of a landscape to explore: R0:R1,C0:C1."""
    plan_fires: AtLeastOne | None = None
    """Number of plan fires: the fires that every method is given to plan with; as many as
    `firebreak plan` takes if not given."""
    map: MapOptions = field(default_factory=MapOptions)
    weather: WeatherOptions = field(default_factory=WeatherOptions)
    fire: FireOptions = field(default_factory=FireOptions)
    breaks: MadeBreaks = field(default_factory=MadeBreaks)
    threads: Count = 0
    """Number of threads that burn fires; 0: one for each core."""
    quiet: bool = False
    """Show no progress."""
    json: bool = False
    """End with one machine-readable line."""

    def scene_options(self) -> SceneOptions:
        """The options of a landscape's scene."""
        return SceneOptions(map=self.map, weather=self.weather, fire=self.fire, breaks=self.breaks,
                            seed=self.seed or 0, threads=self.threads, json=self.json)


EXPLORER = ("serve", "export", "port")
ALWAYS = ("threads", "quiet", "json", "out")
"""`--out` is refused elsewhere, in words of its own."""


def check_shown(bound: Bound[VisualizeArguments]) -> None:
    """Refuses options that would change nothing in what is shown.

    Raises:
        InputError: naming the option and what is shown.
    """
    args = bound.options
    shown, known, remedy = _shown(args)
    for name in bound.origins:
        if name not in ("runs", *ALWAYS, *known):
            raise fail(expected=shown, given=option_of(name), where="visualize", remedy=remedy)


def _shown(args: VisualizeArguments) -> tuple[str, "Collection[str]", str]:
    """The subject, the options that apply to it, and the remedy for others."""
    folder, alone = Path(args.runs[0]), "leave it out"
    if len(args.runs) > 1:
        return "the learning curves of runs as they are", (*EXPLORER, "seed"), alone
    if (folder / "config.toml").is_file():
        return "a run as it is", (*EXPLORER, "data", "landscape", "seed"), alone
    if not args.serve and args.export is None:  # which is refused: only a run has figures
        return "the explorer", {*leaves(VisualizeArguments)}, alone
    if (folder / "plan.json").is_file():
        return ("a plan's folder alone, which says what it was made on and with",
                (*EXPLORER, "policy"), f"{alone}, or give the landscape and --plan {folder}")
    known = {*leaves(VisualizeArguments)} - {"data", "landscape"}
    if args.plan is None:
        return "a landscape, which is no run", known, alone
    return "a plan as it is", known - {"method", "budget"}, alone


def run_parts(folder: Path, args: VisualizeArguments) -> "tuple[RunConfig, Splits]":
    """The configuration and the landscapes of a run.

    Raises:
        InputError: not the folder of a run.
    """
    config = run_config(folder, args)
    from firebreak.train.config.load import data_folder
    from firebreak.train.data.splits import make_splits

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
