"""A job: the plan that its TOML asks for, as `firebreak plan --config` reads it."""

import dataclasses
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.jobs.inputs import JOBS, OUT, config_of

from firebreak.api.plans.area import PlanningArea, planning_area
from firebreak.checks import unknown_name
from firebreak.cli.shared.plan_record import PlanArguments, options_in
from firebreak.fire import Scene
from firebreak.planning.core.fire_counts import enough_plan_fires

FROM_CONFIGS = "../../outputs/jobs/"
"""Name of the folder of inputs in a job's TOML."""


class Job(NamedTuple):
    """A job that is ready to plan: its options, the part of the map with its rules, the fires."""

    name: str
    args: PlanArguments
    place: PlanningArea
    scene: Scene

    @property
    def plan_fires(self) -> int:
        """Number of plan fires that `firebreak plan` takes."""
        return enough_plan_fires(self.scene, self.args.plan_fires)


def names_of(chosen: list[str]) -> list[str]:
    """The jobs that are named, all of them where none is.

    Raises:
        InputError: a name that no job has.
    """
    for name in chosen:
        if name not in JOBS:
            raise unknown_name("job", name, list(JOBS), "--jobs")
    return chosen or list(JOBS)


def options_of(name: str, out: Path = OUT) -> PlanArguments:
    """The options of a job's TOML, with its inputs under `out`.

    Raises:
        InputError: an unknown key, a value of another kind.
    """
    args: PlanArguments = _moved(options_in(config_of(name)), out)
    return args


def load_job(name: str, out: Path = OUT) -> Job:
    """Reads a job's map and inputs, which must be there, and draws its weather.

    Raises:
        InputError: inputs that are missing or do not fit, options that contradict one another.
    """
    return load_config(name, config_of(name), out)


def load_config(name: str, config: Path, out: Path = OUT, **place_options: Any) -> Job:
    """The job of any TOML whose inputs lie under `out`, with other options of its [place] if given;
    see `load_job`.
    """
    args: PlanArguments = _moved(options_in(config), out)
    args = dataclasses.replace(args, place=dataclasses.replace(args.place, **place_options))
    full = args.scene.read(args.landscape)
    place = planning_area(args.place, full, args.budget, args.scene, args.landscape)
    return Job(name, args, place, args.scene.scene(place.land, args.landscape))


def _moved(options: Any, out: Path) -> Any:
    """Options whose paths in the folder of inputs lie under `out` instead."""
    changes: dict[str, Any] = {}
    for field in dataclasses.fields(options):
        value = getattr(options, field.name)
        if dataclasses.is_dataclass(value):
            changes[field.name] = _moved(value, out)
        elif isinstance(value, str | Path):
            _, found, rest = str(value).partition(FROM_CONFIGS)
            if found:
                changes[field.name] = type(value)(out / rest)
    return dataclasses.replace(options, **changes)
