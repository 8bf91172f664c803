"""`firebreak visualize RUN RUN ...`: the learning curves of several runs in one figure."""

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from firebreak.checks import fail
from firebreak.cli.commands.visualize_options import VisualizeArguments, run_config
from firebreak.cli.shared import common
from firebreak.files import without_links


def draw_curves(folders: list[Path], args: VisualizeArguments) -> Path:
    """Draws the learning curves of several runs into one figure; returns the file.

    Raises:
        InputError: one of them is no run or never validated, or the explorer is asked for too.

    Warns:
        UserWarning: the runs differ in more than the seed.
    """
    from firebreak.report.figures.canvas import save_figure
    from firebreak.report.figures.curves import runs_figure
    from firebreak.report.pages.run_report import baselines_of
    from firebreak.train.storage.stored import evaluation_of, metrics_rows

    if args.serve or args.export is not None:
        raise fail(expected="one run, plan or landscape to explore", given=f"{len(folders)}",
                   where="visualize", remedy="name one of them")
    if len(set(map(without_links, folders))) < len(folders):
        raise fail(expected="each run once", given="one twice", where="visualize",
                   remedy="remove the repeated run")
    configs = {str(folder): run_config(folder, args) for folder in folders}
    other = differing([config.model_dump() for config in configs.values()])
    if other:
        warnings.warn(f"these runs differ in more than the seed: {', '.join(other)}", stacklevel=2)
    # A mixture validates on problems that the evaluation does not ask: no level is comparable.
    found = [{} if config.mixture.is_mixed else baselines_of(evaluation_of(Path(name)))
             for name, config in configs.items()]
    baselines = {name: fmean(own[name] for own in found)
                 for name in found[0] if all(name in own for own in found)}
    seeds = ", ".join(str(config.seed) for config in configs.values())
    lines = " · lines: test landscapes, mean of the runs" if baselines else ""
    figure = runs_figure(
        {name: metrics_rows(Path(name)) for name in configs}, baselines,
        caption=f"runs {', '.join(without_links(folder).name for folder in folders)} · "
                f"seeds {seeds}{lines}")
    return save_figure(figure, common.new_folder(args.out, "curves") / "learning_curves.png")


def differing(configs: Sequence[Mapping[str, Any]], table: str = "") -> list[str]:
    """Names of what is not the same in all configurations, but for the seed."""
    found = []
    for name, value in configs[0].items():
        values = [config[name] for config in configs]
        if isinstance(value, dict) and all(isinstance(one, dict) for one in values):
            found += differing(values, f"{table}{name}.")
        elif f"{table}{name}" != "seed" and any(one != value for one in values):
            found.append(f"{table}{name}")
    return found
