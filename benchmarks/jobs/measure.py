"""One method on one job: its plan, the processor seconds that it took, what it saves of each test
fire. A record is a file of its own and is written when the method is done.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, NamedTuple

import numpy as np
from benchmarks.jobs.inputs import config_of
from benchmarks.jobs.load import Job
from benchmarks.rivals import RIVALS, known, method_of
from numpy.typing import NDArray

from firebreak.agent.policy_file import Policy, load_policy
from firebreak.api.shared.policies import shipped_for
from firebreak.checks import InputError
from firebreak.files import made_folder, write_text
from firebreak.planning.core.limits import SearchOptions
from firebreak.planning.core.plan import Plan, pieces_of
from firebreak.planning.core.progress import Reporter
from firebreak.planning.evaluation.auto import plan_by_choice
from firebreak.planning.evaluation.judging import judge_scene
from firebreak.planning.making import make_plan
from firebreak.planning.methods import AUTO, CANDIDATES, METHODS
from firebreak.seeding import integer_seed

RANDOM_DRAWS = 3
"""Plans that a random method is the mean over, as in `firebreak plan`."""
WARM_UP_FIRES = 4
MOST_TIMES_AUTO, MOST_SECONDS = 2.0, 20.0
"""A method that is not a search is stopped after so many times the processor seconds of `auto`, or
of this if `auto` took longer, which is also the most that a search may take.
"""

RECORDS = "records"
FORMAT = 1


class _TooLongError(Exception):
    """A method has taken as long as it may."""


class Record(NamedTuple):
    """One method on one job.

    Attributes:
        job, method: names.
        key: hash of what the job asks for and of its land; other records are of another job.
        refused: why the method made no plan, or None; one that takes too long makes none.
        chosen: of `auto`, the method whose plan it kept, else None.
        seconds: processor time of planning.
        wall_seconds: of planning, by the clock.
        limit_seconds: processor time that a search was given, else None.
        cells, pieces, cost, budget: of the plan; of a random method the mean.
        plan_reduction: what the plan saves of the plan fires, a share.
        saved, untreated: f64 [F], by test fire what is lost less, and what is lost without breaks.
    """

    job: str
    method: str
    key: str
    refused: str | None = None
    chosen: str | None = None
    seconds: float = 0.0
    wall_seconds: float = 0.0
    limit_seconds: float | None = None
    cells: float = 0.0
    pieces: float = 0.0
    cost: float = 0.0
    budget: float = 0.0
    plan_reduction: float = 0.0
    saved: NDArray[np.float64] = np.empty(0)
    untreated: NDArray[np.float64] = np.empty(0)

    @property
    def reduction(self) -> float:
        """Share of the untreated mean loss of the test fires that is saved."""
        return float(self.saved.mean() / self.untreated.mean())


def all_methods() -> list[str]:
    """`auto`, with whose seconds others are compared, the other methods, and last the searches,
    which take as long as `auto`.
    """
    return [AUTO, *sorted([*METHODS, *RIVALS], key=lambda name: method_of(name).searches)]


def key_of(job: Job) -> str:
    """Return the key of the inputs that a record must have been made from."""
    return key_from(config_of(job.name), job)


def key_from(config: Path, job: Job) -> str:
    """The same of a job with this file of settings: it, the land, its weather, every file that its
    options name, and the policy that `auto` and the methods that learn follow.
    """
    said = hashlib.sha256(config.read_bytes() + job.scene.landscape.checksum().encode())
    for column in job.scene.scenarios:
        said.update(column.tobytes())
    for path in (shipped_for(job.args.scene), *_files_in(job.args)):
        said.update(path.read_bytes())
    return said.hexdigest()


def _files_in(options: Any) -> Iterator[Path]:
    """Files that groups of options name."""
    for field in fields(options):
        value = getattr(options, field.name)
        if is_dataclass(value):
            yield from _files_in(value)
        elif isinstance(value, Path) and value.is_file():
            yield value


def path_of(out: Path, job: str, method: str) -> Path:
    """Path of the record of a job and method."""
    return out / RECORDS / job / f"{method}.json"


def write_record(record: Record, out: Path) -> Path:
    """Writes a record, whole or not at all."""
    path = path_of(out, record.job, record.method)
    made_folder(path.parent)
    plain = {name: value.tolist() if isinstance(value, np.ndarray) else value
             for name, value in record._asdict().items()}
    write_text(path, json.dumps({"format": FORMAT, **plain}) + "\n")
    return path


def read_record(path: Path) -> Record | None:
    """A record; None where there is none of this format."""
    try:
        plain: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if plain.pop("format") != FORMAT:
            return None
        for name in ("saved", "untreated"):
            plain[name] = np.asarray(plain[name], np.float64)
        return Record(**plain)
    except (OSError, ValueError, LookupError, TypeError):
        return None


def search_seconds(method: str, auto: Record | None) -> float | None:
    """Processor seconds that a search may take beside this record of `auto`; None for no limit."""
    if auto is None or not method_of(method).searches:
        return None
    return min(auto.seconds, MOST_SECONDS)


def measure(job: Job, method: str, auto: Record | None, policy: Policy | None = None) -> Record:
    """A method on a job.

    Args:
        auto: the record of `auto`, whose seconds a search may take; None for `auto`.
        policy: that learned methods follow; the one that comes with the package if not given.
    """
    limit = search_seconds(method, auto)
    policy = policy or load_policy(shipped_for(job.args.scene))
    began, began_wall = process_time(), perf_counter()
    most = np.inf if auto is None else MOST_TIMES_AUTO * min(auto.seconds, MOST_SECONDS)

    def watch(share: float) -> None:
        if limit is None and process_time() - began > most:
            raise _TooLongError

    try:
        plans, chosen = _plans(job, method, policy, SearchOptions(seconds=limit), watch)
    except InputError as error:
        return Record(job.name, method, key_of(job), refused=str(error), limit_seconds=limit)
    except _TooLongError:
        words = f"not done after {most:.0f} s"
        return Record(job.name, method, key_of(job), refused=words,
                      seconds=process_time() - began)
    count = len(plans)
    seconds, wall = process_time() - began, perf_counter() - began_wall
    result = judge_scene(job.scene, {method: plans}, job.plan_fires, job.args.test_fires)
    return Record(
        job.name, method, key_of(job), chosen=chosen, seconds=seconds / count,
        wall_seconds=wall / count, limit_seconds=limit,
        cells=sum(plan.cells.size for plan in plans) / count,
        pieces=sum(pieces_of(plan.break_mask()) for plan in plans) / count,
        cost=sum(plan.cost for plan in plans) / count, budget=plans[0].budget,
        plan_reduction=result.rows[method].in_sample_reduction or 0.0, saved=result.saved[method],
        untreated=result.untreated)


def _plans(job: Job, method: str, policy: Policy, search: SearchOptions,
           report: Reporter) -> tuple[list[Plan], str | None]:
    place, args, seed = job.place, job.args, job.args.scene.seed
    if method == AUTO:
        plan = plan_by_choice(job.scene, place.share, job.plan_fires, seed=seed, policy=policy,
                              rules=place.rules, segment_m=args.place.segment_m).plan
        return [plan], plan.method
    seeds = [seed]
    if method_of(method).stochastic:
        seeds = [integer_seed(seed, "random-draw", draw) for draw in range(RANDOM_DRAWS)]
    with known():
        return [make_plan(job.scene, place.share, job.plan_fires, method, seed=own,
                          policy=policy, search=search, rules=place.rules, report=report)
                for own in seeds], None


def warm_up(job: Job, policy: Policy) -> None:
    """Plans for a few fires, so that no method's seconds include what is compiled or loaded once.
    """
    for name in CANDIDATES:
        if name == "greedy":  # where fires burn anew for a trial it takes hours, even of few fires
            continue
        try:
            make_plan(job.scene, job.place.share, WARM_UP_FIRES, name, seed=0, policy=policy,
                      rules=job.place.rules)
        except InputError:  # which the method's record will say
            continue
