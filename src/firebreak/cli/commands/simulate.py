"""`firebreak simulate LANDSCAPE`: burn a landscape many times and write the maps."""

import shlex
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
from numpy.typing import NDArray

from firebreak.api.shared.executor_options import WorkerOptions, use_threads
from firebreak.api.shared.plan_options import SimulateOptions
from firebreak.api.shared.progress import bars
from firebreak.checks import counted, fail
from firebreak.cli.shared import common
from firebreak.cli.shared.common import scene_words
from firebreak.files import held_folder
from firebreak.landscape.value_unit import agreement_of, value_unit
from firebreak.settings.binding import Bound
from firebreak.settings.schema import POSITIONAL

if TYPE_CHECKING:
    from firebreak.api.shared.fire_maps import BurnAll, Part
    from firebreak.fire import BurnResult, Fires, Scene
    from firebreak.landscape.landscape import Landscape


@dataclass(frozen=True)
class SimulateArguments(SimulateOptions):
    """Burn a landscape and map burn probability, arrival time, flame length, downstream value."""

    landscape: Annotated[str, POSITIONAL]
    """A file or folder, synthetic:SEED[:SIZE], or sample:NAME."""
    observed: Path | None = None
    """The area that a real fire burned, polygons or a raster (not 0), to compare with the fire of
    --fires 1. Give its start by --ignitions, its weather by --weather, and its duration by
    --duration-min."""
    fire_sizes: Path | None = None
    """A CSV table of fires on record, with a column hectares or acres, to compare sizes with."""
    out: Path | None = None
    """Output folder; a new one under outputs/ if not given."""
    where: WorkerOptions = field(default_factory=WorkerOptions)


def run(bound: Bound[SimulateArguments]) -> int:
    """Runs the command."""
    args = bound.options
    args.where.check()
    by_workers = None if args.where.executor is None else _by_workers(args.where)
    common.check_out(args.out)
    common.check_there(args, args.landscape)  # an output folder of that name would be there
    with held_folder(args.out):
        if args.out is not None:
            from firebreak.api.shared.fire_maps import check_maps

            check_maps(args.out)
        return _run(args, by_workers)


def _run(args: SimulateArguments, by_workers: "BurnAll | None") -> int:
    """Burns the fires, writes and tells what they did."""
    from firebreak.api.shared.domains import domain_words
    from firebreak.api.shared.fire_maps import burn, part_to_burn, write_maps
    from firebreak.landscape.formats.tables import read_fire_sizes
    from firebreak.planning.evaluation.fire_facts import fact_words, fire_facts, size_words

    use_threads(args.scene.threads)
    records = None if args.fire_sizes is None else read_fire_sizes(args.fire_sizes)
    part = part_to_burn(args.landscape, args, moved=args.observed is not None)
    land = part.land
    observed = None if args.observed is None else _observed(args.observed, part)
    done = burn(part, args, bars(args.scene.bars_hidden), by_workers, args.where.beside())
    # Counted in cells: a fire's loss counts value.
    share = done.burned_share
    burned = done.burned
    agreement = None if observed is None else agreement_of(burned.burn_probability > 0.0, observed)
    out = common.new_folder(args.out, "simulate")
    files = write_maps(out, part, done, args)
    unit = value_unit(land)
    regime = done.scene.conditions.regime
    usual = f"asked for {regime.burned_share:.1%}; " if regime.median_min is None else ""
    lasts = (f"{usual}median duration {done.scene.median_duration_min:.0f} min"
             if regime.hours is None else regime.periods_words())
    print(f"{counted(args.fires, 'fire')} in {_weather_words(done.scene)} burned {share:.1%} of "
          f"the burnable cells on average in {done.seconds:.1f} s ({lasts}); mean loss "
          f"{burned.loss.mean() * unit.per_value:.4g} {unit.name}")
    if agreement is not None:
        print(f"observed fire: {agreement.observed:,} cells, simulated {agreement.simulated:,}, "
              f"both {agreement.both:,}: precision {agreement.precision:.2f}, recall "
              f"{agreement.recall:.2f}, area ratio {agreement.area_ratio:.2f}, intersection over "
              f"union {agreement.iou:.2f}")
    facts = fire_facts(done.scene, done.fires)
    for words in fact_words(facts):
        print(words)
    if records is not None:
        print(size_words(facts.sizes_ha, records, facts.times))
    print(args.scene.crews_words(done.scene.conditions), end="")
    print(_outlasting(done.scene, done.fires), end="")
    print(_hemmed_in(land, done.fires), end="")
    print(domain_words(part.domain), end="")
    for path in files:
        print(path)
    if args.plan is None:
        area = "" if args.area is None else f" --area {shlex.quote(args.area)}"
        print(f"next: firebreak plan {shlex.quote(args.landscape)}{area} --budget 0.05"
              f"{scene_words(args.scene)} --out my_plan")
    if args.scene.json:
        common.print_json({"mean_burned_share": share, "fires": args.fires,
                           "seconds": done.seconds, "files": [str(path) for path in files]}
                          | ({} if part.domain is None else {"domain": part.domain.to_json()})
                          | ({} if agreement is None else {"observed": agreement._asdict()}))
    return 0


def _by_workers(where: WorkerOptions) -> "BurnAll":
    """The function that burns fires on a scene by the workers that are asked for."""
    from firebreak.planning.evaluation.losses import burned_by_workers, burner_recipe

    def burn_all(scene: "Scene", fires: "Fires", breaks: NDArray[np.bool_] | None,
                 report: Callable[[int], object]) -> "BurnResult":
        with closing(where.open(burner_recipe([scene]))) as executor:
            return burned_by_workers(executor, scene, fires, breaks, report)

    return burn_all


def _observed(path: Path, part: "Part") -> NDArray[np.bool_]:
    from firebreak.planning.core.area import mask_on_part

    mask = mask_on_part(path, part.land, part.offset, part.full, "majority")
    if not mask.any():
        raise fail(expected="cells that the observed fire burned", given="none on the landscape",
                   where=str(path), remedy="check its place and reference system")
    return mask


def _weather_words(scene: "Scene") -> str:
    streams = scene.streams
    count, steps = streams.weight.size, streams.steps_per_stream
    hours = f" of {steps} steps of {streams.step_min:g} min" if steps > 1 else ""
    return f"{count} weather scenario{'s' if count > 1 else ''}{hours}"


def _outlasting(scene: "Scene", fires: "Fires") -> str:
    """A line for fires that burn longer than their weather lasts; nothing where none does."""
    lasts = scene.streams.steps_per_stream * scene.streams.step_min
    share = float((fires.duration_min > lasts).mean())
    words = f"{share:.0%} of the fires outlast their weather, whose last row then holds\n"
    return words if share > 0.0 else ""


def _hemmed_in(land: "Landscape", fires: "Fires") -> str:
    """A line for fires that start where bare ground hems them in; nothing where none does."""
    from firebreak.landscape.bare_ground import FEWEST, hemmed_in

    count = int(np.count_nonzero(hemmed_in(land).ravel()[fires.source]))
    words = "1 fire starts" if count == 1 else f"{count:,} fires start"
    return (f"{words} in a piece of fewer than {FEWEST} cells that bare ground hems in: nothing "
            "else burns, unless fire crosses it\n" if count else "")
